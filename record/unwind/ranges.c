/* SPDX-License-Identifier: BSD-2-Clause */
/* Powers of two, split but never joined: processes are of few sizes.  See ranges.h. */
#include "ranges.h"

#include <stdlib.h>
#include <string.h>

#include "../array.h"

static uint32_t class_size(uint32_t class)
{
	return UNWIND_RANGE_UNIT << class;
}

static uint32_t class_of(uint32_t n)
{
	uint32_t class = 0;

	while (class_size(class) < n)
		class++;
	return class;
}

void ranges_release(struct ranges *r)
{
	for (unsigned i = 0; i < RANGE_CLASSES; i++)
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

uint32_t range_take(struct ranges *r, uint32_t n)
{
	uint32_t class = class_of(n), from = class, base;

	if (!r->nfree[class] && UNWIND_MAPPINGS - r->fresh >= class_size(class)) {
		base = r->fresh;
		r->fresh += class_size(class);
		return base;
	}
	while (from < RANGE_CLASSES && !r->nfree[from])
		from++;
	if (from == RANGE_CLASSES)
		return RANGE_NONE;
	base = r->free[from][--r->nfree[from]];
	while (from-- > class)
		put_free(r, from, base + class_size(from));
	return base;
}

void range_give(struct ranges *r, uint32_t base, uint32_t n, uint64_t now)
{
	struct range_retired *v;

	if (r->head > 64 && r->head > r->nretired / 2) {
		memmove(r->retired, r->retired + r->head, (r->nretired - r->head) * sizeof(*v));
		r->nretired -= r->head;
		r->head = 0;
	}
	v = array_grow(r->retired, &r->retired_room, r->nretired + 1, sizeof(*v));
	if (!v)
		return;
	r->retired = v;
	v[r->nretired++] = (struct range_retired){ now, base, class_of(n) };
}

void ranges_rest(struct ranges *r, uint64_t drained)
{
	for (; r->head < r->nretired && r->retired[r->head].since + RANGE_REST_NS < drained; r->head++)
		put_free(r, r->retired[r->head].class, r->retired[r->head].base);
}
