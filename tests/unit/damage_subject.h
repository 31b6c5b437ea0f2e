/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the damage campaign: a recording, where its parts are, and what must be read
 * of it when some of them are gone.  Knows the container alone: file headers and
 * chunks, and how many samples each chunk holds when nothing is damaged.
 */
#ifndef FOLD_TESTS_DAMAGE_SUBJECT_H
#define FOLD_TESTS_DAMAGE_SUBJECT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/chunk.h"
#include "../../format/reader.h"

struct piece { /* a file header or a chunk */
	size_t at, end;
	size_t segment;
	bool header;
	uint16_t type;
	uint32_t seq;
	uint64_t samples;
};
struct subject {
	char name[64];
	uint8_t *bytes;
	size_t size;
	struct piece *v;
	size_t n;
	uint64_t samples;
	bool ended; /* every segment has its END */
};

static inline void subject_release(struct subject *s)
{
	free(s->bytes);
	free(s->v);
	*s = (struct subject){0};
}

static inline bool subject_read(struct subject *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *f = fopen(path, "rb");
	long size;

	*s = (struct subject){0};
	snprintf(s->name, sizeof(s->name), "%s", slash ? slash + 1 : path);
	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) <= 0 || fseek(f, 0, SEEK_SET))
		return false;
	s->bytes = malloc((size_t)size);
	s->size = s->bytes ? fread(s->bytes, 1, (size_t)size, f) : 0;
	fclose(f);
	return s->size == (size_t)size;
}

/* The next piece at `at`, appended; false when there is none. */
static inline bool subject_piece(struct subject *s, size_t at, size_t segment)
{
	struct chunk_header header = {0};
	struct piece piece = {.at = at, .segment = segment};
	size_t left = s->size - at;
	uint64_t detail;

	if (left >= FOLD_HEADER_SIZE && !file_header_get(s->bytes + at, &detail)) {
		piece.header = true;
		piece.segment += at > 0;
		piece.end = at + FOLD_HEADER_SIZE;
	} else if (left >= FOLD_CHUNK_HEADER_SIZE && chunk_header_get(s->bytes + at, &header)) {
		piece.type = header.type;
		piece.seq = header.seq;
		piece.end = at + FOLD_CHUNK_HEADER_SIZE + header.stored_size;
	}
	if (!piece.end || piece.end > s->size)
		return false;
	s->v = realloc(s->v, (s->n + 1) * sizeof(*s->v));
	s->v[s->n++] = piece;
	return true;
}

static inline uint64_t batch_samples(const struct fold_batch *batch)
{
	uint64_t samples = batch->samples.n;

	for (size_t i = 0; i < batch->counts.n; i++)
		samples += batch->counts.count[i];
	return samples;
}

/* What each chunk holds, as the reader of the whole recording finds it.  False when it is not whole. */
static inline bool subject_count(struct subject *s)
{
	struct memory_source memory = {s->bytes, s->bytes + s->size};
	struct fold_item item = {.kind = FOLD_ITEM_SEGMENT};
	struct reader *reader;
	bool good = !reader_new(&reader, source_memory(&memory), NULL);
	size_t piece = 0, headers = 0, ends = 0;

	while (good && item.kind != FOLD_ITEM_END_OF_FILE) {
		good = !reader_next(reader, &item) && item.kind != FOLD_ITEM_DAMAGE && item.kind != FOLD_ITEM_CUT;
		ends += good && item.kind == FOLD_ITEM_FINISH;
		if (!good || item.kind != FOLD_ITEM_BATCH)
			continue;
		while (piece < s->n && s->v[piece].at < item.offset)
			piece++;
		good = piece < s->n && s->v[piece].at == item.offset;
		if (good)
			s->samples += s->v[piece].samples = batch_samples(item.batch);
	}
	for (size_t i = 0; i < s->n; i++)
		headers += s->v[i].header;
	s->ended = headers == ends;
	reader_free(reader);
	return good;
}

static inline bool subject_load(struct subject *s, const char *path)
{
	size_t at = 0, segment = 0;
	bool good = subject_read(s, path);

	while (good && at < s->size) {
		good = subject_piece(s, at, segment);
		if (good) {
			at = s->v[s->n - 1].end;
			segment = s->v[s->n - 1].segment;
		}
	}
	return good && subject_count(s);
}

/* ---- what must be read */

struct expected {
	bool unusable;    /* nothing at all: the file is refused */
	bool uncertain;   /* no file header and no META where one could begin: what follows is another segment's, or nobody's */
	uint64_t samples;
};

/* `hurt`: by piece, it is not there as it was.  Samples are in the BATCHes behind a META of their segment. */
static inline struct expected subject_expect(const struct subject *s, const bool *hurt)
{
	struct expected e = {.unusable = true};
	bool meta = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct piece *p = &s->v[i];

		if (p->header) {
			meta = false;
			e.uncertain |= i && i + 1 < s->n && hurt[i] && hurt[i + 1];
		} else if (p->type == FOLD_META) {
			meta |= !hurt[i];
			e.unusable &= !meta;
		} else if (!hurt[i]) {
			e.samples += meta ? p->samples : 0;
		}
	}
	e.unusable |= hurt[0] && hurt[1]; /* nothing shows that this is a recording */
	if (e.unusable)
		e.samples = 0;
	return e;
}

/* The piece that byte `n` belongs to. */
static inline size_t subject_at(const struct subject *s, size_t n)
{
	size_t low = 0, high = s->n;

	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].at <= n)
			low = mid;
		else
			high = mid;
	}
	return low;
}

#endif
