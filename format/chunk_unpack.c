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
	ZSTD_DCtx *zstd; /* made for the first packed chunk: it is large */
	uint8_t *raw;
	size_t room;
};

int unpacker_new(struct unpacker **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -1;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->zstd);
	free(u->raw);
	free(u);
}

static bool reserve(struct unpacker *u, size_t size)
{
	uint8_t *raw;

	if (!u->zstd)
		u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		return false;
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

	if (header->raw_size > FOLD_MAX_RAW)
		return FOLD_E_CHUNK_SIZE;
	if (header->codec == FOLD_STORED) {
		*raw = (struct fold_bytes){.at = stored, .size = size};
		return header->raw_size == size ? FOLD_E_OK : FOLD_E_CHUNK_SIZE;
	}
	/* One frame of exactly these bytes, not a skippable one. */
	if (size < 4 || le32_get(stored) != ZSTD_MAGICNUMBER || ZSTD_findFrameCompressedSize(stored, size) != size)
		return FOLD_E_CHUNK_ZSTD;
	if (!reserve(u, header->raw_size ? header->raw_size : 1))
		return FOLD_E_MEMORY;
	got = ZSTD_decompressDCtx(u->zstd, u->raw, header->raw_size, stored, size);
	if (ZSTD_isError(got) || got != header->raw_size)
		return FOLD_E_CHUNK_ZSTD;
	*raw = (struct fold_bytes){.at = u->raw, .size = got};
	return FOLD_E_OK;
}
