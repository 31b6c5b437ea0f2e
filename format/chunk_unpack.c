/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunk to payload.  Only bytes whose checksum matched come here, but their
 * author may be hostile: the decoder writes into a buffer of the stated size,
 * and that size was compared with the limit before.
 */
#include "chunk.h"
#include "wire.h"

#include <stdlib.h>
#include <zstd.h>

struct unpacker {
	ZSTD_DCtx *zstd;
	uint8_t *raw;
	size_t room;
};

int unpacker_new(struct unpacker **out)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (!u)
		return -1;
	u->zstd = ZSTD_createDCtx();
	if (!u->zstd) {
		free(u);
		return -1;
	}
	*out = u;
	return 0;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->zstd);
	free(u->raw);
	free(u);
}

/*
 * The window a frame asks for is in its header: byte 4 the descriptor, whose bit
 * 5 says that the content is the window, byte 5 exponent and mantissa.  The
 * one-shot decoder does not need it, a streaming one would.
 */
static bool window_allowed(const uint8_t *frame, size_t size)
{
	unsigned exponent;
	uint64_t base;

	if (size < 6 || le32_get(frame) != ZSTD_MAGICNUMBER)
		return false;
	if (frame[4] & 1u << 5)
		return true;
	exponent = frame[5] >> 3;
	base = UINT64_C(1) << (10 + exponent);
	return base + base / 8 * (frame[5] & 7) <= UINT64_C(1) << FOLD_MAX_WINDOW_LOG;
}

static bool reserve(struct unpacker *u, size_t size)
{
	uint8_t *raw;

	if (size <= u->room)
		return true;
	raw = malloc(size);
	if (!raw)
		return false;
	free(u->raw);
	u->raw = raw;
	u->room = size;
	return true;
}

enum fold_error unpacker_get(struct unpacker *u, const struct chunk_header *header, const uint8_t *stored, struct fold_bytes *raw)
{
	size_t size = header->stored_size, got;

	if (header->codec == FOLD_STORED) {
		*raw = (struct fold_bytes){.at = stored, .size = size};
		return header->raw_size == size ? FOLD_E_OK : FOLD_E_CHUNK_SIZE;
	}
	/* One frame, of exactly these bytes, that states its content size. */
	if (!window_allowed(stored, size) || ZSTD_getFrameContentSize(stored, size) != header->raw_size ||
	    ZSTD_findFrameCompressedSize(stored, size) != size)
		return FOLD_E_CHUNK_ZSTD;
	if (!reserve(u, header->raw_size ? header->raw_size : 1))
		return FOLD_E_MEMORY;
	got = ZSTD_decompressDCtx(u->zstd, u->raw, header->raw_size, stored, size);
	if (ZSTD_isError(got) || got != header->raw_size)
		return FOLD_E_CHUNK_ZSTD;
	*raw = (struct fold_bytes){.at = u->raw, .size = got};
	return FOLD_E_OK;
}
