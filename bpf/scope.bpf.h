/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which processes are recorded, when it is not all of them: a bit for each tgid,
 * indexed by the tgid.  A process gets its bit when it is made and a number that is
 * used again gets a new one, so that nothing has to be removed, nothing is ever
 * full, and the time after a process has officially ended still counts.
 */
#ifndef FOLD_BPF_SCOPE_BPF_H
#define FOLD_BPF_SCOPE_BPF_H

#include "event.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64);
} scope SEC(".maps");

static __always_inline ev_u64 *scope_word(ev_u32 tgid)
{
	ev_u32 slot = tgid / 64;

	return bpf_map_lookup_elem(&scope, &slot);
}

static __always_inline bool scope_has(ev_u32 tgid)
{
	ev_u64 *word = scope_word(tgid);

	return word && *word >> (tgid & 63) & 1;
}

#endif
