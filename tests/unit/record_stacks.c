/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks and sums: ids that come alone, forgetting, depth, counts, losses. */
#include "test.h"
#include "session_fixture.h"

#define A UINT64_C(0x555500000000)

static struct event user_sample(struct fix *f, uint64_t id, const uint64_t *words, uint32_t n)
{
	struct event e = fix_event(f, EVENT_SAMPLE, 10, 10);

	e.sample.user = (struct event_stack){.id = id, .words = words, .n = n};
	e.sample.flags = EVENT_USER_MODE;
	f->taken++;
	return e;
}

static void begin(struct fix *f, const struct session_options *o)
{
	fix_begin(f, o, NULL);
	fix_exec(f, 10, 1, "x", "/x", A);
}

TEST(id_alone)
{
	uint64_t words[] = {A + 1, A + 2};
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, NULL);
	e = user_sample(&f, 5, words, 2);
	fix_send(&f, &e);
	e = user_sample(&f, 5, NULL, 0);
	fix_send(&f, &e);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	e = user_sample(&f, 5, NULL, 0);
	fix_send(&f, &e);
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 3);
	CHECK_EQ(b->nstacks[1], 1);
	for (size_t i = 0; i < 3; i++)
		CHECK_STR(back_row(b, i), "x 10/10 /x+0x1002;/x+0x1001 -");
	back_free(b);
}

TEST(id_that_never_came)
{
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, NULL);
	e = user_sample(&f, 5, NULL, 0);
	fix_send(&f, &e);
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 0);
	CHECK_EQ(b->account[0][FOLD_LOST_STACK_ID], 1);
	CHECK_EQ(b->end.totals[0].lost, 1);
	back_free(b);
}

/* Another CPU sent the stack after this one took its time, and before it asked. */
TEST(id_that_comes_late)
{
	uint64_t words[] = {A + 1, A + 2}, kernel[] = {FIX_KERNEL + 1};
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, NULL);
	e = user_sample(&f, 5, NULL, 0);
	e.sample.kernel = (struct event_stack){.id = 6, .words = kernel, .n = 1};
	fix_send(&f, &e);
	f.time += 5000;
	fix_mmap(&f, 10, A, 0x10000, 0, "/later", 3);
	fix_comm(&f, 10, 10, "later", false);
	e = user_sample(&f, 5, words, 2);
	e.sample.kernel = (struct event_stack){.id = 6};
	fix_send(&f, &e);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	e = user_sample(&f, 7, NULL, 0);
	fix_send(&f, &e);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	e = user_sample(&f, 7, words, 1);
	fix_send(&f, &e);
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 4);
	CHECK(strstr(back_row(b, 0), "x 10/10 /x+0x1002;/x+0x1001 [kernel]+0x") != NULL);
	CHECK(strstr(back_row(b, 1), "later 10/10 /later+0x2;/later+0x1 [kernel]+0x") != NULL);
	CHECK_EQ(b->account[0][FOLD_LOST_STACK_ID], 0);
	back_free(b);
}

TEST(same_id_after_new_mappings)
{
	uint64_t words[] = {A + 0x10001};
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, NULL);
	e = user_sample(&f, 5, words, 1);
	fix_send(&f, &e);
	fix_mmap(&f, 10, A + 0x10000, 0x1000, 0, "/y", 3);
	e = user_sample(&f, 5, NULL, 0);
	fix_send(&f, &e);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 10/10 ? -");
	CHECK_STR(back_row(b, 1), "x 10/10 /y+0x1 -");
	back_free(b);
}

TEST(forgetting_in_two_steps)
{
	struct session_options tight = {.paths = SESSION_PATHS_FULL, .max_stack_bytes = 1};
	uint64_t words[] = {A + 1}, others[] = {A + 2};
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, &tight);
	e = user_sample(&f, 5, words, 1);
	fix_send(&f, &e);
	CHECK(session_wants_forget(f.session));
	session_forget(f.session);
	CHECK(!session_wants_forget(f.session));
	e = user_sample(&f, 5, NULL, 0); /* was under way */
	fix_send(&f, &e);
	e = user_sample(&f, 6, others, 1);
	fix_send(&f, &e);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	session_forget(f.session);
	e = user_sample(&f, 6, NULL, 0);
	fix_send(&f, &e);
	e = user_sample(&f, 5, NULL, 0); /* too late */
	fix_send(&f, &e);
	e = user_sample(&f, 8, words, 1);
	fix_send(&f, &e);
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 5);
	CHECK_STR(back_row(b, 1), "x 10/10 /x+0x1001 -");
	CHECK_STR(back_row(b, 3), "x 10/10 /x+0x1002 -");
	CHECK_STR(back_row(b, 4), "x 10/10 /x+0x1001 -");
	CHECK_EQ(b->account[0][FOLD_LOST_STACK_ID], 1);
	/* forgotten ones are defined again */
	CHECK_EQ(b->nstacks[1], 4);
	back_free(b);
}

TEST(depth_limit)
{
	uint64_t words[2000];
	struct event e;
	struct fix f;
	struct back *b;

	for (size_t i = 0; i < 2000; i++)
		words[i] = A + 1 + i;
	begin(&f, NULL);
	e = user_sample(&f, 5, words, 15); /* the limit is 16 */
	fix_send(&f, &e);
	e = user_sample(&f, 6, words, 16);
	fix_send(&f, &e);
	e = user_sample(&f, 7, words, 2000);
	e.sample.user.end = FOLD_STACK_END_ROOT;
	fix_send(&f, &e);
	e = user_sample(&f, 8, words, 16);
	e.sample.user.end = FOLD_STACK_END_ROOT;
	fix_send(&f, &e);
	b = fix_end(&f);
	CHECK_EQ(b->account[0][FOLD_NOTE_DEPTH], 2);
	CHECK_EQ(b->nstacks[1], 4);
	for (size_t i = 0; i < 4; i++) {
		size_t frames = 1;

		for (const char *p = b->stacks[1][i]; (p = strchr(p, ';')); p++)
			frames++;
		CHECK(frames <= FOLD_MAX_FRAMES);
		if (frames == 15)
			CHECK_EQ(b->ends[1][i], FOLD_STACK_END_UNKNOWN);
	}
	back_free(b);
}

TEST(sides_that_are_missing)
{
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, NULL);
	e = user_sample(&f, 0, NULL, 0);   /* user mode without a stack: the ip is left */
	e.sample.ip = A + 4;
	fix_send(&f, &e);
	e = user_sample(&f, 0, NULL, 0);   /* in the kernel, and no stack of either side */
	e.sample.flags = 0;
	e.sample.ip = FIX_KERNEL;
	fix_send(&f, &e);
	e = user_sample(&f, 0, NULL, 0);
	e.sample.flags = EVENT_KTHREAD;
	e.sample.ip = 0;
	fix_send(&f, &e);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 10/10 /x+0x1004 -");
	CHECK(strstr(back_row(b, 1), "x 10/10 - [kernel]+0x") != NULL);
	CHECK_STR(back_row(b, 2), "x 10/10 - -");
	CHECK_EQ(b->account[0][FOLD_NOTE_NO_USTACK], 2);
	CHECK_EQ(b->account[0][FOLD_NOTE_NO_KSTACK], 2);
	CHECK_EQ(b->account[0][FOLD_NOTE_KTHREAD], 1);
	back_free(b);
}

TEST(sums_close)
{
	struct session_summary sum;
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, NULL);
	SAMPLE(&f, 10, 10, A + 1);
	e = fix_event(&f, EVENT_LOST, 0, 0);
	e.lost.records = 7;
	fix_send(&f, &e);
	session_account(f.session, 0, 1, FOLD_LOST_RING, 3);
	session_account(f.session, 0, 2, FOLD_LOST_RING, 2);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	session_account(f.session, 0, 2, FOLD_LOST_RING, 4);
	session_account(f.session, 1, 2, FOLD_TAKEN, 2);
	e = fix_event(&f, EVENT_SAMPLE, 10, 10);
	e.sample.event = 9; /* there are two */
	fix_send(&f, &e);
	f.taken += 10;
	session_summary(f.session, &sum);
	CHECK_EQ(sum.written, 1);
	CHECK_EQ(sum.losses[FOLD_LOST_RING], 7);
	b = fix_end(&f);
	CHECK_EQ(b->account[0][FOLD_LOST_RING], 7);
	CHECK_EQ(b->account[0][FOLD_LOST_MALFORMED], 1);
	CHECK_EQ(b->account[0][FOLD_LOST_KERNEL], 2);
	CHECK_EQ(b->account[1][FOLD_LOST_KERNEL], 2);
	CHECK_EQ(b->account[0][FOLD_NOTE_SIDEBAND], 2);
	CHECK_EQ(b->account[0][FOLD_TAKEN], 11);
	back_free(b);
}

static void count(struct fix *f, uint32_t tid, const char *comm, uint64_t id, const uint64_t *words, uint64_t first, uint64_t n)
{
	struct event e = fix_event(f, EVENT_COUNT, 10, tid);

	e.sample.user = (struct event_stack){.id = id, .words = words, .n = 1};
	e.sample.flags = EVENT_USER_MODE;
	e.sample.count = n;
	e.sample.first = first;
	e.sample.last = f->time;
	memcpy(e.sample.comm, comm, strlen(comm));
	f->taken += n;
	fix_send(f, &e);
}

TEST(counts_of_an_interval)
{
	struct session_options aggregate = {.aggregate = true, .paths = SESSION_PATHS_FULL};
	uint64_t one[] = {A + 1}, two[] = {A + 2};
	uint64_t before, between;
	struct event e;
	struct fix f;
	struct back *b;

	begin(&f, &aggregate);
	before = f.time++;
	fix_comm(&f, 10, 10, "y", true);
	fix_mmap(&f, 10, A, 0x10000, 0x1000, "/y", 8);
	between = f.time++;
	fix_mmap(&f, 10, A, 0x10000, 0x1000, "/z", 9);
	/* what was counted comes when all that is over */
	fix_exit(&f, 10, 10);
	count(&f, 10, "y", 5, one, f.time, 100);
	count(&f, 10, "x", 5, one, before, 20);
	count(&f, 10, "x", 6, two, before, 3);
	count(&f, 10, "y", 5, one, between, 4000);
	count(&f, 10, "y", 5, one, between, 1);
	e = fix_event(&f, EVENT_SAMPLE, 10, 10); /* escaped */
	e.sample.user = (struct event_stack){.id = 5, .words = one, .n = 1};
	e.sample.flags = EVENT_USER_MODE | EVENT_ESCAPED;
	f.taken++;
	fix_send(&f, &e);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 4);
	for (size_t i = 0; i < b->nrows; i++) {
		const char *row = back_row(b, i);

		if (!strcmp(row, "x 10/10 /x+0x1001 -"))
			CHECK_EQ(b->rows[i].count, 20);
		else if (!strcmp(row, "x 10/10 /x+0x1002 -"))
			CHECK_EQ(b->rows[i].count, 3);
		else if (!strcmp(row, "y 10/10 /y+0x1001 -"))
			CHECK_EQ(b->rows[i].count, 4001);
		else if (!strcmp(row, "y 10/10 /z+0x1001 -"))
			CHECK_EQ(b->rows[i].count, 101);
		else
			CHECK_STR(row, "none of these");
	}
	CHECK_EQ(b->account[0][FOLD_NOTE_ESCAPED], 1);
	CHECK_EQ(b->end.totals[0].written, 4125);
	back_free(b);
}

static void check_chunks(const struct fix *f)
{
	struct memory_source memory = {f->at, f->at + f->size}, again = memory;
	struct check_result result = {0};
	struct fold_item item;
	struct reader *r;

	CHECK_EQ(check_recording(source_memory(&memory), back_violation, NULL, &result), 0);
	CHECK_EQ(result.violations, 0);
	CHECK_EQ(result.samples, 60000);
	CHECK(result.chunks > 6);
	CHECK_EQ(reader_new(&r, source_memory(&again), NULL), 0);
	while (!reader_next(r, &item) && item.kind != FOLD_ITEM_END_OF_FILE)
		CHECK(item.raw_size <= FOLD_MAX_RAW_WRITER);
	reader_free(r);
}

TEST(big_batches_are_cut)
{
	static const char *const modes[] = {"events", "counts"};

	for (int mode = 0; mode < 2; mode++) {
		struct session_options o = {.aggregate = mode == 1, .paths = SESSION_PATHS_FULL};
		uint64_t words[16];
		struct fold_end end = {0};
		struct fix f;

		begin(&f, &o);
		for (uint64_t i = 0; i < 60000; i++) {
			struct event e = fix_event(&f, mode ? EVENT_COUNT : EVENT_SAMPLE, 10, 10 + (uint32_t)(i % 5000));

			for (size_t w = 0; w < 16; w++)
				words[w] = A + 1 + (i * 7919 + w * 104729) % 60000;
			e.sample.user = (struct event_stack){.id = i + 1, .words = words, .n = 16};
			e.sample.flags = EVENT_USER_MODE;
			e.sample.count = 1;
			e.sample.first = e.time;
			fix_send(&f, &e);
		}
		CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
		session_account(f.session, 0, 0, FOLD_TAKEN, 60000);
		end.stop.monotonic = f.time;
		CHECK_EQ(session_finish(f.session, &end), 0);
		CHECK_EQ(end.totals[0].written, 60000);
		CHECK_EQ(end.totals[0].lost, 0);
		check_chunks(&f);
		if (test_failures)
			fprintf(stderr, "mode %s\n", modes[mode]);
		session_free(f.session);
		writer_free(f.writer);
		tree_remove(&f.tree);
		free(f.at);
	}
}
TEST_MAIN()
