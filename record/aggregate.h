/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregated mode: what the programs counted in one interval, as EVENT_COUNT
 * events.  Their stacks are ids whose words came through the rings.  Empties the
 * table it read.
 */
#ifndef FOLD_RECORD_AGGREGATE_H
#define FOLD_RECORD_AGGREGATE_H

#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "probe.h"

struct aggregate {
	struct event *events;  /* of the last interval, by time */
	size_t n, room;
	uint64_t samples;      /* so far */
};

void aggregate_release(struct aggregate *a); /* accepts a zeroed struct */

/*
 * Switch tables and read the one that was in use.  a->events are borrowed until
 * the next call and refer to times up to `*until`, which is when tables were
 * switched.  0, or -errno.
 */
int aggregate_collect(struct aggregate *a, struct probe *probe, uint64_t *until);

#endif
