/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What keeps the walker's tables true without waiting for user space: a new
 * process has its parent's mappings, a new image has none, the dead have none.
 */
#ifndef FOLD_BPF_UNWIND_TASKS_BPF_H
#define FOLD_BPF_UNWIND_TASKS_BPF_H

#include "unwind.bpf.h"

static __always_inline void changed(ev_u32 tgid)
{
	ev_u32 zero = 0;
	struct unwind_changes *changes = bpf_map_lookup_elem(&unwind_changes, &zero);

	if (changes)
		__sync_fetch_and_add(&changes->v[tgid % UNWIND_CHANGES], 1);
}

/* (parent, child): a copy of the parent's memory, so its mappings hold. */
SEC("tp_btf/sched_process_fork")
int on_fork(unsigned long long *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	ev_u32 from = parent->tgid, to = child->tgid, *image;
	struct unwind_process p;
	ev_u64 *word, copy;

	if (to != (ev_u32)child->pid)
		return 0; /* a thread */
	image = bpf_map_lookup_elem(&unwind_images, &from);
	if (image)
		bpf_map_update_elem(&unwind_images, &to, image, BPF_ANY);
	else
		bpf_map_delete_elem(&unwind_images, &to);
	word = bpf_map_lookup_elem(&unwind_processes, &from);
	if (!word) {
		bpf_map_delete_elem(&unwind_processes, &to);
		changed(to);
		return 0;
	}
	unwind_process_unpack(&p, *word);
	p.tgid = to;
	copy = unwind_process_pack(&p);
	bpf_map_update_elem(&unwind_processes, &to, &copy, BPF_ANY);
	changed(to);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(unsigned long long *ctx)
{
	ev_u32 tgid = bpf_get_current_pid_tgid() >> 32, one = 1;
	ev_u32 *image = bpf_map_lookup_elem(&unwind_images, &tgid);

	/* Another number, and what is known holds no more.  It may have been
	 * written for this image already, so it is not deleted. */
	if (image)
		(*image)++;
	else if (bpf_map_update_elem(&unwind_images, &tgid, &one, BPF_ANY))
		bpf_map_delete_elem(&unwind_processes, &tgid);
	changed(tgid);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int on_exit(unsigned long long *ctx)
{
	ev_u64 id = bpf_get_current_pid_tgid();
	ev_u32 tgid = id >> 32;

	if (tgid == (ev_u32)id) {
		bpf_map_delete_elem(&unwind_processes, &tgid);
		bpf_map_delete_elem(&unwind_images, &tgid);
		changed(tgid);
	}
	return 0;
}

#endif
