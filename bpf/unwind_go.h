/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From the stack of a thread of Go's runtime to that of the goroutine it works for.
 * Part of unwind_step.h.
 *
 * runtime.systemstack writes into its g where it was called, and runs a function on
 * the stack of the thread's g0.  All compiled code of Go has its g in r14.  What is
 * found from there must close a ring, and the goroutine must say itself that it waits
 * in systemstack; else nothing is believed.  Offsets are those of runtime2.go, the
 * same since Go 1.17.
 */
#ifndef FOLD_BPF_UNWIND_GO_H
#define FOLD_BPF_UNWIND_GO_H

#define UNWIND_GO_REG_G 14
#define UNWIND_GO_G_M 48
#define UNWIND_GO_G_SCHED 56 /* rsp, pc */
#define UNWIND_GO_M_G0 0
#define UNWIND_GO_M_CURG 192

/* The goroutine of the thread whose g0 is in r14, or 0. */
static __always_inline ev_u64 unwind_go_goroutine(struct unwind_state *u)
{
	ev_u64 g0 = u->regs[UNWIND_GO_REG_G], g, m, v;

	if (unwind_read_far(u, &m, g0 + UNWIND_GO_G_M) || unwind_read_far(u, &v, m + UNWIND_GO_M_G0) || v != g0 ||
	    unwind_read_far(u, &g, m + UNWIND_GO_M_CURG) || unwind_read_far(u, &v, g + UNWIND_GO_G_M) || v != m || g == g0)
		return 0;
	return g;
}

static __always_inline int unwind_go_systemstack(struct unwind_state *u)
{
	ev_u64 g, sp, pc, ra;
	int rule;

	if (u->exact)
		return UNWIND_ENDED_BAD_RULE; /* on the way to the other stack, or back */
	g = unwind_go_goroutine(u);
	if (!g || unwind_read_far(u, &sp, g + UNWIND_GO_G_SCHED) || unwind_read_far(u, &pc, g + UNWIND_GO_G_SCHED + 8))
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

#endif
