/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* On-CPU samples with frame pointers. */
#include "count.bpf.h"

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

static __always_inline ev_u64 take_copy(ev_u64 at, ev_u64 room)
{
	return 0;
}

SEC("perf_event")
int sample_event(struct bpf_perf_event_data *ctx)
{
	sample(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
