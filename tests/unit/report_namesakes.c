/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes of the same name and number: whose are told apart, and how. */
#include "../../report/model/namesakes.h"

#include "test.h"

#define SECOND UINT64_C(1000000000)

enum { SEGMENTS = 4, ORIGINS = 3, PROCESSES = 8 };

/* Recordings of two files called "a", of a host "web1", and a merged one of "web2" and two without a label. */
struct scene {
	struct recording rec;
	struct rec_segment segments[SEGMENTS];
	struct rec_origin origins[ORIGINS];
	struct rec_process processes[PROCESSES];
	struct fold_label label;
};

static struct fold_bytes bytes(const char *text)
{
	return (struct fold_bytes){(const uint8_t *)text, strlen(text)};
}

static void scene_init(struct scene *s)
{
	static const char *const files[] = {"d/a.foldrec", "e/a.foldrec", "-", "/x/all.foldrec"};

	*s = (struct scene){.label = {bytes("host"), bytes("web2")}};
	s->rec = (struct recording){.nsegments = SEGMENTS, .segments = s->segments, .norigins = ORIGINS, .origins = s->origins, .processes = s->processes};
	for (uint32_t i = 0; i < SEGMENTS; i++) {
		s->segments[i].file = files[i];
		s->segments[i].meta.start = (struct fold_clock){.realtime = (1000 + i) * SECOND, .monotonic = (500 + i) * SECOND};
	}
	s->segments[2].meta.nlabels = 1;
	s->segments[2].meta.labels[0] = (struct fold_label){bytes("host"), bytes("web1")};
	for (uint32_t i = 0; i < ORIGINS; i++)
		s->origins[i].segment = 3;
	s->origins[0].nlabels = 1;
	s->origins[0].labels = &s->label;
}

static void add(struct scene *s, uint32_t segment, uint32_t origin, uint32_t comm, uint64_t start)
{
	s->processes[s->rec.nprocesses++] = (struct rec_process){.pid = 7, .comm = comm, .segment = segment, .origin = origin, .start = (int64_t)start};
}

static const char *tail(const struct scene *s, const struct namesakes *n, uint32_t process, char *to)
{
	CHECK_EQ(namesakes_tail(n, &s->rec, process, to, 512), strlen(to));
	return to;
}

static void expect(struct scene *s, bool threads, const char *const *want)
{
	struct namesakes n;
	char text[512];

	CHECK_EQ(namesakes_init(&n, &s->rec, threads), 0);
	for (uint32_t i = 0; i < s->rec.nprocesses; i++)
		CHECK_STR(tail(s, &n, i, text), want[i]);
	namesakes_release(&n);
}

TEST(each_host_has_its_own)
{
	static const char *const want[] = {"@a#1", "@a#2", "@web1", "@web2", "@all#2", "@all#3", ""};
	struct scene s;

	scene_init(&s);
	add(&s, 0, REC_NONE, 1, 0);
	add(&s, 1, REC_NONE, 1, 0);
	add(&s, 2, REC_NONE, 1, 0);
	add(&s, 3, 0, 1, 0);
	add(&s, 3, 1, 1, 0);
	add(&s, 3, 2, 1, 0);
	add(&s, 3, 2, 2, 0); /* has another name */
	expect(&s, false, want);
}

/* The clocks of both recordings say when it was started: 400 s after the epoch. */
TEST(one_process_in_two_recordings)
{
	static const char *const want[] = {"", ""};
	struct scene s;

	scene_init(&s);
	s.segments[1].meta.start.monotonic += 3 * SECOND; /* another clock, the same day */
	add(&s, 0, REC_NONE, 1, 400 * SECOND);
	add(&s, 1, REC_NONE, 1, 403 * SECOND + 1000);
	expect(&s, false, want);
}

TEST(the_same_number_was_used_again)
{
	static const char *const want[] = {"", ""};
	struct scene s;

	scene_init(&s);
	add(&s, 2, REC_NONE, 1, 400 * SECOND);
	add(&s, 2, REC_NONE, 1, 450 * SECOND);
	expect(&s, false, want);
}

TEST(threads_have_names_of_their_own)
{
	static const char *const want[] = {"@web1", "@web2"};
	struct scene s;

	scene_init(&s);
	add(&s, 2, REC_NONE, 1, 0);
	add(&s, 3, 0, 2, 0);
	expect(&s, true, want);
}

TEST(one_recording_has_nothing_to_tell_apart)
{
	struct namesakes n;
	struct scene s;
	char text[512];

	scene_init(&s);
	s.rec.nsegments = 1;
	s.rec.norigins = 0;
	add(&s, 0, REC_NONE, 1, 0);
	add(&s, 0, REC_NONE, 1, 1);
	CHECK_EQ(namesakes_init(&n, &s.rec, false), 0);
	CHECK(!n.has);
	CHECK_STR(tail(&s, &n, 1, text), "");
	namesakes_release(&n);
}

TEST_MAIN()
