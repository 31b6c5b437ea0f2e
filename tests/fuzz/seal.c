/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mutator of recordings: without right lengths and checksums next to nothing
 * would get past the headers.  Most mutants are sealed, some are not.  For
 * libFuzzer it is linked in; AFL++ loads it as a library.
 */
#include "../../format/chunk.h"
#include "../../format/crc32c.h"
#include "../../format/wire.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_IT 0x80 /* an unused flag of a chunk: its payload is to be made a frame */
enum { RAW_FRAME = 12, MAX_BLOCK = 128 << 10 };

__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room); /* libFuzzer's, when it is there */
void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_post_process(void *state, uint8_t *data, size_t size, uint8_t **out);
void afl_custom_deinit(void *state);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* Where the next header that begins after `at` is; `size` when there is none. */
static size_t next_header(const uint8_t *data, size_t size, size_t at)
{
	const uint8_t *sync = memmem(data + at + 1, size - at - 1, FOLD_SYNC, 4);
	const uint8_t *magic = memmem(data + at + 1, size - at - 1, FOLD_MAGIC, 8);
	size_t found = size;

	if (sync)
		found = (size_t)(sync - data);
	if (magic && (size_t)(magic - data) < found)
		found = (size_t)(magic - data);
	return found;
}

/*
 * The payload as a frame of one raw block, whatever it was: next to no mutant of a
 * packed payload is a frame, and what is in the block can be mutated.
 */
static uint32_t make_frame(uint8_t *at, uint32_t size)
{
	uint32_t raw = size - RAW_FRAME;

	le32_put(at, 0xfd2fb528);
	at[4] = 0xa0; /* one segment, four bytes of content size, no checksum */
	le32_put(at + 5, raw);
	at[9] = (uint8_t)(raw << 3 | 1); /* last block, raw */
	le16_put(at + 10, (uint16_t)(raw >> 5));
	return raw;
}

static void seal_chunk(uint8_t *at, size_t size, bool lengths)
{
	uint32_t stored = (uint32_t)(size - FOLD_CHUNK_HEADER_SIZE);

	if (lengths) {
		le32_put(at + 12, stored);
		if (at[6] == FOLD_STORED)
			le32_put(at + 16, stored);
		else if (at[7] & FRAME_IT && stored >= RAW_FRAME && stored < MAX_BLOCK)
			le32_put(at + 16, make_frame(at + FOLD_CHUNK_HEADER_SIZE, stored));
	}
	if (le32_get(at + 12) <= stored)
		le32_put(at + 20, crc32c(0, at + FOLD_CHUNK_HEADER_SIZE, le32_get(at + 12)));
	le32_put(at + 28, crc32c(0, at, 28));
}

static void seal(uint8_t *data, size_t size, bool lengths)
{
	for (size_t at = 0, next; at < size; at = next) {
		next = next_header(data, size, at);
		if (next - at >= FOLD_HEADER_SIZE && !memcmp(data + at, FOLD_MAGIC, 8))
			le32_put(data + at + 12, crc32c(0, data + at, 12));
		else if (next - at >= FOLD_CHUNK_HEADER_SIZE && !memcmp(data + at, FOLD_SYNC, 4))
			seal_chunk(data + at, next - at, lengths);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, room);
	if (size && seed % 8)
		seal(data, size, seed % 8 > 1);
	return size;
}

/* ---- AFL++: what it has mutated, just before it is run */

struct copy {
	uint8_t *at;
	size_t room;
	unsigned turn;
};

void *afl_custom_init(void *afl, unsigned seed)
{
	struct copy *copy = calloc(1, sizeof(*copy));

	if (copy)
		copy->turn = seed;
	return copy;
}

size_t afl_custom_post_process(void *state, uint8_t *data, size_t size, uint8_t **out)
{
	struct copy *copy = state;

	if (size > copy->room) {
		free(copy->at);
		copy->at = malloc(2 * size);
		copy->room = copy->at ? 2 * size : 0;
	}
	*out = data;
	if (!size || !copy->at || copy->turn++ % 8 == 0)
		return size;
	memcpy(copy->at, data, size);
	seal(copy->at, size, copy->turn % 8 > 1);
	*out = copy->at;
	return size;
}

void afl_custom_deinit(void *state)
{
	free(((struct copy *)state)->at);
	free(state);
}
