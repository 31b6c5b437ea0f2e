/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One step from a frame to its caller, by tables where there are any, by the frame
 * pointer where there are none and the evidence is good.  x86-64.
 *
 * Compiled for the kernel and for user space.  Who includes this says first how
 * memory and tables are read:
 *     long unwind_read(struct unwind_state *u, void *to, ev_u32 size, ev_u64 address)      0 or negative
 *     long unwind_read_far(struct unwind_state *u, ev_u64 *to, ev_u64 address)             the same, for a word that is not of this stack
 *     long unwind_read_code(struct unwind_state *u, ev_u64 *to, ev_u64 address)            the same, for eight instruction bytes
 *     int unwind_mapping_find(struct unwind_state *u, ev_u64 pc)                           index or -1
 *     const struct unwind_mapping *unwind_mapping_at(struct unwind_state *u, int index)
 *     int unwind_rule_find(struct unwind_state *u, ev_u32 page, ev_u32 pc_lo)              rule word or -1
 *     const struct unwind_rule *unwind_rule_at(struct unwind_state *u, ev_u32 index)
 */
#ifndef FOLD_BPF_UNWIND_STEP_H
#define FOLD_BPF_UNWIND_STEP_H

#include "unwind.h"

#define UNWIND_MAX_FP_DISTANCE (1u << 20)
#define UNWIND_MAX_REG_DISTANCE (1u << 20)

/* mov $15,%rax; syscall: the first eight of nine bytes */
#define UNWIND_RESTORER 0x0f0000000fc0c748ULL

/* An rt_sigframe, seen from the restorer: uc_flags, uc_link, uc_stack, then this. */
#define UNWIND_SIGFRAME_REGS 40
struct unwind_sigframe {
	ev_u64 r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
};

static __always_inline int unwind_fp_read(struct unwind_state *u)
{
	ev_u64 v;

	if (u->fp_is == UNWIND_FP_KNOWN)
		return UNWIND_GO_ON;
	if (u->fp_is == UNWIND_FP_LOST)
		return UNWIND_ENDED_BAD_RULE;
	if (unwind_read(u, &v, sizeof(v), u->fp))
		return UNWIND_ENDED_UNREADABLE;
	u->fp = v;
	u->fp_is = UNWIND_FP_KNOWN;
	return UNWIND_GO_ON;
}

/* `ff /2` with its ModRM at p[at + 1] */
#define UNWIND_IS_CALL_AT(p, at) ((p)[at] == 0xff && ((p)[(at) + 1] & 0x38) == 0x10)

/* Whether `ra` is code that we know of, right behind a call. */
static __always_inline int unwind_is_return(struct unwind_state *u, ev_u64 ra)
{
	const struct unwind_mapping *m;
	ev_u64 code;
	ev_u8 *b = (ev_u8 *)&code;
	int i = unwind_mapping_find(u, ra);

	if (i < 0)
		return 0;
	m = unwind_mapping_at(u, i);
	if (!m || ra - m->start < sizeof(code) || unwind_read_code(u, &code, ra - sizeof(code)))
		return 0;
	return b[3] == 0xe8 || UNWIND_IS_CALL_AT(b, 6) || UNWIND_IS_CALL_AT(b, 5) || UNWIND_IS_CALL_AT(b, 4) ||
	       UNWIND_IS_CALL_AT(b, 2) || UNWIND_IS_CALL_AT(b, 1);
}

static __always_inline int unwind_signal(struct unwind_state *u)
{
	struct unwind_sigframe f;

	if (unwind_read(u, &f, sizeof(f), u->sp + UNWIND_SIGFRAME_REGS))
		return UNWIND_ENDED_UNREADABLE;
	u->regs[0] = f.rax; u->regs[1] = f.rdx; u->regs[2] = f.rcx; u->regs[3] = f.rbx;
	u->regs[4] = f.rsi; u->regs[5] = f.rdi; u->regs[8] = f.r8; u->regs[9] = f.r9;
	u->regs[10] = f.r10; u->regs[11] = f.r11; u->regs[12] = f.r12; u->regs[13] = f.r13;
	u->regs[14] = f.r14; u->regs[15] = f.r15;
	u->fp = f.rbp;
	u->fp_is = UNWIND_FP_KNOWN;
	u->sp = f.rsp;
	u->ip = f.rip;
	u->exact = 1;
	return UNWIND_GO_ON;
}

static __always_inline int unwind_arrive(struct unwind_state *u, ev_u64 ra, ev_u64 sp)
{
	u->ip = ra;
	u->sp = sp;
	u->exact = 0;
	u->called = 0;
	return ra ? UNWIND_GO_ON : UNWIND_ENDED_FP_ROOT;
}

/* The same where `ra` was seen to be right behind a call, if it is not 0. */
static __always_inline int unwind_return(struct unwind_state *u, ev_u64 ra, ev_u64 sp)
{
	int end = unwind_arrive(u, ra, sp);

	u->called = 1;
	return end;
}

/* `55`, and `48 89 e5` behind it: push %rbp; mov %rsp,%rbp */
#define UNWIND_PUSH_FP 0x55
#define UNWIND_MOV_FP 0xe58948u
#define UNWIND_RET 0xc3
#define UNWIND_JMP_FAR 0x25ffu       /* jmp *N(%rip): an entry of a PLT, a tail call */
#define UNWIND_ENDBR 0xfa1e0ff3u     /* endbr64: the first of a function */

/* Behind the syscall of clone3: test %rax,%rax; jl; je over a ret.  Its unwind
 * information ends there, because what comes is for two. */
#define UNWIND_CLONED 0x0174007cc0854805ULL
#define UNWIND_CLONED_MASK 0xffff00ffffffffffULL

static __always_inline int unwind_is_cloned(ev_u64 code)
{
	return (code & UNWIND_CLONED_MASK) == UNWIND_CLONED;
}

/*
 * Where a frame was interrupted before it was set up or after it was taken down,
 * as its instructions show: the return address is on top of the stack, or below
 * the saved rbp.  0: neither.
 *
 * code   from the byte before the instruction on
 */
static __always_inline ev_u64 unwind_bare_frame(struct unwind_state *u, ev_u64 code)
{
	if (unwind_is_cloned(code) || (code >> 8 & 0xff) == UNWIND_RET || (code >> 8 & 0xffff) == UNWIND_JMP_FAR ||
	    (code >> 8 & 0xffffffff) == UNWIND_ENDBR || (code >> 8 & 0xffffffff) == (UNWIND_MOV_FP << 8 | UNWIND_PUSH_FP))
		return u->sp;
	return (code & 0xffffffff) == (UNWIND_MOV_FP << 8 | UNWIND_PUSH_FP) ? u->sp + 8 : 0;
}

#define UNWIND_MAX_ARGS (1u << 20)

/* Whether what a new program finds lies at `at`: argc, and as many arguments as it
 * says, which lie further up. */
static __always_inline int unwind_is_args(struct unwind_state *u, ev_u64 at)
{
	ev_u64 v[2], end;

	return !unwind_read(u, v, sizeof(v), at) && v[0] - 1 < UNWIND_MAX_ARGS && v[1] > at &&
	       !unwind_read(u, &end, sizeof(end), at + 8 + v[0] * 8) && !end;
}

/* Nothing is further out: a program's first code, which may have aligned the stack. */
static __always_inline int unwind_is_entry(struct unwind_state *u)
{
	return unwind_is_args(u, u->sp) || unwind_is_args(u, u->sp + 8);
}

/*
 * Code without unwind information: JIT, Go, hand-written assembly.  Nothing here is
 * certain, so what is taken for a return address must point right behind a call in
 * known code.  The top of the stack alone proves nothing: a frame just made holds
 * what older ones left there.
 */
static __always_inline int unwind_guess(struct unwind_state *u)
{
	ev_u64 v[2], fp, at, code;
	int end;

	if (!u->exact || unwind_read_code(u, &code, u->ip - 1))
		code = 0;
	if (unwind_is_cloned(code) && !u->regs[0])
		return UNWIND_ENDED_ROOT; /* a new thread */
	if (!u->exact && !u->called && !unwind_read_code(u, v, u->ip) && v[0] == UNWIND_RESTORER)
		return unwind_signal(u);
	end = unwind_fp_read(u);
	if (end)
		return end == UNWIND_ENDED_BAD_RULE ? UNWIND_ENDED_GAP : end;
	fp = u->fp;
	at = code ? unwind_bare_frame(u, code) : 0;
	if (at) {
		if (at & 7 || unwind_read(u, v, 8, at) || !unwind_is_return(u, v[0]))
			return UNWIND_ENDED_GAP;
		return unwind_return(u, v[0], at + 8);
	}
	/* In code that was interrupted rbp may be any number, and 0 is a common one. */
	if (!fp)
		return !u->exact || unwind_is_entry(u) ? UNWIND_ENDED_FP_ROOT : UNWIND_ENDED_GAP;
	if (fp < u->sp || fp & 7 || fp - u->sp > UNWIND_MAX_FP_DISTANCE || unwind_read(u, v, sizeof(v), fp))
		return UNWIND_ENDED_GAP;
	if (v[1] ? !unwind_is_return(u, v[1]) : u->exact)
		return UNWIND_ENDED_GAP;
	u->fp = v[0];
	return unwind_return(u, v[1], fp + 16);
}

static __always_inline int unwind_register(struct unwind_state *u, ev_u32 reg, ev_u64 *out)
{
	int end = UNWIND_GO_ON;

	if (reg == UNWIND_REG_SP) {
		*out = u->sp;
	} else if (reg == UNWIND_REG_FP) {
		end = unwind_fp_read(u);
		*out = u->fp;
	} else {
		*out = u->regs[reg & (UNWIND_REGS - 1)];
	}
	return end;
}

static __always_inline int unwind_rule_cfa(struct unwind_state *u, const struct unwind_rule *r, ev_u64 *cfa)
{
	ev_u64 v, index;
	int end = unwind_register(u, r->base, &v);

	if (end)
		return end;
	v += (ev_u64)(long long)r->off;
	if (r->flags & UNWIND_INDEXED) {
		end = unwind_register(u, r->index, &index);
		if (end)
			return end;
		v += index * 8;
	}
	if (r->flags & UNWIND_DEREF) {
		if (unwind_read(u, cfa, 8, v))
			return UNWIND_ENDED_UNREADABLE;
		v = *cfa + r->add;
	}
	*cfa = v;
	return UNWIND_GO_ON;
}

/* The caller's rbp; read while the callee's is still there. */
static __always_inline int unwind_rule_fp(struct unwind_state *u, const struct unwind_rule *r, ev_u64 cfa)
{
	int end;

	switch (r->saved) {
	case UNWIND_SAME:
		return UNWIND_GO_ON;
	case UNWIND_AT_CFA:
		u->fp = cfa + (ev_u64)(long long)r->saved_off;
		u->fp_is = UNWIND_FP_AT;
		return UNWIND_GO_ON;
	case UNWIND_AT_FP:
		end = unwind_fp_read(u);
		u->fp += (ev_u64)(long long)r->saved_off;
		u->fp_is = UNWIND_FP_AT;
		return end;
	default:
		u->fp_is = UNWIND_FP_LOST;
		return UNWIND_GO_ON;
	}
}

/* rsp grows with every step, so what was known of a frame is not taken for another's. */
static __always_inline int unwind_rbx_is_known(const struct unwind_state *u)
{
	return u->exact || u->rbx_sp == u->sp;
}

/* The caller's rbx. */
static __always_inline void unwind_rule_rbx(struct unwind_state *u, const struct unwind_rule *r, ev_u64 cfa)
{
	int known = unwind_rbx_is_known(u) && r->rbx != UNWIND_RBX_UNKNOWN;

	if (known && r->rbx != UNWIND_RBX_SAME)
		known = !unwind_read(u, &u->regs[UNWIND_REG_RBX], 8, cfa - r->rbx * 8);
	u->rbx_sp = known ? cfa : 0;
}

/* Registers other than rsp and rbp are known where code was interrupted; further
 * out they may have been reused, and the result must prove itself. */
static __always_inline int unwind_rule_is_sure(const struct unwind_state *u, const struct unwind_rule *r)
{
	if (u->exact)
		return 1;
	if (r->flags & UNWIND_INDEXED)
		return 0;
	return r->base == UNWIND_REG_SP || r->base == UNWIND_REG_FP || (r->base == UNWIND_REG_RBX && unwind_rbx_is_known(u));
}

static __always_inline int unwind_extended(struct unwind_state *u, const struct unwind_rule *r)
{
	int sure = unwind_rule_is_sure(u, r), end;
	ev_u64 cfa, ra;

	end = unwind_rule_cfa(u, r, &cfa);
	if (end)
		return end;
	if (cfa & 7 || cfa < u->sp || (cfa == u->sp && !(r->flags & UNWIND_RA_REGISTER)))
		return UNWIND_ENDED_BAD_RULE;
	if (r->flags & UNWIND_RA_REGISTER) {
		if (!u->exact)
			return UNWIND_ENDED_BAD_RULE;
		ra = u->regs[r->ra & (UNWIND_REGS - 1)];
	} else if (unwind_read(u, &ra, sizeof(ra), cfa - 8)) {
		return UNWIND_ENDED_UNREADABLE;
	}
	if (!sure && (cfa - u->sp > UNWIND_MAX_REG_DISTANCE || !unwind_is_return(u, ra)))
		return UNWIND_ENDED_BAD_RULE;
	end = unwind_rule_fp(u, r, cfa);
	if (end)
		return end;
	unwind_rule_rbx(u, r, cfa);
	end = unwind_arrive(u, ra, cfa);
	if (r->flags & UNWIND_EXACT)
		u->exact = 1;
	return end;
}

/* The rules of 16 bits: CFA from rsp or rbp, rbp unchanged or saved. */
static __always_inline int unwind_short(struct unwind_state *u, ev_u32 rule)
{
	ev_u64 cfa = (ev_u64)(rule & 0x3ff) * UNWIND_RULE_UNIT, ra;
	ev_u32 saved = rule >> 10 & 15;
	int end;

	if (rule >> 14 == UNWIND_SP) {
		cfa += u->sp;
	} else if ((rule & 0xfff0) == UNWIND_PLT) {
		saved = 0;
		cfa = u->sp + ((u->ip & 15) >= (rule & 15) ? 16 : 8);
	} else {
		end = unwind_fp_read(u);
		if (end)
			return end;
		cfa += u->fp;
	}
	if (cfa & 7 || cfa <= u->sp)
		return UNWIND_ENDED_BAD_RULE;
	if (unwind_read(u, &ra, sizeof(ra), cfa - 8))
		return UNWIND_ENDED_UNREADABLE;
	if (saved) {
		u->fp = cfa - saved * UNWIND_RULE_UNIT;
		u->fp_is = UNWIND_FP_AT;
	}
	return unwind_arrive(u, ra, cfa);
}

/* The rule for `pc`; UNWIND_GAP where its file has no table. */
static __always_inline int unwind_lookup(struct unwind_state *u, ev_u64 pc)
{
	int i = unwind_mapping_find(u, pc), rule;
	const struct unwind_mapping *m;
	ev_u32 page;

	if (i < 0)
		return -1;
	m = unwind_mapping_at(u, i);
	if (!m)
		return -1;
	if (m->flags & UNWIND_OPAQUE)
		return UNWIND_REFUSED;
	if (!(m->flags & UNWIND_HAS_TABLE))
		return UNWIND_GAP;
	pc -= m->bias;
	page = (ev_u32)(pc >> UNWIND_PAGE_SHIFT) - m->first_page;
	if (page >= m->npages)
		return UNWIND_GAP;
	rule = unwind_rule_find(u, m->page + page, pc & (UNWIND_PAGE_SIZE - 1));
	return rule < 0 ? UNWIND_GAP : rule;
}

#include "unwind_go.h"

static __always_inline int unwind_by_rule(struct unwind_state *u, ev_u32 rule)
{
	const struct unwind_rule *r;

	if (rule >> 14 < UNWIND_EXT || (rule & 0xfff0) == UNWIND_PLT)
		return unwind_short(u, rule);
	switch (rule) {
	case UNWIND_GAP: return unwind_guess(u);
	case UNWIND_END: return UNWIND_ENDED_ROOT;
	case UNWIND_REFUSED: return UNWIND_ENDED_GAP;
	case UNWIND_SIGNAL: return unwind_signal(u);
	case UNWIND_GO_SYSTEMSTACK: case UNWIND_GO_ASMCGOCALL: return unwind_go_switch(u, rule);
	case UNWIND_GO_MCALL: return u->exact ? UNWIND_ENDED_BAD_RULE : UNWIND_ENDED_ROOT;
	}
	if (rule >> 14 != UNWIND_EXT)
		return UNWIND_ENDED_BAD_RULE;
	r = unwind_rule_at(u, rule & (UNWIND_RULES - 1));
	return r ? unwind_extended(u, r) : UNWIND_ENDED_BAD_RULE;
}

/* Where the rule of the frame in `u` is found: behind a call may be another function. */
static __always_inline ev_u64 unwind_pc(const struct unwind_state *u)
{
	return u->exact ? u->ip : u->ip - 1;
}

/* From the frame in `u` to its caller: UNWIND_GO_ON, or why there is none. */
static __always_inline int unwind_step(struct unwind_state *u)
{
	int rule = unwind_lookup(u, unwind_pc(u));

	return rule < 0 ? UNWIND_ENDED_UNMAPPED : unwind_by_rule(u, rule);
}

#endif
