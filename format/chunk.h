/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The container: file header, chunk header, and a payload packed as one zstd
 * frame or stored as it is.  Knows nothing of what a payload means.
 */
#ifndef FOLD_FORMAT_CHUNK_H
#define FOLD_FORMAT_CHUNK_H

#include "buf.h"
#include "error.h"
#include "fold.h"

void file_header_put(uint8_t to[FOLD_HEADER_SIZE]);
/* OK, or MAGIC, MAGIC_TEXT, HEADER_CRC, VERSION (its major number in `detail`), RESERVED. */
enum fold_error file_header_get(const uint8_t from[FOLD_HEADER_SIZE], uint64_t *detail);

struct chunk_header {
	uint16_t type;
	uint8_t codec, flags;
	uint32_t seq, stored_size, raw_size;
	uint32_t stored_crc, reserved, header_crc;
};

/* Fills header->header_crc. */
void chunk_header_put(uint8_t to[FOLD_CHUNK_HEADER_SIZE], struct chunk_header *header);
/* False: no sync or a wrong checksum.  What the fields say is for chunk_header_check(). */
bool chunk_header_get(const uint8_t from[FOLD_CHUNK_HEADER_SIZE], struct chunk_header *header);
/* Is it of a kind that this version knows?  OK, or CHUNK_TYPE, CHUNK_CODEC,
 * CHUNK_FLAGS, RESERVED; the number refused in `detail`. */
enum fold_error chunk_header_check(const struct chunk_header *header, uint64_t *detail);

/* Do these stored bytes have the checksum that the header tells? */
bool chunk_payload_matches(const struct chunk_header *header, const uint8_t *stored);

/* END's sum over the header_crc fields of all chunks before it: with one more. */
uint32_t header_crc_add(uint32_t sum, uint32_t header_crc);

/* Compressing and decompressing are apart, so that a recorder links only the one. */
struct packer;
int packer_new(struct packer **out, int level); /* level < 0: store; 0, or -1 out of memory */
void packer_free(struct packer *p);
/*
 * Append a whole chunk of payload `raw` to `out`: header and stored bytes.
 * header->type and header->seq are given, the rest is filled.  -1: out of memory.
 */
int packer_add(struct packer *p, struct chunk_header *header, const struct buf *raw, struct buf *out);

struct unpacker;
int unpacker_new(struct unpacker **out); /* 0, or -1 out of memory */
void unpacker_free(struct unpacker *u);
/*
 * The payload of a checked header whose stored bytes are at `stored`.  `raw` is
 * borrowed until the next call; it is `stored` itself when nothing was packed.
 * OK, or CHUNK_SIZE: beyond the limit, or stored in other than its size;
 * CHUNK_ZSTD; MEMORY.
 */
enum fold_error unpacker_get(struct unpacker *u, const struct chunk_header *header, const uint8_t *stored, struct fold_bytes *raw);

#endif
