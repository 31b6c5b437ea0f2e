/* SPDX-License-Identifier: BSD-2-Clause */
/* Two recordings side by side: scale, noise, what appeared and what is gone. */
#include "../../report/output/compare.h"
#include "output_fixture.h"
#include "test.h"

#define SIDES 2

static struct fixture f;
static struct rec_segment segments[SIDES];
static struct rec_process processes[SIDES];
static struct rec_thread threads[SIDES];
static struct rec_count counts[64];
static uint32_t leaves[64];
static const char *const files[SIDES] = {"before.foldrec", "now.foldrec"};

static void begin(void)
{
	fixture_init(&f);
	f.rec.ncounts = 0;
	for (uint32_t i = 0; i < SIDES; i++) {
		segments[i] = f.segment;
		segments[i].file = files[i];
		processes[i] = (struct rec_process){.segment = i};
		threads[i] = (struct rec_thread){.process = i};
	}
	segments[1].end.stop.monotonic = segments[1].meta.start.monotonic + 2 * UINT64_C(3000000000);
	f.rec.segments = segments, f.rec.nsegments = SIDES;
	f.rec.processes = processes, f.rec.nprocesses = SIDES;
	f.rec.threads = threads, f.rec.nthreads = SIDES;
	f.rec.counts = counts;
	f.tree.leaves = leaves;
	f.report.before = files[0];
}

/* sh;main;NAME, or sh;main;NAME;below: `before` and `now` samples. */
static void both(const char *name, const char *below, uint64_t before, uint64_t now)
{
	uint64_t n[SIDES] = {before, now};

	for (uint32_t side = 0; side < SIDES; side++) {
		uint32_t node = 0;

		if (!n[side])
			continue;
		if (below)
			STACK(&f, n[side], "sh", "main", name, below);
		else
			STACK(&f, n[side], "sh", "main", name);
		for (uint32_t i = 1; i < f.tree.nnodes; i++) /* the node it ended in */
			if (!strcmp(f.frames[f.nodes[i].frame].name, below ? below : name) &&
			    (!below || !strcmp(f.frames[f.nodes[f.nodes[i].parent].frame].name, name)))
				node = i;
		leaves[f.rec.ncounts] = node;
		counts[f.rec.ncounts++] = (struct rec_count){.thread = side, .kleaf = REC_NONE, .uleaf = 0, .count = n[side]};
	}
}

static void end(void)
{
	f.tree.leaves = NULL;
	fixture_release(&f);
}

TEST(the_change_is_on_top_and_noise_is_not)
{
	const char *first;

	begin();
	both("steady", NULL, 5000, 5040);
	both("slower", NULL, 2000, 2600);
	both("noisy", NULL, 100, 112);
	both("once", NULL, 0, 1);
	fixture_write(&f, "diff");
	first = strstr(f.text, "Own time (self), in %:\nbefore     now  points        module            function\n");
	CHECK(first != NULL);
	CHECK(first && strstr(first, "prog              slower\n") != NULL);
	CHECK(strstr(f.text, "noisy") == NULL && strstr(f.text, "once") == NULL);
	end();
}

TEST(what_appeared_and_what_is_gone_is_said)
{
	begin();
	both("steady", NULL, 5000, 5000);
	both("old", NULL, 300, 0);
	both("young", NULL, 0, 300);
	fixture_write(&f, "diff");
	CHECK(strstr(f.text, "  gone  prog              old\n") != NULL);
	CHECK(strstr(f.text, "  new   prog              young\n") != NULL);
	end();
}

TEST(sides_are_scaled)
{
	struct compare c;

	begin();
	both("a", NULL, 100, 400);
	both("b", NULL, 100, 400);
	CHECK_EQ(compare_init(&c, &f.report, 0), 0);
	CHECK(c.scale == 4 && c.whole.before == 800 && c.whole.now == 800);
	CHECK(compare_sigma(&c, c.whole) == 0);
	compare_release(&c);
	f.report.options.normalize = OUTPUT_NORMALIZE_TIME; /* the second recording ran twice as long */
	CHECK_EQ(compare_init(&c, &f.report, 0), 0);
	CHECK(c.scale == 2 && c.whole.before == 400);
	compare_release(&c);
	f.report.options.normalize = OUTPUT_NORMALIZE_NONE;
	CHECK_EQ(compare_init(&c, &f.report, 0), 0);
	CHECK(c.scale == 1 && c.whole.before == 200);
	compare_release(&c);
	end();
}

TEST(shares_near_all_scatter_less)
{
	struct compare c;

	begin();
	both("most", NULL, 900, 940);
	both("rest", NULL, 100, 60);
	CHECK_EQ(compare_init(&c, &f.report, 0), 0);
	for (size_t i = 0; i < f.tree.nframes; i++)
		if (!strcmp(f.frames[i].name, "most") || !strcmp(f.frames[i].name, "rest"))
			CHECK(compare_sigma(&c, c.frame_self[i]) * (f.frames[i].name[0] == 'm' ? 1 : -1) > COMPARE_SURE); /* one is the other's mirror */
	compare_release(&c);
	f.report.options.normalize = OUTPUT_NORMALIZE_NONE; /* 900 and 940 of something may be chance */
	CHECK_EQ(compare_init(&c, &f.report, 0), 0);
	for (size_t i = 0; i < f.tree.nframes; i++)
		if (!strcmp(f.frames[i].name, "most"))
			CHECK(compare_sigma(&c, c.frame_self[i]) < 1);
	compare_release(&c);
	end();
}

TEST(totals_count_a_stack_once)
{
	struct compare c;

	begin();
	both("f", "f", 10, 10); /* recursion */
	both("f", NULL, 5, 5);
	CHECK_EQ(compare_init(&c, &f.report, 0), 0);
	for (size_t i = 0; i < f.tree.nframes; i++)
		if (!strcmp(f.frames[i].name, "f"))
			CHECK(c.frame_total[i].now == 15 && c.frame_self[i].now == 15);
	compare_release(&c);
	end();
}

TEST(folded_has_two_columns)
{
	begin();
	both("a", NULL, 10, 20);
	both("b", NULL, 10, 0);
	both("c", NULL, 0, 20);
	f.report.options.normalize = OUTPUT_NORMALIZE_NONE;
	CHECK_STR(fixture_write(&f, "folded"), "sh;main;a 10 20\nsh;main;b 10 0\nsh;main;c 0 20\n");
	f.report.options.normalize = OUTPUT_NORMALIZE_SAMPLES;
	CHECK_STR(fixture_write(&f, "folded"), "sh;main;a 20 20\nsh;main;b 20 0\nsh;main;c 0 20\n");
	end();
}

TEST(the_picture_keeps_a_place_for_what_is_gone)
{
	begin();
	both("steady", NULL, 500, 500);
	both("old", NULL, 500, 0);
	both("young", NULL, 0, 500);
	fixture_write(&f, "svg");
	CHECK(strstr(f.text, "<g class=\"less3\" data-s=\"0 250000 3\"><title>old\nprog, 50.00 % before, 0.00 % now: -50.00 points") != NULL);
	CHECK(strstr(f.text, "<g class=\"more3\" data-s=\"750000 250000 3\"><title>young\n") != NULL);
	CHECK(strstr(f.text, "<g class=\"d0\" data-s=\"250000 500000 3\"><title>steady\n") != NULL);
	end();
}

/* As in total, so in what it calls: only its own share tells that it became slower. */
TEST(the_picture_tells_of_a_function_below_which_all_lies)
{
	begin();
	both("outer", NULL, 10, 300);
	both("outer", "inner", 990, 700);
	fixture_write(&f, "svg");
	CHECK(strstr(f.text, "<g class=\"more3\" data-s=\"0 1000000 3\"><title>outer\nprog, 100.00 % before, 100.00 % now: +0.00 points; self 1.00 % before, 30.00 % now: +29.00 points") != NULL);
	CHECK(strstr(f.text, "<g class=\"d0\" data-s=\"0 1000000 2\"><title>main") != NULL);
	end();
}

TEST(one_side_may_be_empty)
{
	begin();
	both("a", NULL, 0, 20);
	CHECK(strstr(fixture_write(&f, "diff"), "0 samples before, 20 samples now") != NULL);
	CHECK(strstr(f.text, "nan") == NULL && strstr(f.text, "inf") == NULL);
	CHECK(strstr(fixture_write(&f, "svg"), "nan") == NULL);
	end();
}

TEST_MAIN()
