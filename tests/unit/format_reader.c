/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader: items in order, and every way over damage. */
#include "test.h"
#include "format_made.h"

TEST(whole_recording)
{
	static const enum fold_item_kind want[] = {
		FOLD_ITEM_SEGMENT, FOLD_ITEM_META, FOLD_ITEM_BATCH, FOLD_ITEM_NOTE, FOLD_ITEM_SYMBOLS, FOLD_ITEM_FINISH, FOLD_ITEM_END_OF_FILE,
	};
	struct buf file = {0};
	struct memory_source memory;
	struct reader *r;
	struct fold_item item;

	made_recording(&file, 0);
	memory = (struct memory_source){file.at, file.at + file.size};
	CHECK_EQ(reader_new(&r, source_memory(&memory), NULL), 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		int got = reader_next(r, &item);
		char text[200];

		CHECK_EQ(got, 0);
		CHECK_EQ(item.kind, want[i]);
		if (got || item.fault.code)
			fprintf(stderr, "%s\n", fault_text(got ? reader_fault(r) : &item.fault, text, sizeof(text)));
	}
	reader_free(r);
	buf_release(&file);
}
TEST_MAIN()
