/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structs to chunks.  Numbers the chunks of the one segment it writes and sums
 * up their headers for END.
 */
#include "writer.h"
#include "chunk.h"
#include "section.h"

#include <stdlib.h>

#define DEFAULT_LEVEL 3

struct writer {
	struct fold_sink sink;
	struct packer *packer;
	struct buf raw, out;
	struct fold_fault fault;
	uint32_t seq;          /* of the next chunk */
	uint32_t headers_crc;
	uint32_t meta_flags;
	uint64_t bytes, raw_bytes;
};

int writer_new(struct writer **out, struct fold_sink sink, const struct writer_options *options)
{
	struct writer *w = calloc(1, sizeof(*w));
	int level = options && options->level ? options->level : DEFAULT_LEVEL;

	if (!w)
		return -1;
	w->sink = sink;
	if (packer_new(&w->packer, level)) {
		free(w);
		return -1;
	}
	*out = w;
	return 0;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	packer_free(w->packer);
	buf_release(&w->raw);
	buf_release(&w->out);
	free(w);
}

static int fail(struct writer *w, enum fold_error code, int sys_errno, uint64_t detail)
{
	w->fault = (struct fold_fault){
		.code = code, .sys_errno = sys_errno, .detail = detail, .offset = w->bytes, .chunk = w->seq,
	};
	return -1;
}

/* Append the payload in w->raw to w->out as the next chunk. */
static int add_chunk(struct writer *w, enum fold_chunk_type type)
{
	struct chunk_header header = {.type = (uint16_t)type, .seq = w->seq};

	if (w->raw.size > FOLD_MAX_RAW)
		return fail(w, FOLD_E_LIMIT, 0, w->raw.size);
	if (w->raw.failed || packer_add(w->packer, &header, &w->raw, &w->out))
		return fail(w, FOLD_E_MEMORY, 0, 0);
	w->seq++;
	w->headers_crc = header_crc_add(w->headers_crc, header.header_crc);
	w->raw_bytes += w->raw.size;
	return 0;
}

/* One write for all that is in w->out.  A sink that failed may have taken a part
 * of it, so nothing can be written behind that. */
static int flush(struct writer *w)
{
	int err = w->sink.write(w->sink.state, w->out.at, w->out.size);

	if (err)
		return fail(w, FOLD_E_IO, -err, 0);
	w->bytes += w->out.size;
	return 0;
}

static void begin(struct writer *w, const struct section_table *table, const void *chunk, uint64_t have)
{
	buf_reset(&w->raw);
	buf_reset(&w->out);
	sections_encode(table, chunk, have, w->meta_flags, &w->raw);
}

static int write_chunk(struct writer *w, enum fold_chunk_type type, const struct section_table *table, const void *chunk, uint64_t have)
{
	if (w->fault.code == FOLD_E_IO)
		return -1;
	begin(w, table, chunk, have);
	if (add_chunk(w, type))
		return -1;
	return flush(w);
}

/* META twice: without it nothing of the segment can be read. */
int writer_meta(struct writer *w, const struct fold_meta *meta)
{
	uint8_t *header;

	w->meta_flags = meta->flags;
	begin(w, &meta_sections, meta, meta->nlabels ? ALL_SECTIONS : ALL_SECTIONS & ~FOLD_HAVE(FOLD_META_LABELS));
	header = buf_extend(&w->out, FOLD_HEADER_SIZE);
	if (!header)
		return fail(w, FOLD_E_MEMORY, 0, 0);
	file_header_put(header);
	if (add_chunk(w, FOLD_META) || add_chunk(w, FOLD_META))
		return -1;
	return flush(w);
}

int writer_batch(struct writer *w, const struct fold_batch *batch)
{
	return write_chunk(w, FOLD_BATCH, &batch_sections, batch, batch->have);
}

int writer_note(struct writer *w, const struct fold_note *note)
{
	return write_chunk(w, FOLD_NOTE, &note_sections, note, ALL_SECTIONS);
}

int writer_symbols(struct writer *w, const struct fold_symbols *symbols)
{
	return write_chunk(w, FOLD_SYMBOLS, &symbols_sections, symbols, ALL_SECTIONS);
}

int writer_end(struct writer *w, const struct fold_end *end)
{
	struct fold_end filled = *end;

	filled.chunks = w->seq;
	filled.headers_crc = w->headers_crc;
	return write_chunk(w, FOLD_END, &end_sections, &filled, ALL_SECTIONS);
}

const struct fold_fault *writer_fault(const struct writer *w)
{
	return &w->fault;
}

uint64_t writer_bytes(const struct writer *w)
{
	return w->bytes;
}

uint64_t writer_raw_bytes(const struct writer *w)
{
	return w->raw_bytes;
}
