/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing byte strings; see buf.h. */
#include "buf.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

void buf_release(struct buf *b)
{
	free(b->at);
	*b = (struct buf){0};
}

void buf_reset(struct buf *b)
{
	b->size = 0;
	b->failed = false;
}

static bool grow(struct buf *b, size_t n)
{
	size_t room = b->room ? b->room : 256;
	uint8_t *at;

	if (n > SIZE_MAX / 2 - b->size)
		return false;
	while (room < b->size + n)
		room *= 2;
	at = realloc(b->at, room);
	if (!at)
		return false;
	b->at = at;
	b->room = room;
	return true;
}

uint8_t *buf_extend(struct buf *b, size_t n)
{
	uint8_t *p;

	if (b->failed)
		return NULL;
	if (n > b->room - b->size && !grow(b, n)) {
		b->failed = true;
		return NULL;
	}
	p = b->at + b->size;
	b->size += n;
	return p;
}

void buf_u8(struct buf *b, uint8_t v)
{
	buf_raw(b, &v, 1);
}

void buf_uv(struct buf *b, uint64_t v)
{
	uint8_t bytes[UV_MAX_BYTES];

	buf_raw(b, bytes, uv_put(bytes, v));
}

void buf_sv(struct buf *b, int64_t v)
{
	buf_uv(b, zigzag(v));
}

void buf_raw(struct buf *b, const void *at, size_t n)
{
	uint8_t *p = buf_extend(b, n);

	if (p && n)
		memcpy(p, at, n);
}

void buf_bytes(struct buf *b, struct fold_bytes bytes)
{
	buf_uv(b, bytes.size);
	buf_raw(b, bytes.at, bytes.size);
}

size_t buf_open(const struct buf *b)
{
	return b->size;
}

void buf_close(struct buf *b, size_t mark)
{
	uint8_t length[UV_MAX_BYTES];
	size_t size = b->size - mark;
	size_t n = uv_put(length, size);

	if (!buf_extend(b, n))
		return;
	memmove(b->at + mark + n, b->at + mark, size);
	memcpy(b->at + mark, length, n);
}
