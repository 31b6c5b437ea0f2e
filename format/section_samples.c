/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SAMPLES and COUNTS: which columns they have, what they share of them, and what
 * must be true of their values.
 */
#include "column.h"

static void optional_encode(struct buf *to, int id, const uint32_t *v, size_t n, void (*encode)(struct buf *to, int id, const uint32_t *v, size_t n))
{
	if (!column_is_zero(v, n * sizeof(*v)))
		encode(to, id, v, n);
}

static void weights_encode(struct buf *to, uint64_t *const *weight, size_t nweights, size_t n)
{
	for (size_t i = 0; i < nweights; i++)
		if (!column_is_zero(weight[i], n * sizeof(*weight[i])))
			column_u64_encode(to, FOLD_COL_WEIGHT + (int)i, weight[i], n);
}

/* Id + 1, or 0. */
static uint32_t *stack_ids_decode(struct decoding *d, struct span *s, size_t n, int section)
{
	return column_steps_decode(d, s, n, decoding_bound(d, section) + 1, decoding_bound_rule(d, section));
}

/* The columns that SAMPLES and COUNTS have in common. */
struct shared_columns {
	uint32_t **thread, **kstack, **ustack, **event;
	uint64_t **weight;
	size_t nweights;
};

static void shared_decode(struct decoding *d, struct span *s, size_t n, uint32_t id, const struct shared_columns *to)
{
	switch (id) {
	case FOLD_COL_THREAD:
		*to->thread = column_steps_decode(d, s, n, decoding_bound(d, FOLD_THREADS), decoding_bound_rule(d, FOLD_THREADS));
		return;
	case FOLD_COL_KSTACK:
		*to->kstack = stack_ids_decode(d, s, n, FOLD_KSTACKS);
		return;
	case FOLD_COL_USTACK:
		*to->ustack = stack_ids_decode(d, s, n, FOLD_USTACKS);
		return;
	case FOLD_COL_EVENT:
		*to->event = column_u32_decode(d, s, n, d->known.nevents, FOLD_E_REFERENCE, "R-SMP-4");
		return;
	}
	if (id - FOLD_COL_WEIGHT < to->nweights)
		to->weight[id - FOLD_COL_WEIGHT] = column_u64_decode(d, s, n);
	else
		decoding_fail(d, s, FOLD_E_RANGE, id, "R-SMP-2");
}

static void shared_default(const struct shared_columns *to, uint64_t *zeros)
{
	uint32_t **columns[] = {to->thread, to->kstack, to->ustack, to->event};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (!*columns[i])
			*columns[i] = (uint32_t *)zeros;
	for (size_t i = 0; i < to->nweights; i++)
		if (!to->weight[i])
			to->weight[i] = zeros;
}

#define SHARED_COLUMNS \
	(COLUMN(FOLD_COL_THREAD) | COLUMN(FOLD_COL_KSTACK) | COLUMN(FOLD_COL_USTACK) | COLUMN(FOLD_COL_EVENT) | \
	 UINT64_C(0xff) << FOLD_COL_WEIGHT)

/* ---- SAMPLES */

void samples_encode(struct buf *to, const struct fold_samples *samples)
{
	size_t n = samples->n;

	buf_uv(to, n);
	column_time_encode(to, FOLD_COL_TIME, samples->time, n);
	optional_encode(to, FOLD_COL_CPU, samples->cpu, n, column_u32_encode);
	column_steps_encode(to, FOLD_COL_THREAD, samples->thread, n);
	optional_encode(to, FOLD_COL_KSTACK, samples->kstack, n, column_steps_encode);
	optional_encode(to, FOLD_COL_USTACK, samples->ustack, n, column_steps_encode);
	optional_encode(to, FOLD_COL_EVENT, samples->event, n, column_u32_encode);
	weights_encode(to, samples->weight, samples->nweights, n);
}

static struct shared_columns samples_shared(struct fold_samples *samples)
{
	return (struct shared_columns){
		.thread = &samples->thread, .kstack = &samples->kstack, .ustack = &samples->ustack,
		.event = &samples->event, .weight = samples->weight, .nweights = samples->nweights,
	};
}

static void samples_column(struct decoding *d, struct span *s, size_t n, uint32_t id, void *section)
{
	struct fold_samples *samples = section;
	struct shared_columns shared = samples_shared(samples);

	if (id == FOLD_COL_TIME)
		samples->time = column_time_decode(d, s, n);
	else if (id == FOLD_COL_CPU)
		samples->cpu = column_u32_decode(d, s, n, FOLD_MAX_CPUS, FOLD_E_RANGE, NULL);
	else
		shared_decode(d, s, n, id, &shared);
}

static const struct column_set samples_columns = {
	.known = SHARED_COLUMNS | COLUMN(FOLD_COL_TIME) | COLUMN(FOLD_COL_CPU),
	.required = COLUMN(FOLD_COL_TIME) | COLUMN(FOLD_COL_THREAD),
	.decode = samples_column,
};

void samples_decode(struct decoding *d, struct span *s, struct fold_samples *samples)
{
	struct shared_columns shared;
	uint64_t *zeros;

	samples->nweights = d->known.nweights;
	samples->n = columns_decode(d, s, &samples_columns, samples);
	zeros = column_zeros(d, s, samples->n);
	shared = samples_shared(samples);
	shared_default(&shared, zeros);
	if (!samples->cpu)
		samples->cpu = (uint32_t *)zeros;
}

/* ---- COUNTS */

void counts_encode(struct buf *to, const struct fold_counts *counts)
{
	size_t n = counts->n;

	buf_sv(to, counts->from);
	buf_sv(to, counts->to);
	buf_uv(to, n);
	column_steps_encode(to, FOLD_COL_THREAD, counts->thread, n);
	optional_encode(to, FOLD_COL_KSTACK, counts->kstack, n, column_steps_encode);
	optional_encode(to, FOLD_COL_USTACK, counts->ustack, n, column_steps_encode);
	optional_encode(to, FOLD_COL_EVENT, counts->event, n, column_u32_encode);
	column_u64_encode(to, FOLD_COL_COUNT, counts->count, n);
	weights_encode(to, counts->weight, counts->nweights, n);
}

static struct shared_columns counts_shared(struct fold_counts *counts)
{
	return (struct shared_columns){
		.thread = &counts->thread, .kstack = &counts->kstack, .ustack = &counts->ustack,
		.event = &counts->event, .weight = counts->weight, .nweights = counts->nweights,
	};
}

static void sorted_threads_check(struct decoding *d, struct span *s, const uint32_t *thread, size_t n)
{
	for (size_t i = 1; !s->bad && i < n; i++)
		if (thread[i] < thread[i - 1])
			decoding_fail(d, s, FOLD_E_ORDER, i, "R-CNT-2");
}

static void counts_check(struct decoding *d, struct span *s, const uint64_t *count, size_t n)
{
	for (size_t i = 0; !s->bad && i < n; i++)
		if (!count[i])
			decoding_fail(d, s, FOLD_E_RANGE, 0, "R-CNT-3");
}

static void counts_column(struct decoding *d, struct span *s, size_t n, uint32_t id, void *section)
{
	struct fold_counts *counts = section;
	struct shared_columns shared = counts_shared(counts);

	if (id == FOLD_COL_COUNT) {
		counts->count = column_u64_decode(d, s, n);
		counts_check(d, s, counts->count, n);
		return;
	}
	shared_decode(d, s, n, id, &shared);
	if (id == FOLD_COL_THREAD)
		sorted_threads_check(d, s, counts->thread, n);
}

static const struct column_set counts_columns = {
	.known = SHARED_COLUMNS | COLUMN(FOLD_COL_COUNT),
	.required = COLUMN(FOLD_COL_THREAD) | COLUMN(FOLD_COL_COUNT),
	.decode = counts_column,
};

static void interval_decode(struct decoding *d, struct span *s, struct fold_counts *counts)
{
	int64_t tick = (int64_t)d->known.tick_ns;

	counts->from = span_sv(s);
	counts->to = span_sv(s);
	if (counts->from < INT64_MIN / tick || counts->to > INT64_MAX / tick)
		decoding_fail(d, s, FOLD_E_RANGE, (uint64_t)counts->to, "R-SMP-1");
	if (counts->from > counts->to)
		decoding_fail(d, s, FOLD_E_RANGE, (uint64_t)counts->to, "R-CNT-1");
}

void counts_decode(struct decoding *d, struct span *s, struct fold_counts *counts)
{
	struct shared_columns shared;

	interval_decode(d, s, counts);
	counts->nweights = d->known.nweights;
	counts->n = columns_decode(d, s, &counts_columns, counts);
	shared = counts_shared(counts);
	shared_default(&shared, column_zeros(d, s, counts->n));
}
