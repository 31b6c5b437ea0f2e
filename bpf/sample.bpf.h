/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One perf event becomes one stack sample: the part that all sampling objects
 * share.  Owns the maps and the way to the recorder; the object that includes it
 * says how a user stack is taken (take_user).
 *
 * Must not know any kernel type: no relocation, so that it loads on a kernel
 * without BTF.  Perf never runs a program inside another one on the same CPU, so
 * what belongs to a CPU needs no lock.
 *
 * A sample is made where it will be read, in the CPU's queue: nothing is copied, and
 * to queue it is to move the head.  bpf_perf_event_output costs 1.3 us.
 */
#ifndef FOLD_BPF_SAMPLE_BPF_H
#define FOLD_BPF_SAMPLE_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include "event.h"
#include "hash.h"
#include "regs.h"
#include "scope.bpf.h"

/* Code that is rare lies apart: all of it is cold. */
#define unlikely(x) __builtin_expect(!!(x), 0)

#define KERNEL_SIDE 1
#define USER_SIDE 2

struct scratch {
	struct event_raw_sample head;
	ev_u64 words[2 * EVENT_MAX_FRAMES];
};

const volatile struct event_config config = { .max_frames = 127, .sides = KERNEL_SIDE | USER_SIDE, .sent_mask = 0 };

/* The queues, by CPU: struct event_queue.  User space makes them, of a size that it
 * tells before this is loaded. */
struct queue_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct event_queue) + EVENT_SAMPLE_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__array(values, struct queue_map);
} queues SEC(".maps");

/* Wakes the recorder: a queue is half full.  Says nothing. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakes SEC(".maps");

/* Perf's rings, with the records of mappings and processes.  A sample goes there when
 * only perf knows the numbers of its thread. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

/* Where a CPU has no queue, because it came later. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct event_counters);
} strays SEC(".maps");

/* Ids that were queued with their frames: slot = id & mask.  A slot that holds
 * another id only means that a stack travels again. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} sent SEC(".maps");

/* Take the user stack into s->words from index s->head.nkstack on, at most
 * config.max_frames of them, and set s->head.user_end.  Number of words, or
 * negative errno. */
static __always_inline long take_user(struct bpf_perf_event_data *ctx, struct scratch *s);

/* Whether memory of the stack should go along, because the walk could not be ended
 * here; and put it behind the first `at` words of a sample that has `room` bytes:
 * bytes added, at most EVENT_COPY_MAX and a multiple of 8. */
static __always_inline bool wants_copy(const struct scratch *s);
static __always_inline ev_u64 take_copy(ev_u64 at, ev_u64 room);

static __always_inline void add(struct event_queue *q, enum event_counter which)
{
	q->counters.v[which]++;
}

static __always_inline struct event_queue *own_queue(void)
{
	ev_u32 key = bpf_get_smp_processor_id();
	void *inner = bpf_map_lookup_elem(&queues, &key);

	key = 0;
	return inner ? bpf_map_lookup_elem(inner, &key) : NULL;
}

/* The sample that is being made. */
static __always_inline struct scratch *own_scratch(struct event_queue *q)
{
	ev_u64 at = q->at;

	asm volatile("" : "+r"(at)); /* or it is read again, and the verifier sees no limit */
	return at > config.queue_last ? NULL : (void *)(q->bytes + at);
}

/*
 * The id of the `n` words from `first` on.  A global function, so that its loop is
 * verified once and not for every way that leads to it.
 */
__noinline ev_u64 hash_words(ev_u64 seed, ev_u32 side, ev_u32 first, ev_u32 n, ev_u32 end)
{
	ev_u64 h = stack_hash_start(seed, side, n, end);
	ev_u32 max = config.max_frames;
	struct event_queue *q = own_queue();
	struct scratch *s = q ? own_scratch(q) : NULL;

	if (!s)
		return 0;
	for (ev_u32 i = 0; i < EVENT_MAX_FRAMES && i < max; i++) {
		if (i >= n)
			break;
		h = stack_hash_step(h, s->words[(first + i) & (2 * EVENT_MAX_FRAMES - 1)]);
	}
	return stack_hash_finish(h);
}

static __noinline bool known_long_ago(struct event_queue *q, ev_u64 id)
{
	ev_u32 slot = id & config.sent_mask;
	ev_u64 *there = bpf_map_lookup_elem(&sent, &slot);

	if (!there || *there != id)
		return false;
	q->sent[id % EVENT_RECENT_SENT] = id;
	return true;
}

static __always_inline bool known(struct event_queue *q, ev_u64 id)
{
	return q->sent[id % EVENT_RECENT_SENT] == id || known_long_ago(q, id);
}

static __always_inline void remember(struct event_queue *q, ev_u64 id)
{
	ev_u32 slot = id & config.sent_mask;
	ev_u64 *there = bpf_map_lookup_elem(&sent, &slot);

	if (!there)
		return;
	*there = id;
	q->sent[id % EVENT_RECENT_SENT] = id;
}

/* Numbers of the current thread, `id`, as the recorder sees them, 0 when it cannot. */
static __always_inline void take_numbers(struct event_raw_sample *e, ev_u64 id)
{
	struct bpf_pidns_info own = { 0 };

	if (config.pid_ns_ino) {
		if (bpf_get_ns_current_pid_tgid(config.pid_ns_dev, config.pid_ns_ino, &own, sizeof(own)))
			own.pid = own.tgid = 0;
		e->pid = own.tgid;
		e->tid = own.pid;
		return;
	}
	e->pid = id >> 32;
	e->tid = id;
}

/* Both sides into the scratch, with their ids. */
static __always_inline void take(struct bpf_perf_event_data *ctx, struct scratch *s, ev_u64 id, ev_u64 seed, ev_u32 flags)
{
	struct event_raw_sample *e = &s->head;
	ev_u32 bytes = config.max_frames * 8;
	long n;

	e->kind = EVENT_RAW_SAMPLE;
	e->pad = 0;
	e->event = config.event;
	e->user_end = 0;
	e->nkstack = e->nustack = 0;
	e->kerr = e->uerr = 0;
	e->kstack = e->ustack = 0;
	e->ip = regs_ip(ctx);
	take_numbers(e, id);

	if (config.sides & KERNEL_SIDE && !(flags & EVENT_USER_MODE)) {
		n = bpf_get_stack(ctx, s->words, bytes, 0);
		if (n < 0)
			e->kerr = n;
		else
			e->nkstack = (ev_u64)n / 8;
		if (n > 0)
			e->kstack = hash_words(seed, EVENT_SIDE_KERNEL, 0, e->nkstack, 0);
	}
	if (config.sides & USER_SIDE) {
		n = take_user(ctx, s);
		if (n < 0)
			e->uerr = n;
		else
			e->nustack = n;
		if (n > 0)
			e->ustack = hash_words(seed, EVENT_SIDE_USER, e->nkstack, e->nustack, e->user_end);
		if (n == 0 && !(flags & EVENT_USER_MODE))
			flags |= EVENT_KTHREAD;
	}
	e->flags = flags;
}

static __always_inline void wake(void)
{
	ev_u32 nothing = 0;

	bpf_ringbuf_output(&wakes, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

/* Room for the sample at the head; there may be none. */
static __always_inline long long room_of(struct event_queue *q)
{
	return (long long)(config.queue_size - (q->head - q->seen));
}

static __always_inline bool has_room(struct event_queue *q)
{
	if (!unlikely(room_of(q) < (long long)sizeof(struct scratch)))
		return true;
	q->seen = *(volatile ev_u64 *)&q->tail;
	return room_of(q) >= (long long)sizeof(struct scratch);
}

/* The sample is complete.  A reader believes the head. */
static __always_inline void commit(struct event_queue *q, ev_u64 size)
{
	ev_u64 head = q->head, next = event_queue_next(head, size, config.queue_size);

	asm volatile("" ::: "memory");
	*(volatile ev_u64 *)&q->head = next;
	if (unlikely((head ^ next) >= config.queue_size / 2)) /* into another half, of whatever round */
		wake();
}

static __always_inline bool queue_sample(struct bpf_perf_event_data *ctx, struct event_queue *q, struct scratch *s, ev_u64 size)
{
	/* Of a pid namespace below the recorder's; perf writes what they are in ours. */
	if (unlikely(config.pid_ns_ino && !s->head.pid))
		return !bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, s, size < sizeof(*s) ? size : sizeof(*s));
	if (unlikely(q->at >= config.queue_size))
		return false;
	s->head.size = size;
	s->head.time = bpf_ktime_get_ns();
	commit(q, size);
	return true;
}

/*
 * Off to the recorder.  Frames go along when the id was not sent before, and an id is
 * marked as sent only after that succeeded: an id without frames always refers
 * to frames that were queued earlier.  So does its time, which is taken in between.
 *
 * A function of its own, as what counts is: its stack frame is not below the walker's,
 * and old kernels allow 512 bytes for all.
 *
 * copy   what wants_copy() said
 */
static __noinline void send(struct bpf_perf_event_data *ctx, struct scratch *s, struct event_queue *q, bool copy)
{
	struct event_raw_sample *e = &s->head;
	bool new_kernel = e->kstack && !known(q, e->kstack);
	bool new_user = e->ustack && (copy || !known(q, e->ustack));
	ev_u64 nk = e->nkstack, nu = e->nustack, size;

	if (nk > EVENT_MAX_FRAMES || nu > EVENT_MAX_FRAMES)
		nk = nu = 0; /* never: tells the verifier */
	if (unlikely(new_user)) { /* user words lie behind the kernel's: those go too */
		e->flags |= EVENT_USTACK_INLINE | (nk ? EVENT_KSTACK_INLINE : 0);
	} else {
		e->nustack = nu = 0;
		if (unlikely(new_kernel))
			e->flags |= EVENT_KSTACK_INLINE;
		else
			e->nkstack = nk = 0;
	}
	size = sizeof(*e) + (nk + nu) * 8;
	if (unlikely(copy)) {
		q->seen = *(volatile ev_u64 *)&q->tail; /* a copy has all the room there is */
		size += take_copy(nk + nu, room_of(q) - (long long)size);
	}
	if (size > sizeof(*e) + (nk + nu) * 8)
		e->flags |= EVENT_STACK_COPY;
	if (unlikely(!queue_sample(ctx, q, s, size))) {
		add(q, EVENT_RING_FULL);
		return;
	}
	add(q, EVENT_SENT);
	if (unlikely(new_kernel))
		remember(q, e->kstack);
	if (unlikely(new_user && !copy)) /* else the recorder makes another stack of it */
		remember(q, e->ustack);
}

static __always_inline void count_stray(void)
{
	ev_u32 zero = 0;
	struct event_counters *n = bpf_map_lookup_elem(&strays, &zero);

	if (!n)
		return;
	n->v[EVENT_TAKEN]++;
	n->v[EVENT_NO_SCRATCH]++;
}

/* Is the thread `id` to be taken?  NULL: no. */
static __always_inline struct event_queue *start(ev_u64 id)
{
	struct event_queue *q = own_queue();

	if (unlikely(!(ev_u32)id)) {
		if (q)
			add(q, EVENT_IDLE);
		return NULL;
	}
	if (config.scoped && !scope_has(id >> 32)) {
		if (q)
			add(q, EVENT_FILTERED);
		return NULL;
	}
	if (q)
		add(q, EVENT_TAKEN);
	else
		count_stray();
	return q;
}

/* What every program begins with: NULL when there is nothing to take. */
static __always_inline struct scratch *begin(ev_u64 id, struct event_queue **q)
{
	*q = start(id);
	if (!*q)
		return NULL;
	(*q)->at = has_room(*q) ? (*q)->head & (config.queue_size - 1) : config.queue_last;
	return own_scratch(*q);
}

#endif
