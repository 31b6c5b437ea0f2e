/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: the way of a recording out and back.  The bytes are taken for
 * events (story.h), which go through intern, stackset and writer; what the reader
 * then gives must be the same events, check must be content, and the same events
 * must make the same bytes.
 */
#include "../../format/check.h"
#include "../../format/reader.h"
#include "story.h"
#include "tell.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_recording(const struct buf *file, struct buf *told)
{
	struct memory_source memory = {file->at, file->at + file->size};
	struct fold_item item;
	struct reader *r;

	require(!reader_new(&r, source_memory(&memory), NULL), "a reader");
	do {
		require(!reader_next(r, &item) && !item.fault.code, "what was written can be read");
		if (item.kind == FOLD_ITEM_META)
			tell_meta(told, item.meta);
		else if (item.kind == FOLD_ITEM_BATCH)
			tell_batch(told, item.batch);
		else if (item.kind == FOLD_ITEM_NOTE)
			buf_bytes(told, item.note->text);
		else if (item.kind == FOLD_ITEM_FINISH)
			tell_end(told, item.end);
	} while (item.kind != FOLD_ITEM_END_OF_FILE);
	reader_free(r);
}

static void complain(void *state, const struct fold_fault *fault)
{
	char text[256];

	fprintf(stderr, "%s\n", fault_text(fault, text, sizeof(text)));
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->at, b->at, a->size));
}

static void check_determinism(const uint8_t *data, size_t size, const struct buf *file)
{
	struct buf again = {0}, told = {0};

	story_write(data, size, &again, &told);
	require(same(file, &again), "same events, same bytes");
	buf_release(&again);
	buf_release(&told);
}

static void check_rules(const struct buf *file)
{
	struct memory_source memory = {file->at, file->at + file->size};
	struct check_result result;

	require(!check_recording(source_memory(&memory), complain, NULL, &result) && !result.violations && result.ended, "check is content");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = {0}, written = {0}, read = {0};

	story_write(data, size, &file, &written);
	read_recording(&file, &read);
	require(same(&written, &read), "same events");
	/* Each for a share of the inputs: that makes twice as many. */
	if (size % 4 == 0)
		check_determinism(data, size, &file);
	if (size % 4 == 1)
		check_rules(&file);
	buf_release(&file);
	buf_release(&written);
	buf_release(&read);
	return 0;
}
