/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of symbols that never move, and an intern table for their names. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "../model/array.h"
#include "demangle.h"

#define TEXTS_SIZE (64u << 10)

struct store_block {
	struct store_block *next;
	size_t n;
	struct symbol v[STORE_MAX_SYMBOLS];
};

int store_init(struct store *s)
{
	memset(s, 0, sizeof(*s));
	intern_init(&s->names, 0);
	s->text = malloc(DEMANGLE_MAX_OUT + 1);
	return s->text ? 0 : -1;
}

void store_release(struct store *s)
{
	while (s->blocks) {
		struct store_block *next = s->blocks->next;

		free(s->blocks);
		s->blocks = next;
	}
	intern_release(&s->names);
	arena_release(&s->texts);
	free(s->demangled);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

struct symbol *store_symbols(struct store *s, size_t n)
{
	struct symbol *v;

	if (n > STORE_MAX_SYMBOLS)
		return NULL;
	if (!s->blocks || n > STORE_MAX_SYMBOLS - s->blocks->n) {
		struct store_block *block = calloc(1, sizeof(*block));

		if (!block)
			return NULL;
		block->next = s->blocks;
		s->blocks = block;
	}
	v = &s->blocks->v[s->blocks->n];
	s->blocks->n += n;
	return v;
}

static bool add(struct store *s, const char *name, uint32_t *id)
{
	return !intern_add(&s->names, name, strlen(name) + 1, id);
}

static const char *at(const struct store *s, uint32_t id)
{
	return (const char *)intern_get(&s->names, id).at;
}

const char *store_name(struct store *s, const char *name, size_t size)
{
	char *copy = strndup(name, size);
	bool added;
	uint32_t id;

	if (!copy)
		return NULL;
	added = add(s, copy, &id);
	free(copy);
	return added ? at(s, id) : NULL;
}

char *store_text(struct store *s, size_t n)
{
	size_t size = n > TEXTS_SIZE ? n : TEXTS_SIZE;

	if ((size_t)(s->texts_end - s->texts_at) >= n)
		return s->texts_at;
	s->texts_at = arena_alloc(&s->texts, size, 1);
	s->texts_end = s->texts_at ? s->texts_at + size : NULL;
	return s->texts_at;
}

void store_text_end(struct store *s, char *end)
{
	s->texts_at = end;
}

const char *store_demangled(struct store *s, const char *name)
{
	size_t known = s->demangled_room;
	uint32_t id, pretty;

	if (!add(s, name, &id))
		return name;
	if (array_room(s->demangled, s->demangled_room, (size_t)id + 1))
		return name;
	for (size_t i = known; i < s->demangled_room; i++)
		s->demangled[i] = NULL;
	if (!s->demangled[id])
		s->demangled[id] = demangle(name, s->text) && add(s, s->text, &pretty) ? at(s, pretty) : name;
	return s->demangled[id];
}
