/* SPDX-License-Identifier: BSD-2-Clause */
/* Payload to chunk: one zstd frame of known size, or stored when that is smaller. */
#include "chunk.h"
#include "crc32c.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WINDOW_LOG 20 /* what a reader of a writer's chunk needs at most */

struct packer {
	ZSTD_CCtx *zstd; /* NULL: store everything */
};

int packer_new(struct packer **out, int level)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return -1;
	*out = p;
	if (level < 0)
		return 0;
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd || ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_windowLog, WINDOW_LOG))) {
		packer_free(p);
		return -1;
	}
	return 0;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

/* Bytes of the frame written to `to`; 0 when there is no memory for it. */
static size_t compress(struct packer *p, const struct buf *raw, uint8_t *to, size_t room)
{
	size_t n = ZSTD_compress2(p->zstd, to, room, raw->at, raw->size);

	return ZSTD_isError(n) ? 0 : n;
}

int packer_add(struct packer *p, struct chunk_header *header, const struct buf *raw, struct buf *out)
{
	size_t room = p->zstd && raw->size ? ZSTD_compressBound(raw->size) : raw->size;
	size_t start = out->size, stored = 0;
	uint8_t *at = buf_extend(out, FOLD_CHUNK_HEADER_SIZE + room);

	if (!at || raw->failed)
		return -1;
	header->codec = FOLD_STORED;
	if (p->zstd && raw->size) {
		stored = compress(p, raw, at + FOLD_CHUNK_HEADER_SIZE, room);
		if (!stored)
			return -1;
		header->codec = FOLD_ZSTD;
	}
	if (stored >= raw->size || header->codec == FOLD_STORED) {
		header->codec = FOLD_STORED;
		stored = raw->size;
		if (stored)
			memcpy(at + FOLD_CHUNK_HEADER_SIZE, raw->at, stored);
	}
	out->size = start + FOLD_CHUNK_HEADER_SIZE + stored;
	header->flags = 0;
	header->stored_size = (uint32_t)stored;
	header->raw_size = (uint32_t)raw->size;
	header->stored_crc = crc32c(0, at + FOLD_CHUNK_HEADER_SIZE, stored);
	chunk_header_put(at, header);
	return 0;
}
