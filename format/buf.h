/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A growing byte string that is written from front to back.  Running out of
 * memory sets `failed`, for good: encode a whole chunk, then ask once.
 */
#ifndef FOLD_FORMAT_BUF_H
#define FOLD_FORMAT_BUF_H

#include "fold.h"

struct buf {
	uint8_t *at;
	size_t size, room;
	bool failed;
};

void buf_release(struct buf *b); /* accepts a zeroed struct */
void buf_reset(struct buf *b);   /* empty, not failed; keeps its memory */

/* Room for `n` more bytes at the end, which become part of the content; NULL
 * when there is no memory. */
uint8_t *buf_extend(struct buf *b, size_t n);

void buf_u8(struct buf *b, uint8_t v);
void buf_uv(struct buf *b, uint64_t v);
void buf_sv(struct buf *b, int64_t v);
void buf_raw(struct buf *b, const void *at, size_t n);
void buf_bytes(struct buf *b, struct fold_bytes bytes); /* uv length, bytes */

/* What is put between open and close gets its length, as uv, in front.  Nests. */
size_t buf_open(const struct buf *b);
void buf_close(struct buf *b, size_t mark);

#endif
