/* SPDX-License-Identifier: BSD-2-Clause */
/* An array of branches in order of arrival, and a map that finds a child. */
#include "branches.h"

#include "array.h"

int branches_init(struct branches *branches)
{
	*branches = (struct branches){0};
	if (array_room(branches->v, branches->room, 1) || pairmap_init(&branches->children))
		return -1;
	branches->v[branches->n++] = (struct branch){.parent = UINT32_MAX};
	return 0;
}

void branches_release(struct branches *branches)
{
	free(branches->v);
	pairmap_release(&branches->children);
	*branches = (struct branches){0};
}

int branches_child(struct branches *branches, uint32_t parent, uint32_t frame, uint32_t *child)
{
	int new;

	if (branches->n >= UINT32_MAX - 1)
		return -1;
	new = pairmap_add(&branches->children, parent, frame, (uint32_t)branches->n, child);
	if (new <= 0)
		return new;
	if (array_room(branches->v, branches->room, branches->n + 1))
		return -1;
	branches->v[branches->n++] = (struct branch){.parent = parent, .frame = frame};
	return 0;
}

void branches_sum(struct branches *branches)
{
	for (size_t i = 0; i < branches->n; i++)
		branches->v[i].total = branches->v[i].self;
	for (size_t i = branches->n; i-- > 1;)
		branches->v[branches->v[i].parent].total += branches->v[i].total;
}
