/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to a FILE without printf for the hot parts: see emit.h for the rules. */
#include <stdarg.h>
#include <string.h>

#include "emit.h"

void emit_init(struct emit *e, FILE *to)
{
	e->to = to;
	e->passed = 0;
	e->n = 0;
}

void emit_flush(struct emit *e)
{
	if (e->n)
		fwrite(e->buf, 1, e->n, e->to);
	e->passed += e->n;
	e->n = 0;
}

void emit_bytes(struct emit *e, const char *at, size_t n)
{
	if (n > sizeof(e->buf) - e->n) {
		emit_flush(e);
		if (n > sizeof(e->buf)) {
			fwrite(at, 1, n, e->to);
			e->passed += n;
			return;
		}
	}
	memcpy(e->buf + e->n, at, n);
	e->n += n;
}

void emit_str(struct emit *e, const char *s)
{
	emit_bytes(e, s, strlen(s));
}

void emit_char(struct emit *e, char c)
{
	if (e->n == sizeof(e->buf))
		emit_flush(e);
	e->buf[e->n++] = c;
}

void emit_repeat(struct emit *e, char c, size_t n)
{
	while (n--)
		emit_char(e, c);
}

/* Decimal digits end at `end`; where they begin. */
static char *digits(char *end, uint64_t v)
{
	do {
		*--end = '0' + v % 10;
		v /= 10;
	} while (v);
	return end;
}

void emit_u64(struct emit *e, uint64_t v)
{
	char buf[20], *at = digits(buf + sizeof(buf), v);

	emit_bytes(e, at, buf + sizeof(buf) - at);
}

void emit_padded(struct emit *e, uint64_t v, size_t width, char fill)
{
	char buf[20], *at = digits(buf + sizeof(buf), v);
	size_t n = buf + sizeof(buf) - at;

	if (n < width)
		emit_repeat(e, fill, width - n);
	emit_bytes(e, at, n);
}

void emit_hex(struct emit *e, uint64_t v, size_t width)
{
	char buf[16], *at = buf + sizeof(buf);

	do {
		*--at = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	if ((size_t)(buf + sizeof(buf) - at) < width)
		emit_repeat(e, ' ', width - (buf + sizeof(buf) - at));
	emit_bytes(e, at, buf + sizeof(buf) - at);
}

size_t text_count(char *buf, uint64_t v)
{
	char plain[20], *at = digits(plain + sizeof(plain), v);
	size_t left = plain + sizeof(plain) - at, n = 0;

	while (left) {
		buf[n++] = *at++;
		if (--left && left % 3 == 0)
			buf[n++] = ',';
	}
	buf[n] = 0;
	return n;
}

void emit_count(struct emit *e, uint64_t v)
{
	char buf[27];

	emit_bytes(e, buf, text_count(buf, v));
}

void emit_fixed(struct emit *e, double v, unsigned decimals)
{
	uint64_t scale = 1, n;

	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	if (v < 0)
		emit_char(e, '-');
	n = (v < 0 ? -v : v) * scale + 0.5;
	emit_u64(e, n / scale);
	if (!decimals)
		return;
	emit_char(e, '.');
	for (scale /= 10; scale; scale /= 10)
		emit_char(e, '0' + n / scale % 10);
}

void emit_printf(struct emit *e, const char *format, ...)
{
	char buf[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	if (n > 0)
		emit_bytes(e, buf, n < (int)sizeof(buf) ? (size_t)n : sizeof(buf) - 1);
}

unsigned text_utf8(const char *name, const char *end, uint32_t *code)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)name;
	unsigned size = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
	uint32_t c = size == 1 ? at[0] : size ? at[0] & (0x7f >> size) : 0;

	if (!size || size > (size_t)(end - name))
		return 0;
	for (unsigned i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3f);
	}
	if (c < least[size] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*code = c;
	return size;
}

struct text_char text_char(const char *at, const char *end)
{
	struct text_char c = {0};

	c.size = text_utf8(at, end, &c.code);
	if (!c.size || (c.code & 0xfffe) == 0xfffe) {
		c.code = (unsigned char)*at;
		c.size = 1;
		c.broken = true;
		return c;
	}
	c.control = c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0) || c.code == 0x2028 || c.code == 0x2029;
	return c;
}

/* Bytes from `at` on that need no second look: printable ASCII but for `stops`. */
static size_t plain_bytes(const char *at, const char *end, const char *stops)
{
	const char *from = at;

	while (at < end && *at >= ' ' && *at < 0x7f && *at != stops[0] && *at != stops[1] && *at != stops[2] && *at != stops[3])
		at++;
	return at - from;
}

static void broken_byte(struct emit *e, const char *prefix, uint32_t byte)
{
	static const char hex[] = "0123456789abcdef";

	emit_str(e, prefix);
	emit_char(e, hex[byte >> 4 & 15]);
	emit_char(e, hex[byte & 15]);
}

static void plain(struct emit *e, const char *name, size_t n, bool visible)
{
	for (const char *end = name + n; name < end;) {
		size_t run = plain_bytes(name, end, "\0\0\0");
		struct text_char c;

		emit_bytes(e, name, run);
		name += run;
		if (name == end)
			break;
		c = text_char(name, end);
		for (unsigned i = 0; (c.broken || (c.control && visible)) && i < c.size; i++)
			broken_byte(e, "\\x", (unsigned char)name[i]);
		if (!c.broken && c.control && !visible)
			emit_char(e, ' ');
		else if (!c.broken && !c.control)
			emit_bytes(e, name, c.size);
		name += c.size;
	}
}

void emit_plain(struct emit *e, const char *name, size_t n)
{
	plain(e, name, n, false);
}

void emit_visible(struct emit *e, const char *name, size_t n)
{
	plain(e, name, n, true);
}

void emit_xml(struct emit *e, const char *name, size_t n)
{
	for (const char *end = name + n; name < end;) {
		size_t plain = plain_bytes(name, end, "&<>\"");
		struct text_char c;

		emit_bytes(e, name, plain);
		name += plain;
		if (name == end)
			break;
		c = text_char(name, end);
		switch (c.broken ? 0 : c.code) {
		case '&':
			emit_str(e, "&amp;");
			break;
		case '<':
			emit_str(e, "&lt;");
			break;
		case '>': /* "]]>" must not stand in text */
			emit_str(e, "&gt;");
			break;
		case '"':
			emit_str(e, "&quot;");
			break;
		default:
			emit_plain(e, name, c.size);
		}
		name += c.size;
	}
}

/* JSON can say control characters, and cannot say broken bytes. */
void emit_json(struct emit *e, const char *name, size_t n)
{
	for (const char *end = name + n; name < end;) {
		size_t plain = plain_bytes(name, end, "\"\\\0");
		struct text_char c;

		emit_bytes(e, name, plain);
		name += plain;
		if (name == end)
			break;
		c = text_char(name, end);
		if (c.broken)
			broken_byte(e, "\\\\x", c.code);
		else if (c.code == '"' || c.code == '\\')
			emit_char(e, '\\'), emit_char(e, c.code);
		else if (c.control)
			emit_printf(e, "\\u%04x", c.code);
		else
			emit_bytes(e, name, c.size);
		name += c.size;
	}
}

size_t text_columns(const char *name, size_t n)
{
	size_t columns = 0;

	for (const char *end = name + n; name < end;) {
		struct text_char c = text_char(name, end);

		columns += c.broken ? 4 : 1;
		name += c.size;
	}
	return columns;
}

size_t text_fit(const char *name, size_t n, size_t columns)
{
	const char *at = name;

	for (const char *end = name + n; at < end;) {
		struct text_char c = text_char(at, end);
		size_t width = c.broken ? 4 : 1;

		if (width > columns)
			break;
		columns -= width;
		at += c.size;
	}
	return at - name;
}
