/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed tables into shards and the page directory.  See tables.h. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS (UNWIND_RULES * 2)

int tables_init(struct tables *t, struct unwind_store *store, size_t max_bytes)
{
	size_t shards = max_bytes / UNWIND_SHARD_BYTES;

	memset(t, 0, sizeof(*t));
	t->store = store;
	t->max_shards = shards < 1 ? 1 : shards > UNWIND_SHARDS ? UNWIND_SHARDS : shards;
	t->slots = calloc(SLOTS, sizeof(*t->slots));
	return t->slots ? 0 : -1;
}

void tables_release(struct tables *t)
{
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

static uint32_t page_end(const struct packed *p, uint32_t page)
{
	return page + 1 < p->npages ? p->pages[page + 1] : p->nrows;
}

/* Counts and offsets only: any row and any rule is safe for the walker. */
static bool is_sound(const struct packed *p)
{
	if (!p->npages || p->npages > PACK_MAX_PAGES || p->nrows > PACK_MAX_ROWS || p->nrules > UNWIND_RULES ||
	    p->first_page > UINT32_MAX || p->nsegments > IMAGE_MAX_SEGMENTS || p->pages[0])
		return false;
	for (uint32_t i = 0; i < p->npages; i++)
		if (p->pages[i] >= page_end(p, i) || page_end(p, i) > p->nrows || page_end(p, i) - p->pages[i] > UNWIND_PAGE_ROWS)
			return false;
	return true;
}

/* Our word for a long rule; a full array costs this rule only. */
static uint32_t rule_share(struct tables *t, const struct unwind_rule *rule)
{
	struct unwind_rule *rules = t->store->rules;
	uint64_t v[2];

	memcpy(v, rule, sizeof(v));
	for (uint32_t i = (v[0] * UINT64_C(0x9e3779b97f4a7c15) ^ v[1] * UINT64_C(0xc2b2ae3d27d4eb4f)) >> 40; ; i++) {
		uint16_t *slot = &t->slots[i % SLOTS];

		if (*slot && memcmp(&rules[*slot - 1], rule, sizeof(*rule)))
			continue;
		if (!*slot) {
			if (t->nrules == UNWIND_RULES)
				return UNWIND_BAD;
			rules[t->nrules++] = *rule;
			*slot = t->nrules;
		}
		return UNWIND_EXT << 14 | (*slot - 1);
	}
}

static uint32_t row_translate(const struct packed *p, const uint16_t *words, uint32_t row)
{
	uint32_t rule = unwind_row_rule(row), index = rule & (UNWIND_RULES - 1);

	if (rule >> 14 != UNWIND_EXT)
		return row;
	return unwind_row(unwind_row_pc(row), index < p->nrules ? words[index] : UNWIND_BAD);
}

/* How many of the `n` rows begin before the end of each KiB. */
static void index_write(uint32_t *index, const uint32_t *rows, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < UNWIND_INDEX_ENTRIES; k++) {
		while (count < n && unwind_row_pc(rows[count]) >> UNWIND_INDEX_SHIFT <= k)
			count++;
		if (k & 1)
			index[k / 2] |= count << 16;
		else
			index[k / 2] = count;
	}
}

/* For all its pages?  Half a table would only take the room of others. */
static bool has_room(const struct tables *t, const struct packed *p)
{
	uint32_t shards = t->nshards, used = t->used;

	for (uint32_t i = 0; i < p->npages; i++) {
		uint32_t n = page_end(p, i) - p->pages[i] + UNWIND_INDEX_WORDS;

		if (!shards || n > UNWIND_SHARD_ROWS - used) {
			if (shards++ == t->max_shards)
				return false;
			used = 0;
		}
		used += n;
	}
	return p->npages <= UNWIND_PAGES - t->npages;
}

/* A page's index and rows to the end of the last shard, or to a new one. */
static bool page_place(struct tables *t, const struct packed *p, uint32_t page, const uint16_t *words)
{
	uint32_t first = p->pages[page], n = page_end(p, page) - first, *to;

	if (!t->nshards || n + UNWIND_INDEX_WORDS > UNWIND_SHARD_ROWS - t->used) {
		if (t->nshards == t->max_shards || t->store->shard_new(t->store, t->nshards))
			return false;
		t->nshards++;
		t->used = 0;
	}
	to = t->store->shards[t->nshards - 1] + t->used + UNWIND_INDEX_WORDS;
	for (uint32_t i = 0; i < n; i++)
		to[i] = row_translate(p, words, p->rows[first + i]);
	index_write(to - UNWIND_INDEX_WORDS, to, n);
	t->used += UNWIND_INDEX_WORDS;
	t->store->pages[t->npages++] = (struct unwind_page){ .rows = (t->nshards - 1) * UNWIND_SHARD_ROWS + t->used, .n = n };
	t->used += n;
	t->rows += n;
	return true;
}

enum tables_result tables_add(struct tables *t, const struct packed *p, struct table_place *out)
{
	uint16_t words[UNWIND_RULES];

	if (!is_sound(p))
		return TABLES_DAMAGED;
	if (!has_room(t, p))
		return TABLES_FULL;
	for (uint32_t i = 0; i < p->nrules; i++)
		words[i] = rule_share(t, &p->rules[i]);
	*out = (struct table_place){ t->npages, (uint32_t)p->first_page, p->npages, p->nrows };
	for (uint32_t i = 0; i < p->npages; i++)
		if (!page_place(t, p, i, words))
			return TABLES_FULL;
	return TABLES_ADDED;
}
