/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records {uv length, fields}, up to the end of their section.  Fields are read
 * from the record; what follows them belongs to a later version.
 */
#ifndef FOLD_FORMAT_RECORDS_H
#define FOLD_FORMAT_RECORDS_H

#include "section.h"

/* How many records (or strings: both begin with their length) are left, a last one
 * that is cut included.  Arrays are then of just that size. */
static inline size_t records_count(const struct span *s)
{
	struct span ahead = *s;
	size_t n = 0;

	for (; span_left(&ahead); n++)
		span_take(&ahead, span_uv(&ahead));
	return n;
}

/* An array for the records left; NULL and a bad span without memory. */
#define RECORDS(d, s, v) decoding_alloc(d, s, records_count(s), sizeof(*(v)))

/* The next record; a failure in it is put back with record_done(). */
static inline struct span record_next(struct span *s)
{
	return span_cut(s, span_uv(s));
}

static inline void record_done(struct span *s, const struct span *record)
{
	if (record->bad)
		span_fail(s, record->bad);
}

#endif
