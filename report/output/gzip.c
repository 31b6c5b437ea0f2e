/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressed bytes: see gzip.h.  The only user of <zlib.h>. */
#include <limits.h>
#include <zlib.h>

#include "gzip.h"

#define STEP (1u << 20)
#define WINDOW_GZIP (15 + 16) /* zlib: largest window, gzip header with time 0 */

/* deflate() into `out`, a step at a time, until it wants more input or is done. */
static int pump(z_stream *z, struct buf *out, int flush)
{
	int rc;

	do {
		uint8_t *room = buf_extend(out, STEP);

		if (!room)
			return -1;
		z->next_out = room;
		z->avail_out = STEP;
		rc = deflate(z, flush);
		out->size -= z->avail_out;
	} while (rc == Z_OK && !z->avail_out);
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : -1;
}

int gzip_bytes(struct buf *out, const void *at, size_t n)
{
	const uint8_t *from = at;
	z_stream z = {0};
	int err;

	if (deflateInit2(&z, 6, Z_DEFLATED, WINDOW_GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	do {
		size_t part = n < UINT_MAX / 2 ? n : UINT_MAX / 2;

		z.next_in = (Bytef *)(uintptr_t)from;
		z.avail_in = part;
		from += part;
		n -= part;
		err = pump(&z, out, n ? Z_NO_FLUSH : Z_FINISH);
	} while (n && !err);
	deflateEnd(&z);
	return err;
}

void emit_base64(struct emit *e, const uint8_t *at, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (; n; at += 3) {
		uint32_t v = (uint32_t)at[0] << 16 | (n > 1 ? at[1] << 8 : 0) | (n > 2 ? at[2] : 0);
		char four[4] = {digits[v >> 18], digits[v >> 12 & 63], n > 1 ? digits[v >> 6 & 63] : '=', n > 2 ? digits[v & 63] : '='};

		emit_bytes(e, four, 4);
		if (n <= 3)
			break;
		n -= 3;
	}
}
