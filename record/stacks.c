/* SPDX-License-Identifier: BSD-2-Clause */
/* Two generations of words in big blocks, and a table of results. */
#include "stacks.h"
#include "../format/fold.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (256u << 10)

struct stack_block {
	struct stack_block *next;
	size_t used, room;
	uint64_t bytes[];
};

static void generation_release(struct stack_generation *g)
{
	struct stack_block *next;

	table_release(&g->by_id);
	for (struct stack_block *b = g->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	*g = (struct stack_generation){0};
}

void stacks_release(struct stacks *st)
{
	generation_release(&st->now);
	generation_release(&st->before);
	table_release(&st->resolved);
	*st = (struct stacks){0};
}

static void *generation_alloc(struct stack_generation *g, size_t bytes)
{
	struct stack_block *b = g->blocks;
	void *p;

	bytes = (bytes + 7) & ~(size_t)7;
	if (!b || b->room - b->used < bytes) {
		size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

		b = malloc(sizeof(*b) + room);
		if (!b)
			return NULL;
		*b = (struct stack_block){.next = g->blocks, .room = room};
		g->blocks = b;
		g->bytes += sizeof(*b) + room;
	}
	p = (uint8_t *)b->bytes + b->used;
	b->used += bytes;
	return p;
}

const struct raw_stack *stacks_words(struct stacks *st, const struct event_stack *s, uint32_t max_depth, bool *failed)
{
	struct raw_stack *raw = (struct raw_stack *)(uintptr_t)table_get(&st->now.by_id, s->id);

	if (!raw && st->switched && !s->words)
		raw = (struct raw_stack *)(uintptr_t)table_get(&st->before.by_id, s->id);
	if (raw || !s->words)
		return raw;
	raw = generation_alloc(&st->now, sizeof(*raw) + s->n * sizeof(*s->words));
	if (!raw || table_put(&st->now.by_id, s->id, (uintptr_t)raw)) {
		*failed = true;
		return NULL;
	}
	raw->n = s->n;
	raw->end = s->end;
	if (s->end == FOLD_STACK_END_UNKNOWN && max_depth && s->n >= max_depth)
		raw->end = FOLD_STACK_END_DEPTH;
	memcpy(raw->words, s->words, s->n * sizeof(*s->words));
	return raw;
}

/* A result as a table's value, which is not 0. */
#define RESULT_PRESENT (UINT64_C(1) << 63)
#define RESULT_UNMAPPED (UINT64_C(1) << 32)
#define RESULT_CUT (UINT64_C(1) << 33)

bool stacks_resolved(const struct stacks *st, uint64_t id, uint64_t version, struct stack_result *out)
{
	uint64_t v = table_get(&st->resolved, table_mix(id, version));

	if (!v)
		return false;
	*out = (struct stack_result){.handle = (uint32_t)v, .unmapped = v & RESULT_UNMAPPED, .cut = v & RESULT_CUT};
	return true;
}

int stacks_resolve(struct stacks *st, uint64_t id, uint64_t version, struct stack_result r)
{
	uint64_t v = RESULT_PRESENT | r.handle | (r.unmapped ? RESULT_UNMAPPED : 0) | (r.cut ? RESULT_CUT : 0);

	return table_put(&st->resolved, table_mix(id, version), v);
}

void stacks_unresolve(struct stacks *st)
{
	table_release(&st->resolved);
}

void stacks_forget(struct stacks *st)
{
	if (st->switched) {
		generation_release(&st->before);
		st->switched = false;
		return;
	}
	st->before = st->now;
	st->now = (struct stack_generation){0};
	st->switched = true;
}

size_t stacks_bytes(const struct stacks *st)
{
	return st->now.bytes + table_bytes(&st->now.by_id) + st->before.bytes + table_bytes(&st->before.by_id) +
	       table_bytes(&st->resolved);
}
