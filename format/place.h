/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands where a chunk could begin, and the way to the next such place when
 * it is neither header: the recovery rules are written in these words.
 */
#ifndef FOLD_FORMAT_PLACE_H
#define FOLD_FORMAT_PLACE_H

#include "chunk.h"
#include "input.h"

enum place {
	PLACE_END,         /* nothing more */
	PLACE_FILE_HEADER, /* a valid one, of whatever version */
	PLACE_CHUNK,       /* a valid chunk header */
	PLACE_TAIL,        /* fewer bytes than a chunk header has */
	PLACE_GARBAGE,
};

/* What stands `ahead` bytes from here; with CHUNK, `header` is filled. */
enum place place_at(struct input *in, size_t ahead, struct chunk_header *header);

/* Go on, byte by byte, to a valid header; false: there is none up to the end. */
bool place_search(struct input *in);

#endif
