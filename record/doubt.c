/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * After the kernel dropped records nobody knows which: an exec, a mapping, an
 * exit whose pid is used again.  So each process is compared with /proc when its
 * next sample comes, and replaced when it turns out to be another one.
 */
#include "session_state.h"
#include "census.h"

#include <string.h>

#define START_SLACK_NS 30000000 /* /proc tells start times in ticks of 10 ms */

struct doubt {
	struct session *s;
	struct process *p;
	bool compared; /* the image was: what follows are facts about it */
};

static bool same_life(const struct process *p, int64_t start)
{
	int64_t d = p->start - start;

	return !p->start || !start || (d < START_SLACK_NS && d > -START_SLACK_NS);
}

/* The first mapping told is that of the main program: if it is not where it was,
 * there was an exec. */
static int compare_image(struct doubt *d, const struct event *e)
{
	struct process *p = d->p;

	d->compared = true;
	if (!p->maps->n || mapset_at(p->maps, e->mmap.start))
		return 0;
	d->p = process_exec(&d->s->processes, e->time, p->pid);
	if (!d->p)
		return -1;
	memcpy(d->p->comm, p->comm, sizeof(p->comm));
	d->p->checked = e->time;
	return 0;
}

static int doubt_learn(void *state, const struct event *e)
{
	struct doubt *d = state;

	if (e->kind == EVENT_FORK && e->pid == e->tid) {
		if (e->fork.start > (int64_t)e->time)
			return 1;
		if (!same_life(d->p, e->fork.start)) {
			d->p = process_add(&d->s->processes, e->pid, e->time);
			if (!d->p)
				return -1;
			d->p->checked = e->time;
			d->compared = true;
		}
	}
	if (e->kind == EVENT_MMAP && !d->compared && compare_image(d, e))
		return -1;
	return session_learn(d->s, e);
}

struct process *doubt_process(struct session *s, struct process *p, uint64_t time)
{
	struct doubt d = {.s = s, .p = p};

	if (p->checked >= s->doubt || p->end || p != process_find(&s->processes, p->pid))
		return p;
	p->checked = time;
	return census_pid(s->options.proc, p->pid, time, doubt_learn, &d) < 0 ? NULL : d.p;
}
