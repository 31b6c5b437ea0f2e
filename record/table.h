/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers to numbers: pids, raw stack ids and the like to pointers or indices.
 * A value of 0 means absent, so an index is kept as index + 1.
 */
#ifndef FOLD_RECORD_TABLE_H
#define FOLD_RECORD_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_slot {
	uint64_t key, value;
};
struct table {
	struct table_slot *slots;
	size_t n, room; /* room: 0 or a power of two */
};

void table_release(struct table *t); /* accepts a zeroed struct */
uint64_t table_get(const struct table *t, uint64_t key);
/* Set or replace; `value` is not 0.  0, or -1 out of memory (never when it replaces). */
int table_put(struct table *t, uint64_t key, uint64_t value);
void table_remove(struct table *t, uint64_t key);
size_t table_bytes(const struct table *t);

/* One key out of two, well mixed. */
static inline uint64_t table_mix(uint64_t a, uint64_t b)
{
	a ^= b * UINT64_C(0x9e3779b97f4a7c15);
	a ^= a >> 32;
	a *= UINT64_C(0xd6e8feb86659fd93);
	return a ^ a >> 32;
}

#endif
