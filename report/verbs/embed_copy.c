/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks keep their numbers: what is added continues them, so that END and all
 * checksums stay right.  A tail that was cut is left out, because nothing could
 * be read behind it.
 */
#include "embed_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../format/chunk.h"
#include "../../format/intern.h"
#include "../../format/reader.h"
#include "../../format/section.h"
#include "../infile.h"
#include "../log.h"

#define NAMES_OF_A_CHUNK 8192

struct copy {
	const char *file;
	int fd;
	const struct recording *rec;
	const struct embed_names *names;
	struct outfile *to;
	struct packer *packer;
	uint64_t done;    /* bytes of the file that are copied */
	uint64_t end;     /* of what can be */
	uint64_t seq;     /* the next one of the segment; beyond 32 bits: there is none */
	size_t segments;  /* that had a META */
	bool open;        /* one of them is being read */
};

static int fail_write(const struct copy *c)
{
	log_error("cannot write to %s: %s", c->to->path ? c->to->path : "standard output", strerror(errno));
	return -1;
}

/* The file up to `end`. */
static int copy_bytes(struct copy *c, uint64_t end)
{
	static const size_t block = 64 << 10;
	char *buf = malloc(block);
	int err = buf ? 0 : -1;

	while (!err && c->done < end) {
		size_t n = end - c->done < block ? (size_t)(end - c->done) : block;
		ssize_t got = pread(c->fd, buf, n, (off_t)c->done);

		if (got <= 0) {
			log_error("%s: changed while it was read", c->file);
			err = -1;
		} else if (fwrite(buf, 1, (size_t)got, c->to->stream) != (size_t)got) {
			err = fail_write(c);
		} else {
			c->done += (uint64_t)got;
		}
	}
	free(buf);
	return err;
}

/* ---- SYMBOLS */

/* Names of module `ours`, which is `theirs` in the file. */
static int add_names(struct intern *text, struct fold_sym *syms, size_t *n, const struct embed_name *v, size_t nv, uint64_t theirs)
{
	for (size_t i = 0; i < nv; i++) {
		uint32_t id;

		if (intern_add(text, v[i].name, strlen(v[i].name), &id))
			return -1;
		syms[(*n)++] = (struct fold_sym){theirs, v[i].offset, v[i].size, id};
	}
	return 0;
}

static int write_chunk(struct copy *c, const struct fold_symbols *symbols)
{
	struct chunk_header header = {.type = FOLD_SYMBOLS, .seq = (uint32_t)c->seq};
	struct buf payload = {0}, chunk = {0};
	int err = 0;

	if (c->seq > UINT32_MAX) {
		log_warning("%s: its last chunk has the highest number; no names can follow", c->file);
		return 0;
	}
	c->seq++;
	sections_encode(&symbols_sections, symbols, ALL_SECTIONS, 0, &payload);
	if (payload.failed || packer_add(c->packer, &header, &payload, &chunk)) {
		log_error("out of memory");
		err = -1;
	} else if (fwrite(chunk.at, 1, chunk.size, c->to->stream) != chunk.size) {
		err = fail_write(c);
	}
	buf_release(&payload);
	buf_release(&chunk);
	return err;
}

/* Up to a chunk full of `v`. */
static int write_names(struct copy *c, const struct embed_name *v, size_t nv, uint64_t theirs)
{
	struct fold_symbols symbols = {.strings = {.first_id = 1}, .syms = {.v = calloc(nv, sizeof(struct fold_sym))}};
	struct intern text;
	int err;

	intern_init(&text, 1);
	err = !symbols.syms.v || add_names(&text, symbols.syms.v, &symbols.syms.n, v, nv, theirs) ? -1 : 0;
	symbols.strings.n = text.n;
	symbols.strings.v = text.v;
	if (err)
		log_error("out of memory");
	else
		err = write_chunk(c, &symbols);
	free(symbols.syms.v);
	intern_release(&text);
	return err;
}

static size_t first_of(const struct embed_names *names, uint32_t module)
{
	size_t low = 0, high = names->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (names->v[mid].module < module)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int write_module(struct copy *c, uint32_t ours, uint64_t theirs)
{
	const struct embed_names *names = c->names;
	size_t from = first_of(names, ours), end = from;

	while (end < names->n && names->v[end].module == ours)
		end++;
	for (; from < end; from += NAMES_OF_A_CHUNK)
		if (write_names(c, &names->v[from], end - from < NAMES_OF_A_CHUNK ? end - from : NAMES_OF_A_CHUNK, theirs))
			return -1;
	return 0;
}

/* The segment that ends at byte `end` of the file. */
static int end_segment(struct copy *c, uint64_t end)
{
	const struct idmap *modules;

	if (!c->open)
		return 0;
	c->open = false;
	if (copy_bytes(c, end))
		return -1;
	if (c->segments > c->rec->nsegments)
		return 0;
	modules = &c->rec->segments[c->segments - 1].modules;
	for (size_t i = 0; i < modules->nranges; i++)
		for (uint32_t k = 0; k < modules->ranges[i].n; k++)
			if (write_module(c, modules->values[modules->ranges[i].base + k], modules->ranges[i].first + k))
				return -1;
	return 0;
}

/* ---- the file */

static int take_item(struct copy *c, const struct fold_item *item)
{
	if (item->kind == FOLD_ITEM_CUT || item->kind == FOLD_ITEM_END_OF_FILE) {
		if (c->end > item->offset && item->kind == FOLD_ITEM_CUT)
			c->end = item->offset;
		return 0;
	}
	if (item->kind == FOLD_ITEM_SEGMENT && end_segment(c, item->offset))
		return -1;
	if (item->kind == FOLD_ITEM_META) {
		c->segments++;
		c->open = true;
		c->seq = 0;
	}
	if (item->type && item->seq >= c->seq)
		c->seq = (uint64_t)item->seq + 1;
	return 0;
}

static int copy_items(struct copy *c, struct reader *reader)
{
	struct fold_item item = {.kind = FOLD_ITEM_SEGMENT};
	char text[256];

	while (item.kind != FOLD_ITEM_END_OF_FILE) {
		if (reader_next(reader, &item)) {
			log_error("%s: %s", c->file, fault_text(reader_fault(reader), text, sizeof(text)));
			return -1;
		}
		if (take_item(c, &item))
			return -1;
	}
	return end_segment(c, c->end) || copy_bytes(c, c->end) ? -1 : 0;
}

int embed_copy(const char *file, const struct recording *rec, const struct embed_names *names, struct outfile *to)
{
	struct copy c = {.file = file, .rec = rec, .names = names, .to = to};
	struct reader *reader = NULL;
	struct infile in;
	int err = -1;

	if (infile_open(&in, file))
		return -1;
	c.fd = in.fd;
	c.end = in.size;
	if (packer_new(&c.packer, 3) || reader_new(&reader, infile_source(&in), &(struct reader_limits){.file_size = in.size}))
		log_error("out of memory");
	else
		err = copy_items(&c, reader);
	reader_free(reader);
	packer_free(c.packer);
	infile_close(&in);
	return err;
}
