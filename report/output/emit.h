/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast, locale-free text to a FILE, and the one rule by which names become safe.
 *
 * A name is bytes that a stranger chose.  Everywhere but in JSON: control
 * characters (C0, DEL, C1, U+2028, U+2029) become a blank; a byte that is not
 * part of a UTF-8 character, nor a character that XML forbids, becomes \xNN for
 * each of its bytes.  On top of that each target escapes what it must.
 */
#ifndef FOLD_REPORT_EMIT_H
#define FOLD_REPORT_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct emit {
	FILE *to;
	uint64_t passed;   /* bytes that went to `to` */
	size_t n;          /* bytes in `buf` */
	char buf[1 << 16];
};

void emit_init(struct emit *e, FILE *to);
void emit_flush(struct emit *e); /* errors stay in the FILE: ferror() */

void emit_bytes(struct emit *e, const char *at, size_t n);
void emit_str(struct emit *e, const char *s);
void emit_char(struct emit *e, char c);
void emit_repeat(struct emit *e, char c, size_t n);
void emit_u64(struct emit *e, uint64_t v);
void emit_padded(struct emit *e, uint64_t v, size_t width, char fill); /* to the right */
void emit_hex(struct emit *e, uint64_t v, size_t width);       /* likewise, with blanks */
void emit_count(struct emit *e, uint64_t v);                   /* 1,234,567 */
void emit_fixed(struct emit *e, double v, unsigned decimals);  /* up to 6 decimals */
void emit_printf(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* At most `n` bytes of a name: as plain text for terminals and tables, inside
 * XML text or a quoted attribute, inside a JSON string (without the quotes). */
void emit_plain(struct emit *e, const char *name, size_t n);
/* As plain text in which control characters are told, as \xNN: for whoever checks what is in a file. */
void emit_visible(struct emit *e, const char *name, size_t n);
void emit_xml(struct emit *e, const char *name, size_t n);
void emit_json(struct emit *e, const char *name, size_t n);

/* ---- names, character by character */

struct text_char {
	uint32_t code;    /* Unicode, or the byte when broken */
	uint8_t size;     /* bytes */
	bool broken;      /* not UTF-8, or no character in XML */
	bool control;
};
/* The character at `at` < `end`. */
struct text_char text_char(const char *at, const char *end);
/* Bytes of the UTF-8 character at `at`, 0 when there is none (RFC 3629: shortest
 * form, no surrogates, nothing above U+10FFFF). */
unsigned text_utf8(const char *at, const char *end, uint32_t *code);

/* Columns that emit_plain() needs for `n` bytes of a name, and how many bytes of
 * it fit into `columns`. */
size_t text_columns(const char *name, size_t n);
size_t text_fit(const char *name, size_t n, size_t columns);

/* v with "," between thousands, into buf of at least 27 bytes; its length. */
size_t text_count(char *buf, uint64_t v);

#endif
