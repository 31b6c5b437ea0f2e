/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long something took, many times: counts by size, from which the median and
 * the like are read, to an eighth.  Owns nothing; all zero is empty.
 */
#ifndef FOLD_UNWIND_DELAYS_H
#define FOLD_UNWIND_DELAYS_H

#include <stdint.h>

#define DELAYS_PARTS 8 /* of a power of two */
struct delays {
	uint64_t n;
	uint64_t counts[64 * DELAYS_PARTS];
};

void delays_add(struct delays *d, uint64_t ns);
/* What `percent` of them did not exceed; 0 of none. */
uint64_t delays_percentile(const struct delays *d, unsigned percent);

#endif
