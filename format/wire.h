/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in memory to numbers and back: little-endian words, LEB128, zigzag, and
 * the window through which everything from a file is read.  Knows nothing of
 * chunks or sections.
 */
#ifndef FOLD_FORMAT_WIRE_H
#define FOLD_FORMAT_WIRE_H

#include "error.h"
#include "fold.h"

/* Compilers turn these into single loads and stores where the host allows it. */
static inline uint16_t le16_get(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t le32_get(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t le64_get(const uint8_t *p)
{
	return le32_get(p) | (uint64_t)le32_get(p + 4) << 32;
}

static inline void le16_put(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void le32_put(uint8_t *p, uint32_t v)
{
	le16_put(p, (uint16_t)v);
	le16_put(p + 2, (uint16_t)(v >> 16));
}

/* Small magnitudes of either sign to small numbers: 0 -1 1 -2 -> 0 1 2 3. */
static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

#define UV_MAX_BYTES 10

/* Writes at most UV_MAX_BYTES; returns how many. */
static inline size_t uv_put(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	while (v >= 0x80) {
		p[n++] = (uint8_t)v | 0x80;
		v >>= 7;
	}
	p[n++] = (uint8_t)v;
	return n;
}

/*
 * A window onto bytes someone else owns.  A read past the end, or of a number
 * that is no number, yields zero and sets `bad`, for good: decode a whole
 * record, then ask once.
 */
struct span {
	const uint8_t *at, *end;
	enum fold_error bad; /* OK, or the first thing that went wrong */
};

static inline struct span span_of(const uint8_t *at, size_t n)
{
	return (struct span){.at = at, .end = n ? at + n : at}; /* nothing may be nowhere */
}

static inline size_t span_left(const struct span *s)
{
	return (size_t)(s->end - s->at);
}

static inline void span_fail(struct span *s, enum fold_error why)
{
	if (!s->bad)
		s->bad = why;
	s->at = s->end;
}

static inline const uint8_t *span_take(struct span *s, uint64_t n)
{
	const uint8_t *p = s->at;

	if (s->bad || span_left(s) < n) {
		span_fail(s, FOLD_E_SECTION);
		return NULL;
	}
	s->at += n;
	return p;
}

static inline uint8_t span_u8(struct span *s)
{
	const uint8_t *p = span_take(s, 1);

	return p ? *p : 0;
}

/* Unsigned LEB128.  One number, one byte string: a last byte of zero (except
 * for 0 itself) and bits beyond 64 are refused. */
static inline uint64_t span_uv_long(struct span *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 7 * UV_MAX_BYTES; shift += 7) {
		uint8_t byte = span_u8(s);

		if (s->bad)
			return 0;
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (!byte && shift)
			break;
		return v;
	}
	span_fail(s, FOLD_E_LEB128);
	return 0;
}

/* Most numbers in a recording have one or two bytes. */
static inline uint64_t span_uv(struct span *s)
{
	const uint8_t *p = s->at;

	if (s->end - p >= 2) {
		if (p[0] < 0x80) {
			s->at = p + 1;
			return p[0];
		}
		if (p[1] - 1u < 0x7f) {
			s->at = p + 2;
			return (p[0] & 0x7fu) | (uint32_t)p[1] << 7;
		}
	}
	return span_uv_long(s);
}

static inline int64_t span_sv(struct span *s)
{
	return unzigzag(span_uv(s));
}

static inline uint32_t span_u32(struct span *s)
{
	uint64_t v = span_uv(s);

	if (v > UINT32_MAX) {
		span_fail(s, FOLD_E_RANGE);
		return 0;
	}
	return (uint32_t)v;
}

/* The next `n` bytes as a window of their own; an empty, bad one when they are not there. */
static inline struct span span_cut(struct span *s, uint64_t n)
{
	const uint8_t *p = span_take(s, n);

	if (!p)
		return (struct span){.at = s->end, .end = s->end, .bad = s->bad};
	return span_of(p, (size_t)n);
}

/* uv length, bytes */
static inline struct fold_bytes span_bytes(struct span *s)
{
	uint64_t n = span_uv(s);
	const uint8_t *p = span_take(s, n);

	return (struct fold_bytes){.at = p, .size = p ? (size_t)n : 0};
}

#endif
