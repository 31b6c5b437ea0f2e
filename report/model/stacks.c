/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves are dense, so an array finds the stacks of one; that there are at most
 * 256, one for each way to end, bounds the search among them.
 */
#include "stacks.h"

#include <string.h>

#include "array.h"
#include "recording.h"

int stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){0};
	if (array_room(stacks->v, stacks->room, 1))
		return -1;
	stacks->v[stacks->n++] = (struct stack){.leaf = REC_NONE};
	return 0;
}

void stacks_release(struct stacks *stacks)
{
	free(stacks->v);
	free(stacks->of_leaf);
	*stacks = (struct stacks){0};
}

void stacks_rest(struct stacks *stacks)
{
	free(stacks->of_leaf);
	stacks->of_leaf = NULL;
	stacks->nleaves = 0;
}

/* Where the first stack of a leaf is remembered; NULL out of memory. */
static uint32_t *first_of(struct stacks *stacks, uint32_t leaf)
{
	size_t at = (uint32_t)(leaf + 1), before = stacks->nleaves;

	if (at >= before) {
		if (array_room(stacks->of_leaf, stacks->nleaves, at + 1))
			return NULL;
		memset(stacks->of_leaf + before, 0, (stacks->nleaves - before) * sizeof(*stacks->of_leaf));
	}
	return &stacks->of_leaf[at];
}

int stacks_add(struct stacks *stacks, uint32_t leaf, uint32_t end, uint32_t *number)
{
	uint8_t kept = end < UINT8_MAX ? (uint8_t)end : UINT8_MAX;
	uint32_t *first = first_of(stacks, leaf);

	if (!first || stacks->n >= UINT32_MAX - 1)
		return -1;
	for (*number = *first; *number; *number = stacks->v[*number].next)
		if (stacks->v[*number].end == kept)
			return 0;
	if (array_room(stacks->v, stacks->room, stacks->n + 1))
		return -1;
	*number = (uint32_t)stacks->n;
	stacks->v[stacks->n++] = (struct stack){leaf, kept, *first};
	*first = *number;
	return 0;
}
