/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of durations by size.  See delays.h. */
#include "delays.h"

static unsigned slot_of(uint64_t ns)
{
	unsigned power;

	if (ns < DELAYS_PARTS)
		return ns;
	power = 63 - __builtin_clzll(ns);
	return (power - 2) * DELAYS_PARTS + (ns >> (power - 3)) % DELAYS_PARTS;
}

/* The greatest value of a slot. */
static uint64_t slot_end(unsigned slot)
{
	unsigned power = slot / DELAYS_PARTS + 2;

	if (slot < DELAYS_PARTS)
		return slot;
	return ((UINT64_C(1) * DELAYS_PARTS + slot % DELAYS_PARTS + 1) << (power - 3)) - 1;
}

void delays_add(struct delays *d, uint64_t ns)
{
	d->counts[slot_of(ns)]++;
	d->n++;
}

uint64_t delays_percentile(const struct delays *d, unsigned percent)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < sizeof(d->counts) / sizeof(d->counts[0]); i++) {
		seen += d->counts[i];
		if (d->n && seen * 100 >= d->n * percent)
			return slot_end(i);
	}
	return 0;
}
