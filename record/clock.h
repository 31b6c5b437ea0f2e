/* SPDX-License-Identifier: BSD-2-Clause */
/* The time, as samples have it: CLOCK_MONOTONIC in ns. */
#ifndef FOLD_RECORD_CLOCK_H
#define FOLD_RECORD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
