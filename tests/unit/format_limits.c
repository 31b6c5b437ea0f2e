/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections that break a rule, each in one place: ranges, references, order, and
 * every limit at its number and one above.
 */
#include "format_hand.h"

TEST(records_ignore_what_follows)
{
	expect_record(FOLD_THREADS, UV(10), UV(zigzag(9), 2, 99, 77, 78, 79), FOLD_E_OK, NULL);
	expect_record(FOLD_PROCS, UV(10), UV(zigzag(9), 1, 99, 10, 10, 1), FOLD_E_OK, NULL);
	expect_record(FOLD_ACCOUNT, NOTHING, UV(1, 2, 3, 4, 5), FOLD_E_OK, NULL);
}

TEST(records_that_are_short)
{
	expect_record(FOLD_THREADS, UV(10), UV(zigzag(9), 2), FOLD_E_SECTION, "R-PAY-2");
	expect_record(FOLD_MODULES, UV(10, 40960), UV(2, 1, 1, 0, 0, 0, 0), FOLD_E_SECTION, "R-PAY-2");
	expect_record(FOLD_ACCOUNT, NOTHING, NOTHING, FOLD_E_SECTION, "R-PAY-2");
}

TEST(references)
{
	expect_record(FOLD_THREADS, UV(10), UV(zigzag(10), 2, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_THREADS, UV(10), UV(0, 2, 100), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(2, 0, 100, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(2, 0, 0, 11, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(2, 0, 0, 0, 11), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_PROCS, UV(10), UV(2, 0, 0, 10, 10), FOLD_E_OK, NULL);
	expect_record(FOLD_MMAPS, NOTHING, UV(zigzag(10), 1, 0, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_MMAPS, NOTHING, UV(zigzag(9), 1, 10, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_KSYMS, NOTHING, UV(10, 0, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_JITSYMS, NOTHING, UV(0, 0, 0, 100), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_MODULES, UV(10, 40960), UV(2, 100, 1, 0, 0, 0, 0, 0), FOLD_E_REFERENCE, "R-DEF-2");
	expect_record(FOLD_ACCOUNT, NOTHING, UV(2, 0, 0, 0), FOLD_E_REFERENCE, "R-ACC-1");
}

TEST(ranges)
{
	const uint64_t too_large = UINT64_C(1) << 32;

	expect_record(FOLD_THREADS, UV(10), UV(0, zigzag((int64_t)too_large), 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_PROCS, UV(10), UV(zigzag((int64_t)too_large), 0, 0, 0, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_PROCS, UV(10), UV(2, zigzag(INT64_MAX / 1000), 0, 0, 0), FOLD_E_OK, NULL);
	expect_record(FOLD_PROCS, UV(10), UV(2, zigzag(INT64_MAX / 1000 + 1), 0, 0, 0), FOLD_E_RANGE, "R-SMP-1");
	expect_record(FOLD_PROCS, UV(10), UV(2, zigzag(INT64_MIN / 1000 - 1), 0, 0, 0), FOLD_E_RANGE, "R-SMP-1");
	expect_record(FOLD_MMAPS, NOTHING, UV(0, 1, 0, FOLD_MAX_SPACE, FOLD_MAX_SPACE), FOLD_E_OK, NULL);
	expect_record(FOLD_MMAPS, NOTHING, UV(0, 1, 0, FOLD_MAX_SPACE + 1, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_MMAPS, NOTHING, UV(0, 1, 0, 0, FOLD_MAX_SPACE + 1), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_PROCS, UV(10), UV(zigzag(-1), 0, 0, 0, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_MMAPS, NOTHING, UV(zigzag(-1), 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_KSYMS, NOTHING, UV(0, FOLD_MAX_SPACE + 1, 0, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_KSYMS, NOTHING, UV(0, 1, 0, FOLD_MAX_SPACE + 1, 0), FOLD_E_RANGE, "R-INT-2");
	expect_record(FOLD_ACCOUNT, NOTHING, UV(0, 0, FOLD_MAX_CPUS, 0), FOLD_E_OK, NULL);
	expect_record(FOLD_ACCOUNT, NOTHING, UV(0, 0, FOLD_MAX_CPUS + 1, 0), FOLD_E_RANGE, "R-INT-2");
}

TEST(first_ids)
{
	expect_record(FOLD_THREADS, UV(9), UV(0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-1");
	expect_record(FOLD_THREADS, UV(11), UV(0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-1");
	expect_record(FOLD_PROCS, UV(UINT64_MAX), UV(0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-1");
	expect_record(FOLD_MODULES, UV(10, 36864), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_record(FOLD_MODULES, UV(10, 45056), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_record(FOLD_MODULES, UV(10, 40961), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
}

static void expect_torn(int section, const uint64_t *prefix, size_t nprefix, const uint64_t *v, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	defined_tear(&h.b.d.known);
	put(&h, false, prefix, nprefix);
	put(&h, true, v, n);
	hand_expect(&h, section, want, rule);
}

TEST(after_lost_chunks)
{
	expect_torn(FOLD_THREADS, UV(11), UV(0, 0, 0), FOLD_E_OK, NULL);
	expect_torn(FOLD_THREADS, UV(9), UV(0, 0, 0), FOLD_E_FIRST_ID, "R-DEF-4");
	expect_torn(FOLD_THREADS, UV(FOLD_MAX_THREADS + 1), UV(0, 0, 0), FOLD_E_LIMIT, "R-THR-2");
	expect_torn(FOLD_THREADS, UV(10), UV(zigzag(FOLD_MAX_PROCS - 1), 2, FOLD_MAX_STRINGS), FOLD_E_OK, NULL);
	expect_torn(FOLD_THREADS, UV(10), UV(zigzag(FOLD_MAX_PROCS), 2, 0), FOLD_E_REFERENCE, "R-LIM-2");
	expect_torn(FOLD_THREADS, UV(10), UV(0, 2, FOLD_MAX_STRINGS + 1), FOLD_E_REFERENCE, "R-LIM-2");
	expect_torn(FOLD_PROCS, UV(20), UV(2, 0, 0, FOLD_MAX_MODULES, 20), FOLD_E_OK, NULL);
	expect_torn(FOLD_PROCS, UV(20), UV(2, 0, 0, 0, 21), FOLD_E_REFERENCE, "R-DEF-2");
	expect_torn(FOLD_MODULES, UV(15, 409600), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_OK, NULL);
	expect_torn(FOLD_MODULES, UV(15, 409601), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_torn(FOLD_MODULES, UV(15, FOLD_MAX_SPACE + 4096), UV(2, 1, 1, 0, 0, 0, 0, 0), FOLD_E_FIRST_ID, "R-MOD-1");
	expect_torn(FOLD_ACCOUNT, NOTHING, UV(2, 0, 0, 0), FOLD_E_REFERENCE, "R-ACC-1");
}

/* ---- limits */

/* A section that defines one thing more than `known` of them. */
static void expect_last(int section, uint64_t known, const uint64_t *v, size_t n, bool record, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	h.b.d.known.next[section] = known;
	buf_uv(&h.content, known);
	if (section == FOLD_MODULES)
		buf_uv(&h.content, 40960);
	if (section == FOLD_KSTACKS || section == FOLD_USTACKS)
		put_stacks(&h, v, n);
	else
		put(&h, record, v, n);
	hand_expect(&h, section, want, rule);
}

TEST(limits_of_definitions)
{
	expect_last(FOLD_STRINGS, FOLD_MAX_STRINGS, UV(0), false, FOLD_E_OK, NULL);
	expect_last(FOLD_STRINGS, FOLD_MAX_STRINGS + 1, UV(0), false, FOLD_E_LIMIT, "R-STR-2");
	expect_last(FOLD_MODULES, FOLD_MAX_MODULES - 1, UV(2, 1, 1, 0, 0, 0, 0, 0), true, FOLD_E_OK, NULL);
	expect_last(FOLD_MODULES, FOLD_MAX_MODULES, UV(2, 1, 1, 0, 0, 0, 0, 0), true, FOLD_E_LIMIT, "R-MOD-4");
	expect_last(FOLD_PROCS, FOLD_MAX_PROCS - 1, UV(2, 0, 0, 0, 0), true, FOLD_E_OK, NULL);
	expect_last(FOLD_PROCS, FOLD_MAX_PROCS, UV(2, 0, 0, 0, 0), true, FOLD_E_LIMIT, "R-PRC-2");
	expect_last(FOLD_THREADS, FOLD_MAX_THREADS - 1, UV(0, 0, 0), true, FOLD_E_OK, NULL);
	expect_last(FOLD_THREADS, FOLD_MAX_THREADS, UV(0, 0, 0), true, FOLD_E_LIMIT, "R-THR-2");
	expect_last(FOLD_KSTACKS, FOLD_MAX_STACKS - 1, UV(0, 0, 0), false, FOLD_E_OK, NULL);
	expect_last(FOLD_KSTACKS, FOLD_MAX_STACKS, UV(0, 0, 0), false, FOLD_E_LIMIT, "R-STK-4");
	expect_last(FOLD_USTACKS, FOLD_MAX_STACKS, UV(0, 0, 0), false, FOLD_E_LIMIT, "R-STK-4");
}

static void expect_string(size_t size, uint64_t before, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	h.b.d.known.string_bytes = before;
	buf_uv(&h.content, 100);
	buf_uv(&h.content, size);
	memset(buf_extend(&h.content, size), 'x', size);
	hand_expect(&h, FOLD_STRINGS, want, rule);
}

TEST(limits_of_strings)
{
	expect_string(FOLD_MAX_STRING, 0, FOLD_E_OK, NULL);
	expect_string(FOLD_MAX_STRING + 1, 0, FOLD_E_LIMIT, "R-STR-1");
	expect_string(10, FOLD_MAX_STRINGS_BYTES - 10, FOLD_E_OK, NULL);
	expect_string(10, FOLD_MAX_STRINGS_BYTES - 9, FOLD_E_LIMIT, "R-STR-2");
}

/* A module with these ids and segments, and span. */
static void expect_module(size_t nids, size_t id_size, uint8_t id_byte, size_t nsegments, uint64_t span, enum fold_error want, const char *rule)
{
	struct hand h;
	size_t mark;

	hand_init(&h);
	put(&h, false, UV(10, 40960));
	mark = buf_open(&h.content);
	put(&h, false, UV(FOLD_MODULE_ELF, 1, span, 0, 3, 62, nids));
	for (size_t i = 0; i < nids; i++) {
		put(&h, false, UV(FOLD_ID_GNU, id_size));
		memset(buf_extend(&h.content, id_size), id_byte, id_size);
	}
	buf_uv(&h.content, nsegments);
	for (size_t i = 0; i < nsegments; i++)
		put(&h, false, UV(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX));
	buf_close(&h.content, mark);
	hand_expect(&h, FOLD_MODULES, want, rule);
}

TEST(limits_of_modules)
{
	expect_module(FOLD_MAX_IDS, FOLD_MAX_BUILD_ID, 1, FOLD_MAX_SEGMENTS, FOLD_MAX_SPACE - 40960, FOLD_E_OK, NULL);
	expect_module(FOLD_MAX_IDS + 1, 20, 1, 0, 0, FOLD_E_LIMIT, "R-MOD-2");
	expect_module(1, FOLD_MAX_BUILD_ID + 1, 1, 0, 0, FOLD_E_LIMIT, "R-MOD-2");
	expect_module(1, 0, 1, 0, 0, FOLD_E_RANGE, "R-MOD-2");
	expect_module(1, 20, 0, 0, 0, FOLD_E_RANGE, "R-MOD-2");
	expect_module(0, 0, 0, FOLD_MAX_SEGMENTS + 1, 0, FOLD_E_LIMIT, "R-MOD-3");
	expect_module(0, 0, 0, 0, FOLD_MAX_SPACE - 40959, FOLD_E_LIMIT, "R-MOD-4");
	expect_module(0, 0, 0, 0, UINT64_MAX, FOLD_E_LIMIT, "R-MOD-4");
}

/* Segments that are told but cannot be there are not allocated. */
TEST(segments_that_are_not_there)
{
	expect_record(FOLD_MODULES, UV(10, 40960), UV(2, 1, 1, 0, 0, 0, 0, 64, 1, 1, 1, 1), FOLD_E_SECTION, "R-PAY-2");
}

static uint64_t token(int64_t step)
{
	return zigzag(step) << 1;
}

static void expect_stacks(const uint64_t *v, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	buf_uv(&h.content, 10);
	put_stacks(&h, v, n);
	hand_expect(&h, FOLD_USTACKS, want, rule);
}

TEST(stacks_malformed)
{
	expect_stacks(UV(0, 1, 0, token(3999)), FOLD_E_OK, NULL);
	expect_stacks(UV(0, 1, 0, token(4000)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, token(4095)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, token(4096)), FOLD_E_OK, NULL);
	expect_stacks(UV(0, 1, 0, token(40960)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, token(-1)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 2, 0, token(100), token(-101)), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(0, 1, 0, UINT64_MAX - 1), FOLD_E_REFERENCE, "R-STK-3");
	expect_stacks(UV(1, 0, 0), FOLD_E_RANGE, "R-STK-1");
	expect_stacks(UV(0, 1, 0, token(1), 2, 0, 0), FOLD_E_RANGE, "R-STK-1");
	expect_stacks(UV(0, 1, 0, token(1), 1, 1, 0, token(1)), FOLD_E_OK, NULL);
	expect_stacks(UV(0, FOLD_MAX_FRAMES + 1, 0), FOLD_E_LIMIT, "R-STK-2");
	expect_stacks(UV(0, 1, 0, token(1), 1, FOLD_MAX_FRAMES, 0), FOLD_E_LIMIT, "R-STK-2");
	expect_stacks(UV(0, FOLD_MAX_FRAMES, 0), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_stacks(UV(0, 1, 0), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_stacks(UV(0, 1, UINT64_C(1) << 32, token(1)), FOLD_E_RANGE, "R-INT-2");
}

TEST(stacks_of_the_deepest_kind)
{
	uint64_t v[3 + FOLD_MAX_FRAMES + 3 * 1000] = {0, FOLD_MAX_FRAMES, 0};
	struct hand h;

	hand_init(&h);
	buf_uv(&h.content, 10);
	for (size_t i = 0; i < FOLD_MAX_FRAMES; i++)
		v[3 + i] = token(1);
	for (size_t i = 0; i < 1000; i++)
		memcpy(&v[3 + FOLD_MAX_FRAMES + 3 * i], (uint64_t[]){FOLD_MAX_FRAMES, 0, i + 1}, 3 * sizeof(*v));
	put_stacks(&h, v, sizeof(v) / sizeof(*v));
	CHECK_EQ(hand_decode(&h, &batch_sections, FOLD_USTACKS), FOLD_E_OK);
	/* Stacks that share everything cost no nodes. */
	CHECK_EQ(h.b.chunk.batch.ustacks.n, 1001);
	CHECK_EQ(h.b.chunk.batch.ustacks.nnodes, FOLD_MAX_FRAMES);
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(limit_of_nodes)
{
	struct hand h;

	hand_init(&h);
	h.b.d.known.nodes = FOLD_MAX_NODES - 1;
	buf_uv(&h.content, 10);
	put_stacks(&h, UV(0, 1, 0, token(1)));
	hand_expect(&h, FOLD_KSTACKS, FOLD_E_OK, NULL);
	hand_init(&h);
	h.b.d.known.nodes = FOLD_MAX_NODES - 1;
	buf_uv(&h.content, 10);
	put_stacks(&h, UV(0, 2, 0, token(1), token(1)));
	hand_expect(&h, FOLD_KSTACKS, FOLD_E_LIMIT, "R-STK-4");
}

TEST(markers)
{
	struct hand h;
	const struct fold_node *nodes;

	hand_init(&h);
	buf_uv(&h.content, 10);
	put_stacks(&h, UV(0, 5, 0, 1, 3, token(8), 7, 1999, 4, 1, 0, token(-7)));
	CHECK_EQ(hand_decode(&h, &batch_sections, FOLD_USTACKS), FOLD_E_OK);
	nodes = h.b.chunk.batch.ustacks.nodes;
	CHECK(nodes[0].frame == frame_marker(FOLD_MARK_UNMAPPED));
	CHECK(nodes[1].frame == frame_marker(FOLD_MARK_EXACT));
	CHECK_EQ(nodes[2].frame, 8);
	CHECK(nodes[3].frame == frame_marker(FOLD_MARK_OTHER));
	CHECK(nodes[4].frame == frame_marker(FOLD_MARK_OTHER));
	CHECK(h.b.d.high_marker);
	/* The step counts from the last module frame, beyond shared markers too. */
	CHECK_EQ(nodes[5].frame, 1);
	CHECK_EQ(nodes[5].parent, 3);
	buf_release(&h.content);
	bench_release(&h.b);
}

/* What a caller called last is expected, wherever it is called from. */
TEST(frames_that_are_expected)
{
	struct hand h;
	const struct fold_node *nodes;

	hand_init(&h);
	buf_uv(&h.content, 10);
	put_stacks(&h, UV(0, 3, 0, token(100), token(4100), token(10), /* 100, 4200, 4210 */
			  1, 2, 0, token(0), token(5),                 /* 4200, 4215 */
			  0, 3, 0, 1, token(4200), token(-1),          /* marker, 4200, 4214 */
			  0, 2, 0, token(1), token(1)));               /* 101, 102: nobody was called from there */
	CHECK_EQ(hand_decode(&h, &batch_sections, FOLD_USTACKS), FOLD_E_OK);
	nodes = h.b.chunk.batch.ustacks.nodes;
	CHECK_EQ(nodes[2].frame, 4210);
	CHECK_EQ(nodes[3].frame, 4200);
	CHECK_EQ(nodes[4].frame, 4215);
	CHECK_EQ(nodes[6].frame, 4200);
	CHECK_EQ(nodes[7].frame, 4214);
	CHECK_EQ(nodes[8].frame, 101);
	CHECK_EQ(nodes[9].frame, 102);
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(frames_after_lost_chunks)
{
	struct hand h;

	hand_init(&h);
	defined_tear(&h.b.d.known);
	buf_uv(&h.content, 10);
	put_stacks(&h, UV(0, 2, 0, token(4000), token(1 << 30)));
	hand_expect(&h, FOLD_USTACKS, FOLD_E_OK, NULL);
	hand_init(&h);
	defined_tear(&h.b.d.known);
	buf_uv(&h.content, 10);
	put_stacks(&h, UV(0, 2, 0, token((INT64_C(1) << 62) - 1), token(1)));
	hand_expect(&h, FOLD_USTACKS, FOLD_E_REFERENCE, "R-STK-3");
}

/* ---- columns */

struct column {
	uint64_t id;
	const uint64_t *v;
	size_t n;
};

static void expect_columns(int section, uint64_t rows, const struct column *columns, size_t n, enum fold_error want, const char *rule)
{
	struct hand h;

	hand_init(&h);
	if (section == FOLD_COUNTS)
		put(&h, false, UV(0, 0));
	buf_uv(&h.content, rows);
	for (size_t i = 0; i < n; i++) {
		buf_uv(&h.content, columns[i].id);
		put(&h, true, columns[i].v, columns[i].n);
	}
	hand_expect(&h, section, want, rule);
}
#define COLUMNS(...) (struct column[]){__VA_ARGS__}, sizeof((struct column[]){__VA_ARGS__}) / sizeof(struct column)
#define ROW_TIME {FOLD_COL_TIME, UV(0, 2)}
#define ROW_THREAD {FOLD_COL_THREAD, UV(0, 0)}
#define ROW_COUNT {FOLD_COL_COUNT, UV(1, 1)}

TEST(columns_missing_twice_unknown)
{
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {64, UV(9)}, {65, NOTHING}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME), FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_THREAD), FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_SAMPLES, 0, NULL, 0, FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_SAMPLES, 0, COLUMNS({FOLD_COL_TIME, NOTHING}, {FOLD_COL_THREAD, NOTHING}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_TIME, ROW_THREAD), FOLD_E_COLUMN_TWICE, "R-COL-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_THREAD, ROW_TIME), FOLD_E_COLUMN_TWICE, "R-COL-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({0, NOTHING}), FOLD_E_COLUMN_TWICE, "R-COL-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, ROW_COUNT), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {63, UV(0, 0)}), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_THREAD, ROW_COUNT), FOLD_E_OK, NULL);
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_THREAD), FOLD_E_COLUMN_MISSING, "R-COL-3");
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_TIME, ROW_THREAD), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
	expect_columns(FOLD_COUNTS, 2, COLUMNS({FOLD_COL_CPU, UV(0, 0)}), FOLD_E_COLUMN_UNKNOWN, "R-COL-5");
}

TEST(columns_of_other_length)
{
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(0)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(0, 1, 2)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(300)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(1)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(0, 0, 0)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_WEIGHT, UV(7)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, 0, COLUMNS({FOLD_COL_TIME, UV(0)}), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, FOLD_MAX_ROWS, COLUMNS(ROW_TIME), FOLD_E_COLUMN_LENGTH, "R-COL-2");
	expect_columns(FOLD_SAMPLES, FOLD_MAX_ROWS + 1, COLUMNS(ROW_TIME), FOLD_E_LIMIT, "R-COL-4");
	expect_columns(FOLD_COUNTS, UINT64_MAX, COLUMNS(ROW_THREAD), FOLD_E_LIMIT, "R-COL-4");
}

TEST(columns_out_of_range)
{
	const uint64_t most = INT64_MAX / 1000;

	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(zigzag(INT64_MIN / 1000), zigzag(2 * most))}, ROW_THREAD), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(zigzag(INT64_MIN / 1000 - 1), 0)}), FOLD_E_RANGE, "R-SMP-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(0, zigzag(most + 1))}), FOLD_E_RANGE, "R-SMP-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS({FOLD_COL_TIME, UV(2, zigzag(INT64_MAX))}), FOLD_E_RANGE, "R-SMP-1");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(0, FOLD_MAX_CPUS - 1)}, ROW_THREAD), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(FOLD_MAX_CPUS, 0)}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_CPU, UV(UINT64_C(1) << 32, 0)}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(zigzag(9), zigzag(1))}), FOLD_E_REFERENCE, "R-DEF-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(zigzag(-1), zigzag(1))}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, {FOLD_COL_THREAD, UV(zigzag(1), zigzag(INT64_MIN))}), FOLD_E_RANGE, "R-INT-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_KSTACK, UV(zigzag(10), zigzag(-10))}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_KSTACK, UV(zigzag(11), 0)}), FOLD_E_REFERENCE, "R-DEF-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_USTACK, UV(zigzag(11), 0)}), FOLD_E_REFERENCE, "R-DEF-2");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_EVENT, UV(1, 2)}), FOLD_E_REFERENCE, "R-SMP-4");
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_WEIGHT + 1, UV(UINT64_MAX, 2)}), FOLD_E_OK, NULL);
	expect_columns(FOLD_SAMPLES, 2, COLUMNS(ROW_TIME, ROW_THREAD, {FOLD_COL_WEIGHT + 2, UV(1, 2)}), FOLD_E_RANGE, "R-SMP-2");
	expect_columns(FOLD_COUNTS, 2, COLUMNS({FOLD_COL_THREAD, UV(zigzag(1), zigzag(-1))}), FOLD_E_ORDER, "R-CNT-2");
	expect_columns(FOLD_COUNTS, 2, COLUMNS(ROW_THREAD, {FOLD_COL_COUNT, UV(1, 0)}), FOLD_E_RANGE, "R-CNT-3");
}

TEST(counts_interval)
{
	static const struct {
		int64_t from, to;
		enum fold_error want;
		const char *rule;
	} cases[] = {
		{-1, -1, FOLD_E_OK, NULL}, {0, -1, FOLD_E_RANGE, "R-CNT-1"}, {INT64_MIN / 1000 - 1, 0, FOLD_E_RANGE, "R-SMP-1"},
		{0, INT64_MAX / 1000 + 1, FOLD_E_RANGE, "R-SMP-1"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hand h;

		hand_init(&h);
		put(&h, false, UV(zigzag(cases[i].from), zigzag(cases[i].to), 0, FOLD_COL_THREAD, 0, FOLD_COL_COUNT, 0));
		hand_expect(&h, FOLD_COUNTS, cases[i].want, cases[i].rule);
	}
}

/* ---- META and the small chunks */

static void expect_meta(const struct fold_meta *meta, enum fold_error want, const char *rule)
{
	struct buf payload = {0};
	struct bench b;

	sections_encode(&meta_sections, meta, ALL_SECTIONS, 0, &payload);
	bench_init(&b);
	CHECK_EQ(decode(&b, &meta_sections, payload.at, payload.size), want);
	if (want)
		CHECK_STR(b.d.rule, rule);
	bench_release(&b);
	buf_release(&payload);
}

TEST(meta_refused)
{
	static uint8_t name[FOLD_MAX_STRING + 1];
	struct fold_meta meta = made_meta();

	meta.draft = FOLD_DRAFT + 1;
	expect_meta(&meta, FOLD_E_DRAFT, "R-META-2");
	meta = made_meta(), meta.tick_ns = 0;
	expect_meta(&meta, FOLD_E_RANGE, "R-META-4");
	meta.tick_ns = 1000000000;
	expect_meta(&meta, FOLD_E_OK, NULL);
	meta.tick_ns++;
	expect_meta(&meta, FOLD_E_RANGE, "R-META-4");
	meta = made_meta(), meta.word_bytes = 5;
	expect_meta(&meta, FOLD_E_RANGE, "R-META-5");
	meta = made_meta(), meta.nevents = 0;
	expect_meta(&meta, FOLD_E_LIMIT, "R-META-7");
	meta = made_meta(), meta.nevents = FOLD_MAX_EVENTS;
	expect_meta(&meta, FOLD_E_OK, NULL);
	meta = made_meta(), meta.kernel_release = (struct fold_bytes){name, FOLD_MAX_STRING};
	expect_meta(&meta, FOLD_E_OK, NULL);
	meta.kernel_release.size++;
	expect_meta(&meta, FOLD_E_LIMIT, "R-LIM-1");
	meta = made_meta(), meta.events[1].weights[1].name = (struct fold_bytes){name, sizeof(name)};
	expect_meta(&meta, FOLD_E_LIMIT, "R-LIM-1");
}

/* `n` events of `nweights` weights. */
static void expect_events(size_t n, size_t nweights, enum fold_error want)
{
	struct hand h;

	hand_init(&h);
	for (size_t i = 0; i < n; i++) {
		size_t mark = buf_open(&h.content);

		put(&h, false, UV(FOLD_EVENT_OTHER, 0, 0, 0, 0, nweights));
		for (size_t w = 0; w < nweights; w++)
			put(&h, false, UV(0, FOLD_UNIT_NS));
		buf_close(&h.content, mark);
	}
	CHECK_EQ(hand_decode(&h, &meta_sections, FOLD_META_EVENTS), want);
	if (want == FOLD_E_LIMIT)
		CHECK_STR(h.b.d.rule, "R-META-7");
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(limits_of_events)
{
	/* The other sections are missing, which is found when all else is good. */
	expect_events(FOLD_MAX_EVENTS, FOLD_MAX_WEIGHTS, FOLD_E_SECTION_MISSING);
	expect_events(FOLD_MAX_EVENTS + 1, 0, FOLD_E_LIMIT);
	expect_events(1, FOLD_MAX_WEIGHTS + 1, FOLD_E_LIMIT);
	expect_events(0, 0, FOLD_E_LIMIT);
}

TEST(end_for_other_events)
{
	struct fold_end end = made_end();
	struct buf payload = {0};
	struct bench b;

	end.nevents = 1;
	sections_encode(&end_sections, &end, ALL_SECTIONS, 0, &payload);
	bench_init(&b);
	CHECK_EQ(decode(&b, &end_sections, payload.at, payload.size), FOLD_E_RANGE);
	CHECK_STR(b.d.rule, "R-END-2");
	bench_release(&b);
	buf_release(&payload);
}

static void expect_note(size_t size, enum fold_error want)
{
	struct hand h;

	hand_init(&h);
	memset(buf_extend(&h.content, size), 'n', size);
	CHECK_EQ(hand_decode(&h, &note_sections, FOLD_NOTE_TEXT), want);
	if (!want)
		CHECK_EQ(h.b.chunk.note.text.size, size);
	else
		CHECK_STR(h.b.d.rule, "R-NOTE-1");
	buf_release(&h.content);
	bench_release(&h.b);
}

TEST(limit_of_notes)
{
	expect_note(FOLD_MAX_STRING, FOLD_E_OK);
	expect_note(FOLD_MAX_STRING + 1, FOLD_E_LIMIT);
}

/* Strings of SYMBOLS count for themselves, lost chunks or not. */
static void expect_symbols(uint64_t first_id, uint64_t name, uint64_t module, enum fold_error want, const char *rule)
{
	struct fold_bytes strings[] = {made_bytes("main")};
	struct fold_sym syms[] = {{.module = module, .name = name}};
	struct fold_symbols symbols = {{first_id, 1, strings}, {1, syms}};
	struct buf payload = {0};

	for (int torn = 0; torn < 2; torn++) {
		struct hand h;

		hand_init(&h);
		if (torn)
			defined_tear(&h.b.d.known);
		buf_reset(&payload);
		sections_encode(&symbols_sections, &symbols, ALL_SECTIONS, 0, &payload);
		CHECK_EQ(decode(&h.b, &symbols_sections, payload.at, payload.size), want);
		if (want) /* after a loss only the limit can be exceeded */
			CHECK_STR(h.b.d.rule, torn && !strcmp(rule, "R-DEF-2") ? "R-LIM-2" : rule);
		bench_release(&h.b);
	}
	buf_release(&payload);
}

TEST(symbols_have_strings_of_their_own)
{
	expect_symbols(1, 1, 9, FOLD_E_OK, NULL);
	expect_symbols(1, 0, 9, FOLD_E_OK, NULL);
	expect_symbols(2, 1, 9, FOLD_E_FIRST_ID, "R-SYMB-1");
	expect_symbols(100, 1, 9, FOLD_E_FIRST_ID, "R-SYMB-1");
	expect_symbols(1, 2, 9, FOLD_E_REFERENCE, "R-SYMB-1");
	expect_symbols(1, 1, FOLD_MAX_MODULES, FOLD_E_REFERENCE, "R-DEF-2");
}

TEST_MAIN()
