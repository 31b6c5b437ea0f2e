/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One record as the kernel writes it into a ring (perf_event_open(2)), or a program
 * into its queue, as an event.  Believes no length in it.  Knows no ring.
 */
#ifndef FOLD_RECORD_RECORD_H
#define FOLD_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "../bpf/event.h"
#include "event.h"

/* Header, and the trailer that RING_SAMPLE_TYPE puts behind every record. */
#define RECORD_TRAILER 24
#define RECORD_MIN (sizeof(struct perf_event_header) + RECORD_TRAILER)
#define RECORD_FORK_MAX 256

enum record_result { RECORD_EVENT, RECORD_IGNORED, RECORD_MALFORMED };

/*
 * Where the time stands in a record of `size` >= RECORD_MIN bytes; of a KSYMBOL
 * record, only when nobody else on the machine listens (record_name_ends()).
 */
size_t record_time_offset(uint32_t type, size_t size);

/*
 * With several listeners the kernel adds the trailers of all earlier ones to the
 * size of a KSYMBOL or BPF_EVENT record, and what it adds is old bytes: there the
 * trailer follows the body.  A KSYMBOL's ends with the first word from
 * RECORD_KSYMBOL_NAME on that holds the end of its name.
 */
#define RECORD_KSYMBOL_NAME 24
bool record_name_ends(uint64_t word);

/* In a ring, frames begin 4 bytes off their alignment: a place to put them. */
struct record_frames {
	uint64_t v[2 * EVENT_MAX_FRAMES];
};

/*
 * The `header->size` >= RECORD_MIN bytes at `header` as an event; cpu is left 0.
 * What the event points at lies in the record or in `frames`.  Stacks of
 * `max_frames` words were cut there.
 */
enum record_result record_decode(const struct perf_event_header *header, uint32_t max_frames, struct record_frames *frames, struct event *event);

/* The same for the raw->size >= sizeof(*raw) bytes of a queue; all that the event
 * points at lies there. */
enum record_result record_sample(const struct event_raw_sample *raw, uint32_t max_frames, struct event *event);

#endif
