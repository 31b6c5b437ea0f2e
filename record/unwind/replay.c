/* SPDX-License-Identifier: BSD-2-Clause */
/* The step of bpf/unwind_step.h over memory of ours.  See replay.h. */
#include "replay.h"

#include <stddef.h>
#include <string.h>

#include "../../format/fold.h"

struct walk {
	struct unwind_state state;      /* first: the step's functions get this */
	const struct replay *replay;
	const struct mapset *maps;
	const struct event_raw_copy *copy;
	struct unwind_mapping mapping;  /* the one found last */
	bool beyond;                    /* something was wanted that lies behind a copy cut short */
};

static struct walk *walk_of(struct unwind_state *u)
{
	return (struct walk *)u;
}

static long unwind_read(struct unwind_state *u, void *to, ev_u32 size, ev_u64 address)
{
	const struct event_raw_copy *copy = walk_of(u)->copy;
	ev_u64 at = address - copy->regs[UNWIND_REG_SP] + sizeof(copy->below), all = copy->size + sizeof(copy->below);

	if (at > all || size > all - at) {
		walk_of(u)->beyond = address >= copy->regs[UNWIND_REG_SP] && copy->cut;
		return -1;
	}
	memcpy(to, (const uint8_t *)copy + offsetof(struct event_raw_copy, below) + at, size);
	return 0;
}

/* Only the stack is in the copy: no other memory, no code. */
static long unwind_read_far(struct unwind_state *u, ev_u64 *to, ev_u64 address)
{
	return -1;
}

static long unwind_read_code(struct unwind_state *u, ev_u64 *to, ev_u64 address)
{
	return -1;
}

/* The step only asks for what it found last. */
static int unwind_mapping_find(struct unwind_state *u, ev_u64 pc)
{
	struct walk *w = walk_of(u);
	const struct mapping *m = mapset_find(w->maps, pc);

	return m && mapping_translate(w->replay->objects, m, &w->mapping) ? 0 : -1;
}

static const struct unwind_mapping *unwind_mapping_at(struct unwind_state *u, int index)
{
	return &walk_of(u)->mapping;
}

static int unwind_rule_find(struct unwind_state *u, ev_u32 page, ev_u32 pc_lo)
{
	const struct unwind_store *store = walk_of(u)->replay->store;
	const struct unwind_page *p = &store->pages[page % UNWIND_PAGES];
	const uint32_t *rows = store->shards[p->rows / UNWIND_SHARD_ROWS];
	uint32_t lo = 0, hi = p->n;

	rows += p->rows % UNWIND_SHARD_ROWS;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (unwind_row_pc(rows[mid]) <= pc_lo)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? (int)unwind_row_rule(rows[lo - 1]) : -1;
}

static const struct unwind_rule *unwind_rule_at(struct unwind_state *u, ev_u32 index)
{
	return &walk_of(u)->replay->store->rules[index % UNWIND_RULES];
}

#include "../../bpf/unwind_step.h"

void replay_walk(struct replay *r, const struct mapset *maps, const struct event_raw_copy *copy, uint32_t max)
{
	struct walk w = { .replay = r, .maps = maps, .copy = copy };

	memcpy(w.state.regs, copy->regs, sizeof(w.state.regs));
	w.state.ip = copy->regs[UNWIND_REG_RA];
	w.state.sp = copy->regs[UNWIND_REG_SP];
	w.state.fp = copy->regs[UNWIND_REG_FP];
	w.state.exact = 1;
	r->n = 0;
	r->end = UNWIND_GO_ON;
	r->cut = false;
	while (!r->end) {
		if (r->n == max) {
			r->end = FOLD_STACK_END_DEPTH;
			return;
		}
		r->words[r->n++] = w.state.ip;
		if (w.state.exact && r->n > 1 && r->n < max)
			r->words[r->n++] = EVENT_WORD_EXACT;
		r->end = unwind_step(&w.state);
	}
	r->cut = r->end == FOLD_STACK_END_UNREADABLE && w.beyond;
	if (r->cut)
		r->end = FOLD_STACK_END_DEPTH;
}
