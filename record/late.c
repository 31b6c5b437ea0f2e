/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples that came before their stacks.  A sample gets its time after the look
 * whether its stack was sent, but clocks of CPUs may differ by as much as lies in
 * between: then the one with the stack comes later by time.  Such samples wait, for
 * two batches at most.
 */
#include "session_state.h"
#include "array.h"

#include <stdlib.h>

#define LATE_MAX 16384

static int give_up(struct session *s, const struct batch_row *row)
{
	return account_add(&s->account, row->event, FOLD_LOST_STACK_ID, ACCOUNT_ALL_CPUS, row->count);
}

int late_add(struct session *s, const struct event *e, const struct process *p, struct mapset *set, const struct batch_row *row)
{
	struct late_sample *v;
	bool failed = false;

	if (s->late.n == LATE_MAX)
		return give_up(s, row);
	v = array_grow(s->late.v, &s->late.room, s->late.n + 1, sizeof(*v));
	if (!v)
		return -1;
	s->late.v = v;
	/* What came with it is for others, too. */
	if (e->sample.kernel.words)
		stacks_words(&s->stacks, &e->sample.kernel, s->max_depth, &failed);
	if (e->sample.user.words)
		stacks_words(&s->stacks, &e->sample.user, s->max_depth, &failed);
	v += s->late.n++;
	*v = (struct late_sample){.event = *e, .row = *row, .serial = p->serial, .set = mapset_ref(set)};
	v->event.sample.kernel.words = v->event.sample.user.words = NULL;
	return failed ? -1 : 0;
}

int late_retry(struct session *s, bool last)
{
	size_t left = 0;
	int err = 0;

	for (size_t i = 0; i < s->late.n; i++) {
		struct late_sample l = s->late.v[i];
		struct process *p = process_serial(&s->processes, l.event.pid, l.serial);
		int again = 1;

		if (p && !err) {
			again = sample_finish(s, &l.event, p, l.set, &l.row);
			err = again < 0 ? -1 : 0;
		}
		if (again > 0 && p && !l.tried && !last) {
			l.tried = true;
			s->late.v[left++] = l;
			continue;
		}
		if (again > 0 && !err)
			err = give_up(s, &l.row);
		mapset_unref(l.set);
	}
	s->late.n = left;
	return err;
}

void late_release(struct late *late)
{
	for (size_t i = 0; i < late->n; i++)
		mapset_unref(late->v[i].set);
	free(late->v);
	*late = (struct late){0};
}
