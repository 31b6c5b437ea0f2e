/* SPDX-License-Identifier: BSD-2-Clause */
/* File and chunk headers against their vectors; packing and unpacking. */
#include "test.h"
#include "../../format/chunk.h"
#include "../../format/crc32c.h"
#include "../../format/wire.h"

#include <zstd.h>

TEST(file_header_vector)
{
	static const uint8_t want[] = {0x8f, 0x46, 0x4f, 0x4c, 0x44, 0x0d, 0x0a, 0x0a, 1, 0, 0, 0, 0x70, 0xe5, 0x2e, 0x28};
	uint8_t got[FOLD_HEADER_SIZE];
	uint64_t detail;

	file_header_put(got);
	CHECK(!memcmp(got, want, sizeof(want)));
	CHECK_EQ(file_header_get(got, &detail), FOLD_E_OK);
}

static enum fold_error header_error(size_t at, uint8_t value, bool sealed, uint64_t *detail)
{
	uint8_t header[FOLD_HEADER_SIZE];

	file_header_put(header);
	header[at] = value;
	if (sealed)
		le32_put(header + 12, crc32c(0, header, 12));
	return file_header_get(header, detail);
}

TEST(file_header_errors)
{
	uint64_t detail = 0;

	CHECK_EQ(header_error(8, 2, true, &detail), FOLD_E_VERSION);
	CHECK_EQ(detail, 2);
	CHECK_EQ(header_error(9, 7, true, &detail), FOLD_E_OK);
	CHECK_EQ(header_error(11, 1, true, &detail), FOLD_E_RESERVED);
	CHECK_EQ(detail, 256);
	CHECK_EQ(header_error(9, 7, false, &detail), FOLD_E_HEADER_CRC);
	CHECK_EQ(header_error(0, 'x', false, &detail), FOLD_E_MAGIC);
	CHECK_EQ(header_error(5, '\n', false, &detail), FOLD_E_MAGIC_TEXT);
}

TEST(text_mode_damage)
{
	static const char *const damaged[] = {
		"\x8f" "FOLD\n\n\x01\0\0\0...........", "\x8f" "FOLD\r\r\n\r\n\x01....", "\x0f" "FOLD\r\n\n........",
		"\xc2\x8f" "FOLD\r\n\n.......", "\xef\xbf\xbd" "FOLD\r\n\n......",
	};
	uint64_t detail;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++)
		CHECK_EQ(file_header_get((const uint8_t *)damaged[i], &detail), FOLD_E_MAGIC_TEXT);
}

TEST(chunk_header_vector)
{
	static const uint8_t want[] = {
		0xc7, 0x46, 0x43, 0x4b, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x09, 0x46, 0x80, 0xcc,
	};
	struct chunk_header header = {.type = FOLD_END, .seq = 1}, back;
	uint8_t got[FOLD_CHUNK_HEADER_SIZE];

	chunk_header_put(got, &header);
	CHECK(!memcmp(got, want, sizeof(want)));
	CHECK(chunk_header_get(got, &back));
	CHECK(!memcmp(&header, &back, sizeof(back)));
}

TEST(chunk_header_every_bit_counts)
{
	struct chunk_header header = {
		.type = 0xa001, .codec = 1, .flags = 0x50, .seq = 0x01020304, .stored_size = 0x11223344, .raw_size = 0x55667788, .stored_crc = 0x99aabbcc,
	}, back;
	uint8_t bytes[FOLD_CHUNK_HEADER_SIZE];

	chunk_header_put(bytes, &header);
	CHECK(chunk_header_get(bytes, &back));
	CHECK(!memcmp(&header, &back, sizeof(back)));
	for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
		bytes[bit / 8] ^= 1u << bit % 8;
		CHECK(!chunk_header_get(bytes, &back));
		bytes[bit / 8] ^= 1u << bit % 8;
	}
}

TEST(chunk_header_kinds)
{
	static const struct {
		struct chunk_header header;
		enum fold_error want;
		uint64_t detail;
	} cases[] = {
		{{.type = FOLD_META}, FOLD_E_OK, 0},
		{{.type = FOLD_SYMBOLS, .codec = FOLD_ZSTD, .flags = 0xf0}, FOLD_E_OK, 0},
		{{.type = 4}, FOLD_E_CHUNK_TYPE, 4},
		{{.type = 0x8002}, FOLD_E_CHUNK_TYPE, 0x8002},
		{{.type = FOLD_BATCH, .codec = 2}, FOLD_E_CHUNK_CODEC, 2},
		{{.type = FOLD_BATCH, .flags = 0x18}, FOLD_E_CHUNK_FLAGS, 0x18},
		{{.type = FOLD_BATCH, .reserved = 9}, FOLD_E_RESERVED, 9},
	};
	uint64_t detail;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_EQ(chunk_header_check(&cases[i].header, &detail), cases[i].want);
		CHECK(!cases[i].want || detail == cases[i].detail);
	}
}

static void pack(int level, const void *at, size_t n, struct buf *out, struct chunk_header *header)
{
	struct buf raw = {0};
	struct packer *p;

	buf_raw(&raw, at, n);
	CHECK_EQ(packer_new(&p, level), 0);
	*header = (struct chunk_header){.type = FOLD_BATCH, .seq = 5};
	CHECK_EQ(packer_add(p, header, &raw, out), 0);
	packer_free(p);
	buf_release(&raw);
}

static enum fold_error unpack(const struct chunk_header *header, const uint8_t *stored, const void *want)
{
	struct unpacker *u;
	struct fold_bytes raw = {0};
	enum fold_error err;

	CHECK_EQ(unpacker_new(&u), 0);
	err = unpacker_get(u, header, stored, &raw);
	if (!err)
		CHECK(raw.size == header->raw_size && (!raw.size || !memcmp(raw.at, want, raw.size)));
	unpacker_free(u);
	return err;
}

TEST(pack_and_unpack)
{
	static uint8_t bytes[200000];

	for (int level = -1; level < 8; level += 2) {
		for (size_t n = 0; n <= sizeof(bytes); n = n * 5 + 1) {
			struct buf out = {0};
			struct chunk_header header, back;

			for (size_t i = 0; i < n; i++)
				bytes[i] = (uint8_t)(i * i >> 5);
			pack(level, bytes, n, &out, &header);
			CHECK(chunk_header_get(out.at, &back));
			CHECK_EQ(back.stored_size, out.size - FOLD_CHUNK_HEADER_SIZE);
			CHECK(chunk_payload_matches(&back, out.at + FOLD_CHUNK_HEADER_SIZE));
			CHECK(back.codec == (level < 0 || n < 100 ? FOLD_STORED : back.codec));
			CHECK(back.stored_size <= back.raw_size);
			CHECK_EQ(unpack(&back, out.at + FOLD_CHUNK_HEADER_SIZE, bytes), FOLD_E_OK);
			buf_release(&out);
		}
	}
}

/* A header that lies about what is stored; its checksum may be right. */
TEST(unpack_lies)
{
	static uint8_t zeros[100000];
	struct buf out = {0};
	struct chunk_header header, lie;
	const uint8_t *stored;

	pack(3, zeros, sizeof(zeros), &out, &header);
	stored = out.at + FOLD_CHUNK_HEADER_SIZE;
	CHECK_EQ(header.codec, FOLD_ZSTD);
	lie = header, lie.raw_size--;
	CHECK_EQ(unpack(&lie, stored, zeros), FOLD_E_CHUNK_ZSTD);
	lie = header, lie.raw_size++;
	CHECK_EQ(unpack(&lie, stored, zeros), FOLD_E_CHUNK_ZSTD);
	lie = header, lie.raw_size = FOLD_MAX_RAW + 1;
	CHECK_EQ(unpack(&lie, stored, zeros), FOLD_E_CHUNK_SIZE);
	lie = header, lie.codec = FOLD_STORED;
	CHECK_EQ(unpack(&lie, stored, zeros), FOLD_E_CHUNK_SIZE);
	for (uint32_t n = 0; n < header.stored_size; n++) {
		lie = header, lie.stored_size = n;
		CHECK_EQ(unpack(&lie, stored, zeros), FOLD_E_CHUNK_ZSTD);
	}
	buf_release(&out);
}

TEST(unpack_other_frames)
{
	static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
	struct chunk_header header = {.type = FOLD_BATCH, .codec = FOLD_ZSTD, .stored_size = sizeof(skippable), .raw_size = 0};
	uint8_t two[200];
	size_t n;

	CHECK_EQ(unpack(&header, skippable, NULL), FOLD_E_CHUNK_ZSTD);
	n = ZSTD_compress(two, 100, "ab", 2, 1);
	n += ZSTD_compress(two + n, 100, "cd", 2, 1);
	header.stored_size = (uint32_t)n;
	header.raw_size = 4;
	CHECK_EQ(unpack(&header, two, "abcd"), FOLD_E_CHUNK_ZSTD);
	header.stored_size = (uint32_t)n / 2;
	header.raw_size = 2;
	CHECK_EQ(unpack(&header, two, "ab"), FOLD_E_OK);
	header.raw_size = 0;
	CHECK_EQ(unpack(&header, two, "ab"), FOLD_E_CHUNK_ZSTD);
}

/* A frame of unknown content size is legal. */
TEST(unpack_streamed_frame)
{
	uint8_t stored[200];
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	ZSTD_inBuffer in = {"hello hello hello", 17, 0};
	ZSTD_outBuffer out = {stored, sizeof(stored), 0};
	struct chunk_header header = {.type = FOLD_BATCH, .codec = FOLD_ZSTD, .raw_size = 17};

	CHECK_EQ(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush), 0);
	CHECK_EQ(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
	header.stored_size = (uint32_t)out.pos;
	CHECK(ZSTD_getFrameContentSize(stored, out.pos) == ZSTD_CONTENTSIZE_UNKNOWN);
	CHECK_EQ(unpack(&header, stored, "hello hello hello"), FOLD_E_OK);
	ZSTD_freeCCtx(zstd);
}

TEST_MAIN()
