/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks as the kernel sends them: words by id, kept because an id comes alone
 * after the first time; and what a stack turned out to be in one set of mappings.
 *
 * Forgetting takes two steps: after the first, new words go to a new generation
 * and the old ones can still be found; after the second they are gone.
 */
#ifndef FOLD_RECORD_STACKS_H
#define FOLD_RECORD_STACKS_H

#include "event.h"
#include "table.h"

struct raw_stack {
	uint32_t n, end;  /* words; enum fold_stack_end */
	uint64_t words[]; /* leaf first */
};

struct stack_block;
struct stack_generation {
	struct table by_id; /* of raw_stack */
	struct stack_block *blocks;
	size_t bytes;
};

/* A resolved stack. */
struct stack_result {
	uint32_t handle;    /* of the stackset */
	bool unmapped, cut; /* has words without a mapping; ends at the depth limit */
};

struct stacks {
	struct stack_generation now, before;
	bool switched;         /* `before` is in use */
	struct table resolved; /* (id, version) -> result */
};

void stacks_release(struct stacks *st); /* accepts a zeroed struct */

/* The words of `s`, which are kept when they are new.  NULL: the id is not
 * known, or, with *failed, out of memory. */
const struct raw_stack *stacks_words(struct stacks *st, const struct event_stack *s, uint32_t max_depth, bool *failed);

bool stacks_resolved(const struct stacks *st, uint64_t id, uint64_t version, struct stack_result *out);
int stacks_resolve(struct stacks *st, uint64_t id, uint64_t version, struct stack_result result); /* 0, -1 */
void stacks_unresolve(struct stacks *st); /* forget all results: handles are void */

void stacks_forget(struct stacks *st);
size_t stacks_bytes(const struct stacks *st);

#endif
