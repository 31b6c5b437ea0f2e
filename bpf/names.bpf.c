/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The name of a kernel function, as the kernel prints it.  That is allowed where
 * reading addresses from kallsyms is not, and no address comes out of it.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "event.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct event_name);
} name SEC(".maps");

SEC("syscall")
int name_address(void *ctx)
{
	ev_u32 zero = 0;
	struct event_name *n = bpf_map_lookup_elem(&name, &zero);

	if (!n)
		return 1;
	n->text[0] = '\0';
	BPF_SNPRINTF(n->text, sizeof(n->text), "%pS", n->address);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
