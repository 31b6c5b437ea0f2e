/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: one payload, without the checksums around it.  Byte 0 chooses the
 * kind of chunk, byte 1 what stood before it.  What decodes must encode, and that
 * must decode to the same bytes again.
 */
#include "../../format/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct section_table *const tables[] = {
	&batch_sections, &meta_sections, &end_sections, &note_sections, &symbols_sections,
};
enum { TORN = 1, RAW_ADDRESSES = 2, FRESH = 4, FULL = 8 };

union chunk {
	struct fold_meta meta;
	struct fold_batch batch;
	struct fold_end end;
	struct fold_note note;
	struct fold_symbols symbols;
};

struct before {
	struct defined known;
	struct module_range range[32];
	struct module_ranges ranges;
};

static void before_init(struct before *b, uint8_t how)
{
	struct fold_meta meta = {.tick_ns = 1000, .nevents = 2, .events = {[1] = {.nweights = 2}}};

	*b = (struct before){0};
	if (how & RAW_ADDRESSES)
		meta.flags = FOLD_FLAG_RAW_ADDRESSES;
	/* A copy that can grow. */
	b->ranges.room = 32;
	b->ranges.v = malloc(sizeof(b->range));
	defined_init(&b->known, &meta, &b->ranges);
	if (how & TORN)
		defined_tear(&b->known);
	if (how & FRESH)
		return;
	for (int i = 0; i < 10; i++)
		b->ranges.v[i] = (struct module_range){.base = (uint64_t)i << 20, .span = (1 << 20) - 5};
	b->known.nranges = 10;
	b->known.space = 10 << 20;
	for (int i = 0; i < FOLD_SECTION_MAX; i++)
		b->known.next[i] = how & FULL ? FOLD_MAX_PROCS - 2 : 10;
	b->known.next[FOLD_MODULES] = how & FULL ? FOLD_MAX_MODULES - 2 : 10;
	if (how & FULL) {
		b->known.string_bytes = FOLD_MAX_STRINGS_BYTES - 100;
		b->known.nodes = FOLD_MAX_NODES - 100;
	}
}

/* Decode `from` and encode that into `to`. */
static enum fold_error pass(const struct section_table *table, uint8_t how, struct fold_bytes from, struct buf *to)
{
	union chunk *chunk = calloc(1, sizeof(*chunk));
	struct arena arena = {0};
	struct before before;
	struct decoding d;
	uint64_t have;
	enum fold_error err;

	before_init(&before, how);
	d = (struct decoding){.arena = &arena, .known = before.known};
	err = sections_decode(table, from, &d, chunk, &have);
	if (!err)
		sections_encode(table, chunk, have, before.known.flags, to);
	arena_release(&arena);
	module_ranges_release(&before.ranges);
	free(chunk);
	return err;
}

static void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "sections break their promise: %s\n", what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once = {0}, twice = {0};
	const struct section_table *table;

	if (size < 2)
		return 0;
	table = tables[data[0] % (sizeof(tables) / sizeof(*tables))];
	if (!pass(table, data[1], (struct fold_bytes){data + 2, size - 2}, &once)) {
		require(!pass(table, data[1], (struct fold_bytes){once.at, once.size}, &twice), "what was encoded decodes");
		require(once.size == twice.size && (!once.size || !memcmp(once.at, twice.at, once.size)), "the same bytes again");
	}
	buf_release(&once);
	buf_release(&twice);
	return 0;
}
