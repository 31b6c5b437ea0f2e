/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of a crew begin and end alone and in order, and their work runs side by side. */
#include "../../report/symbols/crew.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "test.h"

#define JOBS 200

struct seen {
	size_t begun, ended;
	bool out_of_order, early;
	atomic_bool alone_broken;
	atomic_int inside; /* of begin or end */
	atomic_int working, most;
	bool meet; /* work does not end before there was other work beside it */
	bool worked[JOBS];
};

static void enter(struct seen *s)
{
	if (atomic_fetch_add(&s->inside, 1))
		atomic_store(&s->alone_broken, true);
}

static void begin(void *state, size_t i)
{
	struct seen *s = state;

	enter(s);
	s->out_of_order |= s->begun++ != i;
	atomic_fetch_sub(&s->inside, 1);
}

/* Early jobs take longest, so that later ones have to wait for them. */
static void work(void *state, size_t i)
{
	struct seen *s = state;
	int now = atomic_fetch_add(&s->working, 1) + 1, most = atomic_load(&s->most);

	while (now > most && !atomic_compare_exchange_weak(&s->most, &most, now))
		;
	usleep(i % 8 ? 10 : 2000);
	for (int ms = 0; s->meet && atomic_load(&s->most) < 2 && ms < 60000; ms++)
		usleep(1000);
	s->worked[i] = true;
	atomic_fetch_sub(&s->working, 1);
}

static void end(void *state, size_t i)
{
	struct seen *s = state;

	enter(s);
	s->out_of_order |= s->ended++ != i;
	s->early |= !s->worked[i];
	atomic_fetch_sub(&s->inside, 1);
}

static void run(struct seen *s, size_t n, size_t most, bool meet)
{
	*s = (struct seen){.meet = meet};
	crew_run(&(struct crew_job){begin, work, end, s}, n, most);
}

TEST(begin_and_end_are_alone_and_in_order)
{
	struct seen s;

	run(&s, JOBS, CREW_MAX, false);
	CHECK_EQ(s.begun, JOBS);
	CHECK_EQ(s.ended, JOBS);
	CHECK(!s.out_of_order);
	CHECK(!s.early);
	CHECK(!atomic_load(&s.alone_broken));
}

TEST(work_runs_side_by_side_where_there_are_cpus)
{
	cpu_set_t set;
	struct seen s;
	int cpus = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	run(&s, JOBS, CREW_MAX, cpus > 1);
	CHECK(atomic_load(&s.most) <= CREW_MAX);
	CHECK_EQ(atomic_load(&s.most) > 1, cpus > 1);
}

TEST(one_thread_does_all_when_no_more_are_wanted)
{
	struct seen s;

	run(&s, JOBS, 1, false);
	CHECK_EQ(s.ended, JOBS);
	CHECK_EQ(atomic_load(&s.most), 1);
}

TEST(no_jobs)
{
	struct seen s;

	run(&s, 0, CREW_MAX, false);
	CHECK_EQ(s.begun, 0);
}

TEST_MAIN()
