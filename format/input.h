/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a source from here on, as many as one asks to look at.  Only goes
 * forward; holds no more than was asked for and one read.
 */
#ifndef FOLD_FORMAT_INPUT_H
#define FOLD_FORMAT_INPUT_H

#include "source.h"

#include <stdbool.h>

struct input {
	struct fold_source source;
	uint8_t *buf;
	size_t at, end, room;
	uint64_t offset; /* of buf[at] in the source */
	bool eof;
	int err;         /* errno of the read that failed, ENOMEM; for good */
};

void input_init(struct input *in, struct fold_source source);
void input_release(struct input *in);

/* Get the next `n` bytes into memory.  How many there are: less than `n` at the
 * end of the source and after a failure (in->err). */
size_t input_want(struct input *in, size_t n);
/* Bytes in memory, wanted or not. */
size_t input_held(const struct input *in);
/* The bytes wanted; until the next input_want(). */
const uint8_t *input_at(const struct input *in);
/* Go on by `n` bytes that are in memory. */
void input_skip(struct input *in, size_t n);

#endif
