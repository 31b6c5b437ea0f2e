/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ids as a sorted list of unbroken ranges: one range in a whole file, one more
 * for each gap.
 */
#include "idmap.h"

#include <assert.h>

#include "array.h"

int idmap_add(struct idmap *map, uint64_t id, uint32_t value)
{
	struct idmap_range *last = map->nranges ? &map->ranges[map->nranges - 1] : NULL;

	assert(!last || id >= last->first + last->n); /* the reader lets no id go backwards */
	if (map->n >= UINT32_MAX - 1 || array_room(map->values, map->room, map->n + 1))
		return -1;
	if (!last || id != last->first + last->n) {
		if (array_room(map->ranges, map->ranges_room, map->nranges + 1))
			return -1;
		last = &map->ranges[map->nranges++];
		*last = (struct idmap_range){.first = id, .base = (uint32_t)map->n};
	}
	last->n++;
	map->values[map->n++] = value;
	return 0;
}

size_t idmap_range_above(const struct idmap *map, uint64_t id)
{
	size_t low = 0, high = map->nranges;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (map->ranges[mid].first + map->ranges[mid].n > id)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

uint32_t idmap_index(const struct idmap *map, uint64_t id)
{
	size_t at = idmap_range_above(map, id);

	if (at == map->nranges || id < map->ranges[at].first)
		return IDMAP_LOST;
	return map->ranges[at].base + (uint32_t)(id - map->ranges[at].first);
}

void idmap_release(struct idmap *map)
{
	free(map->values);
	free(map->ranges);
	*map = (struct idmap){0};
}
