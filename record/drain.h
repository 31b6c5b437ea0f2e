/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Out of the rings and queues, in time order over all CPUs.  Reads records in place,
 * checks every length in them, and makes struct events.
 *
 * What one holds is complete up to a moment when that moment has passed for
 * DRAIN_MARGIN_NS: a record gets its time a little before it becomes visible.
 * Nothing is copied and nothing grows: what is too young stays where it is.
 */
#ifndef FOLD_RECORD_DRAIN_H
#define FOLD_RECORD_DRAIN_H

#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "queue.h"
#include "record.h"
#include "ring.h"

#define DRAIN_MARGIN_NS (20 * 1000 * 1000)
#define DRAIN_ALL UINT64_MAX

/* 0, or non-zero to stop. */
typedef int drain_sink(void *state, const struct event *event);

/* A ring or a queue. */
struct drain_source {
	uint64_t tail, head, time; /* `time`: of the record at tail */
	uint64_t samples, malformed; /* so far */
};

struct drain {
	const struct rings *rings;
	const struct queues *queues;
	drain_sink *sink;
	void *state;
	uint32_t max_frames;
	struct drain_source *v;    /* as rings->v, then as queues->v */
	uint32_t n;
	uint32_t *heap, nheap;     /* sources that have a record, the oldest first */
	uint8_t *whole;            /* a record that wraps around, made whole */
	struct record_frames frames;
	uint64_t last;             /* time of the last event given out */
	uint64_t other_malformed;  /* records that are no samples */
};

int drain_init(struct drain *d, const struct rings *rings, const struct queues *queues, uint32_t max_frames, drain_sink *sink, void *state);
void drain_release(struct drain *d); /* accepts a zeroed struct */

/* Samples of a CPU that were given out, and those that made no sense. */
void drain_count(const struct drain *d, uint32_t cpu, uint64_t *samples, uint64_t *malformed);

/* Give out all events up to `until`, and `extra`, sorted by time, among them.
 * 0, or what the sink returned. */
int drain_until(struct drain *d, uint64_t until, const struct event *extra, size_t nextra);

/* The thread that made `tid`, when the rings still hold the record of it; they
 * are left as they are. */
bool drain_find_fork(const struct rings *rings, uint32_t tid, uint32_t *parent, uint64_t *time);

#endif
