/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From the stack of a thread of Go's runtime to that of the goroutine it works for.
 * Part of unwind_step.h.
 *
 * runtime.systemstack and asmcgocall write into their g where they were called, and
 * go on on the stack of the thread's g0.  All compiled code of Go has its g in r14;
 * C has not, but there the other g is on the stack.  What is found must close a ring
 * of pointers, and the goroutine must say itself that it waits; else nothing is
 * believed.  Offsets are those of runtime2.go and asm_amd64.s, the same from Go 1.17 to
 * 1.24 but for one.
 */
#ifndef FOLD_BPF_UNWIND_GO_H
#define FOLD_BPF_UNWIND_GO_H

#define UNWIND_GO_REG_G 14
#define UNWIND_GO_G_STACK_HI 8
#define UNWIND_GO_G_M 48
#define UNWIND_GO_G_SCHED 56 /* rsp, pc */
#define UNWIND_GO_M_G0 0
#define UNWIND_GO_M_CURG 192
#define UNWIND_GO_CGO_G 0 /* in the frame of asmcgocall: how deep the stack of g was, g */
#define UNWIND_GO_CGO_G_OLD 40 /* before 1.20 or so */

/* Whether `g` is what its thread runs: g -> m -> g, and m -> g0 -> m. */
static __always_inline int unwind_go_is_current(struct unwind_state *u, ev_u64 g)
{
	ev_u64 m, g0, v;

	return !unwind_read_far(u, &m, g + UNWIND_GO_G_M) && !unwind_read_far(u, &v, m + UNWIND_GO_M_CURG) && v == g &&
	       !unwind_read_far(u, &g0, m + UNWIND_GO_M_G0) && g0 != g && !unwind_read_far(u, &v, g0 + UNWIND_GO_G_M) && v == m;
}

/* The g that asmcgocall keeps at `at`, or 0.  If it was on the stack of g0 already, it keeps
 * none: in one of the two places is anything then, and where g waits is another call. */
static __always_inline ev_u64 unwind_go_kept(struct unwind_state *u, ev_u64 at)
{
	ev_u64 kept[2], high, sp;

	if (unwind_read(u, kept, sizeof(kept), at) || unwind_read_far(u, &high, kept[1] + UNWIND_GO_G_STACK_HI) ||
	    unwind_read_far(u, &sp, kept[1] + UNWIND_GO_G_SCHED))
		return 0;
	return high - sp == kept[0] ? kept[1] : 0;
}

/* To the caller of what switched stacks, on the stack of `g`. */
static __always_inline int unwind_go_arrive(struct unwind_state *u, ev_u64 g)
{
	ev_u64 sp, pc, ra;
	int rule;

	if (unwind_read_far(u, &sp, g + UNWIND_GO_G_SCHED) || unwind_read_far(u, &pc, g + UNWIND_GO_G_SCHED + 8))
		return UNWIND_ENDED_BAD_RULE;
	rule = unwind_lookup(u, pc);
	if (rule < 0 || (rule & 0xfff0) != UNWIND_GO_SWITCHED)
		return UNWIND_ENDED_BAD_RULE;
	sp += (ev_u64)(rule & 15) * UNWIND_RULE_UNIT;
	if (unwind_read_far(u, &ra, sp))
		return UNWIND_ENDED_UNREADABLE;
	u->fp_is = UNWIND_FP_LOST; /* no frame of a goroutine is found by it */
	u->rbx_sp = 0;
	return unwind_arrive(u, ra, sp + 8);
}

static __always_inline int unwind_go_switch(struct unwind_state *u, ev_u32 rule)
{
	ev_u64 g = 0, m, g0 = u->regs[UNWIND_GO_REG_G];

	if (u->exact)
		return UNWIND_ENDED_BAD_RULE; /* on the way to the other stack, or back */
	if (rule == UNWIND_GO_SYSTEMSTACK) {
		if (unwind_read_far(u, &m, g0 + UNWIND_GO_G_M) || unwind_read_far(u, &g, m + UNWIND_GO_M_G0) || g != g0 ||
		    unwind_read_far(u, &g, m + UNWIND_GO_M_CURG))
			return UNWIND_ENDED_BAD_RULE;
	} else {
		g = unwind_go_kept(u, u->sp + UNWIND_GO_CGO_G);
		if (!g)
			g = unwind_go_kept(u, u->sp + UNWIND_GO_CGO_G_OLD);
		if (!g)
			return UNWIND_ENDED_BAD_RULE;
	}
	return unwind_go_is_current(u, g) ? unwind_go_arrive(u, g) : UNWIND_ENDED_BAD_RULE;
}

#endif
