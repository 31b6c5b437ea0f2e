/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What keeps the scope: children of who is in it are in it, and a command is from
 * its exec on.  The kernel's BTF is needed.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include "core.h"
#include "scope.bpf.h"

const volatile struct event_scope_config config = { 0 };

/* Only the fork that made it changes the bit of a tgid, but others change its
 * neighbours meanwhile: an addition that carries nothing is all the atomicity that
 * old kernels have. */
static __always_inline void scope_set(ev_u32 tgid, bool in)
{
	ev_u64 *word = scope_word(tgid), bit = 1ULL << (tgid & 63);

	if (!word || !(*word & bit) == !in)
		return;
	if (in)
		__sync_fetch_and_add(word, bit);
	else
		__sync_fetch_and_add(word, -bit);
}

/* (parent, child), before the child runs */
SEC("tp_btf/sched_process_fork")
int scope_fork(unsigned long long *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	ev_u32 tgid = child->tgid;

	if (tgid == (ev_u32)child->pid) /* else a thread */
		scope_set(tgid, scope_has(parent->tgid));
	return 0;
}

SEC("tp_btf/sched_process_exec")
int scope_exec(unsigned long long *ctx)
{
	ev_u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (tgid == config.command)
		scope_set(tgid, true);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
