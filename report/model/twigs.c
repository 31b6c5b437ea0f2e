/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One walk lays the tree out: the children of all twigs of a node, sorted, fall
 * into groups of the same frame, and each group is a node.  The groups still to
 * be visited lie on a stack, first one on top.
 */
#include "twigs.h"

#include <string.h>

#include "array.h"

int twigs_init(struct twigs *twigs)
{
	*twigs = (struct twigs){0};
	if (array_room(twigs->v, twigs->room, 1))
		return -1;
	twigs->v[twigs->n++] = (struct twig){.parent = TREE_NONE};
	return 0;
}

void twigs_release(struct twigs *twigs)
{
	free(twigs->v);
	*twigs = (struct twigs){0};
}

int twigs_add(struct twigs *twigs, uint32_t parent, uint32_t frame, uint32_t *id)
{
	if (twigs->n >= TREE_NONE - 1 || array_room(twigs->v, twigs->room, twigs->n + 1))
		return -1;
	*id = (uint32_t)twigs->n;
	twigs->v[twigs->n++] = (struct twig){parent, frame, 0};
	return 0;
}

struct group { /* twigs members[first ..] up to those of the group above it */
	uint32_t parent; /* node */
	size_t first;
};
struct layout {
	const struct twig *v;
	const uint32_t *rank;
	uint32_t *first, *children; /* of twig i: children[first[i] .. first[i + 1]) */
	uint32_t *members;          /* twigs of the groups that wait */
	size_t nmembers;
	struct group *groups;
	size_t ngroups, groups_room;
	size_t nodes_room;
};

static void layout_release(struct layout *l)
{
	free(l->first);
	free(l->children);
	free(l->members);
	free(l->groups);
}

/* `place` serves as memory until it is filled: first what carries samples, then where children go. */
static int layout_init(struct layout *l, const struct twigs *twigs, const uint32_t *rank, uint32_t *place)
{
	size_t n = twigs->n;

	*l = (struct layout){
		.v = twigs->v,
		.rank = rank,
		.first = calloc(n + 1, sizeof(*l->first)),
		.children = malloc(n * sizeof(*l->children)),
		.members = malloc(n * sizeof(*l->members)),
	};
	if (!l->first || !l->children || !l->members)
		return -1;
	for (size_t i = 0; i < n; i++)
		place[i] = l->v[i].self != 0;
	for (size_t i = n; i-- > 1;) {
		if (!place[i])
			continue;
		place[l->v[i].parent] = 1;
		l->first[l->v[i].parent + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		l->first[i + 1] += l->first[i];
	for (size_t i = 1; i < n; i++) /* from here on l->first[p] is the end of p's children */
		if (place[i])
			l->children[l->first[l->v[i].parent]++] = (uint32_t)i;
	memmove(l->first + 1, l->first, n * sizeof(*l->first));
	l->first[0] = 0;
	memset(place, 0xff, n * sizeof(*place));
	return 0;
}

/* The last first: the group on top of the stack is visited next. */
static int member_compare(const void *a, const void *b, void *state)
{
	const struct layout *l = state;
	uint32_t x = l->rank[l->v[*(const uint32_t *)a].frame], y = l->rank[l->v[*(const uint32_t *)b].frame];

	return x > y ? -1 : x < y;
}

static void sort_members(struct layout *l, uint32_t *v, size_t n)
{
	if (n > 8) {
		qsort_r(v, n, sizeof(*v), member_compare, l);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		uint32_t moved = v[i];
		size_t at = i;

		for (; at && member_compare(&v[at - 1], &moved, l) > 0; at--)
			v[at] = v[at - 1];
		v[at] = moved;
	}
}

/* The members give way to their children, of which there are `total`. */
static void take_children(const struct layout *l, uint32_t *members, size_t n, size_t total)
{
	const uint32_t *only = l->children + l->first[members[0]];

	if (n == 1) {
		for (size_t i = 0; i < total; i++)
			members[i] = only[i];
		return;
	}
	/* Behind the members first: there are no more twigs than room. */
	for (size_t i = 0, to = n; i < n; i++) {
		uint32_t from = l->first[members[i]], count = l->first[members[i] + 1] - from;

		memcpy(members + to, l->children + from, count * sizeof(*members));
		to += count;
	}
	memmove(members, members + n, total * sizeof(*members));
}

/* The children of the group on top take its place on the stack. */
static int visit_group(struct layout *l, struct tree *tree, uint32_t *place)
{
	struct group group = l->groups[--l->ngroups];
	uint32_t *members = l->members + group.first;
	size_t n = l->nmembers - group.first, total = 0;
	uint32_t id = (uint32_t)tree->nnodes;
	struct tree_node *node;

	if (array_room(tree->nodes, l->nodes_room, tree->nnodes + 1))
		return -1;
	node = &tree->nodes[tree->nnodes++];
	*node = (struct tree_node){
		.parent = group.parent, .child = TREE_NONE, .next = TREE_NONE, .frame = l->rank[l->v[members[0]].frame],
	};
	for (size_t i = 0; i < n; i++) {
		node->self += l->v[members[i]].self;
		place[members[i]] = id;
		total += l->first[members[i] + 1] - l->first[members[i]];
	}
	take_children(l, members, n, total);
	l->nmembers = group.first + total;
	sort_members(l, members, total);
	if (array_room(l->groups, l->groups_room, l->ngroups + total))
		return -1;
	for (size_t i = 0; i < total; i++)
		if (!i || l->rank[l->v[members[i]].frame] != l->rank[l->v[members[i - 1]].frame])
			l->groups[l->ngroups++] = (struct group){id, group.first + i};
	return 0;
}

int twigs_lay_out(const struct twigs *twigs, const uint32_t *rank, uint32_t *place, struct tree *tree)
{
	struct layout l;
	int err = layout_init(&l, twigs, rank, place);

	if (!err && !(err = array_room(l.groups, l.groups_room, 1))) {
		l.groups[l.ngroups++] = (struct group){TREE_NONE, 0};
		l.members[l.nmembers++] = 0;
	}
	while (!err && l.ngroups)
		err = visit_group(&l, tree, place);
	if (!err)
		tree_link(tree);
	layout_release(&l);
	return err;
}
