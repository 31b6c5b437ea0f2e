/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader over damage: cut, flipped, deleted, repeated, exchanged, with garbage
 * between.  What is in undamaged chunks is read, the rest is told.
 */
#include "format_story.h"

/* ---- cuts */

/* How many samples stand in batches that end at or before `n`. */
static uint64_t samples_before(const struct chunks *c, size_t n)
{
	uint64_t samples = 0;

	for (int i = BATCH_0; i <= BATCH_3; i++)
		samples += c->at[i + 1] <= n ? BATCH_SAMPLES : 0;
	return samples;
}

static bool is_border(const struct chunks *c, size_t n)
{
	for (int i = 0; i <= CHUNKS; i++)
		if (c->at[i] == n)
			return true;
	return false;
}

TEST(cut_at_every_byte)
{
	struct chunks c;

	chunks_init(&c, 0);
	for (size_t n = FOLD_HEADER_SIZE; n <= c.file.size; n++) {
		struct story s = read_bytes(c.file.at, n);

		CHECK_EQ(s.samples, samples_before(&c, n));
		CHECK_EQ(strchr(s.items, 'c') != NULL, !is_border(&c, n));
		CHECK_EQ(strchr(s.items, 'd') != NULL, 0);
		CHECK_EQ(strchr(s.items, 'F') != NULL, n == c.file.size);
		CHECK_EQ(s.items[s.n - 1], '.');
		if (s.damages)
			CHECK_EQ(s.fault.offset + s.lost_bytes, n);
	}
	buf_release(&c.file);
}

/* A cut recording with a whole one behind it: wherever the cut is, and whether
 * or not the missing bytes reach beyond the end of the second one. */
TEST(cut_and_concatenated)
{
	struct chunks c;

	chunks_init(&c, 0);
	for (size_t n = FOLD_HEADER_SIZE; n <= c.file.size; n++) {
		struct buf b = {0};
		struct story s;

		buf_raw(&b, c.file.at, n);
		buf_raw(&b, c.file.at, c.file.size);
		s = read_buf(&b);
		CHECK_EQ(s.samples, samples_before(&c, n) + ALL_SAMPLES);
		CHECK_EQ(s.damages, !is_border(&c, n));
		CHECK(strstr(s.items, "SMBBBBNYF.") != NULL);
		CHECK_EQ(strchr(s.items, 'c') != NULL, 0);
	}
	buf_release(&c.file);
}

/* ---- flipped bits */

static int chunk_at(const struct chunks *c, size_t n)
{
	int i = 0;

	while (c->at[i + 1] <= n)
		i++;
	return i;
}

/* One bit anywhere costs at most the chunk it is in, and is always told. */
TEST(flip_a_bit_of_every_byte)
{
	struct chunks c;

	chunks_init(&c, 0);
	for (size_t n = 0; n < c.file.size; n++) {
		bool in_header = n < FOLD_HEADER_SIZE;
		int chunk = in_header ? -1 : chunk_at(&c, n);
		bool batch = chunk >= BATCH_0 && chunk <= BATCH_3;
		struct story s;

		c.file.at[n] ^= 1u << n % 8;
		s = read_bytes(c.file.at, c.file.size);
		c.file.at[n] ^= 1u << n % 8;
		CHECK_EQ(s.samples, ALL_SAMPLES - (batch ? BATCH_SAMPLES : 0));
		CHECK(s.damages >= 1);
		CHECK_EQ(s.first.offset, in_header ? 0 : c.at[chunk]);
		CHECK_EQ(s.lost_bytes, in_header ? FOLD_HEADER_SIZE : c.at[chunk + 1] - c.at[chunk]);
		CHECK_EQ(s.lost_chunks, in_header || (chunk == END && n < c.at[END] + FOLD_CHUNK_HEADER_SIZE) ? 0 : 1);
		CHECK_EQ(strchr(s.items, 'F') != NULL, chunk != END);
		CHECK(!batch || s.contradicted);
		CHECK_EQ(s.items[s.n - 1], '.');
	}
	buf_release(&c.file);
}

TEST(zeroed_chunks)
{
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		bool batch = chunk >= BATCH_0 && chunk <= BATCH_3;
		struct chunks c;
		struct story s;

		chunks_init(&c, 0);
		memset(c.file.at + c.at[chunk], 0, c.at[chunk + 1] - c.at[chunk]);
		s = read_buf(&c.file);
		CHECK_EQ(s.samples, ALL_SAMPLES - (batch ? BATCH_SAMPLES : 0));
		CHECK_EQ(s.lost_bytes, c.at[chunk + 1] - c.at[chunk]);
		CHECK_EQ(s.lost_chunks, chunk == END ? 0 : 1);
	}
}

/* ---- chunks gone, twice, exchanged */

TEST(chunk_deleted)
{
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		bool batch = chunk >= BATCH_0 && chunk <= BATCH_3;
		struct buf b = {0};
		struct chunks c;
		struct story s;

		chunks_init(&c, 0);
		add_range(&b, &c, 0, chunk);
		if (!chunk)
			buf_raw(&b, c.file.at, FOLD_HEADER_SIZE);
		add_range(&b, &c, chunk + 1, CHUNKS);
		s = read_buf(&b);
		CHECK_EQ(s.samples, ALL_SAMPLES - (batch ? BATCH_SAMPLES : 0));
		CHECK_EQ(s.lost_chunks, chunk == END ? 0 : 1);
		CHECK_EQ(s.lost_bytes, 0);
		CHECK_EQ(s.lossy, chunk != END);
		CHECK_EQ(s.contradicted, chunk != END);
		CHECK(chunk == END || (s.first.code == FOLD_E_CHUNK_GAP && s.first.detail == 1));
		buf_release(&c.file);
	}
}

TEST(chunk_repeated)
{
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		struct buf b = {0};
		struct chunks c;
		struct story s;

		chunks_init(&c, 0);
		add_range(&b, &c, 0, chunk + 1);
		add_range(&b, &c, chunk ? chunk : META_1, CHUNKS);
		if (!chunk) {
			buf_reset(&b);
			add_range(&b, &c, 0, 1);
			add(&b, &c, META_0);
			add_range(&b, &c, 1, CHUNKS);
		}
		s = read_buf(&b);
		CHECK_EQ(s.samples, ALL_SAMPLES);
		CHECK_EQ(s.damages, 1);
		CHECK_EQ(s.lost_chunks, 0);
		CHECK_EQ(s.first.code, FOLD_E_CHUNK_REPEATED);
		CHECK_EQ(s.first.offset, c.at[chunk + 1]);
		CHECK(!s.lossy && !s.contradicted);
		buf_release(&c.file);
	}
}

TEST(chunks_exchanged)
{
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, BATCH_1);
	add(&m.b, &m.c, BATCH_2);
	add(&m.b, &m.c, BATCH_1);
	add_range(&m.b, &m.c, BATCH_3, CHUNKS);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBdBdBNYF.");
	CHECK_EQ(m.s.samples, ALL_SAMPLES - BATCH_SAMPLES);
	CHECK(m.s.contradicted && m.s.lossy);
	remade_release(&m);
}

/* ---- bytes between */

TEST(garbage_between_chunks)
{
	static const char garbage[] = "\xc7" "FC and \x8f" "FOLD\r\n\n no header \xc7" "FCK neither, that is all";
	struct remade m;

	remade_init(&m, 0);
	add_range(&m.b, &m.c, 0, BATCH_1);
	buf_raw(&m.b, garbage, sizeof(garbage));
	add_range(&m.b, &m.c, BATCH_1, CHUNKS);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBdBBBNYF.");
	CHECK_EQ(m.s.lost_bytes, sizeof(garbage));
	CHECK_EQ(m.s.lost_chunks, 0);
	CHECK_EQ(m.s.first.code, FOLD_E_CHUNK_HEADER);
	CHECK_EQ(m.s.first.offset, m.c.at[BATCH_1]);
	CHECK(!m.s.lossy && !m.s.contradicted);
	remade_release(&m);
}

TEST(garbage_at_the_end)
{
	for (size_t n = 1; n < 100; n++) {
		static const uint8_t junk[100] = {0};
		struct chunks c;
		struct story s;

		chunks_init(&c, 0);
		buf_raw(&c.file, junk, n);
		s = read_buf(&c.file);
		CHECK_STR(s.items, n < FOLD_CHUNK_HEADER_SIZE ? "SMBBBBNYFc." : "SMBBBBNYFd.");
		CHECK_EQ(s.lost_bytes, n);
		CHECK_EQ(s.samples, ALL_SAMPLES);
	}
}

/* Bytes cut out of a payload: its length leads into the next chunk, and there is
 * no header where it ends. */
TEST(bytes_missing_in_a_payload)
{
	struct remade m;

	remade_init(&m, 0);
	buf_raw(&m.b, m.c.file.at, m.c.at[BATCH_1] + 40);
	buf_raw(&m.b, m.c.file.at + m.c.at[BATCH_1] + 45, m.c.file.size - m.c.at[BATCH_1] - 45);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBdBBNYF.");
	CHECK_EQ(m.s.samples, ALL_SAMPLES - BATCH_SAMPLES);
	CHECK_EQ(m.s.lost_bytes, m.c.at[BATCH_2] - m.c.at[BATCH_1] - 5);
	CHECK_EQ(m.s.first.code, FOLD_E_CHUNK_CRC);
	CHECK_EQ(m.s.first.chunk, BATCH_1);
	remade_release(&m);
}

/* ---- segments whose file header is lost */

TEST(second_file_header_lost)
{
	struct buf other = {0};
	struct fold_meta meta = made_meta();
	struct writer *w;
	struct remade m;

	remade_init(&m, 0);
	meta.id[0] ^= 1;
	if (writer_new(&w, made_sink(&other), NULL) || writer_meta(w, &meta))
		abort();
	writer_free(w);
	add_range(&m.b, &m.c, 0, CHUNKS);
	buf_raw(&m.b, other.at + FOLD_HEADER_SIZE, other.size - FOLD_HEADER_SIZE);
	m.s = read_bytes(m.b.at, m.b.size);
	CHECK_STR(m.s.items, "SMBBBBNYFSM.");
	CHECK_EQ(m.s.fault.code, FOLD_E_OK);
	/* damaged, not lost: */
	buf_reset(&m.b);
	add_range(&m.b, &m.c, 0, CHUNKS);
	other.at[3] ^= 1;
	buf_raw(&m.b, other.at, other.size);
	remade_read(&m);
	CHECK_STR(m.s.items, "SMBBBBNYFdSM.");
	CHECK_EQ(m.s.lost_bytes, FOLD_HEADER_SIZE);
	buf_release(&other);
	remade_release(&m);
}

TEST_MAIN()
