/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing with linear probing; removal moves what follows back, so that
 * tables which live as long as the recording never fill with tombstones. */
#include "table.h"

#include <stdlib.h>

static size_t table_home(const struct table *t, uint64_t key)
{
	return (size_t)table_mix(key, 1) & (t->room - 1);
}

static size_t table_slot_of(const struct table *t, uint64_t key)
{
	size_t i = table_home(t, key);

	while (t->slots[i].value && t->slots[i].key != key)
		i = (i + 1) & (t->room - 1);
	return i;
}

static int table_resize(struct table *t, size_t room)
{
	struct table old = *t;

	t->slots = calloc(room, sizeof(*t->slots));
	if (!t->slots) {
		*t = old;
		return -1;
	}
	t->room = room;
	for (size_t i = 0; i < old.room; i++) {
		if (old.slots[i].value)
			t->slots[table_slot_of(t, old.slots[i].key)] = old.slots[i];
	}
	free(old.slots);
	return 0;
}

void table_release(struct table *t)
{
	free(t->slots);
	*t = (struct table){0};
}

uint64_t table_get(const struct table *t, uint64_t key)
{
	return t->room ? t->slots[table_slot_of(t, key)].value : 0;
}

int table_put(struct table *t, uint64_t key, uint64_t value)
{
	size_t i;

	if (table_get(t, key)) {
		t->slots[table_slot_of(t, key)].value = value;
		return 0;
	}
	if (t->n + 1 > t->room / 4 * 3 && table_resize(t, t->room ? t->room * 2 : 16))
		return -1;
	i = table_slot_of(t, key);
	t->slots[i] = (struct table_slot){key, value};
	t->n++;
	return 0;
}

void table_remove(struct table *t, uint64_t key)
{
	size_t hole, i;

	if (!t->room)
		return;
	hole = table_slot_of(t, key);
	if (!t->slots[hole].value)
		return;
	t->n--;
	for (i = (hole + 1) & (t->room - 1); t->slots[i].value; i = (i + 1) & (t->room - 1)) {
		size_t home = table_home(t, t->slots[i].key);

		/* May stay when its home lies after the hole, cyclically. */
		if (((i - home) & (t->room - 1)) < ((i - hole) & (t->room - 1)))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole].value = 0;
}

size_t table_bytes(const struct table *t)
{
	return t->room * sizeof(*t->slots);
}
