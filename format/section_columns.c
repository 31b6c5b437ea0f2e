/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SAMPLES and COUNTS: {uv rows, then {uv column id, uv length, values}}.  The
 * loops here are what reading a long recording costs.
 */
#include "section.h"

#include <string.h>

/* ---- encoding */

/* Room for `n` numbers, to be written with uv_put() and given back in part. */
static uint8_t *numbers_open(struct buf *to, int id, size_t n, size_t *mark)
{
	buf_uv(to, (uint64_t)id);
	*mark = buf_open(to);
	return buf_extend(to, n * UV_MAX_BYTES);
}

static void numbers_close(struct buf *to, size_t mark, const uint8_t *end)
{
	to->size = (size_t)(end - to->at);
	buf_close(to, mark);
}

static void time_encode(struct buf *to, const int64_t *v, size_t n)
{
	size_t mark;
	uint8_t *p = numbers_open(to, FOLD_COL_TIME, n, &mark);

	if (!p)
		return;
	for (size_t i = 0; i < n; i++)
		p += uv_put(p, i ? (uint64_t)v[i] - (uint64_t)v[i - 1] : zigzag(v[0]));
	numbers_close(to, mark, p);
}

static void u32_encode(struct buf *to, int id, const uint32_t *v, size_t n)
{
	size_t mark;
	uint8_t *p = numbers_open(to, id, n, &mark);

	if (!p)
		return;
	for (size_t i = 0; i < n; i++)
		p += uv_put(p, v[i]);
	numbers_close(to, mark, p);
}

static void steps_encode(struct buf *to, int id, const uint32_t *v, size_t n)
{
	size_t mark;
	uint8_t *p = numbers_open(to, id, n, &mark);

	if (!p)
		return;
	for (size_t i = 0; i < n; i++)
		p += uv_put(p, zigzag((int64_t)v[i] - (i ? v[i - 1] : 0)));
	numbers_close(to, mark, p);
}

static void u64_encode(struct buf *to, int id, const uint64_t *v, size_t n)
{
	size_t mark;
	uint8_t *p = numbers_open(to, id, n, &mark);

	if (!p)
		return;
	for (size_t i = 0; i < n; i++)
		p += uv_put(p, v[i]);
	numbers_close(to, mark, p);
}

/* A column of zeros is not written; nor is one that is not there at all. */
static bool all_zero(const void *v, size_t bytes)
{
	const uint8_t *p = v;

	return !p || !bytes || (!p[0] && !memcmp(p, p + 1, bytes - 1));
}

static void optional_encode(struct buf *to, int id, const uint32_t *v, size_t n, void (*encode)(struct buf *to, int id, const uint32_t *v, size_t n))
{
	if (!all_zero(v, n * sizeof(*v)))
		encode(to, id, v, n);
}

static void weights_encode(struct buf *to, uint64_t *const *weight, size_t nweights, size_t n)
{
	for (size_t i = 0; i < nweights; i++)
		if (!all_zero(weight[i], n * sizeof(*weight[i])))
			u64_encode(to, FOLD_COL_WEIGHT + (int)i, weight[i], n);
}

/* ---- decoding */

/* An array for the values of a column; each takes a byte at least. */
static void *values_alloc(struct decoding *d, struct span *s, size_t n, size_t size)
{
	if (n > span_left(s)) {
		decoding_fail(d, s, FOLD_E_COLUMN_LENGTH, 0, NULL);
		return NULL;
	}
	return decoding_alloc(d, s, n ? n : 1, size);
}

static int64_t *time_decode(struct decoding *d, struct span *s, size_t n)
{
	int64_t *v = values_alloc(d, s, n, sizeof(*v));
	int64_t high = INT64_MAX / (int64_t)d->known.tick_ns, low = INT64_MIN / (int64_t)d->known.tick_ns;
	int64_t t = 0;

	if (!v || !n)
		return v;
	t = span_sv(s);
	if (t < low || t > high) {
		decoding_fail(d, s, FOLD_E_RANGE, (uint64_t)t, "R-SMP-1");
		return v;
	}
	v[0] = t;
	for (size_t i = 1; i < n; i++) {
		uint64_t step = span_uv(s);

		if (step > (uint64_t)high - (uint64_t)t) {
			decoding_fail(d, s, FOLD_E_RANGE, step, "R-SMP-1");
			break;
		}
		t = (int64_t)((uint64_t)t + step);
		v[i] = t;
	}
	return v;
}

/* The largest value of a column is compared once. */
static void check_largest(struct decoding *d, struct span *s, uint64_t largest, uint64_t bound, enum fold_error why, const char *rule)
{
	if (largest > UINT32_MAX)
		decoding_fail(d, s, FOLD_E_RANGE, largest, NULL);
	else if (largest >= bound)
		decoding_fail(d, s, why, largest, rule);
}

static uint32_t *u32_decode(struct decoding *d, struct span *s, size_t n, uint64_t bound, enum fold_error why, const char *rule)
{
	uint32_t *v = values_alloc(d, s, n, sizeof(*v));
	uint64_t largest = 0;

	if (!v || !n)
		return v;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = span_uv(s);

		v[i] = (uint32_t)x;
		largest = x > largest ? x : largest;
	}
	check_largest(d, s, largest, bound, why, rule);
	return v;
}

/* Below 0 is above UINT32_MAX here. */
static uint32_t *steps_decode(struct decoding *d, struct span *s, size_t n, uint64_t bound, const char *rule)
{
	uint32_t *v = values_alloc(d, s, n, sizeof(*v));
	uint64_t largest = 0, x = 0;

	if (!v || !n)
		return v;
	for (size_t i = 0; i < n; i++) {
		x += (uint64_t)span_sv(s);
		v[i] = (uint32_t)x;
		largest = x > largest ? x : largest;
	}
	check_largest(d, s, largest, bound, FOLD_E_REFERENCE, rule);
	return v;
}

static uint64_t *u64_decode(struct decoding *d, struct span *s, size_t n)
{
	uint64_t *v = values_alloc(d, s, n, sizeof(*v));

	if (!v)
		return v;
	for (size_t i = 0; i < n; i++)
		v[i] = span_uv(s);
	return v;
}

/* Id + 1, or 0. */
static uint32_t *stack_decode(struct decoding *d, struct span *s, size_t n, int section)
{
	return steps_decode(d, s, n, decoding_bound(d, section) + 1, decoding_bound_rule(d, section));
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
		*to->thread = steps_decode(d, s, n, decoding_bound(d, FOLD_THREADS), decoding_bound_rule(d, FOLD_THREADS));
		return;
	case FOLD_COL_KSTACK:
		*to->kstack = stack_decode(d, s, n, FOLD_KSTACKS);
		return;
	case FOLD_COL_USTACK:
		*to->ustack = stack_decode(d, s, n, FOLD_USTACKS);
		return;
	case FOLD_COL_EVENT:
		*to->event = u32_decode(d, s, n, d->known.nevents, FOLD_E_REFERENCE, "R-SMP-4");
		return;
	}
	if (id - FOLD_COL_WEIGHT < to->nweights)
		to->weight[id - FOLD_COL_WEIGHT] = u64_decode(d, s, n);
	else
		decoding_fail(d, s, FOLD_E_RANGE, id, "R-SMP-2");
}

/* The zeros that absent columns share.  Only when all else was good: then there
 * are no more rows than bytes. */
static uint64_t *zeros_alloc(struct decoding *d, struct span *s, size_t n)
{
	uint64_t *zeros = s->bad ? NULL : decoding_alloc(d, s, n ? n : 1, sizeof(*zeros));

	if (zeros)
		memset(zeros, 0, n * sizeof(*zeros));
	return zeros;
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

/* The columns of a section, as bits 1 << id. */
struct column_set {
	uint64_t known, required;
	void (*decode)(struct decoding *d, struct span *s, size_t n, uint32_t id, void *section);
};
#define COLUMN(id) (UINT64_C(1) << (id))
#define SHARED_COLUMNS \
	(COLUMN(FOLD_COL_THREAD) | COLUMN(FOLD_COL_KSTACK) | COLUMN(FOLD_COL_USTACK) | COLUMN(FOLD_COL_EVENT) | \
	 UINT64_C(0xff) << FOLD_COL_WEIGHT)

/* One column: id, length, and exactly its values.  As with sections, what comes
 * first in the bytes decides. */
static void column_decode(struct decoding *d, struct span *s, size_t n, const struct column_set *set, void *section, uint32_t *last)
{
	uint32_t id = span_u32(s);
	bool known = id < FOLD_CRITICAL_IDS && set->known & COLUMN(id);
	struct span values;

	if (s->bad)
		return;
	if (id <= *last)
		decoding_fail(d, s, FOLD_E_COLUMN_TWICE, id, NULL);
	else if (!known && id < FOLD_CRITICAL_IDS)
		decoding_fail(d, s, FOLD_E_COLUMN_UNKNOWN, id, NULL);
	*last = id;
	values = span_cut(s, span_uv(s));
	if (s->bad)
		return;
	if (!known) {
		d->passed++;
		return;
	}
	set->decode(d, &values, n, id, section);
	if (values.bad == FOLD_E_SECTION || values.bad == FOLD_E_COLUMN_LENGTH || (!values.bad && span_left(&values)))
		decoding_fail(d, s, FOLD_E_COLUMN_LENGTH, id, NULL);
	else if (values.bad)
		span_fail(s, values.bad);
}

/* rows, then the columns; the number of rows. */
static size_t columns_decode(struct decoding *d, struct span *s, const struct column_set *set, void *section)
{
	size_t n = decoding_max(d, s, FOLD_MAX_ROWS, FOLD_E_LIMIT, "R-COL-4");
	uint64_t have = 0;
	uint32_t last = 0;

	while (span_left(s)) {
		column_decode(d, s, n, set, section, &last);
		if (last < FOLD_CRITICAL_IDS)
			have |= COLUMN(last);
	}
	for (uint32_t id = 1; !s->bad && id < FOLD_CRITICAL_IDS; id++)
		if (set->required & ~have & COLUMN(id))
			decoding_fail(d, s, FOLD_E_COLUMN_MISSING, id, NULL);
	return n;
}

/* ---- SAMPLES */

void samples_encode(struct buf *to, const struct fold_samples *samples)
{
	size_t n = samples->n;

	buf_uv(to, n);
	time_encode(to, samples->time, n);
	optional_encode(to, FOLD_COL_CPU, samples->cpu, n, u32_encode);
	steps_encode(to, FOLD_COL_THREAD, samples->thread, n);
	optional_encode(to, FOLD_COL_KSTACK, samples->kstack, n, steps_encode);
	optional_encode(to, FOLD_COL_USTACK, samples->ustack, n, steps_encode);
	optional_encode(to, FOLD_COL_EVENT, samples->event, n, u32_encode);
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
		samples->time = time_decode(d, s, n);
	else if (id == FOLD_COL_CPU)
		samples->cpu = u32_decode(d, s, n, FOLD_MAX_CPUS, FOLD_E_RANGE, NULL);
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
	zeros = zeros_alloc(d, s, samples->n);
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
	steps_encode(to, FOLD_COL_THREAD, counts->thread, n);
	optional_encode(to, FOLD_COL_KSTACK, counts->kstack, n, steps_encode);
	optional_encode(to, FOLD_COL_USTACK, counts->ustack, n, steps_encode);
	optional_encode(to, FOLD_COL_EVENT, counts->event, n, u32_encode);
	u64_encode(to, FOLD_COL_COUNT, counts->count, n);
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
		counts->count = u64_decode(d, s, n);
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
	shared_default(&shared, zeros_alloc(d, s, counts->n));
}
