/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every section both ways: what was encoded decodes to what encodes to the same
 * bytes; each prefix of it fails or is a shorter section.  And the walk over the
 * sections of a payload.
 */
#include "format_hand.h"

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

TEST(labels_round_trip_and_prefixes)
{
	struct fold_meta meta = made_merged_meta();
	struct buf payload = {0};
	struct defined nothing = {0};

	sections_encode(&meta_sections, &meta, ALL_SECTIONS, 0, &payload);
	check_payload(&meta_sections, &nothing, NULL, &payload);
	buf_release(&payload);
}

TEST(origins_round_trip_and_prefixes)
{
	check_batch(made_origins, FOLD_FLAG_MERGED);
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
	CHECK_EQ(decode(&b, &batch_sections, "\x40\x01\xff\x42\x00", 5), FOLD_E_OK);
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

TEST_MAIN()
