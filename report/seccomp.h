/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter of system calls (seccomp(2)) for a program that reads, computes and
 * writes.  Needs no_new_privs and cannot be undone.
 */
#ifndef FOLD_REPORT_SECCOMP_H
#define FOLD_REPORT_SECCOMP_H

#include <stdbool.h>

/*
 * From here on: no other program (the attempt ends this one), no child processes
 * (threads are fine), no sockets, no tracing, no code in writable memory, no
 * signals to others; calls that are not needed fail with EPERM.  `network`:
 * sockets and shared libraries stay possible.
 *
 * 0, or -errno: EINVAL the kernel has no filters, ENOTSUP this program has none,
 * for its architecture or because it is built with a sanitizer.
 */
int seccomp_enter(bool network);

#endif
