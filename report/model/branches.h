/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trie of names while it is built: (parent, frame) -> branch.  Branch 0 is
 * the root of all; a parent always stands before its children.
 */
#ifndef FOLD_REPORT_BRANCHES_H
#define FOLD_REPORT_BRANCHES_H

#include "pairmap.h"

struct branch {
	uint32_t parent, frame;
	uint64_t self, total;
};
struct branches {
	struct branch *v;
	size_t n, room;
	struct pairmap children;
};

int branches_init(struct branches *branches); /* 0, or -1 out of memory */
void branches_release(struct branches *branches);
/* The child of `parent` with `frame`, new or old.  0, or -1 out of memory. */
int branches_child(struct branches *branches, uint32_t parent, uint32_t frame, uint32_t *child);
/* total = self + totals of the children, for all. */
void branches_sum(struct branches *branches);

#endif
