/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The identity of a stack: 64 bits out of its words, seeded per recording.  The
 * programs compute it for what goes through the ring, the recorder for what came
 * out of a stack map, and both must agree.
 *
 * Every step is a bijection of the state for a given word and of the word for a
 * given state: stacks that differ in one word never share an id.
 */
#ifndef FOLD_BPF_HASH_H
#define FOLD_BPF_HASH_H

#include "event.h"

enum event_side { EVENT_SIDE_KERNEL = 1, EVENT_SIDE_USER = 2 };

#define STACK_HASH_FACTOR 0xd6e8feb86659fd93ULL

static inline ev_u64 stack_hash_step(ev_u64 h, ev_u64 word)
{
	h = (h ^ word) * STACK_HASH_FACTOR;
	return h ^ h >> 32;
}

/* `end`: enum fold_stack_end, as far as the walker knew it. */
static inline ev_u64 stack_hash_start(ev_u64 seed, enum event_side side, ev_u32 n, ev_u32 end)
{
	return stack_hash_step(seed, (ev_u64)end << 40 | (ev_u64)side << 32 | n);
}

/* 0 stands for "no stack". */
static inline ev_u64 stack_hash_finish(ev_u64 h)
{
	h = stack_hash_step(h, 0);
	return h ? h : 1;
}

#endif
