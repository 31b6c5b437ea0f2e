/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which processes are recorded, when it is not all of them: a set that the kernel
 * keeps by itself from fork to fork.  With it every CPU is sampled, and what is not
 * in the set is left out before its stack is walked.
 */
#ifndef FOLD_RECORD_SCOPE_H
#define FOLD_RECORD_SCOPE_H

#include <stdint.h>

struct bpf_object;
struct bpf_link;

#define SCOPE_LINKS 2 /* fork, exec */
struct scope {
	struct bpf_object *object;
	struct bpf_link *links[SCOPE_LINKS];
	uint64_t *words;  /* bits, shared with the kernel */
	int map_fd;
};

/*
 * An empty set, which what is forked by its members joins.  `command`: joins when it
 * execs; 0 none.  Numbers are those of the first pid namespace.  0, or -errno: this
 * kernel cannot (no BTF).
 */
int scope_open(struct scope *s, uint32_t command);
void scope_close(struct scope *s); /* accepts a zeroed struct */

/* This process, and what it forks from now on. */
void scope_add(struct scope *s, uint32_t tgid);

#endif
