/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From ids of a file to ids of the recording in memory.  File ids count up, with
 * gaps where definitions were damaged; memory follows what was defined, not the
 * largest id.
 */
#ifndef FOLD_REPORT_IDMAP_H
#define FOLD_REPORT_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define IDMAP_LOST UINT32_MAX

struct idmap_range { /* ids first .. first + n - 1 have values[base ..] */
	uint64_t first;
	uint32_t n, base;
};
struct idmap {
	uint32_t *values;
	size_t n, room;
	struct idmap_range *ranges;
	size_t nranges, ranges_room;
};

/* The next id, larger than all before.  0, or -1 out of memory. */
int idmap_add(struct idmap *map, uint64_t id, uint32_t value);

/* Where the value of `id` stands in values[]; IDMAP_LOST when it was never defined. */
uint32_t idmap_index(const struct idmap *map, uint64_t id);
static inline uint32_t idmap_get(const struct idmap *map, uint64_t id)
{
	uint32_t i = idmap_index(map, id);

	return i == IDMAP_LOST ? IDMAP_LOST : map->values[i];
}

/* The first of the ranges[] that ends above `id`; nranges: none does. */
size_t idmap_range_above(const struct idmap *map, uint64_t id);

void idmap_release(struct idmap *map); /* accepts a zeroed struct */

#endif
