/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the walker finds things: the process, the mapping of an address, the row of a
 * page, the rule; and how it reads user memory.  This is what unwind_step.h asks for.
 *
 * What searches is a global function, verified once.
 */
#ifndef FOLD_BPF_UNWIND_FIND_BPF_H
#define FOLD_BPF_UNWIND_FIND_BPF_H

#include "unwind_maps.bpf.h"

/*
 * One step of a search for the last of `n` items from `lo` on that is not above what
 * is looked for.  `over`: negative when the item in the middle is.  Without a jump:
 * the verifier would follow both ways of every step.
 */
static __always_inline void search_step(ev_u64 *lo, ev_u64 *n, long long over)
{
	ev_u64 half = *n >> 1, up = ~(ev_u64)(over >> 63);

	asm volatile("" : "+r"(up));
	*lo += (half + 1) & up;
	*n = half - (~*n & 1 & up);
}

/* Index + 1 of the mapping that starts at or below `pc`, 0 none. */
__noinline int find_mapping(ev_u32 base, ev_u32 class, ev_u64 pc)
{
	ev_u64 lo = base, n = UNWIND_RANGE_UNIT << (class & 15);
	ev_u32 zero = 0;
	struct unwind_mappings *maps = bpf_map_lookup_elem(&unwind_mappings, &zero);

	if (!maps)
		return 0;
	for (int i = 0; i < 13 && n; i++)
		search_step(&lo, &n, pc - maps->v[(lo + (n >> 1)) & (UNWIND_MAPPINGS - 1)].start);
	return lo == base ? 0 : lo;
}

/* The row in force at `pc_lo` of a page, and in the high half where the next one
 * begins.  0: none. */
__noinline ev_u64 find_row(ev_u32 index, ev_u32 pc_lo)
{
	ev_u32 zero = 0, shard, first, count, *rows;
	ev_u64 lo, n, next = UNWIND_PAGE_SIZE;
	ev_u32 k = (pc_lo >> UNWIND_INDEX_SHIFT) & (UNWIND_INDEX_ENTRIES - 1);
	struct unwind_pages *pages = bpf_map_lookup_elem(&unwind_pages, &zero);
	void *inner;

	if (!pages)
		return 0;
	count = pages->v[index & (UNWIND_PAGES - 1)].n;
	first = pages->v[index & (UNWIND_PAGES - 1)].rows;
	shard = first / UNWIND_SHARD_ROWS;
	inner = bpf_map_lookup_elem(&unwind_shards, &shard);
	if (!inner)
		return 0;
	rows = bpf_map_lookup_elem(inner, &zero);
	if (!rows)
		return 0;
	first &= UNWIND_SHARD_ROWS - 1;
	/* Rows that begin before this KiB, and before the next one. */
	lo = k ? unwind_index_get(rows[(first - UNWIND_INDEX_WORDS + (k - 1) / 2) & (UNWIND_SHARD_ROWS - 1)], k - 1) : 0;
	n = unwind_index_get(rows[(first - UNWIND_INDEX_WORDS + k / 2) & (UNWIND_SHARD_ROWS - 1)], k) - lo;
	for (int i = 0; i < UNWIND_INDEX_SHIFT + 1 && n; i++)
		search_step(&lo, &n, (long long)pc_lo - unwind_row_pc(rows[(first + lo + (n >> 1)) & (UNWIND_SHARD_ROWS - 1)]));
	if (!lo)
		return 0;
	if (lo < count)
		next = unwind_row_pc(rows[(first + lo) & (UNWIND_SHARD_ROWS - 1)]);
	return next << 32 | rows[(first + lo - 1) & (UNWIND_SHARD_ROWS - 1)];
}

/* Let the window begin a little below `address`, or be the word there if no more can
 * be read.  0, or negative: cannot be read at all. */
__noinline int window_move(ev_u64 address)
{
	ev_u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);

	if (!w)
		return -1;
	w->window = address - w->state.sp < WINDOW_BEHIND ? w->state.sp : address - WINDOW_BEHIND;
	w->nwindow = WINDOW_BYTES;
	if (!((address | w->window) & 7) && !bpf_probe_read_user(w->bytes, WINDOW_BYTES, (void *)w->window))
		return 0;
	w->window = address;
	w->nwindow = sizeof(w->bytes[0]);
	if (!bpf_probe_read_user(w->bytes, sizeof(w->bytes[0]), (void *)address))
		return 0;
	w->nwindow = 0;
	return -1;
}

/* To read 8 bytes of user memory takes nearly as long as to read 1024. */
static __always_inline long read_word(struct walk *w, ev_u64 *to, ev_u64 address)
{
	ev_u64 at = address - w->window;

	if (at >= w->nwindow || at & 7) {
		if (window_move(address))
			return -1;
		at = address - w->window;
	}
	*to = w->bytes[at / 8 % (WINDOW_BYTES / 8)];
	return 0;
}

static __always_inline struct walk *walk_of(struct unwind_state *u)
{
	return (void *)u - __builtin_offsetof(struct walk, state);
}

static __always_inline long unwind_read(struct unwind_state *u, void *to, ev_u32 size, ev_u64 address)
{
	struct walk *w = walk_of(u);
	ev_u64 *words = to;

	if (size == 8)
		return read_word(w, words, address);
	if (size == 16)
		return read_word(w, words, address) || read_word(w, words + 1, address + 8);
	return bpf_probe_read_user(to, size, (void *)address);
}

static __always_inline long unwind_read_far(struct unwind_state *u, ev_u64 *to, ev_u64 address)
{
	return bpf_probe_read_user(to, sizeof(*to), (void *)address);
}

static __always_inline long unwind_read_code(struct unwind_state *u, ev_u64 *to, ev_u64 address)
{
	return bpf_probe_read_user(to, sizeof(*to), (void *)address);
}

static __always_inline int is_mapped(const struct walk_mapping *m, ev_u64 process, ev_u64 pc)
{
	return m->process == process && pc >= m->is.start && pc < m->is.end;
}

/* Takes the mapping at `pc` into the walk: its number there, or -1. */
__noinline int mapping_take(ev_u64 pc)
{
	ev_u32 zero = 0, slot;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct unwind_mappings *maps = bpf_map_lookup_elem(&unwind_mappings, &zero);
	const struct unwind_mapping *m;
	struct unwind_process p;
	int i;

	if (!w || !maps)
		return -1;
	unwind_process_unpack(&p, w->state.process);
	i = find_mapping(p.base, p.class, pc) - 1;
	if (i < 0)
		return -1;
	m = &maps->v[i & (UNWIND_MAPPINGS - 1)];
	if (pc < m->start || pc >= m->end || m->serial != p.serial)
		return -1;
	slot = w->oldest++ % WALK_MAPPINGS;
	w->mappings[slot].is = *m;
	w->mappings[slot].process = w->state.process;
	return slot;
}

static __always_inline const struct unwind_mapping *unwind_mapping_at(struct unwind_state *u, int index)
{
	asm volatile("" : "+r"(index)); /* or a compiler that knows what mapping_take() returns leaves the mask out */
	return &walk_of(u)->mappings[index & (WALK_MAPPINGS - 1)].is;
}

/* Most calls stay within a file, and most samples are of the same two. */
static __always_inline int unwind_mapping_find(struct unwind_state *u, ev_u64 pc)
{
	const struct walk *w = walk_of(u);

	for (int i = 0; i < WALK_MAPPINGS; i++)
		if (is_mapped(&w->mappings[i], u->process, pc))
			return i;
	return mapping_take(pc);
}

static __always_inline int unwind_rule_find(struct unwind_state *u, ev_u32 page, ev_u32 pc_lo)
{
	ev_u32 block = pc_lo & ~(UNWIND_BLOCK_SIZE - 1), from = block, to = block + UNWIND_BLOCK_SIZE;
	ev_u64 found = find_row(page, pc_lo);

	if (!found)
		return -1;
	if (unwind_row_pc(found) > from)
		from = unwind_row_pc(found);
	if (found >> 32 < to)
		to = found >> 32;
	u->from = from - block;
	u->length = to - from;
	return unwind_row_rule(found);
}

static __always_inline const struct unwind_rule *unwind_rule_at(struct unwind_state *u, ev_u32 index)
{
	ev_u32 zero = 0;
	struct unwind_rules *rules = bpf_map_lookup_elem(&unwind_rules, &zero);

	return rules ? &rules->v[index & (UNWIND_RULES - 1)] : NULL;
}

/* The word of a process, if it is of the image that the process is now; else 0. */
static __always_inline ev_u64 process_find(ev_u32 tgid)
{
	ev_u64 *word = bpf_map_lookup_elem(&unwind_processes, &tgid);
	ev_u32 *image = bpf_map_lookup_elem(&unwind_images, &tgid);
	struct unwind_process p;

	if (!word)
		return 0;
	unwind_process_unpack(&p, *word);
	return p.tgid == tgid && p.image == (image ? *image & 0xff : 0) ? unwind_process_pack(&p) : 0;
}

/* The same; hash tables are slow when nothing of them is in the CPU's caches.
 * `changes` is read first: what was found earlier than a change never holds later. */
static __always_inline ev_u64 process_of(struct walk *w, ev_u32 tgid)
{
	struct unwind_recent_process *recent = &w->processes[tgid % UNWIND_RECENT_PROCESSES];
	ev_u32 zero = 0;
	struct unwind_changes *changes = bpf_map_lookup_elem(&unwind_changes, &zero);
	ev_u64 now;

	if (!changes)
		return 0;
	now = *(volatile ev_u64 *)&changes->v[tgid % UNWIND_CHANGES];
	if (recent->changes == now && unwind_process_tgid(recent->word) == tgid)
		return recent->word;
	recent->word = process_find(tgid);
	recent->changes = now;
	return recent->word;
}

#endif
