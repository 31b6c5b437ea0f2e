/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Only for tests: walks like the recorder, and sends registers and stack along. */
#include "../../bpf/unwind.bpf.h"
#include "../../bpf/unwind_tasks.bpf.h"
#include "oracle.h"

#define PIECE 1024
#define SMALL_PIECE 32 /* the last page of a stack is rarely full */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 20);
} samples SEC(".maps");

struct oracle_knobs knobs = { .with_stack = 1 };
ev_u64 dropped;

static __always_inline void stack_keep(struct oracle_sample *o, ev_u64 sp)
{
	ev_u32 got = 0;

	bpf_probe_read_user(o->below, sizeof(o->below), (void *)(sp - sizeof(o->below)));
	for (int i = 0; i < ORACLE_STACK / PIECE; i++) {
		if (bpf_probe_read_user(&o->stack[i * PIECE], PIECE, (void *)(sp + i * PIECE)))
			break;
		got += PIECE;
	}
	for (int i = 0; i < PIECE / SMALL_PIECE; i++) {
		if (got > ORACLE_STACK - PIECE || bpf_probe_read_user(&o->stack[got], SMALL_PIECE, (void *)(sp + got)))
			break;
		got += SMALL_PIECE;
	}
	o->stack_size = got;
}

SEC("perf_event")
int oracle(struct bpf_perf_event_data *ctx)
{
	ev_u64 id = bpf_get_current_pid_tgid(), began;
	ev_u32 zero = 0;
	struct event_queue *q = own_queue();
	struct scratch *s = q ? own_scratch(q) : NULL;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct oracle_sample *o;

	if (!s || !w || !id || (knobs.target && id >> 32 != knobs.target) || !user_regs(ctx, w))
		return 0;
	o = bpf_ringbuf_reserve(&samples, sizeof(*o), 0);
	if (!o) {
		__sync_fetch_and_add(&dropped, 1);
		return 0;
	}
	o->pid = id >> 32;
	o->tid = id;
	o->user_mode = regs_user(ctx);
	o->stack_size = 0;
	bpf_get_current_comm(o->comm, sizeof(o->comm));
	__builtin_memcpy(o->regs, w->state.regs, sizeof(w->state.regs));
	o->regs[UNWIND_REG_FP] = w->state.fp;
	o->regs[UNWIND_REG_SP] = w->state.sp;
	o->regs[UNWIND_REG_RA] = w->state.ip;
	s->head.nkstack = 0;
	began = bpf_ktime_get_ns();
	o->n = take_user(ctx, s);
	o->walk_ns = bpf_ktime_get_ns() - began;
	o->end = s->head.user_end;
	bpf_probe_read_kernel(o->words, sizeof(o->words), s->words);
	began = bpf_ktime_get_ns();
	o->nfp = bpf_get_stack(ctx, o->fp, sizeof(o->fp), BPF_F_USER_STACK);
	o->fp_ns = bpf_ktime_get_ns() - began;
	if (knobs.with_stack)
		stack_keep(o, o->regs[UNWIND_REG_SP]);
	bpf_ringbuf_submit(o, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
