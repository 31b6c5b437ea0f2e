/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interned byte strings.  The bytes live in blocks that never move, the ids in
 * an open-addressed table that is at most half full.
 */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE (64u << 10)

struct intern_block {
	struct intern_block *next;
	size_t used, size;
	uint8_t at[];
};

void intern_init(struct intern *in, uint32_t first)
{
	*in = (struct intern){.first = first};
	hash_key_init(&in->key);
}

void intern_release(struct intern *in)
{
	while (in->blocks) {
		struct intern_block *next = in->blocks->next;

		free(in->blocks);
		in->blocks = next;
	}
	free(in->v);
	free(in->slots);
	*in = (struct intern){.first = in->first, .key = in->key};
}

/* The slot of these bytes: theirs, or the free one where they belong. */
static uint32_t *slot_of(const struct intern *in, const void *at, size_t size)
{
	uint32_t mask = in->nslots - 1;
	uint32_t i = (uint32_t)hash_bytes(&in->key, at, size) & mask;

	for (;; i = (i + 1) & mask) {
		const struct fold_bytes *known;

		if (!in->slots[i])
			return &in->slots[i];
		known = &in->v[in->slots[i] - 1];
		if (known->size == size && !memcmp(known->at, at, size))
			return &in->slots[i];
	}
}

static int grow_slots(struct intern *in)
{
	uint32_t nslots = in->nslots ? in->nslots * 2 : 64;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return -1;
	in->bytes += (nslots - in->nslots) * sizeof(*slots);
	free(in->slots);
	in->slots = slots;
	in->nslots = nslots;
	for (uint32_t i = 0; i < in->n; i++)
		*slot_of(in, in->v[i].at, in->v[i].size) = i + 1;
	return 0;
}

static int grow_ids(struct intern *in)
{
	uint32_t room = in->room ? in->room * 2 : 32;
	struct fold_bytes *v = realloc(in->v, room * sizeof(*v));

	if (!v)
		return -1;
	in->bytes += (room - in->room) * sizeof(*v);
	in->v = v;
	in->room = room;
	return 0;
}

static const uint8_t *keep(struct intern *in, const void *at, size_t size)
{
	struct intern_block *block = in->blocks;
	uint8_t *to;

	if (!block || block->size - block->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		*block = (struct intern_block){.next = in->blocks, .size = room};
		in->blocks = block;
		in->bytes += sizeof(*block) + room;
	}
	to = block->at + block->used;
	if (size)
		memcpy(to, at, size);
	block->used += size;
	return to;
}

int intern_add(struct intern *in, const void *at, size_t size, uint32_t *id)
{
	uint32_t *slot;
	const uint8_t *kept;

	if (in->n >= in->nslots / 2 && grow_slots(in))
		return -1;
	slot = slot_of(in, at ? at : "", size);
	if (*slot) {
		*id = in->first + *slot - 1;
		return 0;
	}
	if (in->n >= FOLD_MAX_STRINGS || (in->n == in->room && grow_ids(in)))
		return -1;
	kept = keep(in, at, size);
	if (!kept)
		return -1;
	in->v[in->n] = (struct fold_bytes){.at = kept, .size = size};
	*slot = ++in->n;
	*id = in->first + *slot - 1;
	return 0;
}

struct fold_bytes intern_get(const struct intern *in, uint32_t id)
{
	return in->v[id - in->first];
}
