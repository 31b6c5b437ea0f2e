/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding headers; see place.h.  Looks no further ahead than a header is long. */
#include "place.h"

static bool file_header_valid(const uint8_t *at)
{
	uint64_t detail;

	switch (file_header_get(at, &detail)) {
	case FOLD_E_OK:
	case FOLD_E_VERSION:
	case FOLD_E_RESERVED:
		return true;
	default:
		return false;
	}
}

enum place place_at(struct input *in, size_t ahead, struct chunk_header *header)
{
	size_t left = input_want(in, ahead + FOLD_CHUNK_HEADER_SIZE);
	const uint8_t *at;

	if (left <= ahead)
		return PLACE_END;
	left -= ahead;
	at = input_at(in) + ahead;
	if (left >= FOLD_HEADER_SIZE && file_header_valid(at))
		return PLACE_FILE_HEADER;
	if (left < FOLD_CHUNK_HEADER_SIZE)
		return PLACE_TAIL;
	return chunk_header_get(at, header) ? PLACE_CHUNK : PLACE_GARBAGE;
}

/* Bytes up to the next one that a header can begin with. */
static size_t until_candidate(const uint8_t *at, size_t n)
{
	size_t i = 0;

	while (i < n && at[i] != (uint8_t)FOLD_MAGIC[0] && at[i] != (uint8_t)FOLD_SYNC[0])
		i++;
	return i;
}

bool place_search(struct input *in)
{
	struct chunk_header header;

	while (input_want(in, 1)) {
		enum place place;

		input_skip(in, until_candidate(input_at(in), input_held(in)));
		if (!input_held(in))
			continue;
		place = place_at(in, 0, &header);
		if (place == PLACE_FILE_HEADER || place == PLACE_CHUNK)
			return true;
		input_skip(in, 1);
	}
	return false;
}
