/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns: {uv rows, then {uv column id, uv length, values}}.  What a section
 * takes them for is for section_*.c.  The loops here are what reading and writing
 * a long recording costs.
 */
#ifndef FOLD_FORMAT_COLUMN_H
#define FOLD_FORMAT_COLUMN_H

#include "section.h"

/* ---- encoding: a whole column of `n` values; *_steps_*: their differences */

void column_u32_encode(struct buf *to, int id, const uint32_t *v, size_t n);
void column_u64_encode(struct buf *to, int id, const uint64_t *v, size_t n);
void column_steps_encode(struct buf *to, int id, const uint32_t *v, size_t n);
void column_time_encode(struct buf *to, int id, const int64_t *v, size_t n);

/* Is it absent, or nothing but zeros?  Such a column need not be written. */
bool column_is_zero(const void *v, size_t bytes);

/* ---- decoding: the values of a column, in arrays of the chunk.  Not good: `s` is bad. */

/* All values are to be below `bound`; those that are not break `rule`. */
uint32_t *column_u32_decode(struct decoding *d, struct span *s, size_t n, uint64_t bound, enum fold_error why, const char *rule);
uint32_t *column_steps_decode(struct decoding *d, struct span *s, size_t n, uint64_t bound, const char *rule);
uint64_t *column_u64_decode(struct decoding *d, struct span *s, size_t n);
int64_t *column_time_decode(struct decoding *d, struct span *s, size_t n);

/* What absent columns share: `n` zeros of 64 bits.  Only when all else was good:
 * then there are no more rows than bytes. */
uint64_t *column_zeros(struct decoding *d, struct span *s, size_t n);

/* The columns of a section, as bits 1 << id. */
#define COLUMN(id) (UINT64_C(1) << (id))
struct column_set {
	uint64_t known, required;
	/* One of them, to its end; `section` is what columns_decode() was given. */
	void (*decode)(struct decoding *d, struct span *s, size_t n, uint32_t id, void *section);
};
/* The number of rows, then every column. */
size_t columns_decode(struct decoding *d, struct span *s, const struct column_set *set, void *section);

#endif
