/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader: items in order, where chunks may stand, and what makes it stop. */
#include "format_story.h"

#include <errno.h>

/* ---- whole recordings */

TEST(whole_recording)
{
	for (int level = -1; level <= 3; level += 4) {
		struct chunks c;
		struct story s;

		chunks_init(&c, level);
		s = read_buf(&c.file);
		CHECK_STR(s.items, "SMBBBBNYF.");
		CHECK_EQ(s.samples, ALL_SAMPLES);
		CHECK_EQ(s.fault.code, FOLD_E_OK);
		CHECK(!s.lossy);
	}
}

TEST(concatenated_recordings)
{
	struct chunks c;
	struct buf two = {0};
	struct story s;

	chunks_init(&c, 0);
	add_range(&two, &c, 0, CHUNKS);
	add_range(&two, &c, 0, CHUNKS);
	s = read_buf(&two);
	CHECK_STR(s.items, "SMBBBBNYFSMBBBBNYF.");
	CHECK_EQ(s.samples, 2 * ALL_SAMPLES);
	CHECK_EQ(s.fault.code, FOLD_E_OK);
	buf_release(&c.file);
}

/* Gives one byte at a time, and fails at the end if so asked. */
struct drip {
	const uint8_t *at, *end;
	int err;
};
static ssize_t drip_read(void *state, void *to, size_t n)
{
	struct drip *d = state;

	if (d->at == d->end || !n)
		return d->at == d->end && d->err ? -d->err : 0;
	*(uint8_t *)to = *d->at++;
	return 1;
}

TEST(byte_by_byte)
{
	struct chunks c;
	struct drip drip;
	struct story s;

	chunks_init(&c, 0);
	drip = (struct drip){c.file.at, c.file.at + c.file.size, 0};
	s = read_source((struct fold_source){drip_read, &drip}, NULL);
	CHECK_STR(s.items, "SMBBBBNYF.");
	CHECK_EQ(s.samples, ALL_SAMPLES);
	buf_release(&c.file);
}

TEST(reading_fails)
{
	struct chunks c;
	struct drip drip;
	struct story s;

	chunks_init(&c, 0);
	for (size_t n = 0; n <= c.file.size; n += 7) {
		drip = (struct drip){c.file.at, c.file.at + n, EIO};
		s = read_source((struct fold_source){drip_read, &drip}, NULL);
		CHECK_EQ(s.items[s.n - 1], '!');
		CHECK_EQ(s.fault.code, FOLD_E_IO);
		CHECK_EQ(s.fault.sys_errno, EIO);
		CHECK_EQ(s.damages, 0);
	}
	buf_release(&c.file);
}

/* ---- no recordings */

TEST(no_recording)
{
	static const struct {
		const char *bytes;
		size_t n;
		enum fold_error want;
	} cases[] = {
		{"", 0, FOLD_E_MAGIC},
		{"PERFILE2 and more than sixteen bytes", 35, FOLD_E_MAGIC},
		{"PERF", 4, FOLD_E_MAGIC},
		{"\x8f" "FO", 3, FOLD_E_CUT},
		{"\x8f" "FOLD\r\n\n\x01\0\0\0\x70\xe5\x2e", 15, FOLD_E_CUT},
		{"\x8f" "FOLD\n\n\x01\0\0\0\x70\xe5\x2e\x28", 15, FOLD_E_MAGIC_TEXT},
		{"\x8f" "FOLD\r\n\r\n\x01\0\0\0\x70\xe5\x2e\x28", 17, FOLD_E_MAGIC_TEXT},
		{"\xc2\x8f" "FOLD\r\n\n\x01\0\0\0\x70\xe5\x2e\x28", 17, FOLD_E_MAGIC_TEXT},
		{"\x8f" "FOLD\r\n\n\x01\0\0\0\x71\xe5\x2e\x28 and more", 24, FOLD_E_HEADER_CRC},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct story s = read_bytes((const uint8_t *)cases[i].bytes, cases[i].n);

		CHECK_STR(s.items, "!");
		CHECK_EQ(s.fault.code, cases[i].want);
		CHECK_EQ(s.fault.offset, 0);
	}
}

/* What is no recording is not searched for one. */
TEST(recording_behind_other_things)
{
	struct remade m;

	remade_init(&m, 0);
	buf_raw(&m.b, "GIF89a, and then", 16);
	buf_raw(&m.b, m.c.file.at, m.c.file.size);
	remade_read(&m);
	CHECK_STR(m.s.items, "!");
	CHECK_EQ(m.s.fault.code, FOLD_E_MAGIC);
	remade_release(&m);
}

TEST(header_of_another_version)
{
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, CHUNKS);
	add_range(&m.b, &m.c, 0, CHUNKS);
	for (int i = 8; i < 12; i++) {
		struct buf other = {0};
		uint8_t *header;

		buf_raw(&other, m.b.at, m.b.size);
		header = other.at + m.c.file.size;
		header[i] = 7;
		le32_put(header + 12, crc32c(0, header, 12));
		m.s = read_buf(&other);
		CHECK_STR(m.s.items, i == 9 ? "SMBBBBNYFSMBBBBNYF." : "SMBBBBNYF!");
		CHECK_EQ(m.s.fault.code, i == 9 ? FOLD_E_OK : i == 8 ? FOLD_E_VERSION : FOLD_E_RESERVED);
		CHECK(i == 9 || m.s.fault.offset == m.c.file.size);
	}
	remade_release(&m);
}

/* ---- place */

TEST(meta_lost_altogether)
{
	struct remade m;

	remade_init(&m, 0);
	buf_raw(&m.b, m.c.file.at, FOLD_HEADER_SIZE);
	add_range(&m.b, &m.c, BATCH_0, CHUNKS);
	remade_read(&m);
	CHECK_STR(m.s.items, "Sdddddddd.");
	CHECK_EQ(m.s.first.code, FOLD_E_CHUNK_GAP);
	CHECK_EQ(m.s.fault.code, FOLD_E_NO_META);
	CHECK_STR(m.s.fault.rule, "R-ORD-1");
	CHECK_EQ(m.s.samples, 0);
	remade_release(&m);
}

TEST(chunks_after_end)
{
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, CHUNKS);
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_NOTE, .seq = CHUNKS}, "\x01\x02hi", 4);
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_BATCH, .seq = CHUNKS + 1}, "", 0);
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_NOTE, .seq = CHUNKS + 2}, "\x01\x02hi", 4);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBBBBNYFNdN.");
	CHECK_EQ(m.s.fault.code, FOLD_E_AFTER_END);
	CHECK_EQ(m.s.fault.chunk, CHUNKS + 1);
	remade_release(&m);
}

TEST(another_meta_in_the_segment)
{
	struct buf raw = {0};
	struct remade m;

	remade_init(&m, -1);
	buf_raw(&raw, m.c.file.at + m.c.at[META_0] + FOLD_CHUNK_HEADER_SIZE, m.c.at[META_1] - m.c.at[META_0] - FOLD_CHUNK_HEADER_SIZE);
	add_range(&m.b, &m.c, 0, META_1);
	raw.at[30] ^= 1;
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_META, .seq = 1}, raw.at, raw.size);
	add_range(&m.b, &m.c, BATCH_0, CHUNKS);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMdBBBBNYF.");
	CHECK_EQ(m.s.first.code, FOLD_E_CHUNK_ORDER);
	CHECK_STR(m.s.first.rule, "R-ORD-2");
	buf_release(&raw);
	remade_release(&m);
}

TEST(malformed_chunk_costs_itself)
{
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, BATCH_1);
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_BATCH, .seq = BATCH_1}, "\x04\x01", 2);
	add_range(&m.b, &m.c, BATCH_2, CHUNKS);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBdBBNYF.");
	CHECK_EQ(m.s.first.code, FOLD_E_SECTION);
	CHECK_EQ(m.s.first.section, FOLD_MMAPS);
	CHECK_EQ(m.s.first.offset, m.c.at[BATCH_1]);
	CHECK_EQ(m.s.lost_bytes, FOLD_CHUNK_HEADER_SIZE + 2);
	CHECK(m.s.lossy);
	remade_release(&m);
}

/* Nothing of a dropped chunk is used: the ids it would have defined are free. */
TEST(dropped_chunk_defines_nothing)
{
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, BATCH_1);
	/* one string, then a section that is cut */
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_BATCH, .seq = BATCH_1}, "\x01\x03\x0b\x01x\x04\x01", 7);
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_BATCH, .seq = BATCH_2}, "\x01\x03\x0b\x01y", 5);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBdB.");
	remade_release(&m);
}

TEST(definitions_in_a_lost_chunk)
{
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, BATCH_0);
	add_range(&m.b, &m.c, BATCH_1, CHUNKS);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMdBBBNYF.");
	CHECK_EQ(m.s.samples, ALL_SAMPLES - BATCH_SAMPLES);
	remade_release(&m);
}

/* ---- sizes */

TEST(sizes_beyond_the_limits)
{
	for (int raw = 0; raw < 2; raw++) {
		struct buf b = {0};
		struct chunks c;
		struct story s;
		struct chunk_header header = {.type = FOLD_BATCH, .seq = BATCH_1};

		chunks_init(&c, 0);
		if (raw)
			header.raw_size = FOLD_MAX_RAW + 1;
		else
			header.stored_size = FOLD_MAX_STORED + 1;
		add_range(&b, &c, 0, BATCH_1);
		add_chunk(&b, header, "\x04\x00", 2);
		add_range(&b, &c, BATCH_2, CHUNKS);
		s = read_buf(&b);
		CHECK_STR(s.items, "SMBdBBNYF.");
		CHECK_EQ(s.first.code, FOLD_E_CHUNK_SIZE);
		CHECK_EQ(s.first.detail, FOLD_MAX_RAW + 1);
		CHECK_STR(s.first.rule, "R-CHK-3");
		CHECK_EQ(s.lost_bytes, FOLD_CHUNK_HEADER_SIZE + 2);
		buf_release(&c.file);
	}
}

TEST(raw_size_of_a_stored_chunk)
{
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, BATCH_1);
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_BATCH, .seq = BATCH_1, .raw_size = 3}, "\x04\x00", 2);
	add_chunk(&m.b, (struct chunk_header){.type = FOLD_BATCH, .seq = BATCH_2, .codec = FOLD_ZSTD}, "\x04\x00", 2);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBdd.");
	CHECK_STR(m.s.first.rule, "R-CHK-4");
	CHECK_STR(m.s.fault.rule, "R-CHK-5");
	remade_release(&m);
}

TEST(budget)
{
	struct chunks c;
	struct memory_source memory;
	struct reader_limits limits = {.max_raw = 1000};
	struct story s;

	chunks_init(&c, 0);
	memory = (struct memory_source){c.file.at, c.file.at + c.file.size};
	s = read_source(source_memory(&memory), &limits);
	CHECK_EQ(s.items[s.n - 1], '!');
	CHECK_EQ(s.fault.code, FOLD_E_BUDGET);
	buf_release(&c.file);
}

/* A header every 32 bytes, each with the rest of the file for its payload. */
TEST(overlapping_payloads_have_a_budget)
{
	enum { N = 2000 };
	struct chunks c;
	struct memory_source memory;
	struct reader_limits limits = {.max_raw = 1 << 20};
	struct story s;

	chunks_init(&c, 0);
	c.file.size = c.at[BATCH_0];
	for (uint32_t i = 0; i < N; i++) {
		struct chunk_header header = {.type = FOLD_BATCH, .seq = BATCH_0 + i, .stored_size = (N - i - 1) * FOLD_CHUNK_HEADER_SIZE};

		chunk_header_put(buf_extend(&c.file, FOLD_CHUNK_HEADER_SIZE), &header);
	}
	memory = (struct memory_source){c.file.at, c.file.at + c.file.size};
	s = read_source(source_memory(&memory), &limits);
	CHECK_EQ(s.items[s.n - 1], '!');
	CHECK_EQ(s.fault.code, FOLD_E_BUDGET);
	CHECK(s.damages > 10 && s.damages < 30);
	buf_release(&c.file);
}

/* ---- unknown things */

static void expect_kind(struct chunk_header header, const char *payload, size_t n, const char *items, enum fold_error want, uint64_t detail)
{
	struct buf b = {0};
	struct chunks c;
	struct story s;

	chunks_init(&c, 0);
	header.seq = BATCH_1;
	add_range(&b, &c, 0, BATCH_1);
	add_chunk(&b, header, payload, n);
	add_range(&b, &c, BATCH_2, CHUNKS);
	s = read_buf(&b);
	CHECK_STR(s.items, items);
	CHECK_EQ(s.n && s.items[s.n - 1] == '!' ? s.fault.code : s.first.code, want);
	CHECK_EQ(s.n && s.items[s.n - 1] == '!' ? s.fault.detail : s.first.detail, detail);
	CHECK_EQ(s.n && s.items[s.n - 1] == '!' ? s.fault.offset : s.first.offset, c.at[BATCH_1]);
	buf_release(&c.file);
}

TEST(unknown_critical_things_stop)
{
	expect_kind((struct chunk_header){.type = 0x0004}, "", 0, "SMB!", FOLD_E_CHUNK_TYPE, 4);
	expect_kind((struct chunk_header){.type = 0x4001}, "", 0, "SMB!", FOLD_E_CHUNK_TYPE, 0x4001);
	expect_kind((struct chunk_header){.type = FOLD_BATCH, .codec = 2}, "", 0, "SMB!", FOLD_E_CHUNK_CODEC, 2);
	expect_kind((struct chunk_header){.type = FOLD_BATCH, .flags = 8}, "", 0, "SMB!", FOLD_E_CHUNK_FLAGS, 8);
	expect_kind((struct chunk_header){.type = FOLD_BATCH}, "\x0d\x00", 2, "SMB!", FOLD_E_SECTION_UNKNOWN, 13);
	expect_kind((struct chunk_header){.type = FOLD_BATCH}, "\x08\x03\x00\x3f\x00", 5, "SMB!", FOLD_E_COLUMN_UNKNOWN, 63);
}

TEST(unknown_ancillary_things_are_passed_over)
{
	expect_kind((struct chunk_header){.type = 0x8002}, "abc", 3, "SMBsBBNYF.", FOLD_E_CHUNK_TYPE, 0x8002);
	expect_kind((struct chunk_header){.type = 0xc001}, "", 0, "SMBsBBNYF.", FOLD_E_CHUNK_TYPE, 0xc001);
	expect_kind((struct chunk_header){.type = FOLD_NOTE, .codec = 9}, "abc", 3, "SMBsBBNYF.", FOLD_E_CHUNK_CODEC, 9);
	expect_kind((struct chunk_header){.type = FOLD_NOTE, .flags = 1}, "abc", 3, "SMBsBBNYF.", FOLD_E_CHUNK_FLAGS, 1);
}

TEST(unused_flags_are_ignored)
{
	struct chunks c;
	struct story s;
	uint8_t *header;

	chunks_init(&c, 0);
	header = c.file.at + c.at[END];
	header[7] = 0xf0;
	le32_put(header + 28, crc32c(0, header, 28));
	s = read_buf(&c.file);
	CHECK_STR(s.items, "SMBBBBNYF.");
	CHECK_EQ(s.fault.code, FOLD_E_OK);
}

TEST(reserved_bytes_of_a_chunk_header)
{
	for (int ancillary = 0; ancillary < 2; ancillary++) {
		int chunk = ancillary ? NOTE : BATCH_1;
		struct chunks c;
		struct story s;
		uint8_t *header;

		chunks_init(&c, 0);
		header = c.file.at + c.at[chunk];
		header[25] = 1;
		le32_put(header + 28, crc32c(0, header, 28));
		s = read_buf(&c.file);
		CHECK_STR(s.items, ancillary ? "SMBBBBsYF." : "SMB!");
		CHECK_EQ(ancillary ? s.first.code : s.fault.code, FOLD_E_RESERVED);
		CHECK_EQ(ancillary ? s.first.detail : s.fault.detail, 256);
	}
}

TEST(another_draft)
{
	struct buf b = {0};
	struct fold_meta meta = made_meta();
	struct writer *w;
	struct story s;

	meta.draft = FOLD_DRAFT + 6;
	if (writer_new(&w, made_sink(&b), NULL) || writer_meta(w, &meta))
		abort();
	writer_free(w);
	s = read_buf(&b);
	CHECK_STR(s.items, "S!");
	CHECK_EQ(s.fault.code, FOLD_E_DRAFT);
	CHECK_EQ(s.fault.detail, FOLD_DRAFT + 6);
	CHECK_EQ(s.fault.offset, FOLD_HEADER_SIZE);
}

/* ---- END */

TEST(end_with_other_sums)
{
	for (int i = 0; i < 4; i++) {
		struct buf b = {0};
		struct fold_meta meta = made_meta();
		struct fold_end end = made_end();
		struct writer *w;
		struct made m;
		struct story s;

		made_batch(&m);
		if (i == 0)
			end.totals[0].written++;
		if (i == 1)
			end.totals[1].taken++;
		if (i == 2)
			end.totals[0].lost--;
		if (i == 3) {
			/* what END tells is what was there, but it does not add up */
			m.account[1].count++;
			end.totals[1].taken++;
		}
		if (writer_new(&w, made_sink(&b), NULL) || writer_meta(w, &meta) || writer_batch(w, &m.batch) || writer_end(w, &end))
			abort();
		writer_free(w);
		s = read_buf(&b);
		CHECK_STR(s.items, "SMBF.");
		CHECK_EQ(s.fault.code, FOLD_E_SUM);
		CHECK_EQ(s.fault.detail, i & 1);
		CHECK_STR(s.fault.rule, i == 3 ? "R-ACC-2" : "R-END-3");
	}
}

TEST(section_sizes_and_chunk_bytes)
{
	struct chunks c;
	struct memory_source memory;
	struct fold_item item;
	struct reader *r;
	uint64_t sum = 0;

	chunks_init(&c, -1);
	memory = (struct memory_source){c.file.at, c.file.at + c.file.size};
	CHECK_EQ(reader_new(&r, source_memory(&memory), NULL), 0);
	CHECK_EQ(reader_next(r, &item), 0);
	CHECK_EQ(reader_chunk(r).size, 0);
	do
		CHECK_EQ(reader_next(r, &item), 0);
	while (item.kind != FOLD_ITEM_BATCH);
	for (int i = 0; i < FOLD_SECTION_MAX; i++)
		sum += item.section_size[i];
	CHECK(sum < item.raw_size && sum > item.raw_size - 12 * 4);
	CHECK_EQ(reader_chunk(r).size, item.stored_size + FOLD_CHUNK_HEADER_SIZE);
	CHECK(!memcmp(reader_chunk(r).at, c.file.at + item.offset, reader_chunk(r).size));
	reader_free(r);
	reader_free(NULL);
	buf_release(&c.file);
}

TEST_MAIN()
