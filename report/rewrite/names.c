/* SPDX-License-Identifier: BSD-2-Clause */
/* A set in arrival order with a table over it. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "../model/array.h"

void names_init(struct names *names)
{
	*names = (struct names){0};
	hash_key_init(&names->key);
}

void names_release(struct names *names)
{
	free(names->v);
	free(names->slots);
	*names = (struct names){0};
}

static bool equal(const struct fold_sym *a, const struct fold_sym *b)
{
	return a->module == b->module && a->offset == b->offset && a->size == b->size && a->name == b->name;
}

static uint32_t *slot_of(const struct names *names, const struct fold_sym *sym)
{
	uint64_t words[] = {sym->module, sym->offset, sym->size, sym->name};
	size_t mask = names->nslots - 1;

	for (size_t i = hash_bytes(&names->key, words, sizeof(words)) & mask;; i = (i + 1) & mask)
		if (!names->slots[i] || equal(&names->v[names->slots[i] - 1], sym))
			return &names->slots[i];
}

static int grow_slots(struct names *names)
{
	size_t n = names->nslots ? 2 * names->nslots : 256;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -1;
	free(names->slots);
	names->slots = slots;
	names->nslots = n;
	for (size_t i = 0; i < names->n; i++)
		*slot_of(names, &names->v[i]) = (uint32_t)i + 1;
	return 0;
}

int names_add(struct names *names, const struct fold_sym *sym)
{
	uint32_t *slot;

	if (names->n >= names->nslots / 2 && grow_slots(names))
		return -1;
	slot = slot_of(names, sym);
	if (*slot)
		return 0;
	if (names->n >= UINT32_MAX - 1 || array_room(names->v, names->room, names->n + 1))
		return -1;
	names->v[names->n++] = *sym;
	*slot = (uint32_t)names->n;
	return 0;
}

static int compare_text(struct fold_bytes a, struct fold_bytes b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int order = n ? memcmp(a.at, b.at, n) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

#define ORDER(a, b) if ((a) != (b)) return (a) < (b) ? -1 : 1
static int compare(const void *a, const void *b, void *state)
{
	const struct fold_sym *x = a, *y = b;

	ORDER(x->module, y->module);
	ORDER(x->offset, y->offset);
	ORDER(x->size, y->size);
	return x->name == y->name ? 0 : compare_text(intern_get(state, (uint32_t)x->name), intern_get(state, (uint32_t)y->name));
}

void names_settle(struct names *names, const struct intern *text)
{
	size_t kept = 0;

	if (names->n)
		qsort_r(names->v, names->n, sizeof(*names->v), compare, (void *)(uintptr_t)text);
	for (size_t i = 0; i < names->n; i++) {
		const struct fold_sym *sym = &names->v[i], *last = kept ? &names->v[kept - 1] : NULL;

		if (!last || last->module != sym->module || last->offset != sym->offset || last->size != sym->size)
			names->v[kept++] = *sym;
	}
	names->n = kept;
}
