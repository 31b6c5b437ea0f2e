/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The walker of user stacks: its maps, its registers, its loop; take_user for
 * sample.bpf.h.  x86-64.  Reads task_struct and pt_regs by name: needs BTF.
 *
 * One global function walks one frame: the verifier checks it once, and the loop
 * around it stays trivial for any depth.  State lies in a per-CPU map, because
 * global functions of old kernels take numbers only.
 */
#ifndef FOLD_BPF_UNWIND_BPF_H
#define FOLD_BPF_UNWIND_BPF_H

#include <linux/bpf.h> /* the types of libbpf's headers, which do not bring them */
#include <bpf/bpf_core_read.h>
#include "core.h"
#include "event.h"

#define COPY_PIECE 1024
#define COPY_SMALL_PIECE 32 /* the last page of a stack is rarely full */
#define SCRATCH_COPY_WORDS ((sizeof(struct event_raw_copy) + EVENT_COPY_BYTES + COPY_PIECE) / 8)
#include "sample.bpf.h"
#include "unwind.h"

const volatile struct unwind_config unwind_config SEC(".rodata.unwind") = { .read_kernel = 1 };

#define ONE_MAPPABLE(type_of_value) \
	__uint(type, BPF_MAP_TYPE_ARRAY); \
	__uint(max_entries, 1); \
	__uint(map_flags, BPF_F_MMAPABLE); \
	__type(key, __u32); \
	__type(value, type_of_value)

struct unwind_pages { struct unwind_page v[UNWIND_PAGES]; };
struct unwind_rules { struct unwind_rule v[UNWIND_RULES]; };
struct unwind_mappings { struct unwind_mapping v[UNWIND_MAPPINGS]; };
struct { ONE_MAPPABLE(struct unwind_pages); } unwind_pages SEC(".maps");
struct { ONE_MAPPABLE(struct unwind_rules); } unwind_rules SEC(".maps");
struct { ONE_MAPPABLE(struct unwind_mappings); } unwind_mappings SEC(".maps");
struct { ONE_MAPPABLE(struct unwind_copying); } unwind_copying SEC(".maps");

struct unwind_shard {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, UNWIND_SHARD_BYTES);
	__uint(map_flags, BPF_F_MMAPABLE);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_SHARDS);
	__uint(key_size, 4);
	__array(values, struct unwind_shard);
} unwind_shards SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_PROCESSES);
	__type(key, __u32);
	__type(value, __u64); /* unwind_process_pack */
} unwind_processes SEC(".maps");

/* How often a process became another image; no entry: never seen. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_PROCESSES);
	__type(key, __u32);
	__type(value, __u32);
} unwind_images SEC(".maps");

/* Of the two above, by tgid. */
struct unwind_changes { ev_u64 v[UNWIND_CHANGES]; };
struct { ONE_MAPPABLE(struct unwind_changes); } unwind_changes SEC(".maps");

/* Wakes user space: a walk came to code that is not known yet.  Says nothing; one
 * in UNWIND_NUDGE_NS is enough. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_nudges SEC(".maps");
ev_u64 nudged;

static __always_inline void nudge(void)
{
	ev_u64 now = bpf_ktime_get_ns();
	ev_u32 nothing = 0;

	if (now - nudged < UNWIND_NUDGE_NS)
		return;
	nudged = now;
	bpf_ringbuf_output(&unwind_nudges, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

#define FRAMES_AT_ONCE 8
#define WINDOW_BYTES 1024
#define WINDOW_BEHIND 64 /* registers are saved below the return address */
#define WALK_MAPPINGS 2
struct walk_mapping {
	ev_u64 process;  /* its word */
	struct unwind_mapping is;
};
struct walk {
	ev_u32 first, n; /* words taken so far lie behind the kernel's */
	ev_u32 gone;     /* the task is ending: its memory is not there any more */
	ev_u32 exec;     /* it is in execve, from some point on which its memory is another's */
	ev_u32 turn, copied; /* bytes sent since the rings were emptied the last time */
	ev_u32 oldest;   /* of `mappings` */
	ev_u32 pad;
	ev_u64 window;   /* address of the piece of the stack that is here */
	ev_u64 nwindow;  /* bytes of it; 0 none */
	struct unwind_state state;
	struct walk_mapping mappings[WALK_MAPPINGS]; /* found last */
	struct unwind_recent_process processes[UNWIND_RECENT_PROCESSES];
	ev_u64 bytes[WINDOW_BYTES / 8];
	struct kernel_regs copy; /* before 5.15 */
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

struct unwind_recents { struct unwind_recent v[UNWIND_RECENT]; };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_recents);
} recents SEC(".maps");

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

#include "unwind_step.h"

#define COMPAT_CS 0x23 /* __USER32_CS */
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

/* The sample was in the kernel: what user space had is at the top of the stack.
 * 0: it is not known. */
static __always_inline ev_u64 task_regs(struct walk *w)
{
	struct pt_regs___kernel *at;
	struct task_struct *task;
	void *stack, *mm;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) {
		task = (void *)bpf_get_current_task_btf();
		w->gone = !task->mm;
		at = (void *)bpf_task_pt_regs((void *)task);
		w->exec = at->orig_ax == NR_EXECVE || at->orig_ax == NR_EXECVEAT;
		return TAKE_REGS(&w->state, at, ax, dx, cx, bx, si, di, bp, sp, ip);
	}
	if (!unwind_config.read_kernel)
		return 0;
	task = (void *)bpf_get_current_task();
	if (bpf_core_read(&stack, sizeof(stack), &task->stack) || bpf_core_read(&mm, sizeof(mm), &task->mm) ||
	    bpf_probe_read_kernel(&w->copy, sizeof(w->copy), stack + THREAD_SIZE - sizeof(w->copy)))
		return 0;
	w->gone = !mm;
	w->exec = w->copy.orig_ax == NR_EXECVE || w->copy.orig_ax == NR_EXECVEAT;
	return TAKE_REGS(&w->state, &w->copy, ax, dx, cx, bx, si, di, bp, sp, ip);
}

/* Into the walk, which begins with them; into the map at once, because two stack
 * frames of this size are more than old kernels allow.  The code segment, 0 if there
 * are none. */
static __always_inline ev_u64 user_regs(struct bpf_perf_event_data *ctx, struct walk *w)
{
	ev_u64 cs;

	w->gone = w->exec = 0;
	if (regs_user(ctx))
		return TAKE_REGS(&w->state, &ctx->regs, rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, rip);
	cs = task_regs(w);
	return (cs & 3) == 3 ? cs : 0;
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
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);
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
	if (w->exec && (end == UNWIND_ENDED_UNMAPPED || end == UNWIND_ENDED_UNREADABLE))
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

/* A function of its own, so that what lies ahead of it is verified once. */
__noinline int copy_stack(ev_u32 at)
{
	ev_u32 zero = 0, got = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);
	struct event_raw_copy *c;
	ev_u8 *to;

	if (!w || !s || at >= 2 * EVENT_MAX_FRAMES)
		return 0;
	asm volatile("" : "+r"(at)); /* or the compiler drops the mask, and the verifier sees no limit */
	c = (void *)&s->words[at & (2 * EVENT_MAX_FRAMES - 1)];
	to = (void *)(c + 1);
	__builtin_memcpy(c->regs, w->state.regs, sizeof(w->state.regs));
	c->regs[UNWIND_REG_FP] = w->state.fp;
	c->regs[UNWIND_REG_SP] = w->state.sp;
	c->regs[UNWIND_REG_RA] = w->state.ip;
	c->pad = 0;
	for (int i = 0; i < EVENT_COPY_BYTES / COPY_PIECE; i++) {
		if (bpf_probe_read_user(to + i * COPY_PIECE, COPY_PIECE, (void *)(w->state.sp + i * COPY_PIECE)))
			break;
		got += COPY_PIECE;
	}
	for (int i = 0; i < COPY_PIECE / COPY_SMALL_PIECE; i++) {
		if (got > EVENT_COPY_BYTES - COPY_SMALL_PIECE ||
		    bpf_probe_read_user(to + got, COPY_SMALL_PIECE, (void *)(w->state.sp + got)))
			break;
		got += COPY_SMALL_PIECE;
	}
	c->size = got;
	w->copied += sizeof(*c) + got;
	return sizeof(*c) + got;
}

static __always_inline ev_u64 take_copy(struct scratch *s, ev_u64 at)
{
	return copy_stack(at) & 0x3fff;
}

#endif
