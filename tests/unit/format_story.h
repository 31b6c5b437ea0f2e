/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of the reader: a recording whose chunks can be rearranged, and
 * the story of reading what came of it.
 */
#ifndef FOLD_TESTS_FORMAT_STORY_H
#define FOLD_TESTS_FORMAT_STORY_H

#include "test.h"
#include "format_made.h"
#include "../../format/chunk.h"
#include "../../format/crc32c.h"
#include "../../format/wire.h"

/* ---- a recording, and where its chunks are */

#define LATER 3
enum { META_0, META_1, BATCH_0, BATCH_1, BATCH_2, BATCH_3, NOTE, SYMBOLS, END, CHUNKS };
#define BATCH_SAMPLES 5
#define ALL_SAMPLES (BATCH_SAMPLES * (1 + LATER))

struct chunks {
	struct buf file;
	size_t at[CHUNKS + 1]; /* the last one: the end of the file */
};

static inline void chunks_init(struct chunks *c, int level)
{
	size_t at = FOLD_HEADER_SIZE, n = 0;
	struct chunk_header header;

	memset(c, 0, sizeof(*c));
	made_recording(&c->file, level, LATER);
	for (; at < c->file.size && chunk_header_get(c->file.at + at, &header); at += FOLD_CHUNK_HEADER_SIZE + header.stored_size)
		c->at[n++] = at;
	c->at[n] = at;
	if (n != CHUNKS || at != c->file.size)
		abort();
}

static inline void add(struct buf *to, const struct chunks *c, int chunk)
{
	buf_raw(to, c->file.at + c->at[chunk], c->at[chunk + 1] - c->at[chunk]);
}

static inline void add_range(struct buf *to, const struct chunks *c, int from, int until)
{
	if (!from)
		buf_raw(to, c->file.at, FOLD_HEADER_SIZE);
	for (int i = from; i < until; i++)
		add(to, c, i);
}

/* A chunk made by hand. */
static inline void add_chunk(struct buf *to, struct chunk_header header, const void *payload, size_t n)
{
	struct chunk_header sealed = header;
	struct packer *p;
	struct buf raw = {0}, one = {0};

	buf_raw(&raw, payload, n);
	if (packer_new(&p, -1) || packer_add(p, &sealed, &raw, &one))
		abort();
	if (header.codec)
		sealed.codec = header.codec;
	sealed.flags = header.flags;
	if (header.stored_size)
		sealed.stored_size = header.stored_size;
	if (header.raw_size)
		sealed.raw_size = header.raw_size;
	chunk_header_put(one.at, &sealed);
	buf_raw(to, one.at, one.size);
	packer_free(p);
	buf_release(&raw);
	buf_release(&one);
}

/* ---- reading it all */

struct story {
	char items[200]; /* a letter per item, see letters */
	size_t n;
	uint64_t samples, lost_bytes, lost_chunks, damages;
	struct fold_fault fault, first; /* the last one and the first one */
	bool lossy, contradicted;
};
static const char letters[] = {
	[FOLD_ITEM_SEGMENT] = 'S', [FOLD_ITEM_META] = 'M', [FOLD_ITEM_BATCH] = 'B', [FOLD_ITEM_FINISH] = 'F',
	[FOLD_ITEM_NOTE] = 'N', [FOLD_ITEM_SYMBOLS] = 'Y', [FOLD_ITEM_SKIPPED] = 's', [FOLD_ITEM_DAMAGE] = 'd', [FOLD_ITEM_CUT] = 'c',
};

static inline void tell_item(struct story *s, const struct fold_item *item)
{
	if (s->n + 2 < sizeof(s->items))
		s->items[s->n++] = letters[item->kind];
	if (item->kind == FOLD_ITEM_BATCH)
		s->samples += item->batch->samples.n;
	if (item->kind == FOLD_ITEM_DAMAGE || item->kind == FOLD_ITEM_CUT) {
		s->damages++;
		s->lost_bytes += item->lost_bytes;
		s->lost_chunks += item->lost_chunks;
		CHECK(item->fault.code != FOLD_E_OK);
	}
	if (item->kind == FOLD_ITEM_FINISH)
		s->contradicted |= item->fault.code != FOLD_E_OK;
	if (item->fault.code) {
		if (!s->first.code)
			s->first = item->fault;
		s->fault = item->fault;
	}
}

static inline struct story read_source(struct fold_source source, const struct reader_limits *limits)
{
	struct story s = {0};
	struct fold_item item;
	struct reader *r;
	int err;

	if (reader_new(&r, source, limits))
		abort();
	while (!(err = reader_next(r, &item)) && item.kind != FOLD_ITEM_END_OF_FILE) {
		tell_item(&s, &item);
		s.lossy |= reader_lossy(r);
	}
	s.items[s.n++] = err ? '!' : '.';
	if (err)
		s.fault = *reader_fault(r);
	/* Either way it stays so. */
	CHECK_EQ(reader_next(r, &item), err);
	CHECK(err || item.kind == FOLD_ITEM_END_OF_FILE);
	reader_free(r);
	return s;
}

/* From a copy of just this size, so that a sanitizer sees a read too far. */
static inline struct story read_bytes(const uint8_t *at, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct memory_source memory = {copy, copy + n};
	struct story s;

	if (n)
		memcpy(copy, at, n);
	s = read_source(source_memory(&memory), NULL);
	free(copy);
	return s;
}

static inline struct story read_buf(struct buf *b)
{
	struct story s = read_bytes(b->at, b->size);

	buf_release(b);
	return s;
}

/* A recording, another one made from its chunks, and how that reads. */
struct remade {
	struct chunks c;
	struct buf b;
	struct story s;
};

static inline void remade_init(struct remade *m, int level)
{
	memset(m, 0, sizeof(*m));
	chunks_init(&m->c, level);
}

static inline void remade_read(struct remade *m)
{
	m->s = read_buf(&m->b);
}

static inline void remade_release(struct remade *m)
{
	buf_release(&m->b);
	buf_release(&m->c.file);
}

#endif
