/* SPDX-License-Identifier: BSD-2-Clause */
/* One loop for three libraries: give more room until the stream ends or the limit is there. */
#include "unpack.h"

#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define MAX_DECODER (UINT64_C(128) << 20)

struct room {
	char *at;
	size_t size, used;
};

static bool room_grow(struct room *r)
{
	size_t size = r->size ? r->size * 2 : 65536;
	char *at = size <= UNPACK_MAX ? realloc(r->at, size) : NULL;

	if (!at)
		return false;
	r->at = at;
	r->size = size;
	return true;
}

static bool unpack_xz(struct room *r, const void *packed, size_t n)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&stream, MAX_DECODER, 0);

	stream.next_in = packed;
	stream.avail_in = n;
	while (ret == LZMA_OK) {
		if (r->used == r->size && !room_grow(r))
			break;
		stream.next_out = (uint8_t *)r->at + r->used;
		stream.avail_out = r->size - r->used;
		ret = lzma_code(&stream, LZMA_FINISH);
		r->used = r->size - stream.avail_out;
	}
	lzma_end(&stream);
	return ret == LZMA_STREAM_END;
}

static bool unpack_zstd(struct room *r, const void *packed, size_t n)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	ZSTD_inBuffer in = {packed, n, 0};
	size_t left = 1;

	while (context && left && !ZSTD_isError(left)) {
		ZSTD_outBuffer out;
		size_t before = in.pos;

		if (r->used == r->size && !room_grow(r))
			break;
		out = (ZSTD_outBuffer){r->at, r->size, r->used};
		left = ZSTD_decompressStream(context, &out, &in);
		if (out.pos == r->used && in.pos == before)
			break;
		r->used = out.pos;
	}
	ZSTD_freeDCtx(context);
	return left == 0;
}

static bool unpack_gzip(struct room *r, const void *packed, size_t n)
{
	z_stream stream = {0};
	int ret = n <= UINT32_MAX ? inflateInit2(&stream, 15 + 16) : Z_DATA_ERROR;

	if (ret != Z_OK)
		return false;
	stream.next_in = (Bytef *)(uintptr_t)packed;
	stream.avail_in = (uInt)n;
	while (ret == Z_OK) {
		if (r->used == r->size && !room_grow(r))
			break;
		stream.next_out = (Bytef *)r->at + r->used;
		stream.avail_out = (uInt)(r->size - r->used);
		ret = inflate(&stream, Z_NO_FLUSH);
		r->used = r->size - stream.avail_out;
	}
	inflateEnd(&stream);
	return ret == Z_STREAM_END;
}

char *unpack(const void *packed, size_t packed_size, size_t *size)
{
	static const struct {
		const char *magic;
		size_t n;
		bool (*unpack)(struct room *, const void *, size_t);
	} kinds[] = {
		{"\xfd" "7zXZ\0", 6, unpack_xz}, {"\x28\xb5\x2f\xfd", 4, unpack_zstd}, {"\x1f\x8b", 2, unpack_gzip},
	};
	struct room room = {0};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (packed_size < kinds[i].n || memcmp(packed, kinds[i].magic, kinds[i].n))
			continue;
		if (kinds[i].unpack(&room, packed, packed_size)) {
			*size = room.used;
			return room.at;
		}
		break;
	}
	free(room.at);
	return NULL;
}
