/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * On-CPU samples whose user stacks are walked by unwind tables.  The kernel's BTF is
 * needed; without it sample.bpf.c remains.
 */
#include "unwind.bpf.h"
#include "unwind_tasks.bpf.h"

SEC("perf_event")
int sample_unwind(struct bpf_perf_event_data *ctx)
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";
