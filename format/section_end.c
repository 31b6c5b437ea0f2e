/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections of the small chunks that close or comment a segment: END, NOTE,
 * SYMBOLS.  Each encoder stands above its decoder. */
#include "section.h"

/* ---- END */

static void stop_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_end *e = chunk;

	buf_uv(to, e->reason);
	buf_uv(to, e->stop.monotonic);
	buf_uv(to, e->stop.realtime);
	buf_uv(to, e->stop.boottime);
}

static void stop_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_end *e = chunk;

	e->reason = span_u32(s);
	e->stop.monotonic = span_uv(s);
	e->stop.realtime = span_uv(s);
	e->stop.boottime = span_uv(s);
}

static void totals_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_end *e = chunk;
	uint8_t crc[4];

	le32_put(crc, e->headers_crc);
	buf_uv(to, e->chunks);
	buf_raw(to, crc, sizeof(crc));
	buf_uv(to, e->nevents);
	for (size_t i = 0; i < e->nevents; i++) {
		buf_uv(to, e->totals[i].taken);
		buf_uv(to, e->totals[i].written);
		buf_uv(to, e->totals[i].lost);
	}
}

static void totals_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_end *e = chunk;
	const uint8_t *crc;

	e->chunks = span_uv(s);
	crc = span_take(s, 4);
	e->headers_crc = crc ? le32_get(crc) : 0;
	e->nevents = span_u32(s);
	if (!s->bad && e->nevents != d->known.nevents) {
		decoding_fail(d, s, FOLD_E_RANGE, e->nevents, "R-END-2");
		e->nevents = 0;
	}
	for (size_t i = 0; i < e->nevents; i++) {
		e->totals[i].taken = span_uv(s);
		e->totals[i].written = span_uv(s);
		e->totals[i].lost = span_uv(s);
	}
}

static void self_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_end *e = chunk;

	buf_uv(to, e->self_cpu_ns);
	buf_uv(to, e->self_peak_bytes);
	buf_uv(to, e->bpf_ns);
}

static void self_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_end *e = chunk;

	e->self_cpu_ns = span_uv(s);
	e->self_peak_bytes = span_uv(s);
	e->bpf_ns = span_uv(s);
}

static const struct section end[] = {
	{FOLD_END_STOP, true, stop_encode, stop_decode},
	{FOLD_END_TOTALS, true, totals_encode, totals_decode},
	{FOLD_END_SELF, false, self_encode, self_decode},
};
const struct section_table end_sections = {end, sizeof(end) / sizeof(*end)};

/* ---- NOTE: the content is the text */

static void text_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_note *n = chunk;

	buf_raw(to, n->text.at, n->text.size);
}

static void text_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_note *n = chunk;

	if (span_left(s) > FOLD_MAX_STRING)
		decoding_fail(d, s, FOLD_E_LIMIT, span_left(s), "R-NOTE-1");
	n->text.size = span_left(s);
	n->text.at = span_take(s, n->text.size);
}

static const struct section note[] = {
	{FOLD_NOTE_TEXT, true, text_encode, text_decode},
};
const struct section_table note_sections = {note, sizeof(note) / sizeof(*note)};

/* ---- SYMBOLS: strings of its own, so what the segment knows of strings is set aside */

static void symbols_strings_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	strings_encode(to, &((const struct fold_symbols *)chunk)->strings);
}

static void symbols_strings_decode(struct decoding *d, struct span *s, void *chunk)
{
	d->known.next[FOLD_STRINGS] = 1;
	d->known.string_bytes = 0;
	d->known.torn &= ~(1u << FOLD_STRINGS);
	strings_decode(d, s, &((struct fold_symbols *)chunk)->strings);
	if (s->bad == FOLD_E_FIRST_ID)
		d->rule = "R-SYMB-1";
}

static void symbols_syms_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	syms_encode(to, &((const struct fold_symbols *)chunk)->syms);
}

static void symbols_syms_decode(struct decoding *d, struct span *s, void *chunk)
{
	syms_decode(d, s, &((struct fold_symbols *)chunk)->syms, "R-SYMB-1");
}

static const struct section symbols[] = {
	{FOLD_SYMBOLS_STRINGS, true, symbols_strings_encode, symbols_strings_decode},
	{FOLD_SYMBOLS_SYMS, true, symbols_syms_encode, symbols_syms_decode},
};
const struct section_table symbols_sections = {symbols, sizeof(symbols) / sizeof(*symbols)};
