/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries are dense; a table of their numbers finds them, at most half full.  The
 * bits that a number leaves free are a tag, a piece of the hash: the entry itself
 * is touched only when it is, almost surely, the right one.
 */
#include "tally.h"

#include <string.h>

#include "array.h"

/* Keys looked up together: enough to hide memory behind each other, few enough for the first level cache. */
#define TALLY_BLOCK 64
#define TALLY_FIRST_SLOTS 4096

static uint64_t key_hash(const struct tally *tally, const struct tally_key *key)
{
	return hash_pair(&tally->seed, (uint64_t)key->thread << 32 | key->event_cpu,
			 (uint64_t)key->kstack << 32 | key->ustack);
}

/* The tag in its place: indexes are below half of nslots. */
static uint32_t hash_tag(uint64_t hash, size_t nslots)
{
	return (uint32_t)(hash >> 32) & ~(uint32_t)(nslots - 1);
}

static int tally_rehash(struct tally *tally, size_t nslots)
{
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < tally->n; i++) {
		uint64_t hash = key_hash(tally, &tally->entries[i].key);
		size_t at = hash & (nslots - 1);

		while (slots[at])
			at = (at + 1) & (nslots - 1);
		slots[at] = hash_tag(hash, nslots) | (uint32_t)(i + 1);
	}
	free(tally->slots);
	tally->slots = slots;
	tally->nslots = nslots;
	return 0;
}

int tally_init(struct tally *tally)
{
	*tally = (struct tally){0};
	hash_seed_init(&tally->seed);
	return tally_rehash(tally, TALLY_FIRST_SLOTS);
}

void tally_release(struct tally *tally)
{
	free(tally->entries);
	free(tally->weights);
	free(tally->slots);
	*tally = (struct tally){0};
}

/* Room for a block of new entries, so that nothing moves while it is counted. */
static int tally_reserve(struct tally *tally, size_t n, bool weighted)
{
	size_t nslots = tally->nslots ? tally->nslots : TALLY_FIRST_SLOTS;

	while (tally->n + n > nslots / 2)
		nslots *= 2;
	if (nslots > UINT32_MAX)
		return -1;
	if (nslots != tally->nslots && tally_rehash(tally, nslots))
		return -1;
	if (array_room(tally->entries, tally->room, tally->n + n))
		return -1;
	if (!weighted && !tally->weights)
		return 0;
	if (tally->n + n > tally->weights_room) {
		size_t before = tally->weights_room;

		if (array_room(tally->weights, tally->weights_room, tally->n + n))
			return -1;
		memset(tally->weights + before, 0, (tally->weights_room - before) * sizeof(*tally->weights));
	}
	return 0;
}

static uint32_t tally_entry(struct tally *tally, const struct tally_key *key, uint64_t hash)
{
	uint32_t mask = (uint32_t)(tally->nslots - 1), tag = hash_tag(hash, tally->nslots), slot;
	size_t at;

	for (at = hash & mask; (slot = tally->slots[at]); at = (at + 1) & mask) {
		uint32_t index = (slot & mask) - 1;

		if ((slot & ~mask) == tag && !memcmp(&tally->entries[index].key, key, sizeof(*key)))
			return index;
	}
	tally->entries[tally->n] = (struct tally_entry){.key = *key};
	tally->slots[at] = tag | (uint32_t)(tally->n + 1);
	return (uint32_t)tally->n++;
}

static void tally_block(struct tally *tally, const struct tally_key *keys, size_t n, const uint64_t *times,
			const uint64_t *weights, uint32_t *index)
{
	uint64_t hash[TALLY_BLOCK];
	size_t mask = tally->nslots - 1;

	for (size_t i = 0; i < n; i++) {
		hash[i] = key_hash(tally, &keys[i]);
		__builtin_prefetch(&tally->slots[hash[i] & mask]);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t first = tally->slots[hash[i] & mask] & mask;

		if (first)
			__builtin_prefetch(&tally->entries[first - 1], 1);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t entry = tally_entry(tally, &keys[i], hash[i]);

		tally->entries[entry].count += times ? times[i] : 1;
		if (weights)
			tally->weights[entry] += weights[i];
		if (index)
			index[i] = entry;
	}
}

int tally_add(struct tally *tally, const struct tally_key *keys, size_t n, const uint64_t *times,
	      const uint64_t *weights, uint32_t *index)
{
	for (size_t at = 0; at < n; at += TALLY_BLOCK) {
		size_t some = n - at < TALLY_BLOCK ? n - at : TALLY_BLOCK;

		if (tally_reserve(tally, some, weights != NULL))
			return -1;
		tally_block(tally, keys + at, some, times ? times + at : NULL, weights ? weights + at : NULL,
			    index ? index + at : NULL);
	}
	return 0;
}

void tally_rest(struct tally *tally)
{
	free(tally->slots);
	tally->slots = NULL;
	tally->nslots = 0;
}

void tally_adopt(struct tally *to, struct tally *from)
{
	struct hash_seed seed = to->seed;

	tally_release(to);
	*to = *from;
	to->seed = seed;
	*from = (struct tally){0};
	tally_rest(to);
}
