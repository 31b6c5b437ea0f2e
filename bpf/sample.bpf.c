/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * On-CPU samples with frame pointers, in two programs of which one is loaded:
 * sample_event sends every sample, sample_count counts equal ones in the kernel.
 *
 * Counting has two halves, each a stack map and a counts map.  User space flips
 * control.half, waits until no program uses the old half, reads and empties it:
 * a stack map id never changes its meaning while a count refers to it.  What a
 * half has no place for takes the way of sample_event.
 */
#include "sample.bpf.h"

#define STACKS \
	__uint(type, BPF_MAP_TYPE_STACK_TRACE); \
	__uint(max_entries, 1); \
	__uint(key_size, sizeof(ev_u32)); \
	__uint(value_size, 8)
#define COUNTS \
	__uint(type, BPF_MAP_TYPE_HASH); \
	__uint(max_entries, 1); \
	__type(key, struct event_count_key); \
	__type(value, struct event_count)

struct { STACKS; } stacks0 SEC(".maps");
struct { STACKS; } stacks1 SEC(".maps");
struct { COUNTS; } counts0 SEC(".maps");
struct { COUNTS; } counts1 SEC(".maps");

static __always_inline long take_user(struct bpf_perf_event_data *ctx, struct scratch *s)
{
	ev_u32 first = s->head.nkstack;
	long n;

	if (first > EVENT_MAX_FRAMES)
		return 0;
	n = bpf_get_stack(ctx, s->words + first, config.max_frames * 8, BPF_F_USER_STACK);
	return n > 0 ? (long)((ev_u64)n / 8) : n;
}

static __always_inline bool wants_copy(const struct scratch *s)
{
	return false;
}

static __always_inline ev_u64 take_copy(struct scratch *s, ev_u64 at)
{
	return 0;
}

SEC("perf_event")
int sample_event(struct bpf_perf_event_data *ctx)
{
	struct event_counters *n = start();
	ev_u32 zero = 0;
	struct event_control *c;

	if (!n)
		return 0;
	c = bpf_map_lookup_elem(&control, &zero);
	if (c)
		take_and_send(ctx, n, c->seed, regs_user(ctx) ? EVENT_USER_MODE : 0);
	return 0;
}

static __always_inline bool count_up(void *counts, struct event_count_key *key)
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

/* No such stack is an answer; a taken bucket or no memory is a way out. */
static __always_inline bool usable(long id)
{
	return id >= 0 || id == -EFAULT || id == EVENT_NO_STACK;
}

static __always_inline bool count(struct bpf_perf_event_data *ctx, void *stacks, void *counts, ev_u32 flags)
{
	struct event_count_key key = {};
	ev_u64 id = bpf_get_current_pid_tgid();

	key.pid = id >> 32;
	key.tid = id;
	key.kstack = key.ustack = EVENT_NO_STACK;
	key.ip = regs_ip(ctx);
	key.event = config.event;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	if (config.sides & KERNEL_SIDE && !(flags & EVENT_USER_MODE))
		key.kstack = bpf_get_stackid(ctx, stacks, 0);
	if (config.sides & USER_SIDE) {
		key.ustack = bpf_get_stackid(ctx, stacks, BPF_F_USER_STACK);
		if (key.ustack == -EFAULT && !(flags & EVENT_USER_MODE)) {
			flags |= EVENT_KTHREAD;
			key.ustack = EVENT_NO_STACK;
		}
	}
	key.flags = flags;
	return usable(key.kstack) && usable(key.ustack) && count_up(counts, &key);
}

SEC("perf_event")
int sample_count(struct bpf_perf_event_data *ctx)
{
	ev_u32 flags = regs_user(ctx) ? EVENT_USER_MODE : 0, zero = 0;
	struct event_counters *n = start();
	struct event_control *c;
	bool counted;

	if (!n)
		return 0;
	c = bpf_map_lookup_elem(&control, &zero);
	if (!c)
		return 0;
	if (c->half)
		counted = count(ctx, &stacks1, &counts1, flags);
	else
		counted = count(ctx, &stacks0, &counts0, flags);
	if (counted) {
		add(n, EVENT_COUNTED);
		return 0;
	}
	add(n, EVENT_ESCAPES);
	take_and_send(ctx, n, c->seed, flags | EVENT_ESCAPED);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
