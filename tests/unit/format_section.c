/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every section both ways: what was encoded decodes to what encodes to the same
 * bytes; each prefix of it fails or is a shorter section; each limit holds at its
 * number and fails one above.
 */
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

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->meta = made_meta();
	b->d.arena = &b->arena;
	defined_init(&b->d.known, &b->meta, &b->ranges);
}

static void bench_release(struct bench *b)
{
	arena_release(&b->arena);
	module_ranges_release(&b->ranges);
}

static enum fold_error decode(struct bench *b, const struct section_table *table, const void *at, size_t n)
{
	memset(&b->chunk, 0, sizeof(b->chunk));
	return sections_decode(table, (struct fold_bytes){at, n}, &b->d, &b->chunk, &b->have);
}

/* Everything that decodes encodes to the bytes it came from. */
static bool reproduces(struct bench *b, const struct section_table *table, const void *at, size_t n)
{
	struct buf again = {0};
	bool same;

	sections_encode(table, &b->chunk, b->have, b->d.known.flags, &again);
	same = again.size == n && (!n || !memcmp(again.at, at, n));
	buf_release(&again);
	return same;
}

static void check_payload(const struct section_table *table, const struct defined *known, struct module_ranges *ranges, const struct buf *payload)
{
	struct bench b;

	for (size_t n = 0; n <= payload->size; n++) {
		/* A copy of its own size, so that a sanitizer sees a read too far. */
		uint8_t *bytes = malloc(n ? n : 1);
		enum fold_error err;

		memcpy(bytes, payload->at, n);
		bench_init(&b);
		b.d.known = *known;
		if (known->nranges) {
			free(b.ranges.v);
			b.ranges.v = calloc(64, sizeof(*b.ranges.v));
			b.ranges.room = 64;
			memcpy(b.ranges.v, ranges->v, known->nranges * sizeof(*ranges->v));
		}
		b.d.known.ranges = &b.ranges;
		err = decode(&b, table, bytes, n);
		if (n == payload->size)
			CHECK_EQ(err, FOLD_E_OK);
		if (!err)
			CHECK(reproduces(&b, table, bytes, n));
		else
			CHECK(b.d.rule != NULL);
		free(bytes);
		bench_release(&b);
	}
}

TEST(meta_round_trip_and_prefixes)
{
	struct fold_meta meta = made_meta();
	struct buf payload = {0};
	struct defined nothing = {0};

	sections_encode(&meta_sections, &meta, ALL_SECTIONS, 0, &payload);
	check_payload(&meta_sections, &nothing, NULL, &payload);
	buf_release(&payload);
}

static void check_batch(void (*make)(struct made *), uint32_t meta_flags)
{
	struct fold_meta meta = made_meta();
	struct module_ranges ranges = {0};
	struct defined known;
	struct buf payload = {0};
	struct made m;

	make(&m);
	defined_init(&known, &meta, &ranges);
	known.flags = meta_flags;
	sections_encode(&batch_sections, &m.batch, m.batch.have, meta_flags, &payload);
	check_payload(&batch_sections, &known, &ranges, &payload);
	buf_release(&payload);
}

TEST(batch_round_trip_and_prefixes)
{
	check_batch(made_batch, 0);
}

TEST(counts_round_trip_and_prefixes)
{
	check_batch(made_counts, 0);
}

static void made_raw_addresses(struct made *m)
{
	made_batch(m);
	m->mmaps[0].start = UINT64_C(0x7fff12345000);
}

TEST(raw_addresses_round_trip_and_prefixes)
{
	check_batch(made_raw_addresses, FOLD_FLAG_RAW_ADDRESSES);
}

/* Without the flag the address cannot be written. */
TEST(addresses_are_not_written_by_default)
{
	struct made m;
	struct buf with = {0}, without = {0};

	made_raw_addresses(&m);
	sections_encode(&batch_sections, &m.batch, 1u << FOLD_MMAPS, 0, &with);
	m.mmaps[0].start = 0;
	sections_encode(&batch_sections, &m.batch, 1u << FOLD_MMAPS, 0, &without);
	CHECK(with.size == without.size && !memcmp(with.at, without.at, with.size));
	buf_release(&with);
	buf_release(&without);
}

TEST(end_note_symbols_round_trip_and_prefixes)
{
	struct fold_meta meta = made_meta();
	struct module_range range = {0, 100};
	struct module_ranges ranges = {&range, 1};
	struct defined known;
	struct buf payload = {0};
	struct fold_end end = made_end();
	struct fold_note note = {made_bytes("a note")};
	struct fold_bytes names[] = {made_bytes("main"), made_bytes("usage")};
	struct fold_sym syms[] = {{0, 0x2000, 0x100, 1}, {0, 1, FOLD_MAX_SPACE, 2}, {0, FOLD_MAX_SPACE, 0, 0}};
	struct fold_symbols symbols = {{1, 2, names}, {3, syms}};

	defined_init(&known, &meta, NULL);
	sections_encode(&end_sections, &end, ALL_SECTIONS, 0, &payload);
	check_payload(&end_sections, &known, &ranges, &payload);
	buf_reset(&payload);
	sections_encode(&note_sections, &note, ALL_SECTIONS, 0, &payload);
	check_payload(&note_sections, &known, &ranges, &payload);
	buf_reset(&payload);
	known.next[FOLD_MODULES] = 1;
	known.nranges = 1;
	sections_encode(&symbols_sections, &symbols, ALL_SECTIONS, 0, &payload);
	check_payload(&symbols_sections, &known, &ranges, &payload);
	buf_release(&payload);
}

/* What the fields mean, not only that they come back. */
TEST(decoded_values)
{
	struct made m;
	struct buf payload = {0};
	struct bench b;
	const struct fold_batch *batch;

	made_batch(&m);
	sections_encode(&batch_sections, &m.batch, m.batch.have, 0, &payload);
	bench_init(&b);
	CHECK_EQ(decode(&b, &batch_sections, payload.at, payload.size), FOLD_E_OK);
	batch = &b.chunk.batch;
	CHECK_EQ(b.have, m.batch.have);
	CHECK_EQ(batch->strings.n, 10);
	CHECK_EQ(batch->strings.v[6].size, 7);
	CHECK(batch->modules.v[1].span == 0x9000 && batch->modules.v[1].nids == 3 && batch->modules.v[1].segments[1].vaddr == 0x418000);
	CHECK_EQ(batch->procs.v[1].start, -12345678);
	CHECK_EQ(batch->procs.v[2].parent, 2);
	CHECK_EQ(batch->mmaps.v[0].length, 0x5000);
	CHECK_EQ(batch->threads.v[2].tid, 1003);
	CHECK_EQ(batch->ustacks.n, 5);
	CHECK(batch->ustacks.nodes[2].frame == MADE_JIT + 0x20 && batch->ustacks.nodes[4].frame == MADE_ELF + 0x8010);
	CHECK(batch->ustacks.nodes[3].frame == frame_marker(FOLD_MARK_UNMAPPED));
	CHECK(!memcmp(batch->ustacks.v, m.ustacks, sizeof(m.ustacks)));
	CHECK(!memcmp(batch->samples.time, m.time, sizeof(m.time)));
	CHECK(!memcmp(batch->samples.cpu, m.cpu, sizeof(m.cpu)));
	CHECK(!memcmp(batch->samples.thread, m.thread, sizeof(m.thread)));
	CHECK(!memcmp(batch->samples.weight[0], m.weight[0], sizeof(m.weight[0])));
	CHECK_EQ(batch->account.v[3].cause, 40);
	CHECK_EQ(batch->ksyms.v[1].module, 4);
	CHECK_EQ(b.d.known.next[FOLD_STRINGS], 11);
	CHECK_EQ(b.d.known.next[FOLD_USTACKS], 5);
	CHECK_EQ(b.d.known.nodes, 12);
	buf_release(&payload);
	bench_release(&b);
}

TEST(absent_columns_are_zero)
{
	struct made m;
	struct buf payload = {0};
	struct bench b;

	made_batch(&m);
	m.batch.samples.cpu = m.batch.samples.kstack = m.batch.samples.event = NULL;
	memset(m.ustack, 0, sizeof(m.ustack));
	m.batch.samples.nweights = 0;
	sections_encode(&batch_sections, &m.batch, m.batch.have, 0, &payload);
	bench_init(&b);
	CHECK_EQ(decode(&b, &batch_sections, payload.at, payload.size), FOLD_E_OK);
	for (size_t i = 0; i < 5; i++) {
		const struct fold_samples *s = &b.chunk.batch.samples;

		CHECK(!s->cpu[i] && !s->event[i] && !s->kstack[i] && !s->ustack[i] && !s->weight[0][i] && !s->weight[1][i]);
	}
	buf_release(&payload);
	bench_release(&b);
}

/* ---- by hand: one section in a payload, and what comes of it */

struct hand {
	struct bench b;
	struct buf content;
};

static void hand_init(struct hand *h)
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

static enum fold_error hand_decode(struct hand *h, const struct section_table *table, int section)
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
static void put(struct hand *h, bool record, const uint64_t *v, size_t n)
{
	size_t mark = buf_open(&h->content);

	for (size_t i = 0; i < n; i++)
		buf_uv(&h->content, v[i]);
	if (record)
		buf_close(&h->content, mark);
}
#define UV(...) (uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

static void hand_expect(struct hand *h, int section, enum fold_error want, const char *rule)
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
static void expect_record(int section, const uint64_t *prefix, size_t nprefix, const uint64_t *v, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	put(&h, false, prefix, nprefix);
	put(&h, true, v, n);
	hand_expect(&h, section, want, rule);
}
#define NOTHING NULL, 0

TEST(records_ignore_what_follows)
{
	expect_record(FOLD_THREADS, UV(10), UV(9, 1, 99, 77, 78, 79), FOLD_E_OK, NULL);
	expect_record(FOLD_PROCS, UV(10), UV(9, 1, 99, 10, 10, 1), FOLD_E_OK, NULL);
	expect_record(FOLD_ACCOUNT, NOTHING, UV(1, 2, 3, 4, 5), FOLD_E_OK, NULL);
}

TEST(records_that_are_short)
{
	expect_record(FOLD_THREADS, UV(10), UV(9, 1), FOLD_E_SECTION, "R-PAY-2");
	expect_record(FOLD_MODULES, UV(10, 40960), UV(2, 1, 1, 0, 0, 0, 0), FOLD_E_SECTION, "R-PAY-2");
	expect_record(FOLD_ACCOUNT, NOTHING, NOTHING, FOLD_E_SECTION, "R-PAY-2");
}

TEST(references)
{
	expect_record(FOLD_THREADS, UV(10), UV(10, 1, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_THREADS, UV(10), UV(0, 1, 100), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(1, 0, 100, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(1, 0, 0, 11, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(1, 0, 0, 0, 11), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(1, 0, 0, 10, 10), FOLD_E_OK, NULL);
	expect_record(FOLD_MMAPS, NOTHING, UV(10, 0, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_MMAPS, NOTHING, UV(0, 10, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_KSYMS, NOTHING, UV(10, 0, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_JITSYMS, NOTHING, UV(0, 0, 0, 100), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_MODULES, UV(10, 40960), UV(2, 100, 1, 0, 0, 0, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_ACCOUNT, NOTHING, UV(2, 0, 0, 0), FOLD_E_REFERENCE, "R-ACC-1");
}

TEST(ranges)
{
	const uint64_t too_large = UINT64_C(1) << 32;

	expect_record(FOLD_THREADS, UV(10), UV(0, too_large, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_PROCS, UV(10), UV(too_large, 0, 0, 0, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_PROCS, UV(10), UV(1, zigzag(INT64_MAX / 1000), 0, 0, 0), FOLD_E_OK, NULL);
	expect_record(FOLD_PROCS, UV(10), UV(1, zigzag(INT64_MAX / 1000 + 1), 0, 0, 0), FOLD_E_RANGE, "R-SMP-1");
	expect_record(FOLD_PROCS, UV(10), UV(1, zigzag(INT64_MIN / 1000 - 1), 0, 0, 0), FOLD_E_RANGE, "R-SMP-1");
	expect_record(FOLD_MMAPS, NOTHING, UV(0, 0, FOLD_MAX_SPACE, FOLD_MAX_SPACE), FOLD_E_OK, NULL);
	expect_record(FOLD_MMAPS, NOTHING, UV(0, 0, FOLD_MAX_SPACE + 1, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_MMAPS, NOTHING, UV(0, 0, 0, FOLD_MAX_SPACE + 1), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_KSYMS, NOTHING, UV(0, FOLD_MAX_SPACE + 1, 0, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_KSYMS, NOTHING, UV(0, 0, FOLD_MAX_SPACE + 1, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_ACCOUNT, NOTHING, UV(0, 0, FOLD_MAX_CPUS, 0), FOLD_E_OK, NULL);
	expect_record(FOLD_ACCOUNT, NOTHING, UV(0, 0, FOLD_MAX_CPUS + 1, 0), FOLD_E_RANGE, "R-INT-2");
}

TEST(first_ids)
{
	expect_record(FOLD_THREADS, UV(9), UV(0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-1");
	expect_record(FOLD_THREADS, UV(11), UV(0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-1");
	expect_record(FOLD_PROCS, UV(UINT64_MAX), UV(0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-1");
	expect_record(FOLD_MODULES, UV(10, 36864), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_record(FOLD_MODULES, UV(10, 45056), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_record(FOLD_MODULES, UV(10, 40961), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
}

static void expect_torn(int section, const uint64_t *prefix, size_t nprefix, const uint64_t *v, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	defined_tear(&h.b.d.known);
	put(&h, false, prefix, nprefix);
	put(&h, true, v, n);
	hand_expect(&h, section, want, rule);
}

TEST(after_lost_chunks)
{
	expect_torn(FOLD_THREADS, UV(11), UV(0, 0, 0), FOLD_E_OK, NULL);
	expect_torn(FOLD_THREADS, UV(9), UV(0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-4");
	expect_torn(FOLD_THREADS, UV(FOLD_MAX_THREADS + 1), UV(0, 0, 0), FOLD_E_LIMIT, "R-THR-2");
	expect_torn(FOLD_THREADS, UV(10), UV(FOLD_MAX_PROCS - 1, 1, FOLD_MAX_STRINGS), FOLD_E_OK, NULL);
	expect_torn(FOLD_THREADS, UV(10), UV(FOLD_MAX_PROCS, 1, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_torn(FOLD_THREADS, UV(10), UV(0, 1, FOLD_MAX_STRINGS + 1), FOLD_E_REFERENCE, "R-DEF-2");
	expect_torn(FOLD_PROCS, UV(20), UV(1, 0, 0, FOLD_MAX_MODULES, 20), FOLD_E_OK, NULL);
	expect_torn(FOLD_PROCS, UV(20), UV(1, 0, 0, 0, 21), FOLD_E_REFERENCE, "R-DEF-2");
	expect_torn(FOLD_MODULES, UV(15, 409600), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_OK, NULL);
	expect_torn(FOLD_MODULES, UV(15, 409601), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_torn(FOLD_MODULES, UV(15, FOLD_MAX_SPACE + 4096), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_torn(FOLD_ACCOUNT, NOTHING, UV(2, 0, 0, 0), FOLD_E_REFERENCE, "R-ACC-1");
}

/* ---- limits */

/* A section that defines one thing more than `known` of them. */
static void expect_last(int section, uint64_t known, const uint64_t *v, size_t n, bool record, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	h.b.d.known.next[section] = known;
	buf_uv(&h.content, known);
	if (section == FOLD_MODULES)
		buf_uv(&h.content, 40960);
	put(&h, record, v, n);
	hand_expect(&h, section, want, rule);
}

TEST(limits_of_definitions)
{
	expect_last(FOLD_STRINGS, FOLD_MAX_STRINGS, UV(0), false, FOLD_E_OK, NULL);
	expect_last(FOLD_STRINGS, FOLD_MAX_STRINGS + 1, UV(0), false, FOLD_E_LIMIT, "R-STR-2");
	expect_last(FOLD_MODULES, FOLD_MAX_MODULES - 1, UV(2, 1, 1, 0, 0, 0, 0, 0), true, FOLD_E_OK, NULL);
	expect_last(FOLD_MODULES, FOLD_MAX_MODULES, UV(2, 1, 1, 0, 0, 0, 0, 0), true, FOLD_E_LIMIT, "R-MOD-4");
	expect_last(FOLD_PROCS, FOLD_MAX_PROCS - 1, UV(1, 0, 0, 0, 0), true, FOLD_E_OK, NULL);
	expect_last(FOLD_PROCS, FOLD_MAX_PROCS, UV(1, 0, 0, 0, 0), true, FOLD_E_LIMIT, "R-PRC-2");
	expect_last(FOLD_THREADS, FOLD_MAX_THREADS - 1, UV(0, 0, 0), true, FOLD_E_OK, NULL);
	expect_last(FOLD_THREADS, FOLD_MAX_THREADS, UV(0, 0, 0), true, FOLD_E_LIMIT, "R-THR-2");
	expect_last(FOLD_KSTACKS, FOLD_MAX_STACKS - 1, UV(0, 0, 0), false, FOLD_E_OK, NULL);
	expect_last(FOLD_KSTACKS, FOLD_MAX_STACKS, UV(0, 0, 0), false, FOLD_E_LIMIT, "R-STK-4");
	expect_last(FOLD_USTACKS, FOLD_MAX_STACKS, UV(0, 0, 0), false, FOLD_E_LIMIT, "R-STK-4");
}

static void expect_string(size_t size, uint64_t before, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	h.b.d.known.string_bytes = before;
	buf_uv(&h.content, 100);
	buf_uv(&h.content, size);
	memset(buf_extend(&h.content, size), 'x', size);
	hand_expect(&h, FOLD_STRINGS, want, rule);
}

TEST(limits_of_strings)
{
	expect_string(FOLD_MAX_STRING, 0, FOLD_E_OK, NULL);
	expect_string(FOLD_MAX_STRING + 1, 0, FOLD_E_LIMIT, "R-STR-1");
	expect_string(10, FOLD_MAX_STRINGS_BYTES - 10, FOLD_E_OK, NULL);
	expect_string(10, FOLD_MAX_STRINGS_BYTES - 9, FOLD_E_LIMIT, "R-STR-2");
}

/* A module with these ids and segments, and span. */
static void expect_module(size_t nids, size_t id_size, uint8_t id_byte, size_t nsegments, uint64_t span, enum fold_error want, const char *rule)
{
	struct hand h;
	size_t mark;

	hand_init(&h);
	put(&h, false, UV(10, 40960));
	mark = buf_open(&h.content);
	put(&h, false, UV(FOLD_MODULE_ELF, 1, span, 0, 3, 62, nids));
	for (size_t i = 0; i < nids; i++) {
		put(&h, false, UV(FOLD_ID_GNU, id_size));
		memset(buf_extend(&h.content, id_size), id_byte, id_size);
	}
	buf_uv(&h.content, nsegments);
	for (size_t i = 0; i < nsegments; i++)
		put(&h, false, UV(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX));
	buf_close(&h.content, mark);
	hand_expect(&h, FOLD_MODULES, want, rule);
}

TEST(limits_of_modules)
{
	expect_module(FOLD_MAX_IDS, FOLD_MAX_BUILD_ID, 1, FOLD_MAX_SEGMENTS, FOLD_MAX_SPACE - 40960, FOLD_E_OK, NULL);
	expect_module(FOLD_MAX_IDS + 1, 20, 1, 0, 0, FOLD_E_LIMIT, "R-MOD-2");
	expect_module(1, FOLD_MAX_BUILD_ID + 1, 1, 0, 0, FOLD_E_LIMIT, "R-MOD-2");
	expect_module(1, 0, 1, 0, 0, FOLD_E_RANGE, "R-MOD-2");
	expect_module(1, 20, 0, 0, 0, FOLD_E_RANGE, "R-MOD-2");
	expect_module(0, 0, 0, FOLD_MAX_SEGMENTS + 1, 0, FOLD_E_LIMIT, "R-MOD-3");
	expect_module(0, 0, 0, 0, FOLD_MAX_SPACE - 40959, FOLD_E_LIMIT, "R-MOD-4");
	expect_module(0, 0, 0, 0, UINT64_MAX, FOLD_E_LIMIT, "R-MOD-4");
}

/* Segments that are told but cannot be there are not allocated. */
TEST(segments_that_are_not_there)
{
	expect_record(FOLD_MODULES, UV(10, 40960), UV(2, 1, 1, 0, 0, 0, 0, 64, 1, 1, 1, 1), FOLD_E_SECTION, "R-PAY-2");
}

static uint64_t token(int64_t step)
{
	return zigzag(step) << 1;
}

static void expect_stacks(const uint64_t *v, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	buf_uv(&h.content, 10);
	put(&h, false, v, n);
	hand_expect(&h, FOLD_USTACKS, want, rule);
}

TEST(stacks_malformed)
{
	expect_stacks(UV(0, 1, 0, token(3999)), FOLD_E_OK, NULL);
	expect_stacks(UV(0, 1, 0, token(4000)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, token(4095)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, token(4096)), FOLD_E_OK, NULL);
	expect_stacks(UV(0, 1, 0, token(40960)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, token(-1)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 2, 0, token(100), token(-101)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, UINT64_MAX - 1), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(1, 0, 0), FOLD_E_RANGE, "R-STK-1");
	expect_stacks(UV(0, 1, 0, token(1), 2, 0, 0), FOLD_E_RANGE, "R-STK-1");
	expect_stacks(UV(0, 1, 0, token(1), 1, 1, 0, token(1)), FOLD_E_OK, NULL);
	expect_stacks(UV(0, FOLD_MAX_FRAMES + 1, 0), FOLD_E_LIMIT, "R-STK-2");
	expect_stacks(UV(0, 1, 0, token(1), 1, FOLD_MAX_FRAMES, 0), FOLD_E_LIMIT, "R-STK-2");
	expect_stacks(UV(0, FOLD_MAX_FRAMES, 0), FOLD_E_SECTION, "R-PAY-2");
	expect_stacks(UV(0, 1, UINT64_C(1) << 32, token(1)), FOLD_E_RANGE, "R-INT-2");
}

TEST(stacks_of_the_deepest_kind)
{
	struct hand h;

	hand_init(&h);
	put(&h, false, UV(10, 0, FOLD_MAX_FRAMES, 0));
	for (int i = 0; i < FOLD_MAX_FRAMES; i++)
		buf_uv(&h.content, token(1));
	for (int i = 0; i < 1000; i++)
		put(&h, false, UV(FOLD_MAX_FRAMES, 0, (uint64_t)i + 1));
	CHECK_EQ(hand_decode(&h, &batch_sections, FOLD_USTACKS), FOLD_E_OK);
	/* Stacks that share everything cost no nodes. */
	CHECK_EQ(h.b.chunk.batch.ustacks.n, 1001);
	CHECK_EQ(h.b.chunk.batch.ustacks.nnodes, FOLD_MAX_FRAMES);
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(limit_of_nodes)
{
	struct hand h;

	hand_init(&h);
	h.b.d.known.nodes = FOLD_MAX_NODES - 1;
	put(&h, false, UV(10, 0, 1, 0, token(1)));
	hand_expect(&h, FOLD_KSTACKS, FOLD_E_OK, NULL);
	hand_init(&h);
	h.b.d.known.nodes = FOLD_MAX_NODES - 1;
	put(&h, false, UV(10, 0, 2, 0, token(1), token(1)));
	hand_expect(&h, FOLD_KSTACKS, FOLD_E_LIMIT, "R-STK-4");
}

TEST(markers)
{
	struct hand h;
	const struct fold_node *nodes;

	hand_init(&h);
	put(&h, false, UV(10, 0, 5, 0, 1, 3, token(8), 7, 1999));
	put(&h, false, UV(4, 1, 0, token(-7)));
	CHECK_EQ(hand_decode(&h, &batch_sections, FOLD_USTACKS), FOLD_E_OK);
	nodes = h.b.chunk.batch.ustacks.nodes;
	CHECK(nodes[0].frame == frame_marker(FOLD_MARK_UNMAPPED));
	CHECK(nodes[1].frame == frame_marker(FOLD_MARK_EXACT));
	CHECK_EQ(nodes[2].frame, 8);
	CHECK(nodes[3].frame == frame_marker(FOLD_MARK_OTHER));
	CHECK(nodes[4].frame == frame_marker(FOLD_MARK_OTHER));
	CHECK(h.b.d.high_marker);
	/* The step counts from the last module frame, beyond shared markers too. */
	CHECK_EQ(nodes[5].frame, 1);
	CHECK_EQ(nodes[5].parent, 3);
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(frames_after_lost_chunks)
{
	struct hand h;

	hand_init(&h);
	defined_tear(&h.b.d.known);
	put(&h, false, UV(10, 0, 2, 0, token(4000), token(1 << 30)));
	hand_expect(&h, FOLD_USTACKS, FOLD_E_OK, NULL);
	hand_init(&h);
	defined_tear(&h.b.d.known);
	put(&h, false, UV(10, 0, 2, 0, token((INT64_C(1) << 62) - 1), token(1)));
	hand_expect(&h, FOLD_USTACKS, FOLD_E_REFERENCE, "R-STK-3");
}

/* ---- columns */

struct column {
	uint64_t id;
	const uint64_t *v;
	size_t n;
};

static void expect_columns(int section, uint64_t rows, const struct column *columns, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	if (section == FOLD_COUNTS)
		put(&h, false, UV(0, 0));
	buf_uv(&h.content, rows);
	for (size_t i = 0; i < n; i++) {
		buf_uv(&h.content, columns[i].id);
		put(&h, true, columns[i].v, columns[i].n);
	}
	hand_expect(&h, section, want, rule);
}
#define COLUMNS(...) (struct column[]){__VA_ARGS__}, sizeof((struct column[]){__VA_ARGS__}) / sizeof(struct column)
#define ROW_TIME {FOLD_COL_TIME, UV(0, 1)}
#define ROW_THREAD {FOLD_COL_THREAD, UV(0, 0)}
#define ROW_COUNT {FOLD_COL_COUNT, UV(1, 1)}

TEST(columns_missing_twice_unknown)
{
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {64, UV(9)}, {65, NOTHING}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME), FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_THREAD), FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_SAMPLES, 0, NULL, 0, FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_SAMPLES, 0, COLUMNS({FOLD_COL_TIME, NOTHING}, {FOLD_COL_THREAD, NOTHING}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_TIME, ROW_THREAD), FOLD_E_COLUMN_TWICE, "R-COL-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_THREAD, ROW_TIME), FOLD_E_COLUMN_TWICE, "R-COL-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({0, NOTHING}), FOLD_E_COLUMN_TWICE, "R-COL-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, ROW_COUNT), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {63, UV(0, 0)}), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_THREAD, ROW_COUNT), FOLD_E_OK, NULL);
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_THREAD), FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_TIME, ROW_THREAD), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
	expect_columns(FOLD_COUNTS, 2, COLUMNS({FOLD_COL_CPU, UV(0, 0)}), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
}

TEST(columns_of_other_length)
{
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(0)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(0, 1, 2)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(300)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(1)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(0, 0, 0)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_WEIGHT, UV(7)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 0, COLUMNS({FOLD_COL_TIME, UV(0)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, FOLD_MAX_ROWS, COLUMNS(ROW_TIME), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, FOLD_MAX_ROWS + 1, COLUMNS(ROW_TIME), FOLD_E_LIMIT, "R-COL-4");
	expect_columns(FOLD_COUNTS, UINT64_MAX, COLUMNS(ROW_THREAD), FOLD_E_LIMIT, "R-COL-4");
}

TEST(columns_out_of_range)
{
	const uint64_t most = INT64_MAX / 1000;

	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(zigzag(INT64_MIN / 1000), 2 * most)}, ROW_THREAD), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(zigzag(INT64_MIN / 1000 - 1), 0)}), FOLD_E_RANGE, "R-SMP-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(0, most + 1)}), FOLD_E_RANGE, "R-SMP-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(2, UINT64_MAX)}), FOLD_E_RANGE, "R-SMP-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(0, FOLD_MAX_CPUS - 1)}, ROW_THREAD), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(FOLD_MAX_CPUS, 0)}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(UINT64_C(1) << 32, 0)}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(zigzag(9), zigzag(1))}), FOLD_E_REFERENCE, "R-DEF-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(zigzag(-1), zigzag(1))}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(zigzag(1), zigzag(INT64_MIN))}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_KSTACK, UV(zigzag(10), zigzag(-10))}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_KSTACK, UV(zigzag(11), 0)}), FOLD_E_REFERENCE, "R-DEF-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_USTACK, UV(zigzag(11), 0)}), FOLD_E_REFERENCE, "R-DEF-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_EVENT, UV(1, 2)}), FOLD_E_REFERENCE, "R-SMP-4");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_WEIGHT + 1, UV(UINT64_MAX, 2)}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_WEIGHT + 2, UV(1, 2)}), FOLD_E_RANGE, "R-SMP-2");
	expect_columns(FOLD_COUNTS, 2, COLUMNS({FOLD_COL_THREAD, UV(zigzag(1), zigzag(-1))}), FOLD_E_ORDER, "R-CNT-2");
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_THREAD, {FOLD_COL_COUNT, UV(1, 0)}), FOLD_E_RANGE, "R-CNT-3");
}

TEST(counts_interval)
{
	static const struct {
		int64_t from, to;
		enum fold_error want;
		const char *rule;
	} cases[] = {
		{-1, -1, FOLD_E_OK, NULL}, {0, -1, FOLD_E_RANGE, "R-CNT-1"}, {INT64_MIN / 1000 - 1, 0, FOLD_E_RANGE, "R-SMP-1"},
		{0, INT64_MAX / 1000 + 1, FOLD_E_RANGE, "R-SMP-1"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hand h;

		hand_init(&h);
		put(&h, false, UV(zigzag(cases[i].from), zigzag(cases[i].to), 0, FOLD_COL_THREAD, 0, FOLD_COL_COUNT, 0));
		hand_expect(&h, FOLD_COUNTS, cases[i].want, cases[i].rule);
	}
}

/* ---- the walk over sections */

static void expect_payload(const char *bytes, size_t n, enum fold_error want, const char *rule)
{
	struct bench b;

	bench_init(&b);
	CHECK_EQ(decode(&b, &batch_sections, bytes, n), want);
	if (want)
		CHECK_STR(b.d.rule, rule);
	bench_release(&b);
}

TEST(sections_in_disorder)
{
	expect_payload("", 0, FOLD_E_OK, NULL);
	expect_payload("\x04\x00\x0a\x00", 4, FOLD_E_OK, NULL);
	expect_payload("\x04\x00\x04\x00", 4, FOLD_E_SECTION_TWICE, "R-PAY-1");
	expect_payload("\x0a\x00\x04\x00", 4, FOLD_E_SECTION_TWICE, "R-PAY-1");
	expect_payload("\x00\x00", 2, FOLD_E_SECTION_TWICE, "R-PAY-1");
	expect_payload("\x04\x01", 2, FOLD_E_SECTION, "R-PAY-2");
	expect_payload("\x04", 1, FOLD_E_SECTION, "R-PAY-2");
	expect_payload("\x80\x80\x80\x80\x10\x00", 6, FOLD_E_RANGE, "R-INT-2");
}

TEST(sections_unknown)
{
	struct bench b;

	expect_payload("\x0d\x00", 2, FOLD_E_SECTION_UNKNOWN, "R-PAY-5");
	expect_payload("\x3f\x00", 2, FOLD_E_SECTION_UNKNOWN, "R-PAY-5");
	/* What comes first decides: the id stands before a length that is too large. */
	expect_payload("\x3f\x7f", 2, FOLD_E_SECTION_UNKNOWN, "R-PAY-5");
	expect_payload("\x04\x01\x00\x3f\x00", 5, FOLD_E_SECTION, "R-PAY-2");
	bench_init(&b);
	CHECK_EQ(decode(&b, &batch_sections, "\x40\x01\xff\x41\x00", 5), FOLD_E_OK);
	CHECK_EQ(b.d.passed, 2);
	bench_release(&b);
}

TEST(sections_missing)
{
	struct fold_meta meta = made_meta();
	struct buf payload = {0};
	struct bench b;

	for (int id = FOLD_META_RECORDER; id <= FOLD_META_SCOPE; id++) {
		buf_reset(&payload);
		sections_encode(&meta_sections, &meta, ~(UINT64_C(1) << id), 0, &payload);
		bench_init(&b);
		CHECK_EQ(decode(&b, &meta_sections, payload.at, payload.size), FOLD_E_SECTION_MISSING);
		CHECK_EQ(b.d.detail, id);
		CHECK_STR(b.d.rule, "R-PAY-4");
		bench_release(&b);
	}
	buf_release(&payload);
}

TEST(limit_of_sections)
{
	struct buf payload = {0};

	for (uint64_t i = 0; i < FOLD_MAX_SECTIONS; i++) {
		buf_uv(&payload, FOLD_CRITICAL_IDS + i);
		buf_uv(&payload, 0);
	}
	expect_payload((const char *)payload.at, payload.size, FOLD_E_OK, NULL);
	buf_uv(&payload, 4096);
	buf_uv(&payload, 0);
	expect_payload((const char *)payload.at, payload.size, FOLD_E_LIMIT, "R-PAY-3");
	buf_release(&payload);
}

/* ---- META and the small chunks */

static void expect_meta(const struct fold_meta *meta, enum fold_error want, const char *rule)
{
	struct buf payload = {0};
	struct bench b;

	sections_encode(&meta_sections, meta, ALL_SECTIONS, 0, &payload);
	bench_init(&b);
	CHECK_EQ(decode(&b, &meta_sections, payload.at, payload.size), want);
	if (want)
		CHECK_STR(b.d.rule, rule);
	bench_release(&b);
	buf_release(&payload);
}

TEST(meta_refused)
{
	static uint8_t name[FOLD_MAX_STRING + 1];
	struct fold_meta meta = made_meta();

	meta.draft = FOLD_DRAFT + 1;
	expect_meta(&meta, FOLD_E_DRAFT, "R-META-2");
	meta = made_meta(), meta.tick_ns = 0;
	expect_meta(&meta, FOLD_E_RANGE, "R-META-4");
	meta.tick_ns = 1000000000;
	expect_meta(&meta, FOLD_E_OK, NULL);
	meta.tick_ns++;
	expect_meta(&meta, FOLD_E_RANGE, "R-META-4");
	meta = made_meta(), meta.word_bytes = 5;
	expect_meta(&meta, FOLD_E_RANGE, "R-META-5");
	meta = made_meta(), meta.nevents = 0;
	expect_meta(&meta, FOLD_E_LIMIT, "R-META-7");
	meta = made_meta(), meta.nevents = FOLD_MAX_EVENTS;
	expect_meta(&meta, FOLD_E_OK, NULL);
	meta = made_meta(), meta.kernel_release = (struct fold_bytes){name, FOLD_MAX_STRING};
	expect_meta(&meta, FOLD_E_OK, NULL);
	meta.kernel_release.size++;
	expect_meta(&meta, FOLD_E_LIMIT, "R-LIM-1");
	meta = made_meta(), meta.events[1].weights[1].name = (struct fold_bytes){name, sizeof(name)};
	expect_meta(&meta, FOLD_E_LIMIT, "R-LIM-1");
}

/* `n` events of `nweights` weights. */
static void expect_events(size_t n, size_t nweights, enum fold_error want)
{
	struct hand h;

	hand_init(&h);
	for (size_t i = 0; i < n; i++) {
		size_t mark = buf_open(&h.content);

		put(&h, false, UV(FOLD_EVENT_OTHER, 0, 0, 0, 0, nweights));
		for (size_t w = 0; w < nweights; w++)
			put(&h, false, UV(0, FOLD_UNIT_NS));
		buf_close(&h.content, mark);
	}
	CHECK_EQ(hand_decode(&h, &meta_sections, FOLD_META_EVENTS), want);
	if (want == FOLD_E_LIMIT)
		CHECK_STR(h.b.d.rule, "R-META-7");
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(limits_of_events)
{
	/* The other sections are missing, which is found when all else is good. */
	expect_events(FOLD_MAX_EVENTS, FOLD_MAX_WEIGHTS, FOLD_E_SECTION_MISSING);
	expect_events(FOLD_MAX_EVENTS + 1, 0, FOLD_E_LIMIT);
	expect_events(1, FOLD_MAX_WEIGHTS + 1, FOLD_E_LIMIT);
	expect_events(0, 0, FOLD_E_LIMIT);
}

TEST(end_for_other_events)
{
	struct fold_end end = made_end();
	struct buf payload = {0};
	struct bench b;

	end.nevents = 1;
	sections_encode(&end_sections, &end, ALL_SECTIONS, 0, &payload);
	bench_init(&b);
	CHECK_EQ(decode(&b, &end_sections, payload.at, payload.size), FOLD_E_RANGE);
	CHECK_STR(b.d.rule, "R-END-2");
	bench_release(&b);
	buf_release(&payload);
}

static void expect_note(size_t size, enum fold_error want)
{
	struct hand h;

	hand_init(&h);
	memset(buf_extend(&h.content, size), 'n', size);
	CHECK_EQ(hand_decode(&h, &note_sections, FOLD_NOTE_TEXT), want);
	if (!want)
		CHECK_EQ(h.b.chunk.note.text.size, size);
	else
		CHECK_STR(h.b.d.rule, "R-NOTE-1");
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(limit_of_notes)
{
	expect_note(FOLD_MAX_STRING, FOLD_E_OK);
	expect_note(FOLD_MAX_STRING + 1, FOLD_E_LIMIT);
}

/* Strings of SYMBOLS count for themselves, lost chunks or not. */
static void expect_symbols(uint64_t first_id, uint64_t name, uint64_t module, enum fold_error want, const char *rule)
{
	struct fold_bytes strings[] = {made_bytes("main")};
	struct fold_sym syms[] = {{.module = module, .name = name}};
	struct fold_symbols symbols = {{first_id, 1, strings}, {1, syms}};
	struct buf payload = {0};

	for (int torn = 0; torn < 2; torn++) {
		struct hand h;

		hand_init(&h);
		if (torn)
			defined_tear(&h.b.d.known);
		buf_reset(&payload);
		sections_encode(&symbols_sections, &symbols, ALL_SECTIONS, 0, &payload);
		CHECK_EQ(decode(&h.b, &symbols_sections, payload.at, payload.size), want);
		if (want)
			CHECK_STR(h.b.d.rule, rule);
		bench_release(&h.b);
	}
	buf_release(&payload);
}

TEST(symbols_have_strings_of_their_own)
{
	expect_symbols(1, 1, 9, FOLD_E_OK, NULL);
	expect_symbols(1, 0, 9, FOLD_E_OK, NULL);
	expect_symbols(2, 1, 9, FOLD_E_FIRST_ID, "R-SYMB-1");
	expect_symbols(100, 1, 9, FOLD_E_FIRST_ID, "R-SYMB-1");
	expect_symbols(1, 2, 9, FOLD_E_REFERENCE, "R-SYMB-1");
	expect_symbols(1, 1, FOLD_MAX_MODULES, FOLD_E_REFERENCE, "R-DEF-2");
}

TEST_MAIN()
