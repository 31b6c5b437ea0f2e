/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples, counts and accounts of a batch: their ids and times change, and nothing else. */
#include "source.h"

/* The handle + 1 of stack `id` + 1; one of a single frame, "other", for what was lost. */
static int stack_handle(struct source *s, enum target_side side, uint32_t id, uint32_t *handle)
{
	uint32_t known = id ? idmap_get(&s->stacks[side], id - 1) : 0, node;

	if (id && known == IDMAP_LOST &&
	    (stackset_node(s->t->stacks[side], FOLD_NO_NODE, frame_marker(FOLD_MARK_OTHER), &node) ||
	     stackset_close(s->t->stacks[side], node, FOLD_STACK_END_UNKNOWN, &known)))
		return -1;
	*handle = id ? known + 1 : 0;
	return 0;
}

/* The columns that samples and counts have in common; `weight` as in both. */
struct common {
	size_t n, nweights;
	const uint32_t *thread, *event, *kstack, *ustack;
	uint64_t *const *weight;
};

static int add_common(struct source *s, const struct common *from)
{
	struct columns *c = &s->t->columns;

	if (columns_reserve(c, from->n))
		return -1;
	for (size_t i = 0; i < from->n; i++) {
		size_t at = c->n + i;

		if (source_thread(s, from->thread[i], &c->thread[at]) ||
		    stack_handle(s, TARGET_KERNEL, from->kstack ? from->kstack[i] : 0, &c->stack[0][at]) ||
		    stack_handle(s, TARGET_USER, from->ustack ? from->ustack[i] : 0, &c->stack[1][at]))
			return -1;
		c->event[at] = s->events[from->event ? from->event[i] : 0];
	}
	for (size_t w = 0; w < from->nweights; w++)
		for (size_t i = 0; from->weight[w] && i < from->n; i++)
			c->weight[w][c->n + i] = from->weight[w][i];
	return 0;
}

static void saw_time(struct source *s, int64_t ticks)
{
	int64_t ns;

	if (!__builtin_mul_overflow(ticks, (int64_t)s->tick_ns, &ns) && ns > s->last)
		s->last = ns;
}

static int add_samples(struct source *s, const struct fold_samples *from)
{
	struct common common = {from->n, from->nweights, from->thread, from->event, from->kstack, from->ustack, from->weight};
	struct columns *c = &s->t->columns;

	if (!from->n)
		return 0;
	if (c->n && (c->counted || c->n + from->n > FOLD_MAX_ROWS) && target_write(s->t))
		return -1;
	if (add_common(s, &common))
		return -1;
	for (size_t i = 0; i < from->n; i++) {
		c->time[c->n + i] = source_time(s, from->time[i]);
		saw_time(s, from->time[i]);
		c->cpu[c->n + i] = from->cpu ? from->cpu[i] : 0;
		s->totals[from->event ? from->event[i] : 0].written++;
	}
	c->n += from->n;
	return 0;
}

static int add_counts(struct source *s, const struct fold_counts *from)
{
	struct common common = {from->n, from->nweights, from->thread, from->event, from->kstack, from->ustack, from->weight};
	struct columns *c = &s->t->columns;

	if (c->n && target_write(s->t))
		return -1;
	if (add_common(s, &common))
		return -1;
	c->counted = true;
	c->from = source_time(s, from->from);
	c->to = source_time(s, from->to);
	for (size_t i = 0; i < from->n; i++) {
		c->count[i] = from->count[i];
		s->totals[from->event ? from->event[i] : 0].written += from->count[i];
	}
	saw_time(s, from->to);
	c->n = from->n;
	return 0;
}

static int add_account(struct source *s, const struct fold_account *account)
{
	for (size_t i = 0; i < account->n; i++) {
		struct fold_account_row row = account->v[i];

		if (row.cause == FOLD_TAKEN)
			s->totals[row.event].taken += row.count;
		else if (row.cause < FOLD_CAUSE_NOTE)
			s->totals[row.event].lost += row.count;
		row.event = s->events[row.event];
		if (target_account(s->t, &row))
			return -1;
	}
	return 0;
}

int source_rows(struct source *s, const struct fold_batch *batch)
{
	if (add_samples(s, &batch->samples))
		return -1;
	if (batch->have & FOLD_HAVE(FOLD_COUNTS) && add_counts(s, &batch->counts))
		return -1;
	return add_account(s, &batch->account);
}
