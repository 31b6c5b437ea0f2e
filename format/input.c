/* SPDX-License-Identifier: BSD-2-Clause */
/* A buffer in front of a source; see input.h. */
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READ_SIZE (32u << 10)

size_t input_held(const struct input *in)
{
	return in->end - in->at;
}

void input_init(struct input *in, struct fold_source source)
{
	*in = (struct input){.source = source};
}

void input_release(struct input *in)
{
	free(in->buf);
	in->buf = NULL;
	in->at = in->end = in->room = 0;
}

/*
 * Room for one read behind what is there: move it to the front when that frees
 * half of the buffer, double the buffer otherwise, so that bytes are moved once on
 * average.  Grows with what came, not with what was asked for.
 */
static bool make_room(struct input *in)
{
	size_t held = input_held(in);
	size_t room = in->room;
	uint8_t *buf;

	if (room - in->end >= READ_SIZE)
		return true;
	if (held > room / 2 || room < 2 * READ_SIZE) {
		room = room ? 2 * room : 2 * READ_SIZE;
		buf = malloc(room);
		if (!buf)
			return false;
		if (held)
			memcpy(buf, in->buf + in->at, held);
		free(in->buf);
		in->buf = buf;
		in->room = room;
	} else if (held) {
		memmove(in->buf, in->buf + in->at, held);
	}
	in->at = 0;
	in->end = held;
	return true;
}

size_t input_want(struct input *in, size_t n)
{
	while (input_held(in) < n && !in->eof && !in->err) {
		ssize_t got;

		if (!make_room(in)) {
			in->err = ENOMEM;
			break;
		}
		got = in->source.read(in->source.state, in->buf + in->end, in->room - in->end);
		if (got < 0)
			in->err = (int)-got;
		else if (!got)
			in->eof = true;
		else
			in->end += (size_t)got;
	}
	return input_held(in) < n ? input_held(in) : n;
}

const uint8_t *input_at(const struct input *in)
{
	return in->buf + in->at;
}

void input_skip(struct input *in, size_t n)
{
	in->at += n;
	in->offset += n;
}
