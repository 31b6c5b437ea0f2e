/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinct (leaf, end) pairs as small numbers, so that a sample of any recording
 * names its two stacks in 64 bits.  0 is no stack.
 */
#ifndef FOLD_REPORT_STACKS_H
#define FOLD_REPORT_STACKS_H

#include "pairmap.h"

struct stack {
	uint32_t leaf; /* node, or REC_NONE */
	uint32_t end;  /* enum fold_stack_end */
};
struct stacks {
	struct stack *v; /* v[0] is no stack */
	size_t n, room;
	struct pairmap numbers;
};

int stacks_init(struct stacks *stacks); /* 0, or -1 out of memory */
void stacks_release(struct stacks *stacks);
/* The number of this stack, new or old.  0, or -1 out of memory. */
int stacks_add(struct stacks *stacks, struct stack stack, uint32_t *number);

#endif
