/* SPDX-License-Identifier: BSD-2-Clause */
/* File and chunk headers, each field written and read at the same offset. */
#include "chunk.h"
#include "crc32c.h"
#include "wire.h"

#include <string.h>

#define FLAGS_RESERVED 0x0f /* the other four are unused: ignored */

void file_header_put(uint8_t to[FOLD_HEADER_SIZE])
{
	memcpy(to, FOLD_MAGIC, 8);
	to[8] = FOLD_MAJOR;
	to[9] = FOLD_MINOR;
	le16_put(to + 10, 0);
	le32_put(to + 12, crc32c(0, to, 12));
}

/* Line ends rewritten, the high bit cut off, or "binary" taken for Latin-1. */
static bool is_text_damage(const uint8_t *p)
{
	return !memcmp(p, "\x8f" "FOLD", 5) || !memcmp(p, "\x0f" "FOLD", 5) || !memcmp(p, "\xc2\x8f" "FOLD", 6) ||
	       !memcmp(p, "\xef\xbf\xbd" "FOLD", 7);
}

enum fold_error file_header_get(const uint8_t from[FOLD_HEADER_SIZE], uint64_t *detail)
{
	if (memcmp(from, FOLD_MAGIC, 8))
		return is_text_damage(from) ? FOLD_E_MAGIC_TEXT : FOLD_E_MAGIC;
	if (le32_get(from + 12) != crc32c(0, from, 12))
		return FOLD_E_HEADER_CRC;
	*detail = from[8];
	if (from[8] != FOLD_MAJOR)
		return FOLD_E_VERSION;
	*detail = le16_get(from + 10);
	return *detail ? FOLD_E_RESERVED : FOLD_E_OK;
}

void chunk_header_put(uint8_t to[FOLD_CHUNK_HEADER_SIZE], struct chunk_header *header)
{
	memcpy(to, FOLD_SYNC, 4);
	le16_put(to + 4, header->type);
	to[6] = header->codec;
	to[7] = header->flags;
	le32_put(to + 8, header->seq);
	le32_put(to + 12, header->stored_size);
	le32_put(to + 16, header->raw_size);
	le32_put(to + 20, header->stored_crc);
	le32_put(to + 24, 0);
	header->header_crc = crc32c(0, to, 28);
	le32_put(to + 28, header->header_crc);
}

bool chunk_header_get(const uint8_t from[FOLD_CHUNK_HEADER_SIZE], struct chunk_header *header)
{
	if (memcmp(from, FOLD_SYNC, 4))
		return false;
	header->type = le16_get(from + 4);
	header->codec = from[6];
	header->flags = from[7];
	header->seq = le32_get(from + 8);
	header->stored_size = le32_get(from + 12);
	header->raw_size = le32_get(from + 16);
	header->stored_crc = le32_get(from + 20);
	header->reserved = le32_get(from + 24);
	header->header_crc = le32_get(from + 28);
	return header->header_crc == crc32c(0, from, 28);
}

enum fold_error chunk_header_check(const struct chunk_header *header, uint64_t *detail)
{
	switch (header->type) {
	case FOLD_META:
	case FOLD_BATCH:
	case FOLD_END:
	case FOLD_NOTE:
	case FOLD_SYMBOLS:
		break;
	default:
		*detail = header->type;
		return FOLD_E_CHUNK_TYPE;
	}
	*detail = header->codec;
	if (header->codec != FOLD_STORED && header->codec != FOLD_ZSTD)
		return FOLD_E_CHUNK_CODEC;
	*detail = header->flags;
	if (header->flags & FLAGS_RESERVED)
		return FOLD_E_CHUNK_FLAGS;
	*detail = header->reserved;
	return header->reserved ? FOLD_E_RESERVED : FOLD_E_OK;
}

bool chunk_payload_matches(const struct chunk_header *header, const uint8_t *stored)
{
	return crc32c(0, stored, header->stored_size) == header->stored_crc;
}

uint32_t header_crc_add(uint32_t sum, uint32_t header_crc)
{
	uint8_t bytes[4];

	le32_put(bytes, header_crc);
	return crc32c(sum, bytes, sizeof(bytes));
}
