/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Room in the store's array of mappings: ranges of consecutive entries.  The walker
 * reads without locks, so a range that was given back is not used again before
 * everything that could still lead to it is over.
 */
#ifndef FOLD_UNWIND_RANGES_H
#define FOLD_UNWIND_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "../../bpf/unwind.h"

#define RANGE_NONE UINT32_MAX
/* Longer than any walk, and than the copies a fork may make of a word that user
 * space was about to replace. */
#define RANGE_REST_NS UINT64_C(1000000000)

struct range_retired {
	uint64_t since;
	uint32_t base;
	uint32_t class;
};
struct ranges {
	uint32_t fresh;               /* entries never used begin here */
	uint32_t *free[UNWIND_RANGE_CLASSES];
	size_t nfree[UNWIND_RANGE_CLASSES], free_room[UNWIND_RANGE_CLASSES];
	uint16_t taken[UNWIND_MAPPINGS / UNWIND_RANGE_UNIT]; /* times, by base */
	struct range_retired *retired; /* oldest first, from `head` on */
	size_t head, nretired, retired_room;
};

void ranges_release(struct ranges *r); /* accepts a zeroed struct */

/* The smallest class that has place for `n` mappings, 1..UNWIND_MAX_MAPPINGS. */
uint32_t range_class(uint32_t n);
uint32_t range_size(uint32_t class);

/* Entries of a class: their first, RANGE_NONE when there is no room. */
uint32_t range_take(struct ranges *r, uint32_t class);
/* Which use of the entries from `base` on this is: a number that they never had and
 * will not have again. */
uint16_t range_serial(const struct ranges *r, uint32_t base);

/* Give back what range_take gave, at `now`. */
void range_give(struct ranges *r, uint32_t base, uint32_t class, uint64_t now);

/* All events before `drained` are known: ranges at rest since long before that may
 * be used again. */
void ranges_rest(struct ranges *r, uint64_t drained);

#endif
