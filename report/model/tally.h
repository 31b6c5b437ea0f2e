/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often each (thread, kernel stack, user stack, event, CPU) was seen.  This
 * is the only work done per sample, so it goes over columns in blocks and has
 * the memory that a block needs on its way before it touches it.
 *
 * Ids are numbers to it, whosever they are.
 */
#ifndef FOLD_REPORT_TALLY_H
#define FOLD_REPORT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"

struct tally_key {
	uint32_t thread, kstack, ustack;
	uint32_t event_cpu; /* tally_event_cpu() */
};
#define TALLY_NO_CPU UINT32_MAX
#define TALLY_EVENTS 0x8000u
static inline uint32_t tally_event_cpu(uint32_t event, uint32_t cpu) /* event < TALLY_EVENTS, cpu < 2^16 or none */
{
	return event | (cpu + 1) << 15;
}
static inline uint32_t tally_event(uint32_t event_cpu) { return event_cpu & (TALLY_EVENTS - 1); }
static inline uint32_t tally_cpu(uint32_t event_cpu) { return (event_cpu >> 15) - 1; }

struct tally_entry {
	struct tally_key key;
	uint64_t count;
};
struct tally {
	struct tally_entry *entries; /* in order of first arrival */
	uint64_t *weights;           /* per entry; NULL until there was one */
	size_t n, room, weights_room;
	uint32_t *slots;             /* index + 1, and a tag above its bits; 0 free */
	size_t nslots;               /* power of two */
	struct hash_seed seed;
};

int tally_init(struct tally *tally); /* 0, or -1 out of memory */
void tally_release(struct tally *tally);

/* Count `keys`.  `times` and `weights` may be NULL: once each, no weight.  `index`, when
 * not NULL, receives the entry of each.  0, or -1 out of memory. */
int tally_add(struct tally *tally, const struct tally_key *keys, size_t n, const uint64_t *times,
	      const uint64_t *weights, uint32_t *index);

/* No more keys are coming, or only later: give back what finds them. */
void tally_rest(struct tally *tally);
/* All that `from` counted becomes that of `to`, which is empty; all its keys differ.  `from` is empty then. */
void tally_adopt(struct tally *to, struct tally *from);

#endif
