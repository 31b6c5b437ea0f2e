/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Landlock (landlock(7)): what of the file system, and which networks, this
 * process can reach from now on.  Needs no privilege and cannot be undone.
 */
#ifndef FOLD_REPORT_LANDLOCK_H
#define FOLD_REPORT_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct landlock {
	int abi;            /* what the kernel has; 1 is that of 5.13 */
	int fd;             /* of the rules */
	uint64_t handled;   /* rights that are taken away where no rule gives them */
};

enum landlock_use {
	LANDLOCK_READ,      /* files, and lists of directories */
	LANDLOCK_WRITE,     /* what is there: a file or device */
	LANDLOCK_CREATE,    /* and read, rename and remove regular files in a directory */
	LANDLOCK_CACHE,     /* read and create, directories too */
};

/*
 * Begin a list of rules.  `network`: TCP stays as it is, else it is refused
 * (6.7).  0, or -errno: ENOSYS, EOPNOTSUPP the kernel has no Landlock.
 */
int landlock_begin(struct landlock *l, bool network);

/* Allow `use` of a file, or of all below a directory.  0, or -errno: what is not
 * there needs no rule, and -EBADFD is something, such as a pipe, that needs none either. */
int landlock_allow(const struct landlock *l, const char *path, enum landlock_use use);

/* The rules hold from here on.  Needs no_new_privs.  0, or -errno; `l` is released. */
int landlock_enter(struct landlock *l);

#endif
