/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * On-CPU samples whose user stacks are walked by unwind tables.  The kernel's BTF is
 * needed; without it sample.bpf.c remains.
 */
#include "unwind.bpf.h"
#include "count.bpf.h"
#include "unwind_tasks.bpf.h"

SEC("perf_event")
int sample_unwind(struct bpf_perf_event_data *ctx)
{
	sample(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
