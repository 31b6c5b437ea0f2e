/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of sections: a decoder that knows what it is told, and contents
 * put together number by number. */
#ifndef FOLD_TESTS_FORMAT_HAND_H
#define FOLD_TESTS_FORMAT_HAND_H

#include "test.h"
#include "format_made.h"
#include "../../format/section.h"

struct bench {
	struct arena arena;
	struct module_ranges ranges;
	struct decoding d;
	struct fold_meta meta;
	union {
		struct fold_meta meta;
		struct fold_batch batch;
		struct fold_end end;
		struct fold_note note;
		struct fold_symbols symbols;
	} chunk;
	uint64_t have;
};

static inline void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->meta = made_meta();
	b->d.arena = &b->arena;
	defined_init(&b->d.known, &b->meta, &b->ranges);
}

static inline void bench_release(struct bench *b)
{
	arena_release(&b->arena);
	module_ranges_release(&b->ranges);
}

static inline enum fold_error decode(struct bench *b, const struct section_table *table, const void *at, size_t n)
{
	memset(&b->chunk, 0, sizeof(b->chunk));
	return sections_decode(table, (struct fold_bytes){at, n}, &b->d, &b->chunk, &b->have);
}

struct hand {
	struct bench b;
	struct buf content;
};

static inline void hand_init(struct hand *h)
{
	memset(&h->content, 0, sizeof(h->content));
	bench_init(&h->b);
	h->b.d.known.next[FOLD_STRINGS] = 100;
	h->b.d.known.next[FOLD_MODULES] = h->b.d.known.next[FOLD_PROCS] = h->b.d.known.next[FOLD_THREADS] = 10;
	h->b.d.known.next[FOLD_KSTACKS] = h->b.d.known.next[FOLD_USTACKS] = 10;
	h->b.d.known.space = 40960;
	h->b.ranges.v = calloc(64, sizeof(*h->b.ranges.v));
	h->b.ranges.room = 64;
	for (size_t i = 0; i < 10; i++)
		h->b.ranges.v[i] = (struct module_range){.base = i * 4096, .span = 4000};
	h->b.d.known.nranges = 10;
}

static inline enum fold_error hand_decode(struct hand *h, const struct section_table *table, int section)
{
	struct buf payload = {0};
	enum fold_error err;

	buf_uv(&payload, (uint64_t)section);
	buf_bytes(&payload, (struct fold_bytes){h->content.at, h->content.size});
	err = decode(&h->b, table, payload.at, payload.size);
	buf_release(&payload);
	return err;
}

/* A content of these numbers, "uv" each; `record` puts a length in front. */
static inline void put(struct hand *h, bool record, const uint64_t *v, size_t n)
{
	size_t mark = buf_open(&h->content);

	for (size_t i = 0; i < n; i++)
		buf_uv(&h->content, v[i]);
	if (record)
		buf_close(&h->content, mark);
}
#define UV(...) (uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

/* The content of a section of stacks behind its first id, from the numbers shared,
 * fresh, end and the tokens of each; what is told to follow need not be there. */
static inline void put_stacks(struct hand *h, const uint64_t *v, size_t n)
{
	struct buf column[4] = {0};
	size_t rows = 0;

	for (size_t at = 0; at < n; rows++) {
		size_t fresh = at + 1 < n ? v[at + 1] : 0;

		for (int i = 0; i < 3 && at < n; i++)
			buf_uv(&column[i], v[at++]);
		for (; fresh && at < n; fresh--)
			buf_uv(&column[3], v[at++]);
	}
	buf_uv(&h->content, rows);
	for (int i = 0; i < 4; i++) {
		buf_uv(&h->content, (uint64_t)i + 1);
		buf_bytes(&h->content, (struct fold_bytes){column[i].at, column[i].size});
		buf_release(&column[i]);
	}
}

static inline void hand_expect(struct hand *h, int section, enum fold_error want, const char *rule)
{
	CHECK_EQ(hand_decode(h, &batch_sections, section), want);
	if (want) {
		CHECK_EQ(h->b.d.section, section);
		CHECK_STR(h->b.d.rule, rule);
	}
	buf_release(&h->content);
	bench_release(&h->b);
}

/* A section of `prefix` and one record. */
static inline void expect_record(int section, const uint64_t *prefix, size_t nprefix, const uint64_t *v, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	put(&h, false, prefix, nprefix);
	put(&h, true, v, n);
	hand_expect(&h, section, want, rule);
}
#define NOTHING NULL, 0

#endif
