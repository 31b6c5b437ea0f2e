/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records where they lie in a ring, by position: what drain, which consumes them,
 * and ahead, which does not, both need.  Believes no length.
 */
#ifndef FOLD_RECORD_RING_READ_H
#define FOLD_RECORD_RING_READ_H

#include <string.h>

#include "record.h"
#include "ring.h"

#define RING_RECORD_MAX 65536 /* its size is a u16 */

/* The record at `at`, in one piece. */
static inline const struct perf_event_header *ring_record_at(const struct ring *ring, uint64_t at, size_t size, uint8_t *whole)
{
	uint64_t begin = at & (ring->size - 1), first = ring->size - begin;

	if (size <= first)
		return (const struct perf_event_header *)(ring->data + begin);
	memcpy(whole, ring->data + begin, first);
	memcpy(whole + first, ring->data, size - first);
	return (const struct perf_event_header *)whole;
}

/* Records are multiples of 8 bytes at multiples of 8: a word never wraps. */
static inline uint64_t ring_word_at(const struct ring *ring, uint64_t at)
{
	uint64_t word;

	memcpy(&word, ring->data + (at & (ring->size - 1)), sizeof(word));
	return word;
}

/* Size of the record at `at`; 0 when there is none that makes sense. */
static inline size_t ring_size_at(const struct ring *ring, uint64_t at, uint64_t head)
{
	struct perf_event_header header;
	uint64_t word = ring_word_at(ring, at);

	memcpy(&header, &word, sizeof(header));
	if (header.size < RECORD_MIN || header.size % 8 || header.size > head - at)
		return 0;
	return header.size;
}

static inline uint32_t ring_type_at(const struct ring *ring, uint64_t at)
{
	struct perf_event_header header;
	uint64_t word = ring_word_at(ring, at);

	memcpy(&header, &word, sizeof(header));
	return header.type;
}

static inline uint64_t ring_time_at(const struct ring *ring, uint64_t at, size_t size)
{
	uint32_t type = ring_type_at(ring, at);
	size_t offset = record_time_offset(type, size);

	for (size_t o = RECORD_KSYMBOL_NAME; type == PERF_RECORD_KSYMBOL && o + 8 + RECORD_TRAILER < size; o += 8) {
		if (!record_name_ends(ring_word_at(ring, at + o)))
			continue;
		offset = o + 16;
		break;
	}
	return ring_word_at(ring, at + offset);
}

#endif
