/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All stacks go down together, from their leaves to the root: those that agree so
 * far are a group, and each group is a node.  A group is sorted by the next frame
 * and falls into smaller ones, until it is one stack, whose rest needs no sorting.
 * The groups still to be visited lie on a stack, first one on top.
 */
#include "reverse.h"

#include <string.h>

#include "array.h"
#include "order.h"
#include "twigs.h"

struct step { /* of the tree as it was: what a walk to the root needs, close together */
	uint32_t parent, frame;
};
struct leaf { /* a node in which samples ended */
	uint64_t self;
	uint32_t node;
};
struct group { /* stacks[first ..] up to those of the group above it */
	uint32_t parent; /* node */
	size_t first;
};
struct turn {
	struct step *steps;
	struct leaf *leaves;
	struct ordered *stacks; /* index: of leaves, more: step, key: its frame, the last one first; as many again to sort */
	size_t nstacks, nleaves;
	struct group *groups;
	size_t ngroups, groups_room;
	struct tree *tree;
	size_t nodes_room;
	uint32_t *moved;
};

static void turn_release(struct turn *t)
{
	free(t->steps);
	free(t->leaves);
	free(t->stacks);
	free(t->groups);
}

static struct ordered stack_at(const struct turn *t, uint32_t leaf, uint32_t step)
{
	return (struct ordered){.key = UINT32_MAX - t->steps[step].frame, .index = leaf, .more = step};
}

/* What is needed of the nodes, which are given back. */
static int turn_init(struct turn *t, struct tree *tree, uint32_t *moved)
{
	size_t n = tree->nnodes, leaves = 0;

	for (size_t i = 0; i < n; i++)
		leaves += tree->nodes[i].self != 0;
	*t = (struct turn){
		.steps = malloc(n * sizeof(*t->steps)),
		.leaves = malloc((leaves + 1) * sizeof(*t->leaves)),
		.stacks = malloc((leaves + 1) * 2 * sizeof(*t->stacks)),
		.tree = tree,
		.moved = moved,
	};
	if (!t->steps || !t->leaves || !t->stacks)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct tree_node *node = &tree->nodes[i];

		t->steps[i] = (struct step){node->parent, node->frame};
		if (!node->self)
			continue;
		t->leaves[t->nleaves] = (struct leaf){node->self, (uint32_t)i};
		if (i) /* what is in the root has no frame to turn */
			t->stacks[t->nstacks++] = stack_at(t, (uint32_t)t->nleaves, (uint32_t)i);
		t->nleaves++;
	}
	memset(moved, 0xff, n * sizeof(*moved));
	free(tree->nodes);
	tree->nodes = NULL;
	tree->nnodes = 0;
	return 0;
}

static int add_node(struct turn *t, uint32_t parent, uint32_t frame, uint32_t *id)
{
	struct tree *tree = t->tree;

	if (tree->nnodes >= TREE_NONE - 1 || array_room(tree->nodes, t->nodes_room, tree->nnodes + 1))
		return -1;
	*id = (uint32_t)tree->nnodes;
	tree->nodes[tree->nnodes++] = (struct tree_node){.parent = parent, .child = TREE_NONE, .next = TREE_NONE, .frame = frame};
	return 0;
}

static void end_stack(struct turn *t, uint32_t leaf, uint32_t node)
{
	t->tree->nodes[node].self += t->leaves[leaf].self;
	t->moved[t->leaves[leaf].node] = node;
}

static void sort_stacks(struct turn *t, struct ordered *v, size_t n)
{
	if (n > 16) {
		order_sort(v, t->stacks + t->nleaves + 1, n);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct ordered moved = v[i];
		size_t at = i;

		for (; at && v[at - 1].key > moved.key; at--)
			v[at] = v[at - 1];
		v[at] = moved;
	}
}

/* The stacks from `first` on fall into groups below `parent`. */
static int split(struct turn *t, uint32_t parent, size_t first)
{
	struct ordered *v = t->stacks + first;
	size_t n = t->nstacks - first;

	sort_stacks(t, v, n);
	for (size_t i = 0; i < n; i++) {
		if (i && v[i].key == v[i - 1].key)
			continue;
		if (array_room(t->groups, t->groups_room, t->ngroups + 1))
			return -1;
		t->groups[t->ngroups++] = (struct group){parent, first + i};
	}
	return 0;
}

/* One stack alone, down to the root. */
static int finish_stack(struct turn *t, uint32_t parent)
{
	struct ordered stack = t->stacks[--t->nstacks];

	for (uint32_t at = stack.more; at; at = t->steps[at].parent)
		if (add_node(t, parent, t->steps[at].frame, &parent))
			return -1;
	end_stack(t, stack.index, parent);
	return 0;
}

static int visit_group(struct turn *t)
{
	struct group group = t->groups[--t->ngroups];
	struct ordered *v = t->stacks + group.first;
	size_t n = t->nstacks - group.first, kept = 0;
	uint32_t id;

	if (n == 1)
		return finish_stack(t, group.parent);
	if (add_node(t, group.parent, t->steps[v[0].more].frame, &id))
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint32_t next = t->steps[v[i].more].parent;

		if (next)
			v[kept++] = stack_at(t, v[i].index, next);
		else
			end_stack(t, v[i].index, id);
	}
	t->nstacks = group.first + kept;
	return split(t, id, group.first);
}

int reverse_nodes(struct tree *tree, uint32_t *moved)
{
	struct turn t;
	uint32_t root;
	int err = turn_init(&t, tree, moved) || add_node(&t, TREE_NONE, 0, &root);

	if (!err && t.nleaves && !t.leaves[0].node)
		end_stack(&t, 0, root);
	if (!err)
		err = split(&t, root, 0);
	while (!err && t.ngroups)
		err = visit_group(&t);
	if (!err)
		tree_link(tree);
	turn_release(&t);
	return err ? -1 : 0;
}
