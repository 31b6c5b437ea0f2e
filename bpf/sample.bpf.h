/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One perf event becomes one stack sample: the part that all sampling objects
 * share.  Owns the maps and the way into the ring; the object that includes it
 * says how a user stack is taken (take_user).
 *
 * Must not know any kernel type: no relocation, so that it loads on a kernel
 * without BTF.  Perf never runs a program inside another one on the same CPU, so
 * per-CPU values need no lock.
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

#define KERNEL_SIDE 1
#define USER_SIDE 2

/* Room behind the words for what take_copy() adds. */
#ifndef SCRATCH_COPY_WORDS
#define SCRATCH_COPY_WORDS 0
#endif

struct scratch {
	struct event_raw_sample head;
	ev_u64 words[2 * EVENT_MAX_FRAMES + SCRATCH_COPY_WORDS];
};

const volatile struct event_config config = { .max_frames = 127, .sides = KERNEL_SIDE | USER_SIDE, .sent_mask = 0 };

/* The rings.  Their events carry the records of mappings and processes too. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct event_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct event_control);
} control SEC(".maps");

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
 * here; and put it behind the first `at` words: bytes added, at most 8 *
 * SCRATCH_COPY_WORDS. */
static __always_inline bool wants_copy(const struct scratch *s);
static __always_inline ev_u64 take_copy(struct scratch *s, ev_u64 at);

static __always_inline void add(struct event_counters *n, enum event_counter which)
{
	n->v[which]++;
}

/*
 * The id of the `n` words from `first` on.  A global function, so that its loop is
 * verified once and not for every way that leads to it.
 */
__noinline ev_u64 hash_words(ev_u64 seed, ev_u32 side, ev_u32 first, ev_u32 n, ev_u32 end)
{
	ev_u64 h = stack_hash_start(seed, side, n, end);
	ev_u32 zero = 0, max = config.max_frames;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);

	if (!s)
		return 0;
	for (ev_u32 i = 0; i < EVENT_MAX_FRAMES && i < max; i++) {
		if (i >= n)
			break;
		h = stack_hash_step(h, s->words[(first + i) & (2 * EVENT_MAX_FRAMES - 1)]);
	}
	return stack_hash_finish(h);
}

static __always_inline bool known(ev_u64 id)
{
	ev_u32 slot = id & config.sent_mask;
	ev_u64 *there = bpf_map_lookup_elem(&sent, &slot);

	return there && *there == id;
}

static __always_inline void remember(ev_u64 id)
{
	ev_u32 slot = id & config.sent_mask;
	ev_u64 *there = bpf_map_lookup_elem(&sent, &slot);

	if (there)
		*there = id;
}

/* Numbers of the current thread as the recorder sees them, 0 when it cannot. */
static __always_inline void take_numbers(struct event_raw_sample *e)
{
	struct bpf_pidns_info own = { 0 };
	ev_u64 id;

	if (config.pid_ns_ino) {
		if (bpf_get_ns_current_pid_tgid(config.pid_ns_dev, config.pid_ns_ino, &own, sizeof(own)))
			own.pid = own.tgid = 0;
		e->pid = own.tgid;
		e->tid = own.pid;
		return;
	}
	id = bpf_get_current_pid_tgid();
	e->pid = id >> 32;
	e->tid = id;
}

/* Both sides into the scratch, with their ids. */
static __always_inline void take(struct bpf_perf_event_data *ctx, struct scratch *s, ev_u64 seed, ev_u32 flags)
{
	struct event_raw_sample *e = &s->head;
	ev_u32 bytes = config.max_frames * 8;
	long n;

	e->kind = EVENT_RAW_SAMPLE;
	e->event = config.event;
	e->user_end = 0;
	e->nkstack = e->nustack = 0;
	e->kerr = e->uerr = 0;
	e->kstack = e->ustack = 0;
	e->ip = regs_ip(ctx);
	take_numbers(e);

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

/*
 * Into the ring.  Frames go along when the id was not sent before, and an id is
 * marked as sent only after that succeeded: an id without frames always refers
 * to frames that were queued earlier.
 *
 * copy   what wants_copy() said
 */
static __always_inline void send(struct bpf_perf_event_data *ctx, struct scratch *s, struct event_counters *n, bool copy)
{
	struct event_raw_sample *e = &s->head;
	bool new_kernel = e->kstack && !known(e->kstack);
	bool new_user = e->ustack && (copy || !known(e->ustack));
	ev_u64 nk = e->nkstack, nu = e->nustack, size;

	if (nk > EVENT_MAX_FRAMES || nu > EVENT_MAX_FRAMES)
		nk = nu = 0; /* never: tells the verifier */
	if (new_user) { /* user words lie behind the kernel's: those go too */
		e->flags |= EVENT_USTACK_INLINE | (nk ? EVENT_KSTACK_INLINE : 0);
	} else {
		e->nustack = nu = 0;
		if (new_kernel)
			e->flags |= EVENT_KSTACK_INLINE;
		else
			e->nkstack = nk = 0;
	}
	size = sizeof(*e) + (nk + nu) * 8;
	if (copy) {
		e->flags |= EVENT_STACK_COPY;
		size += take_copy(s, nk + nu);
		if (size > sizeof(*s))
			size = sizeof(*s); /* never: tells the verifier */
	}
	if (bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, s, size)) {
		add(n, EVENT_RING_FULL);
		return;
	}
	add(n, EVENT_SENT);
	if (new_kernel)
		remember(e->kstack);
	if (new_user && !copy) /* else the recorder makes another stack of it */
		remember(e->ustack);
}

/* Is this one to be taken?  NULL: no. */
static __always_inline struct event_counters *start(void)
{
	ev_u32 zero = 0;
	struct event_counters *n = bpf_map_lookup_elem(&counters, &zero);
	ev_u64 id = bpf_get_current_pid_tgid();

	if (!n)
		return NULL;
	if (!(ev_u32)id) {
		add(n, EVENT_IDLE);
		return NULL;
	}
	if (config.scoped && !scope_has(id >> 32)) {
		add(n, EVENT_FILTERED);
		return NULL;
	}
	add(n, EVENT_TAKEN);
	return n;
}

/* What every program begins with: NULL when there is nothing to take, or no place. */
static __always_inline struct scratch *begin(struct event_counters **n, struct event_control **c)
{
	ev_u32 zero = 0;
	struct scratch *s;

	*n = start();
	*c = bpf_map_lookup_elem(&control, &zero);
	if (!*n || !*c)
		return NULL;
	s = bpf_map_lookup_elem(&scratches, &zero);
	if (!s)
		add(*n, EVENT_NO_SCRATCH);
	return s;
}

#endif
