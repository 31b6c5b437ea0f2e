/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One sample of the oracle: how we walked it, how the kernel's frame-pointer
 * walker did, and what another unwinder needs to do it again. */
#ifndef FOLD_TESTS_ORACLE_H
#define FOLD_TESTS_ORACLE_H

#include "../../bpf/event.h"

#define ORACLE_STACK (64u << 10)
#define ORACLE_REGS 17 /* DWARF order, rip last */

struct oracle_knobs {
	ev_u32 target;         /* a process; 0: all */
	ev_u32 with_stack;
};

struct oracle_sample {
	ev_u32 pid, tid;
	ev_u32 end, n;         /* of our walk: enum fold_stack_end, words */
	ev_s32 nfp;            /* words of bpf_get_stack, or negative errno */
	ev_u32 user_mode;
	ev_u32 walk_ns, fp_ns;
	ev_u32 stack_size, pad;
	ev_u8 comm[16];
	ev_u64 regs[ORACLE_REGS];
	ev_u64 words[EVENT_MAX_FRAMES];
	ev_u64 fp[EVENT_MAX_FRAMES];
	ev_u8 below[EVENT_COPY_BELOW]; /* up to rsp */
	ev_u8 stack[ORACLE_STACK]; /* from rsp on */
};

#endif
