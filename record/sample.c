/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One sample, or a count of them, becomes one row: whose it is, what its stacks
 * are, and which notes go with it.  A sample is written or counted as lost.
 */
#include "session_state.h"
#include "../bpf/event.h"
#include "census.h"

#include <string.h>

#define NO_PID UINT32_MAX /* how the kernel names a thread that is past its end */

static int note(struct session *s, uint32_t event, uint32_t cause, uint64_t n)
{
	return account_add(&s->account, event, cause, ACCOUNT_ALL_CPUS, n);
}

/* ------------------------------------------------------------ whose it is */

/* A process that no event told of, as a last chance from /proc.  The answer may
 * be about a later user of the pid: session_learn() compares start times.  Pid 0 is
 * not the idle task, which is not sampled, but all that our pid namespace hides. */
static int ask(struct session *s, uint32_t pid, uint64_t time)
{
	struct process *p = process_find(&s->processes, pid);
	int err;

	if (p && (!p->unknown || p->asked))
		return 0;
	if (pid && pid != NO_PID) {
		err = census_pid(s->options.proc, pid, time, session_learn, s);
		if (err < 0)
			return -1;
	}
	p = process_find(&s->processes, pid);
	if (!p)
		p = process_add(&s->processes, pid, time);
	if (!p)
		return -1;
	p->asked = true;
	return 0;
}

static struct process *process_of(struct session *s, const struct event *e)
{
	uint64_t time = e->kind == EVENT_COUNT ? e->sample.first : e->time;
	struct process *p = process_at(&s->processes, e->pid, time);

	if (p && (!p->unknown || p->asked))
		return s->doubt && e->pid ? doubt_process(s, p, time) : p;
	if (ask(s, e->pid, time))
		return NULL;
	p = process_at(&s->processes, e->pid, time);
	if (p->unknown && e->kind == EVENT_COUNT)
		comm_copy(p->comm, e->sample.comm);
	return p;
}

/* The thread's id in the file.  Counts come late and bring their own name. */
static int thread_of(struct session *s, struct process *p, const struct event *e, uint32_t *id)
{
	struct thread *t;

	if (e->kind == EVENT_COUNT) {
		uint8_t comm[PROCESS_COMM];

		comm_copy(comm, e->sample.comm);
		return define_thread(s, p, e->tid, comm, id);
	}
	t = process_thread(&s->processes, p, e->tid);
	if (!t)
		return -1;
	if (!t->id) {
		if (define_thread(s, p, e->tid, t->comm, id))
			return -1;
		t->id = *id + 1;
	}
	*id = t->id - 1;
	return 0;
}

/* ------------------------------------------------------------ its stacks */

/* The interrupted instruction alone, where the rest could not be taken. */
static struct event_stack stack_of_ip(const uint64_t *ip)
{
	return (struct event_stack){.id = table_mix(*ip, 0x5a) | 1, .words = ip, .n = 1};
}

/* What became of one side of a sample. */
struct side {
	struct stack_result result;
	uint32_t cause; /* why it has no stack, 0: it has, or none was to be expected */
};

/* `here`: the interrupted code is of this side.  0, 1: the id is not known, -1. */
static int take_side(struct session *s, const struct event *e, const struct process *p, struct mapset *set, bool user,
		     uint32_t *handle, struct side *out)
{
	struct event_stack stack = user ? e->sample.user : e->sample.kernel;
	bool here = !(e->sample.flags & EVENT_USER_MODE) == !user;
	int err;

	*out = (struct side){0};
	if (!(s->sides & (user ? FOLD_SIDE_USER : FOLD_SIDE_KERNEL)))
		return 0;
	if (!stack.id) {
		if (user)
			out->cause = e->sample.flags & EVENT_KTHREAD ? FOLD_NOTE_KTHREAD : FOLD_NOTE_NO_USTACK;
		else if (here)
			out->cause = FOLD_NOTE_NO_KSTACK;
		if (!here || !e->sample.ip)
			return 0;
		stack = stack_of_ip(&e->sample.ip);
	}
	if (user)
		err = resolve_user(s, &stack, p, set, e->kind == EVENT_COUNT ? e->sample.first : e->time, &out->result);
	else
		err = resolve_kernel(s, &stack, &out->result);
	if (!err)
		*handle = out->result.handle;
	return err;
}

static int notes(struct session *s, const struct event *e, const struct process *p, const struct batch_row *row,
		 const struct side *kernel, const struct side *user)
{
	if (kernel->cause && note(s, row->event, kernel->cause, row->count))
		return -1;
	if (user->cause && note(s, row->event, user->cause, row->count))
		return -1;
	if ((kernel->result.cut || user->result.cut) && note(s, row->event, FOLD_NOTE_DEPTH, row->count))
		return -1;
	if ((kernel->result.unmapped || user->result.unmapped) && note(s, row->event, FOLD_NOTE_UNMAPPED, row->count))
		return -1;
	if (p->unknown && note(s, row->event, FOLD_NOTE_UNKNOWN_PROC, row->count))
		return -1;
	if ((e->sample.flags & EVENT_ESCAPED) && note(s, row->event, FOLD_NOTE_ESCAPED, row->count))
		return -1;
	return 0;
}

int sample_finish(struct session *s, const struct event *e, const struct process *p, struct mapset *set, struct batch_row *row)
{
	struct side kernel, user = {0};
	int err = take_side(s, e, p, set, false, &row->kernel, &kernel);

	if (!err)
		err = take_side(s, e, p, set, true, &row->user, &user);
	if (err)
		return err;
	if (notes(s, e, p, row, &kernel, &user) || batch_row(&s->batch, s->options.aggregate, row))
		return -1;
	s->written[row->event] += row->count;
	return 0;
}

int sample_add(struct session *s, const struct event *e)
{
	struct batch_row row = {
		.cpu = e->cpu < FOLD_MAX_CPUS ? e->cpu : 0, .event = e->sample.event, .kernel = BATCH_NO_STACK, .user = BATCH_NO_STACK,
		.time = session_ticks(s, (int64_t)e->time), .count = e->kind == EVENT_COUNT ? e->sample.count : 1,
	};
	struct process *p;
	struct mapset *set;
	int err;

	if (row.event >= s->nevents || !row.count)
		return note(s, 0, FOLD_LOST_MALFORMED, row.count);
	p = process_of(s, e);
	if (!p || define_process(s, p) || thread_of(s, p, e, &row.thread))
		return -1;
	set = process_maps_at(p, e->kind == EVENT_COUNT ? e->sample.first : e->time);
	err = sample_finish(s, e, p, set, &row);
	return err > 0 ? late_add(s, e, p, set, &row) : err;
}
