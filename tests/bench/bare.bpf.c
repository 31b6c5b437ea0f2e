/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What any profiler pays: both stacks taken by the kernel's helper, nothing kept. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "../../bpf/event.h"
#include "../../bpf/regs.h"

struct stacks { ev_u64 words[2 * EVENT_DEFAULT_FRAMES]; };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stacks);
} scratches SEC(".maps");

SEC("perf_event")
int bare(struct bpf_perf_event_data *ctx)
{
	ev_u32 zero = 0;
	struct stacks *s = bpf_map_lookup_elem(&scratches, &zero);

	if (!s)
		return 0;
	if (!regs_user(ctx))
		bpf_get_stack(ctx, s->words, EVENT_DEFAULT_FRAMES * 8, 0);
	bpf_get_stack(ctx, s->words + EVENT_DEFAULT_FRAMES, EVENT_DEFAULT_FRAMES * 8, BPF_F_USER_STACK);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
