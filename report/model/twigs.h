/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call tree in the making: twigs, each a frame on top of another twig.  Where
 * stacks differ in their addresses only, there are several twigs of the same
 * frames side by side; laying the tree out joins them.
 */
#ifndef FOLD_REPORT_TWIGS_H
#define FOLD_REPORT_TWIGS_H

#include "tree.h"

struct twig {
	uint32_t parent, frame; /* a parent always stands before its twigs; twig 0 is the root of all */
	uint64_t self;
};
struct twigs {
	struct twig *v;
	size_t n, room;
};

int twigs_init(struct twigs *twigs); /* 0, or -1 out of memory */
void twigs_release(struct twigs *twigs);
/* A new one.  0, or -1 out of memory. */
int twigs_add(struct twigs *twigs, uint32_t parent, uint32_t frame, uint32_t *id);

/*
 * The tree: twigs of the same parent and frame become one node, siblings are
 * sorted by rank[frame], twigs that carry no sample are left out.  Node frames
 * are ranks.  `place` (twigs->n) receives the node of each, TREE_NONE left out.
 * Fills tree->nodes and tree->total.  0, or -1 out of memory.
 */
int twigs_lay_out(const struct twigs *twigs, const uint32_t *rank, uint32_t *place, struct tree *tree);

#endif
