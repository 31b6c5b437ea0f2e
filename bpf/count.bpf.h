/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A sample from beginning to end, and counting equal ones in the kernel.  With
 * config.counting a sample whose stacks were sent before is
 * only counted under their ids; one with a new stack is queued, as all
 * samples are without counting, and so is what finds the table full.  An id is as
 * good in a count as it is in a queue, so that nothing is ever mixed up.
 *
 * There are two tables.  User space flips event_queue.half, waits until no program uses
 * the old one, reads and empties it.
 */
#ifndef FOLD_BPF_COUNT_BPF_H
#define FOLD_BPF_COUNT_BPF_H

#include "sample.bpf.h"

#define COUNTS \
	__uint(type, BPF_MAP_TYPE_HASH); \
	__uint(max_entries, 1); \
	__type(key, struct event_count_key); \
	__type(value, struct event_count)

struct { COUNTS; } counts0 SEC(".maps");
struct { COUNTS; } counts1 SEC(".maps");

static __always_inline bool count_up(void *counts, const struct event_count_key *key)
{
	struct event_count *there = bpf_map_lookup_elem(counts, key);
	ev_u64 now = bpf_ktime_get_ns();
	struct event_count one = { .count = 1, .first = now, .last = now };

	/* A thread is on one CPU at a time: nobody else has this key. */
	if (there) {
		there->last = now;
		there->count++;
		return true;
	}
	return !bpf_map_update_elem(counts, key, &one, BPF_NOEXIST);
}

static __always_inline bool is_sent(struct event_queue *q, ev_u64 id)
{
	return !id || known(q, id);
}

/* In the table of this half: false when there is no room. */
static __noinline bool count_sample(const struct event_raw_sample *e, ev_u32 half)
{
	struct event_count_key key = {
		.pid = e->pid, .tid = e->tid, .kstack = e->kstack, .ustack = e->ustack, .ip = e->ip,
		.event = e->event, .flags = e->flags, .kerr = e->kerr, .uerr = e->uerr,
	};

	bpf_get_current_comm(key.comm, sizeof(key.comm));
	return half ? count_up(&counts1, &key) : count_up(&counts0, &key);
}

/* False: it has to be sent. */
static __always_inline bool count_instead(struct scratch *s, struct event_queue *q, ev_u32 half)
{
	if (!s->head.pid || !is_sent(q, s->head.kstack) || !is_sent(q, s->head.ustack))
		return false;
	if (count_sample(&s->head, half)) {
		add(q, EVENT_COUNTED);
		return true;
	}
	add(q, EVENT_ESCAPES);
	s->head.flags |= EVENT_ESCAPED;
	return false;
}

/* What a program is for. */
static __always_inline void sample(struct bpf_perf_event_data *ctx)
{
	ev_u64 id = bpf_get_current_pid_tgid();
	struct event_queue *q;
	struct scratch *s = begin(id, &q);
	ev_u32 half;
	bool copy;

	if (!s)
		return;
	half = *(volatile ev_u32 *)&q->half; /* before the ids are looked for */
	take(ctx, s, id, q->seed, regs_user(ctx) ? EVENT_USER_MODE : 0);
	copy = wants_copy(s);
	if (!config.counting || copy || !count_instead(s, q, half))
		send(ctx, s, q, copy);
}

#endif
