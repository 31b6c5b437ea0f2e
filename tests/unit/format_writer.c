/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer: the same bytes from the same structs, one write per chunk, failures that stay. */
#include "test.h"
#include "format_made.h"
#include "../../format/chunk.h"
#include "../../format/stackset.h"

#include <errno.h>

/* A sink that counts, and fails from the write number `fail` on. */
struct counting {
	struct buf bytes;
	unsigned writes, fail;
};

static int counting_write(void *state, const void *from, size_t n)
{
	struct counting *c = state;

	if (++c->writes == c->fail)
		return -ENOSPC;
	buf_raw(&c->bytes, from, n);
	return 0;
}

static struct writer *start(struct counting *c, int level)
{
	struct writer_options options = {.level = level};
	struct fold_sink sink = {counting_write, c};
	struct writer *w;

	CHECK_EQ(writer_new(&w, sink, &options), 0);
	return w;
}

TEST(same_structs_same_bytes)
{
	struct buf a = {0}, b = {0};

	for (int level = -1; level < 4; level += 2) {
		buf_reset(&a);
		buf_reset(&b);
		made_recording(&a, level, 3);
		made_recording(&b, level, 3);
		CHECK(a.size == b.size && !memcmp(a.at, b.at, a.size));
	}
	buf_release(&a);
	buf_release(&b);
}

TEST(one_write_per_chunk)
{
	struct counting c = {0};
	struct writer *w = start(&c, 0);
	struct fold_meta meta = made_meta();
	struct fold_note note = {made_bytes("x")};
	struct fold_end end = made_end();
	struct made m;

	made_batch(&m);
	CHECK_EQ(writer_meta(w, &meta), 0);
	CHECK_EQ(c.writes, 1);
	CHECK_EQ(writer_batch(w, &m.batch), 0);
	CHECK_EQ(c.writes, 2);
	CHECK_EQ(writer_note(w, &note), 0);
	CHECK_EQ(writer_end(w, &end), 0);
	CHECK_EQ(c.writes, 4);
	CHECK_EQ(writer_bytes(w), c.bytes.size);
	CHECK(writer_raw_bytes(w) > 500);
	CHECK_EQ(writer_fault(w)->code, FOLD_E_OK);
	writer_free(w);
	writer_free(NULL);
	buf_release(&c.bytes);
}

TEST(meta_stands_twice)
{
	struct counting c = {0};
	struct writer *w = start(&c, -1);
	struct fold_meta meta = made_meta();
	struct chunk_header first, second;
	const uint8_t *at;

	CHECK_EQ(writer_meta(w, &meta), 0);
	at = c.bytes.at + FOLD_HEADER_SIZE;
	CHECK(chunk_header_get(at, &first));
	at += FOLD_CHUNK_HEADER_SIZE + first.stored_size;
	CHECK(chunk_header_get(at, &second));
	CHECK(first.type == FOLD_META && second.type == FOLD_META);
	CHECK(first.seq == 0 && second.seq == 1);
	CHECK_EQ(first.stored_crc, second.stored_crc);
	CHECK(at + FOLD_CHUNK_HEADER_SIZE + second.stored_size == c.bytes.at + c.bytes.size);
	writer_free(w);
	buf_release(&c.bytes);
}

TEST(compression_pays_or_is_left_out)
{
	struct buf stored = {0}, packed = {0};

	made_recording(&stored, -1, 20);
	made_recording(&packed, 3, 20);
	CHECK(packed.size < stored.size);
	buf_release(&stored);
	buf_release(&packed);
}

TEST(failed_write_stays)
{
	for (unsigned fail = 1; fail <= 3; fail++) {
		struct counting c = {.fail = fail};
		struct writer *w = start(&c, 0);
		struct fold_meta meta = made_meta();
		struct fold_end end = made_end();
		struct made m;
		uint64_t bytes;

		made_batch(&m);
		CHECK_EQ(writer_meta(w, &meta), fail == 1 ? -1 : 0);
		if (fail > 1)
			CHECK_EQ(writer_batch(w, &m.batch), fail == 2 ? -1 : 0);
		if (fail > 2)
			CHECK_EQ(writer_end(w, &end), -1);
		CHECK_EQ(writer_fault(w)->code, FOLD_E_IO);
		CHECK_EQ(writer_fault(w)->sys_errno, ENOSPC);
		CHECK_EQ(writer_fault(w)->offset, c.bytes.size);
		/* Nothing can stand behind what may be half a chunk. */
		bytes = writer_bytes(w);
		made_later_batch(&m);
		CHECK_EQ(writer_batch(w, &m.batch), -1);
		CHECK_EQ(c.writes, fail);
		CHECK_EQ(writer_bytes(w), bytes);
		writer_free(w);
		buf_release(&c.bytes);
	}
}

/* A payload beyond the limit is refused; what comes after it is written. */
TEST(payload_beyond_the_limit)
{
	static uint8_t text[FOLD_MAX_STRING];
	struct counting c = {0};
	struct writer *w = start(&c, 1);
	struct fold_meta meta = made_meta();
	struct fold_batch batch = {.have = 1u << FOLD_STRINGS, .strings = {.first_id = 1, .n = 257}};
	struct fold_note note = {made_bytes("x")};
	uint64_t bytes;

	batch.strings.v = calloc(257, sizeof(*batch.strings.v));
	for (size_t i = 0; i < 257; i++)
		batch.strings.v[i] = (struct fold_bytes){text, sizeof(text)};
	CHECK_EQ(writer_meta(w, &meta), 0);
	bytes = writer_bytes(w);
	CHECK_EQ(writer_batch(w, &batch), -1);
	CHECK_EQ(writer_fault(w)->code, FOLD_E_LIMIT);
	CHECK_EQ(writer_bytes(w), bytes);
	CHECK_EQ(writer_note(w, &note), 0);
	batch.strings.n = 255;
	CHECK_EQ(writer_batch(w, &batch), 0);
	free(batch.strings.v);
	writer_free(w);
	buf_release(&c.bytes);
}

/* From a stackset through a file to nodes: the frames that went in. */
TEST(stacks_through_a_file)
{
	static const fold_frame frames[3][4] = {{0x10, 0x20, 0x30, 0x40}, {0x10, 0x20, 0x31}, {0x11}};
	static const size_t depth[3] = {4, 3, 1};
	static uint8_t name = 'k';
	struct fold_bytes string = {&name, 1};
	struct fold_module module = {.kind = FOLD_MODULE_KERNEL, .name = 1, .span = 0x1000};
	struct fold_batch batch = {
		.have = 1u << FOLD_STRINGS | 1u << FOLD_MODULES | 1u << FOLD_KSTACKS,
		.strings = {.first_id = 1, .n = 1, .v = &string}, .modules = {.n = 1, .v = &module},
	};
	struct counting c = {0};
	struct writer *w = start(&c, 0);
	struct fold_meta meta = made_meta();
	struct stackset *set;
	struct memory_source memory;
	struct reader *r;
	struct fold_item item;
	uint32_t handle[3];

	CHECK_EQ(stackset_new(&set), 0);
	for (size_t i = 0; i < 3; i++)
		CHECK_EQ(stackset_add(set, frames[i], depth[i], (uint32_t)i, &handle[i]), 0);
	CHECK_EQ(stackset_flush(set, &batch.kstacks), 0);
	CHECK(!writer_meta(w, &meta) && !writer_batch(w, &batch));
	memory = (struct memory_source){c.bytes.at, c.bytes.at + c.bytes.size};
	CHECK_EQ(reader_new(&r, source_memory(&memory), NULL), 0);
	do
		CHECK_EQ(reader_next(r, &item), 0);
	while (item.kind != FOLD_ITEM_BATCH && item.kind != FOLD_ITEM_END_OF_FILE);
	CHECK_EQ(item.kind, FOLD_ITEM_BATCH);
	for (size_t i = 0; item.kind == FOLD_ITEM_BATCH && i < 3; i++) {
		const struct fold_stacks *s = &item.batch->kstacks;
		const struct fold_stack *stack = &s->v[stackset_id(set, handle[i])];
		uint32_t at = stack->leaf;

		CHECK_EQ(stack->depth, depth[i]);
		CHECK_EQ(stack->end, i);
		for (size_t left = depth[i]; left; left--, at = s->nodes[at].parent)
			CHECK_EQ(s->nodes[at].frame, frames[i][left - 1]);
	}
	reader_free(r);
	stackset_free(set);
	writer_free(w);
	buf_release(&c.bytes);
}

TEST_MAIN()
