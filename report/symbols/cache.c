/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table that is never more than three quarters full. */
#include "cache.h"

#include <stdlib.h>

struct cache_slot {
	uint64_t offset;
	uint32_t module;  /* + 1; 0: free */
	bool exact;
	uint8_t source;
	uint32_t n;
	const struct symbol *v;
};

static size_t hash(const struct symbol_address *key)
{
	uint64_t x = (key->offset << 1 | key->exact) ^ ((uint64_t)key->module << 40);

	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	return (size_t)x;
}

static struct cache_slot *slot_of(struct cache_slot *slots, size_t nslots, const struct symbol_address *key)
{
	size_t i = hash(key) & (nslots - 1);

	while (slots[i].module && (slots[i].module != key->module + 1 || slots[i].offset != key->offset || slots[i].exact != key->exact))
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

int cache_init(struct cache *c)
{
	c->n = 0;
	c->nslots = 1024;
	c->slots = calloc(c->nslots, sizeof(*c->slots));
	return c->slots ? 0 : -1;
}

void cache_release(struct cache *c)
{
	free(c->slots);
	c->slots = NULL;
}

bool cache_find(const struct cache *c, const struct symbol_address *key, struct symbols *out)
{
	const struct cache_slot *slot = slot_of(c->slots, c->nslots, key);

	if (!slot->module)
		return false;
	*out = (struct symbols){.n = slot->n, .v = slot->v, .source = slot->source};
	return true;
}

static void grow(struct cache *c, size_t nslots)
{
	struct cache_slot *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return;
	for (size_t i = 0; i < c->nslots; i++) {
		const struct cache_slot *old = &c->slots[i];
		struct symbol_address key = {old->module - 1, old->offset, old->exact};

		if (old->module)
			*slot_of(slots, nslots, &key) = *old;
	}
	free(c->slots);
	c->slots = slots;
	c->nslots = nslots;
}

void cache_reserve(struct cache *c, size_t n)
{
	size_t nslots = c->nslots;

	while (nslots / 4 * 3 <= c->n + n && nslots <= SIZE_MAX / 4)
		nslots *= 2;
	if (nslots > c->nslots)
		grow(c, nslots);
}

void cache_put(struct cache *c, const struct symbol_address *key, const struct symbols *value)
{
	struct cache_slot *slot;

	if (c->n * 4 >= c->nslots * 3)
		grow(c, c->nslots * 2);
	if (c->n * 4 >= c->nslots * 3)
		return;
	slot = slot_of(c->slots, c->nslots, key);
	c->n += !slot->module;
	*slot = (struct cache_slot){key->offset, key->module + 1, key->exact, (uint8_t)value->source, value->n, value->v};
}
