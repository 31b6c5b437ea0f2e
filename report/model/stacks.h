/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinct (leaf, end) pairs as small numbers, so that a sample of any recording
 * names its two stacks in 64 bits.  0 is no stack.
 */
#ifndef FOLD_REPORT_STACKS_H
#define FOLD_REPORT_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct stack {
	uint32_t leaf; /* node, or REC_NONE */
	uint8_t end;   /* enum fold_stack_end; what is above its range is at the end of it */
	uint32_t next; /* another stack of this leaf; 0: the last one */
};
struct stacks {
	struct stack *v;   /* v[0] is no stack */
	size_t n, room;
	uint32_t *of_leaf; /* by node + 1, and 0 for none: a stack of it, 0 there is none */
	size_t nleaves;
};

int stacks_init(struct stacks *stacks); /* 0, or -1 out of memory */
void stacks_release(struct stacks *stacks);
/* The number of the stack that stands on `leaf` and ended like `end`, new or old.  0, or -1 out of memory. */
int stacks_add(struct stacks *stacks, uint32_t leaf, uint32_t end, uint32_t *number);
/* No more stacks are coming: give back what finds them. */
void stacks_rest(struct stacks *stacks);

#endif
