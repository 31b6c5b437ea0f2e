/* SPDX-License-Identifier: BSD-2-Clause */
/* Bump allocation in blocks that double; see arena.h. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_BLOCK (16u << 10)
#define ALIGN 16

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(ALIGN) unsigned char at[];
};

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
}

static struct arena_block *add_block(struct arena *a, size_t bytes)
{
	size_t size = a->blocks ? a->blocks->size : FIRST_BLOCK / 2;
	struct arena_block *block;

	do {
		if (size > SIZE_MAX / 4)
			return NULL;
		size *= 2;
	} while (size < bytes);
	block = malloc(sizeof(*block) + size);
	if (!block)
		return NULL;
	block->next = a->blocks;
	block->used = 0;
	block->size = size;
	a->blocks = block;
	return block;
}

/* Blocks double, so the newest alone has room for all that the others hold. */
void arena_reset(struct arena *a)
{
	if (a->blocks) {
		struct arena_block *keep = a->blocks;

		a->blocks = keep->next;
		arena_release(a);
		keep->next = NULL;
		keep->used = 0;
		a->blocks = keep;
	}
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	struct arena_block *block = a->blocks;
	size_t bytes;
	void *p;

	if (n > SIZE_MAX / 2 / size)
		return NULL;
	bytes = (n * size + ALIGN - 1) / ALIGN * ALIGN;
	if (!block || block->size - block->used < bytes) {
		block = add_block(a, bytes);
		if (!block)
			return NULL;
	}
	p = block->at + block->used;
	block->used += bytes;
	return p;
}
