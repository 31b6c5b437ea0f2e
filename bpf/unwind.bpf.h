/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The walker of user stacks: the registers it begins with, its loop, what it sends
 * along; take_user for sample.bpf.h.  x86-64.  Reads task_struct and pt_regs by name:
 * needs BTF.
 *
 * One global function walks a few frames: the verifier checks it once, and the loop
 * around it stays trivial for any depth.  State lies in a per-CPU map, because
 * global functions of old kernels take numbers only.
 */
#ifndef FOLD_BPF_UNWIND_BPF_H
#define FOLD_BPF_UNWIND_BPF_H

#include <linux/bpf.h> /* the types of libbpf's headers, which do not bring them */
#include <bpf/bpf_core_read.h>
#include "core.h"
#include "event.h"

#define COPY_PAGE 4096 /* all of a page can be read, or nothing */
#include "unwind_find.bpf.h"
#include "unwind_step.h"

#define FRAMES_AT_ONCE 8
#define COMPAT_CS 0x23 /* __USER32_CS */
#define PF_EXITING 4
#define ENOSYS 38
#define NR_EXECVE 59
#define NR_EXECVEAT 322

/* Registers under the names of either struct, in DWARF order.  The code segment is
 * the result. */
#define TAKE_REGS(u, r, AX, DX, CX, BX, SI, DI, BP, SP, IP) \
	({ \
		(u)->regs[0] = (r)->AX; (u)->regs[1] = (r)->DX; (u)->regs[2] = (r)->CX; (u)->regs[3] = (r)->BX; \
		(u)->regs[4] = (r)->SI; (u)->regs[5] = (r)->DI; (u)->fp = (r)->BP; (u)->sp = (r)->SP; \
		(u)->regs[8] = (r)->r8; (u)->regs[9] = (r)->r9; (u)->regs[10] = (r)->r10; (u)->regs[11] = (r)->r11; \
		(u)->regs[12] = (r)->r12; (u)->regs[13] = (r)->r13; (u)->regs[14] = (r)->r14; (u)->regs[15] = (r)->r15; \
		(u)->ip = (r)->IP; \
		(r)->cs; \
	})

/* In execve rax is -ENOSYS as in any call, until the registers are those that the
 * new program begins with. */
static __always_inline ev_u32 exec_phase(ev_u64 call, ev_u64 rax)
{
	if (call != NR_EXECVE && call != NR_EXECVEAT)
		return EXEC_NONE;
	return rax == -(ev_u64)ENOSYS ? EXEC_GOES_ON : rax ? EXEC_NONE : EXEC_DONE;
}

/* The sample was in the kernel: what user space had is at the top of the stack.
 * 0: it is not known. */
static __always_inline ev_u64 task_regs(struct walk *w)
{
	struct pt_regs___kernel *at;
	struct task_struct *task;
	void *stack, *mm;
	unsigned int flags;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) {
		task = (void *)bpf_get_current_task_btf();
		w->gone = !task->mm;
		w->ending = task->flags & PF_EXITING;
		at = (void *)bpf_task_pt_regs((void *)task);
		w->exec = exec_phase(at->orig_ax, at->ax);
		return TAKE_REGS(&w->state, at, ax, dx, cx, bx, si, di, bp, sp, ip);
	}
	if (!unwind_config.read_kernel)
		return 0;
	task = (void *)bpf_get_current_task();
	if (bpf_core_read(&stack, sizeof(stack), &task->stack) || bpf_core_read(&mm, sizeof(mm), &task->mm) ||
	    bpf_core_read(&flags, sizeof(flags), &task->flags) ||
	    bpf_probe_read_kernel(&w->copy, sizeof(w->copy), stack + THREAD_SIZE - sizeof(w->copy)))
		return 0;
	w->gone = !mm;
	w->ending = flags & PF_EXITING;
	w->exec = exec_phase(w->copy.orig_ax, w->copy.ax);
	return TAKE_REGS(&w->state, &w->copy, ax, dx, cx, bx, si, di, bp, sp, ip);
}

/* Into the walk, which begins with them; into the map at once, because two stack
 * frames of this size are more than old kernels allow.  The code segment, 0 if there
 * are none. */
static __always_inline ev_u64 user_regs(struct bpf_perf_event_data *ctx, struct walk *w)
{
	ev_u64 cs;

	w->gone = w->ending = w->exec = 0;
	if (regs_user(ctx))
		return TAKE_REGS(&w->state, &ctx->regs, rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, rip);
	cs = task_regs(w);
	return (cs & 3) == 3 ? cs : 0;
}

/* The rule at the walk's pc, in a function of its own: it is needed once for a block. */
__noinline int walk_find(void)
{
	ev_u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct unwind_recents *recent = bpf_map_lookup_elem(&recents, &zero);
	struct unwind_recent *r;
	ev_u64 pc;
	int rule;

	if (!w || !recent)
		return -1;
	pc = unwind_pc(&w->state);
	w->state.from = 0;
	w->state.length = UNWIND_BLOCK_SIZE;
	rule = unwind_lookup(&w->state, pc);
	if (rule < 0 || pc >> UNWIND_RECENT_PC_BITS)
		return rule;
	r = &recent->v[unwind_recent_slot(pc)];
	r->key = pc >> UNWIND_BLOCK_SHIFT << (UNWIND_BLOCK_SHIFT + 16) | (ev_u64)w->state.from << 16 | (rule & 0xffff);
	r->range = unwind_process_range(w->state.process) | (ev_u64)w->state.length << UNWIND_RECENT_LENGTH;
	return rule;
}

/* What is rare, out of the way of what is not. */
__noinline int walk_by_rule(ev_u32 rule)
{
	ev_u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);

	return w ? unwind_by_rule(&w->state, rule & 0xffff) : UNWIND_ENDED_BAD_RULE;
}

/* Keep a word of the walk. */
static __always_inline void keep(struct walk *w, struct scratch *s, ev_u64 word)
{
	s->words[(w->first + w->n) & (2 * EVENT_MAX_FRAMES - 1)] = word;
	w->n++;
}

/* Why the stack cannot be walked at all, or UNWIND_GO_ON. */
static __always_inline int walk_refused(struct walk *w, ev_u64 cs, ev_u32 tgid)
{
	if ((cs & 0xff) == COMPAT_CS)
		return UNWIND_ENDED_COMPAT;
	if (w->gone)
		return UNWIND_ENDED_EXITING;
	if (w->exec == EXEC_DONE) /* before its first instruction there is no frame but this */
		return unwind_is_args(&w->state, w->state.sp) ? UNWIND_ENDED_ROOT : UNWIND_ENDED_EXITING;
	w->state.process = process_of(w, tgid);
	return w->state.process ? UNWIND_GO_ON : UNWIND_ENDED_UNMAPPED;
}

/* Keep the frame that the walk is at, step to its caller. */
static __always_inline int walk_frame(struct walk *w, struct scratch *s, const struct unwind_recents *recent)
{
	const struct unwind_recent *r;
	ev_u64 pc;
	int rule;

	if (w->n >= config.max_frames)
		return UNWIND_ENDED_DEPTH;
	keep(w, s, w->state.ip);
	if (w->state.exact && w->n > 1 && w->n < config.max_frames)
		keep(w, s, EVENT_WORD_EXACT);
	pc = unwind_pc(&w->state);
	r = &recent->v[unwind_recent_slot(pc)];
	rule = unwind_recent_is(r, pc, unwind_process_range(w->state.process)) ? (int)(r->key & 0xffff) : walk_find();
	if (rule < 0)
		return UNWIND_ENDED_UNMAPPED;
	return rule >> 14 < UNWIND_EXT ? unwind_short(&w->state, rule) : walk_by_rule(rule);
}

/* Some frames at once: what leads to each of them is more than a frame costs. */
__noinline int walk_frames(void)
{
	ev_u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct event_queue *q = own_queue();
	struct scratch *s = q ? own_scratch(q) : NULL;
	struct unwind_recents *recent = bpf_map_lookup_elem(&recents, &zero);
	int end = UNWIND_ENDED_BAD_RULE;

	if (!w || !s || !recent)
		return end;
	for (int i = 0; i < FRAMES_AT_ONCE; i++) {
		end = walk_frame(w, s, recent);
		if (end)
			break;
	}
	return end;
}

/* The walk came to code that is not known: tell, and let take_copy() find the
 * registers that it began with. */
static __noinline void walk_failed(struct bpf_perf_event_data *ctx, struct walk *w)
{
	nudge();
	user_regs(ctx, w);
}

static __always_inline int walk_all(void)
{
	for (int i = 0; i < EVENT_MAX_FRAMES / FRAMES_AT_ONCE + 1; i++) {
		int end = walk_frames();

		if (end)
			return end;
	}
	return UNWIND_ENDED_DEPTH;
}

static __always_inline long take_user(struct bpf_perf_event_data *ctx, struct scratch *s)
{
	ev_u32 zero = 0, tgid = bpf_get_current_pid_tgid() >> 32;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	ev_u64 cs;
	int end;

	if (!w)
		return 0;
	cs = user_regs(ctx, w);
	if (!cs)
		return 0;
	w->state.fp_is = UNWIND_FP_KNOWN;
	w->state.exact = 1;
	w->state.rbx_sp = 0;
	w->nwindow = 0;
	w->first = s->head.nkstack;
	w->n = 0;
	end = walk_refused(w, cs, tgid);
	if (end) {
		s->words[w->first & (2 * EVENT_MAX_FRAMES - 1)] = w->state.ip;
		w->n = 1;
	} else {
		end = walk_all();
	}
	if ((end == UNWIND_ENDED_UNMAPPED && (w->ending || w->exec == EXEC_GOES_ON)) ||
	    (end == UNWIND_ENDED_UNREADABLE && w->exec == EXEC_GOES_ON))
		end = UNWIND_ENDED_EXITING;
	s->head.user_end = end;
	if (end == UNWIND_ENDED_UNMAPPED)
		walk_failed(ctx, w);
	return w->n;
}

/* Code that is not known yet will be when the recorder reads the sample. */
static __always_inline bool wants_copy(const struct scratch *s)
{
	ev_u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct unwind_copying *c = bpf_map_lookup_elem(&unwind_copying, &zero);

	if (s->head.user_end != UNWIND_ENDED_UNMAPPED || !w || !c)
		return false;
	if (w->turn != c->turn) {
		w->turn = c->turn;
		w->copied = 0;
	}
	return w->copied < c->bytes;
}

/* As much of the stack as there is, up to `max` bytes.  A frame that grows into a page
 * that was never touched has its callers behind it: what cannot be read there becomes
 * zeros. */
static __always_inline void copy_pages(const struct walk *w, struct event_raw_copy *c, ev_u64 max)
{
	ev_u64 sp = w->state.sp, piece = COPY_PAGE - (sp & (COPY_PAGE - 1)), got = 0;
	ev_u8 *to = (void *)(c + 1);

	c->cut = 1;
	for (int i = 0; i < EVENT_COPY_BYTES / COPY_PAGE && got + piece <= max; i++) {
		asm volatile("" : "+r"(got)); /* or a compiler begins below `to`, and the verifier sees no limit */
		if (bpf_probe_read_user(to + got, piece, (void *)(sp + got)) && i) {
			c->cut = 0;
			break;
		}
		got += piece;
		piece = COPY_PAGE;
	}
	c->size = got;
}

/* A function of its own, so that what lies ahead of it is verified once. */
__noinline int copy_stack(ev_u32 at, ev_u32 room)
{
	ev_u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct unwind_copying *copying = bpf_map_lookup_elem(&unwind_copying, &zero);
	struct event_queue *q = own_queue();
	struct event_raw_copy *c;
	ev_u64 place, words = (ev_u64)at * 8, max;

	if (!w || !copying || !q)
		return 0;
	place = q->at;
	asm volatile("" : "+r"(place), "+r"(words)); /* or the compiler moves the checks, and the verifier sees no limit */
	if (place >= config.queue_size || words > 2 * EVENT_MAX_FRAMES * 8)
		return 0;
	c = (void *)(q->bytes + place + sizeof(struct event_raw_sample) + words);
	__builtin_memcpy(c->regs, w->state.regs, sizeof(w->state.regs));
	c->regs[UNWIND_REG_FP] = w->state.fp;
	c->regs[UNWIND_REG_SP] = w->state.sp;
	c->regs[UNWIND_REG_RA] = w->state.ip;
	bpf_probe_read_user(c->below, sizeof(c->below), (void *)(w->state.sp - sizeof(c->below)));
	max = copying->limit < room ? copying->limit : room;
	copy_pages(w, c, max);
	room = sizeof(*c) + (c->size + 7) / 8 * 8;
	w->copied += room;
	return room;
}

static __always_inline ev_u64 take_copy(ev_u64 at, ev_u64 room)
{
	if ((long long)room < (long long)sizeof(struct event_raw_copy))
		return 0;
	room -= sizeof(struct event_raw_copy);
	return copy_stack(at, room > EVENT_COPY_BYTES ? EVENT_COPY_BYTES : room);
}

#endif
