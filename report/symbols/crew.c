/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One lock orders begin and end; work holds none.  A thread that is done with its
 * work waits for its turn to end, so at most CREW_MAX jobs are under way.
 */
#include "crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>

struct crew {
	const struct crew_job *job;
	size_t n, begun, ended;
	pthread_mutex_t lock;
	pthread_cond_t turn;
};

static void *run(void *state)
{
	struct crew *c = state;

	pthread_mutex_lock(&c->lock);
	while (c->begun < c->n) {
		size_t i = c->begun++;

		c->job->begin(c->job->state, i);
		pthread_mutex_unlock(&c->lock);
		c->job->work(c->job->state, i);
		pthread_mutex_lock(&c->lock);
		while (c->ended != i)
			pthread_cond_wait(&c->turn, &c->lock);
		c->job->end(c->job->state, i);
		c->ended++;
		pthread_cond_broadcast(&c->turn);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static size_t cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n > 0 ? (size_t)n : 1;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

void crew_run(const struct crew_job *job, size_t n, size_t most)
{
	struct crew crew = {.job = job, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};
	size_t wanted = least(least(n, most), least(cpus(), CREW_MAX)), others = 0;
	pthread_t threads[CREW_MAX];
	sigset_t all, before;

	sigfillset(&all); /* signals are for the thread that was there before */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (others + 1 < wanted && !pthread_create(&threads[others], NULL, run, &crew))
		others++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	run(&crew);
	while (others)
		pthread_join(threads[--others], NULL);
	pthread_cond_destroy(&crew.turn);
	pthread_mutex_destroy(&crew.lock);
}
