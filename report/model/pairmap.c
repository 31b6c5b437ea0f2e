/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing, linear, at most three quarters full; keys stand in the table. */
#include "pairmap.h"

#include <stdlib.h>

static size_t pair_slot(const struct pairmap *map, uint32_t a, uint32_t b)
{
	size_t at = hash_pair(&map->seed, a, b) & (map->nslots - 1);

	while (map->slots[at].value && (map->slots[at].a != a || map->slots[at].b != b))
		at = (at + 1) & (map->nslots - 1);
	return at;
}

int pairmap_init(struct pairmap *map)
{
	*map = (struct pairmap){.nslots = 1024};
	hash_seed_init(&map->seed);
	map->slots = calloc(map->nslots, sizeof(*map->slots));
	return map->slots ? 0 : -1;
}

void pairmap_release(struct pairmap *map)
{
	free(map->slots);
	*map = (struct pairmap){0};
}

static int pairmap_grow(struct pairmap *map)
{
	struct pairmap old = *map;

	map->nslots *= 2;
	map->slots = calloc(map->nslots, sizeof(*map->slots));
	if (!map->slots) {
		*map = old;
		return -1;
	}
	for (size_t i = 0; i < old.nslots; i++)
		if (old.slots[i].value)
			map->slots[pair_slot(map, old.slots[i].a, old.slots[i].b)] = old.slots[i];
	free(old.slots);
	return 0;
}

int pairmap_add(struct pairmap *map, uint32_t a, uint32_t b, uint32_t fresh, uint32_t *value)
{
	struct pairmap_slot *slot;

	if (map->n >= map->nslots / 4 * 3 && pairmap_grow(map))
		return -1;
	slot = &map->slots[pair_slot(map, a, b)];
	if (slot->value) {
		*value = slot->value - 1;
		return 0;
	}
	*slot = (struct pairmap_slot){a, b, fresh + 1};
	map->n++;
	*value = fresh;
	return 1;
}

uint32_t pairmap_get(const struct pairmap *map, uint32_t a, uint32_t b)
{
	return map->slots[pair_slot(map, a, b)].value - 1; /* free: 0 - 1 is UINT32_MAX */
}
