/* SPDX-License-Identifier: BSD-2-Clause */
/* check: rules for writers that the reader forgives, each broken once. */
#include "test.h"
#include "format_made.h"
#include "../../format/check.h"
#include "../../format/chunk.h"
#include "../../format/crc32c.h"
#include "../../format/section.h"
#include "../../format/wire.h"

struct complaints {
	struct fold_fault v[8];
	size_t n;
	struct check_result result;
	int err;
};

static void complain(void *state, const struct fold_fault *fault)
{
	struct complaints *c = state;

	if (c->n < sizeof(c->v) / sizeof(*c->v))
		c->v[c->n] = *fault;
	c->n++;
}

static struct complaints check(const struct buf *file)
{
	struct complaints c = {0};
	struct memory_source memory = {file->at, file->at + file->size};

	c.err = check_recording(source_memory(&memory), complain, &c, &c.result);
	CHECK_EQ(c.result.violations, c.n);
	return c;
}

static struct fold_end end_of(const struct made *m)
{
	struct fold_end end = made_end();

	if (m->batch.have & 1u << FOLD_COUNTS) {
		end.totals[0] = (struct fold_total){.taken = 205, .written = 202, .lost = 3};
		end.totals[1] = (struct fold_total){.taken = 4, .written = 4};
	}
	return end;
}

/* META and one batch and its END break `rule` in `section`, and nothing else. */
static void expect(const struct fold_meta *meta, const struct made *m, int section, const char *rule)
{
	struct fold_end end = end_of(m);
	struct buf file = {0};
	struct complaints c;
	struct writer *w;

	if (writer_new(&w, made_sink(&file), &(struct writer_options){-1}) || writer_meta(w, meta) || writer_batch(w, &m->batch) ||
	    writer_end(w, &end))
		abort();
	writer_free(w);
	c = check(&file);
	CHECK_EQ(c.err, 0);
	CHECK_EQ(c.n, rule ? 1 : 0);
	if (rule) {
		CHECK_STR(c.v[0].rule, rule);
		CHECK_EQ(c.v[0].section, section);
	}
	CHECK(c.result.ended && c.result.segments == 1 && c.result.chunks == 3);
	buf_release(&file);
}

TEST(nothing_to_complain_about)
{
	struct fold_meta meta = made_meta();
	struct made m;

	made_batch(&m);
	expect(&meta, &m, 0, NULL);
	meta.mode = FOLD_MODE_AGGREGATED;
	made_counts(&m);
	expect(&meta, &m, 0, NULL);
}

TEST(meta_rules)
{
	struct fold_meta meta = made_meta();
	struct made m;

	made_batch(&m);
	meta.id[6] = 0x19;
	expect(&meta, &m, FOLD_META_ID, "R-META-3");
	meta = made_meta();
	meta.id[8] = 0xc7;
	expect(&meta, &m, FOLD_META_ID, "R-META-3");
	meta = made_meta();
	meta.flags = 64;
	expect(&meta, &m, FOLD_META_MODE, "R-VER-1");
	meta = made_meta();
	meta.sides = 4;
	expect(&meta, &m, FOLD_META_MODE, "R-VER-1");
}

TEST(mode_rules)
{
	struct fold_meta meta = made_meta();
	struct made m;

	made_counts(&m);
	expect(&meta, &m, FOLD_COUNTS, "R-META-6");
	made_batch(&m);
	meta.mode = FOLD_MODE_AGGREGATED;
	expect(&meta, &m, FOLD_SAMPLES, "R-META-6");
}

TEST(definition_rules)
{
	struct fold_meta meta = made_meta();
	struct made m;

	made_batch(&m);
	m.strings[9].size = 0;
	expect(&meta, &m, FOLD_STRINGS, "R-STR-3");
	made_batch(&m);
	m.modules[2].kind = FOLD_MODULE_KERNEL;
	m.batch.jitsyms.n = 0;
	expect(&meta, &m, FOLD_MODULES, "R-MOD-5");
	made_batch(&m);
	m.modules[1].flags = 1u << 7;
	expect(&meta, &m, FOLD_MODULES, "R-VER-1");
	made_batch(&m);
	m.ksyms[1].module = 1;
	expect(&meta, &m, FOLD_KSYMS, "R-SYM-1");
	made_batch(&m);
	m.jitsyms[0].module = 0;
	expect(&meta, &m, FOLD_JITSYMS, "R-SYM-1");
}

TEST(stack_rules)
{
	struct fold_meta meta = made_meta();
	struct made m;

	made_batch(&m);
	m.nodes[4].frame = frame_marker(FOLD_MARK_UNMAPPED); /* above it: the same */
	expect(&meta, &m, FOLD_USTACKS, "R-STK-5");
	made_batch(&m);
	m.nodes[6].frame = frame_marker(FOLD_MARK_REDACTED); /* above it: EXACT */
	expect(&meta, &m, FOLD_USTACKS, "R-STK-7");
	made_batch(&m);
	m.nodes[8].frame = frame_marker(FOLD_MARK_EXACT); /* a leaf */
	expect(&meta, &m, FOLD_USTACKS, "R-STK-7");
	made_batch(&m);
	m.nodes[8].frame = FOLD_MARKER | 4;
	expect(&meta, &m, 0, "R-STK-6");
}

TEST(weights_of_other_events)
{
	struct fold_meta meta = made_meta();
	struct made m;

	made_batch(&m);
	m.weight[1][0] = 1; /* of event 0, which has none */
	expect(&meta, &m, FOLD_SAMPLES, "R-SMP-3");
}

/* ---- the container */

TEST(unused_flags)
{
	struct buf file = {0};
	struct complaints c;
	uint8_t *header;

	made_recording(&file, -1, 0);
	header = file.at + file.size - FOLD_CHUNK_HEADER_SIZE;
	while (memcmp(header, FOLD_SYNC, 4))
		header--;
	header[7] = 0x10;
	le32_put(header + 28, crc32c(0, header, 28));
	c = check(&file);
	CHECK_EQ(c.n, 1);
	CHECK_STR(c.v[0].rule, "R-CHK-1");
	CHECK_EQ(c.v[0].offset, header - file.at);
	buf_release(&file);
}

/* NOTE "hi" as frames that ask for windows of 8 and 9 MiB. */
TEST(zstd_window)
{
	for (int over = 0; over < 2; over++) {
		const uint8_t frame[] = {
			0x28, 0xb5, 0x2f, 0xfd, 0x00, (uint8_t)(13 << 3 | over), 4 << 3 | 1, 0, 0, 1, 2, 'h', 'i',
		};
		struct chunk_header header = {
			.type = FOLD_NOTE, .codec = FOLD_ZSTD, .seq = 6, .stored_size = sizeof(frame), .raw_size = 4, .stored_crc = crc32c(0, frame, sizeof(frame)),
		};
		struct buf file = {0};
		struct complaints c;

		made_recording(&file, -1, 0);
		chunk_header_put(buf_extend(&file, FOLD_CHUNK_HEADER_SIZE), &header);
		buf_raw(&file, frame, sizeof(frame));
		c = check(&file);
		CHECK_EQ(c.n, over);
		if (over)
			CHECK_STR(c.v[0].rule, "R-CHK-6");
		buf_release(&file);
	}
}

TEST(segment_without_chunks)
{
	struct buf file = {0};
	struct complaints c;

	made_recording(&file, -1, 0);
	file_header_put(buf_extend(&file, FOLD_HEADER_SIZE));
	c = check(&file);
	CHECK_EQ(c.n, 1);
	CHECK_STR(c.v[0].rule, "R-ORD-1");
	CHECK_EQ(c.result.segments, 2);
	CHECK(!c.result.ended);
	buf_release(&file);
}

TEST(damage_and_stops_are_told)
{
	struct buf file = {0};
	struct complaints c;

	made_recording(&file, -1, 0);
	file.at[20] ^= 1;
	c = check(&file);
	CHECK_EQ(c.err, 0);
	CHECK_EQ(c.n, 3); /* the first META's header, that a number is missing, that END speaks of it */
	file.at[20] ^= 1;
	file.at[8] = 9;
	le32_put(file.at + 12, crc32c(0, file.at, 12));
	c = check(&file);
	CHECK_EQ(c.err, -1);
	CHECK_EQ(c.n, 1);
	CHECK_EQ(c.v[0].code, FOLD_E_VERSION);
	buf_release(&file);
}

/* Kinds of modules belong to a segment: ids start afresh in the next one. */
TEST(module_kinds_of_two_segments)
{
	struct buf file = {0};
	struct fold_meta meta = made_meta();
	struct complaints c;
	struct writer *w;
	struct made m;

	made_recording(&file, -1, 0);
	made_batch(&m);
	m.modules[0].kind = FOLD_MODULE_ELF;
	m.modules[2].kind = FOLD_MODULE_BPF;
	m.ksyms[0].module = 2;
	m.jitsyms[0].module = 0;
	if (writer_new(&w, made_sink(&file), NULL) || writer_meta(w, &meta) || writer_batch(w, &m.batch))
		abort();
	writer_free(w);
	c = check(&file);
	CHECK_EQ(c.n, 0);
	CHECK_EQ(c.result.samples, 10);
	buf_release(&file);
}

TEST_MAIN()
