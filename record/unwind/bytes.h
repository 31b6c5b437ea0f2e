/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window onto hostile bytes, little-endian, with the DWARF encodings.  A read
 * past the end yields zero and sets `bad`, for good: decode a whole record, then
 * ask once.
 */
#ifndef FOLD_UNWIND_BYTES_H
#define FOLD_UNWIND_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct bytes bytes_of(const uint8_t *at, size_t size)
{
	return (struct bytes){ at, at + size, false };
}

static inline size_t bytes_left(const struct bytes *b)
{
	return b->end - b->at;
}

static inline const uint8_t *bytes_take(struct bytes *b, uint64_t n)
{
	const uint8_t *p = b->at;

	if (b->bad || n > bytes_left(b)) {
		b->bad = true;
		b->at = b->end;
		return NULL;
	}
	b->at += n;
	return p;
}

/* The next `n` bytes as a window of their own; an empty one if there are fewer. */
static inline struct bytes bytes_cut(struct bytes *b, uint64_t n)
{
	const uint8_t *p = bytes_take(b, n);

	return p ? bytes_of(p, n) : (struct bytes){ b->end, b->end, true };
}

/* Unsigned, of 1, 2, 4 or 8 bytes. */
static inline uint64_t bytes_uint(struct bytes *b, unsigned size)
{
	const uint8_t *p = bytes_take(b, size);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, size);
	return v;
}

static inline uint64_t bytes_uleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	const uint8_t *p;

	while ((p = bytes_take(b, 1))) {
		if (shift < 64)
			v |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
		if (!(*p & 0x80))
			return v;
	}
	return 0;
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	const uint8_t *p;

	while ((p = bytes_take(b, 1))) {
		if (shift < 64)
			v |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
		if (*p & 0x80)
			continue;
		if (shift < 64 && (*p & 0x40))
			v |= ~UINT64_C(0) << shift;
		return (int64_t)v;
	}
	return 0;
}

/* DW_EH_PE_*: how a pointer is written.  Only what linkers make for code: the
 * value itself or relative to where it stands, never through memory. */
#define BYTES_PTR_OMIT 0xff

static inline uint64_t bytes_pointer(struct bytes *b, uint8_t encoding, uint64_t vaddr)
{
	uint64_t v = 0;

	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x0c: v = bytes_uint(b, 8); break;
	case 0x01: v = bytes_uleb(b); break;
	case 0x02: v = bytes_uint(b, 2); break;
	case 0x03: v = bytes_uint(b, 4); break;
	case 0x09: v = bytes_sleb(b); break;
	case 0x0a: v = (int64_t)(int16_t)bytes_uint(b, 2); break;
	case 0x0b: v = (int64_t)(int32_t)bytes_uint(b, 4); break;
	default: b->bad = true;
	}
	switch (encoding & 0xf0) {
	case 0x00: break;
	case 0x10: v += vaddr; break;
	default: b->bad = true;
	}
	return v;
}

#endif
