/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregated mode: what the programs counted in one interval, as EVENT_COUNT
 * events with the stacks' words.  Empties the maps it read.
 */
#ifndef FOLD_RECORD_AGGREGATE_H
#define FOLD_RECORD_AGGREGATE_H

#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "probe.h"

struct aggregate_stack {
	size_t first;    /* in words */
	uint32_t n;      /* 0: the map had none under this number */
};

struct aggregate {
	struct event *events;            /* of the last interval, by time */
	size_t n, room;
	struct aggregate_stack *stacks;  /* by stack map id */
	size_t nstacks;
	uint64_t *words;                 /* of all of them */
	size_t nwords, words_room;
	uint64_t samples, mismatches;    /* so far */
};

/* 0, or -1 out of memory. */
int aggregate_init(struct aggregate *a, const struct probe *probe);
void aggregate_release(struct aggregate *a); /* accepts a zeroed struct */

/*
 * Switch halves and read the one that was in use.  a->events are borrowed until
 * the next call and refer to times up to `*until`, which is when halves were
 * switched.  0, or -errno.
 */
int aggregate_collect(struct aggregate *a, struct probe *probe, uint64_t *until);

#endif
