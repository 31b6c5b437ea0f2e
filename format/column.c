/* SPDX-License-Identifier: BSD-2-Clause */
/* Each encoder stands beside its decoder, below what they have in common. */
#include "column.h"

#include <string.h>

/* ---- values */

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

/* An encoder of `n` values v[i], each as `number`. */
#define ENCODER(name, type, number) \
	void name(struct buf *to, int id, const type *v, size_t n) \
	{ \
		size_t mark; \
		uint8_t *p = numbers_open(to, id, n, &mark); \
		for (size_t i = 0; p && i < n; i++) \
			p += uv_put(p, number); \
		if (p) \
			numbers_close(to, mark, p); \
	}

/* An array for the values of a column; each takes a byte at least. */
static void *values_alloc(struct decoding *d, struct span *s, size_t n, size_t size)
{
	if (n > span_left(s)) {
		decoding_fail(d, s, FOLD_E_COLUMN_LENGTH, 0, NULL);
		return NULL;
	}
	return decoding_alloc(d, s, n ? n : 1, size);
}

/* The largest value of a column is compared once. */
static void check_largest(struct decoding *d, struct span *s, uint64_t largest, uint64_t bound, enum fold_error why, const char *rule)
{
	if (largest > UINT32_MAX)
		decoding_fail(d, s, FOLD_E_RANGE, largest, NULL);
	else if (largest >= bound)
		decoding_fail(d, s, why, largest, rule);
}

ENCODER(column_u32_encode, uint32_t, v[i])

uint32_t *column_u32_decode(struct decoding *d, struct span *s, size_t n, uint64_t bound, enum fold_error why, const char *rule)
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

ENCODER(column_steps_encode, uint32_t, zigzag((int64_t)v[i] - (i ? v[i - 1] : 0)))

/* Below 0 is above UINT32_MAX here. */
uint32_t *column_steps_decode(struct decoding *d, struct span *s, size_t n, uint64_t bound, const char *rule)
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

ENCODER(column_u64_encode, uint64_t, v[i])

uint64_t *column_u64_decode(struct decoding *d, struct span *s, size_t n)
{
	uint64_t *v = values_alloc(d, s, n, sizeof(*v));

	if (!v)
		return v;
	for (size_t i = 0; i < n; i++)
		v[i] = span_uv(s);
	return v;
}

/* Differences are taken modulo 2^64: those of far ends do not fit 63 bits. */
ENCODER(column_time_encode, int64_t, zigzag((int64_t)((uint64_t)v[i] - (i ? (uint64_t)v[i - 1] : 0))))

int64_t *column_time_decode(struct decoding *d, struct span *s, size_t n)
{
	int64_t *v = values_alloc(d, s, n, sizeof(*v));
	int64_t high = INT64_MAX / (int64_t)d->known.tick_ns, low = INT64_MIN / (int64_t)d->known.tick_ns;
	uint64_t t = 0;

	if (!v || !n)
		return v;
	for (size_t i = 0; i < n; i++) {
		t += (uint64_t)span_sv(s);
		v[i] = (int64_t)t;
		if (v[i] < low || v[i] > high) {
			decoding_fail(d, s, FOLD_E_RANGE, t, "R-SMP-1");
			break;
		}
	}
	return v;
}

/* ---- absent columns */

bool column_is_zero(const void *v, size_t bytes)
{
	const uint8_t *p = v;

	return !p || !bytes || (!p[0] && !memcmp(p, p + 1, bytes - 1));
}

uint64_t *column_zeros(struct decoding *d, struct span *s, size_t n)
{
	uint64_t *zeros = s->bad ? NULL : decoding_alloc(d, s, n ? n : 1, sizeof(*zeros));

	if (zeros)
		memset(zeros, 0, n * sizeof(*zeros));
	return zeros;
}

/* ---- the walk */

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

size_t columns_decode(struct decoding *d, struct span *s, const struct column_set *set, void *section)
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
