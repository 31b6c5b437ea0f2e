/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF object with the walker: opens it, gets it past what old libbpf does to
 * it, attaches what follows processes.  Knows no tables.
 */
#ifndef FOLD_UNWIND_WALKER_H
#define FOLD_UNWIND_WALKER_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_object;
struct bpf_link;

#define WALKER_LINKS 3 /* fork, exec, exit */
struct walker {
	struct bpf_object *object;
	struct bpf_link *links[WALKER_LINKS];
};

/* Whether there is a walker for this machine. */
bool walker_exists(void);

/*
 * Open w->object, not yet loaded.  `read_kernel`: helpers that read kernel memory may
 * be used, which only kernels before 5.15 need and lockdown may refuse.  `frequency`: of
 * samples on a CPU.  0, or -errno.
 */
int walker_open(struct walker *w, bool read_kernel, uint32_t frequency);

/* When it is loaded: follow processes.  0, or -errno. */
int walker_attach(struct walker *w);
void walker_release(struct walker *w); /* accepts a zeroed struct */

#endif
