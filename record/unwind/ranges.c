/* SPDX-License-Identifier: BSD-2-Clause */
/* Powers of two, split but never joined: processes are of few sizes.  See ranges.h. */
#include "ranges.h"

#include <stdlib.h>
#include <string.h>

#include "../array.h"

uint32_t range_size(uint32_t class)
{
	return UNWIND_RANGE_UNIT << class;
}

uint32_t range_class(uint32_t n)
{
	uint32_t class = 0;

	while (range_size(class) < n)
		class++;
	return class;
}

void ranges_release(struct ranges *r)
{
	for (unsigned i = 0; i < UNWIND_RANGE_CLASSES; i++)
		free(r->free[i]);
	free(r->retired);
	memset(r, 0, sizeof(*r));
}

/* Without memory for the note the entries are lost to us, which is no harm. */
static void put_free(struct ranges *r, uint32_t class, uint32_t base)
{
	uint32_t *v = array_grow(r->free[class], &r->free_room[class], r->nfree[class] + 1, sizeof(*v));

	if (!v)
		return;
	r->free[class] = v;
	v[r->nfree[class]++] = base;
}

static uint32_t take(struct ranges *r, uint32_t class)
{
	uint32_t from = class, base;

	if (!r->nfree[class] && UNWIND_MAPPINGS - r->fresh >= range_size(class)) {
		base = r->fresh;
		r->fresh += range_size(class);
		return base;
	}
	while (from < UNWIND_RANGE_CLASSES && !r->nfree[from])
		from++;
	if (from == UNWIND_RANGE_CLASSES)
		return RANGE_NONE;
	base = r->free[from][--r->nfree[from]];
	while (from-- > class)
		put_free(r, from, base + range_size(from));
	return base;
}

uint32_t range_take(struct ranges *r, uint32_t class)
{
	uint32_t base = take(r, class);

	if (base != RANGE_NONE)
		r->taken[base / UNWIND_RANGE_UNIT]++;
	return base;
}

/* Neighbours begin far from each other, so that a stale word that leads into the
 * middle of another range does not fit it. */
uint16_t range_serial(const struct ranges *r, uint32_t base)
{
	uint32_t unit = base / UNWIND_RANGE_UNIT;

	return unit * 40503 + r->taken[unit];
}

void range_give(struct ranges *r, uint32_t base, uint32_t class, uint64_t now)
{
	struct range_retired *v;

	if (r->taken[base / UNWIND_RANGE_UNIT] == UINT16_MAX)
		return; /* all serials are used up */
	if (r->head > 64 && r->head > r->nretired / 2) {
		memmove(r->retired, r->retired + r->head, (r->nretired - r->head) * sizeof(*v));
		r->nretired -= r->head;
		r->head = 0;
	}
	v = array_grow(r->retired, &r->retired_room, r->nretired + 1, sizeof(*v));
	if (!v)
		return;
	r->retired = v;
	v[r->nretired++] = (struct range_retired){ now, base, class };
}

void ranges_rest(struct ranges *r, uint64_t drained)
{
	for (; r->head < r->nretired && r->retired[r->head].since + RANGE_REST_NS < drained; r->head++)
		put_free(r, r->retired[r->head].class, r->retired[r->head].base);
}
