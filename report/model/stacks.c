/* SPDX-License-Identifier: BSD-2-Clause */
/* A dense array and a map that finds equal ones. */
#include "stacks.h"

#include "array.h"
#include "recording.h"

int stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){0};
	if (array_room(stacks->v, stacks->room, 1) || pairmap_init(&stacks->numbers))
		return -1;
	stacks->v[stacks->n++] = (struct stack){.leaf = REC_NONE};
	return 0;
}

void stacks_release(struct stacks *stacks)
{
	free(stacks->v);
	pairmap_release(&stacks->numbers);
	*stacks = (struct stacks){0};
}

int stacks_add(struct stacks *stacks, struct stack stack, uint32_t *number)
{
	int new;

	if (stacks->n >= UINT32_MAX - 1)
		return -1;
	new = pairmap_add(&stacks->numbers, stack.leaf, stack.end, (uint32_t)stacks->n, number);
	if (new <= 0)
		return new;
	if (array_room(stacks->v, stacks->room, stacks->n + 1))
		return -1;
	stacks->v[stacks->n++] = stack;
	return 0;
}
