/* SPDX-License-Identifier: BSD-2-Clause */
/* A dense array and an open-addressed table of indexes into it. */
#include "stacks.h"

#include "array.h"
#include "recording.h"

static uint32_t stack_slot(const struct stacks *stacks, struct stack stack, uint32_t nslots)
{
	return (uint32_t)hash_pair(&stacks->seed, stack.leaf, stack.end) & (nslots - 1);
}

static int stacks_rehash(struct stacks *stacks, uint32_t nslots)
{
	uint32_t *slots = nslots ? calloc(nslots, sizeof(*slots)) : NULL;

	if (!slots)
		return -1;
	for (uint32_t i = 1; i < stacks->n; i++) {
		uint32_t at = stack_slot(stacks, stacks->v[i], nslots);

		while (slots[at])
			at = (at + 1) & (nslots - 1);
		slots[at] = i;
	}
	free(stacks->slots);
	stacks->slots = slots;
	stacks->nslots = nslots;
	return 0;
}

int stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){0};
	hash_seed_init(&stacks->seed);
	if (array_room(stacks->v, stacks->room, 1) || stacks_rehash(stacks, 1024))
		return -1;
	stacks->v[stacks->n++] = (struct stack){.leaf = REC_NONE};
	return 0;
}

void stacks_release(struct stacks *stacks)
{
	free(stacks->v);
	free(stacks->slots);
	*stacks = (struct stacks){0};
}

int stacks_add(struct stacks *stacks, struct stack stack, uint32_t *id)
{
	uint32_t at;

	/* Doubling 2^31 slots gives 0, which is refused: no table is that large. */
	if (stacks->n >= stacks->nslots / 2 && stacks_rehash(stacks, stacks->nslots * 2))
		return -1;
	for (at = stack_slot(stacks, stack, stacks->nslots); stacks->slots[at]; at = (at + 1) & (stacks->nslots - 1)) {
		*id = stacks->slots[at];
		if (stacks->v[*id].leaf == stack.leaf && stacks->v[*id].end == stack.end)
			return 0;
	}
	if (array_room(stacks->v, stacks->room, stacks->n + 1))
		return -1;
	*id = stacks->slots[at] = (uint32_t)stacks->n;
	stacks->v[stacks->n++] = stack;
	return 0;
}
