/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading numbers out of debug sections: a cursor that remembers failure.  A
 * read past the end yields zero and sets `bad` for good, so a whole entry is
 * decoded first and asked about once.  Inline because this is the inner loop:
 * hundreds of millions of bytes go through it.
 */
#ifndef FOLD_REPORT_DWARF_READ_H
#define FOLD_REPORT_DWARF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_bytes {
	const uint8_t *at;
	size_t size;
};
struct dwarf_cursor {
	const uint8_t *at, *end;
	bool big, bad;
};

static inline struct dwarf_cursor cursor_at(struct dwarf_bytes b, uint64_t offset, bool big)
{
	if (!b.at || offset > b.size)
		return (struct dwarf_cursor){.big = big, .bad = true};
	return (struct dwarf_cursor){b.at + offset, b.at + b.size, big, false};
}

static inline void cursor_fail(struct dwarf_cursor *c)
{
	c->bad = true;
	c->at = c->end;
}

static inline void cursor_skip(struct dwarf_cursor *c, uint64_t n)
{
	if ((uint64_t)(c->end - c->at) < n)
		cursor_fail(c);
	else
		c->at += n;
}

/* An unsigned number of `n` bytes, 1 to 8. */
static inline uint64_t cursor_number(struct dwarf_cursor *c, unsigned n)
{
	uint64_t x = 0;

	if ((size_t)(c->end - c->at) < n) {
		cursor_fail(c);
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		x |= (uint64_t)c->at[i] << 8 * (c->big ? n - 1 - i : i);
	c->at += n;
	return x;
}

static inline uint8_t cursor_byte(struct dwarf_cursor *c)
{
	if (c->at == c->end) {
		cursor_fail(c);
		return 0;
	}
	return *c->at++;
}

/* Bits beyond 64 are dropped: padded encodings are legal. */
static inline uint64_t cursor_uleb(struct dwarf_cursor *c)
{
	uint64_t x = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = cursor_byte(c);

		if (shift < 64)
			x |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return x;
	}
}

static inline int64_t cursor_sleb(struct dwarf_cursor *c)
{
	uint64_t x = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = cursor_byte(c);

		if (shift < 64)
			x |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			x |= ~UINT64_C(0) << (shift + 7);
		return (int64_t)x;
	}
}

/* A terminated string; "" when there is no terminator. */
static inline const char *cursor_string(struct dwarf_cursor *c)
{
	const char *at = (const char *)c->at;
	const uint8_t *zero = c->at == c->end ? NULL : memchr(c->at, 0, (size_t)(c->end - c->at));

	if (!zero) {
		cursor_fail(c);
		return "";
	}
	c->at = zero + 1;
	return at;
}

#define DWARF_MAX_STRING 65536 /* what a hostile file has looked for its end again and again */

/* The string at an offset of a string section; NULL when there is none. */
static inline const char *string_at(struct dwarf_bytes b, uint64_t offset)
{
	if (offset >= b.size || !memchr(b.at + offset, 0, b.size - offset < DWARF_MAX_STRING ? b.size - offset : DWARF_MAX_STRING))
		return NULL;
	return (const char *)b.at + offset;
}

#endif
