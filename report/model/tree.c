/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a tree can say of itself once its nodes stand in their order: who is whose
 * child, and what nodes and frames add up to.  Knows nothing of how it was built.
 */
#include "tree.h"

#include <stdlib.h>

void tree_link(struct tree *tree)
{
	for (size_t i = 0; i < tree->nnodes; i++)
		tree->nodes[i].total = tree->nodes[i].self;
	for (size_t i = tree->nnodes; i-- > 1;) { /* backwards: each goes before its younger siblings */
		struct tree_node *node = &tree->nodes[i], *parent = &tree->nodes[node->parent];

		parent->total += node->total;
		node->next = parent->child;
		parent->child = (uint32_t)i;
	}
	tree->total = tree->nodes[0].total;
}

/*
 * self and total of frames, by a walk over nodes, which stand in its order.  A
 * frame that calls itself counts once: only the outermost node adds its total.
 */
int tree_sum_frames(struct tree *tree)
{
	uint32_t *open = calloc(tree->nframes, sizeof(*open)); /* how often it is on the path */
	uint32_t last = 0;

	if (!open)
		return -1;
	for (size_t i = 0; i < tree->nnodes; i++) {
		const struct tree_node *node = &tree->nodes[i];
		struct frame *frame = &tree->frames[node->frame];

		for (; i && last != node->parent; last = tree->nodes[last].parent)
			open[tree->nodes[last].frame]--;
		last = (uint32_t)i;
		frame->self += node->self;
		if (!open[node->frame]++)
			frame->total += node->total;
	}
	free(open);
	return 0;
}

void tree_release(struct tree *tree)
{
	intern_release(&tree->text);
	free(tree->nodes);
	free(tree->frames);
	free(tree->leaves);
	*tree = (struct tree){0};
}
