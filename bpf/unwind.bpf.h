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

struct walk {
	struct unwind_state state;
	ev_u32 first, n; /* words taken so far lie behind the kernel's */
	ev_u64 regs[EVENT_COPY_REGS], cs; /* what the walk began with */
	struct kernel_regs copy; /* before 5.15 */
	ev_u32 gone;     /* the task is ending: its memory is not there any more */
	ev_u32 turn, copied; /* bytes sent since the rings were emptied the last time */
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

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
__noinline int find_mapping(ev_u32 base, ev_u32 count, ev_u64 pc)
{
	ev_u64 lo = base, n = count;
	ev_u32 zero = 0;
	struct unwind_mappings *maps = bpf_map_lookup_elem(&unwind_mappings, &zero);

	if (!maps)
		return 0;
	for (int i = 0; i < 13 && n; i++)
		search_step(&lo, &n, pc - maps->v[(lo + (n >> 1)) & (UNWIND_MAPPINGS - 1)].start);
	return lo == base ? 0 : lo;
}

/* The rule word of a page's row in force at `pc_lo`, or -1. */
__noinline int find_rule(ev_u32 index, ev_u32 pc_lo)
{
	ev_u32 zero = 0, shard, first, *rows;
	ev_u64 lo, n;
	ev_u32 k = (pc_lo >> UNWIND_INDEX_SHIFT) & (UNWIND_INDEX_ENTRIES - 1);
	struct unwind_pages *pages = bpf_map_lookup_elem(&unwind_pages, &zero);
	void *inner;

	if (!pages)
		return -1;
	first = pages->v[index & (UNWIND_PAGES - 1)].rows;
	shard = first / UNWIND_SHARD_ROWS;
	inner = bpf_map_lookup_elem(&unwind_shards, &shard);
	if (!inner)
		return -1;
	rows = bpf_map_lookup_elem(inner, &zero);
	if (!rows)
		return -1;
	first &= UNWIND_SHARD_ROWS - 1;
	/* Rows that begin before this KiB, and before the next one. */
	lo = k ? unwind_index_get(rows[(first - UNWIND_INDEX_WORDS + (k - 1) / 2) & (UNWIND_SHARD_ROWS - 1)], k - 1) : 0;
	n = unwind_index_get(rows[(first - UNWIND_INDEX_WORDS + k / 2) & (UNWIND_SHARD_ROWS - 1)], k) - lo;
	for (int i = 0; i < UNWIND_INDEX_SHIFT + 1 && n; i++)
		search_step(&lo, &n, (long long)pc_lo - unwind_row_pc(rows[(first + lo + (n >> 1)) & (UNWIND_SHARD_ROWS - 1)]));
	return lo ? (int)unwind_row_rule(rows[(first + lo - 1) & (UNWIND_SHARD_ROWS - 1)]) : -1;
}

static __always_inline long unwind_read(struct unwind_state *u, void *to, ev_u32 size, ev_u64 address)
{
	return bpf_probe_read_user(to, size, (void *)address);
}

static __always_inline const struct unwind_mapping *unwind_mapping_at(struct unwind_state *u, int index)
{
	ev_u32 zero = 0;
	struct unwind_mappings *maps = bpf_map_lookup_elem(&unwind_mappings, &zero);

	return maps ? &maps->v[index & (UNWIND_MAPPINGS - 1)] : NULL;
}

static __always_inline int unwind_mapping_find(struct unwind_state *u, ev_u64 pc)
{
	const struct unwind_mapping *m = unwind_mapping_at(u, u->last - 1);
	int i;

	/* Most calls stay within a file. */
	if (u->last && m && pc >= m->start && pc < m->end && m->serial == u->serial)
		return u->last - 1;
	i = find_mapping(u->base, u->n, pc) - 1;
	if (i < 0)
		return -1;
	m = unwind_mapping_at(u, i);
	if (!m || pc < m->start || pc >= m->end || m->serial != u->serial)
		return -1;
	u->last = i + 1;
	return i;
}

static __always_inline int unwind_rule_find(struct unwind_state *u, ev_u32 page, ev_u32 pc_lo)
{
	return find_rule(page, pc_lo);
}

static __always_inline const struct unwind_rule *unwind_rule_at(struct unwind_state *u, ev_u32 index)
{
	ev_u32 zero = 0;
	struct unwind_rules *rules = bpf_map_lookup_elem(&unwind_rules, &zero);

	return rules ? &rules->v[index & (UNWIND_RULES - 1)] : NULL;
}

#include "unwind_step.h"

#define COMPAT_CS 0x23 /* __USER32_CS */

/* Registers under the names of either struct, in DWARF order. */
#define COPY_REGS(w, r, AX, DX, CX, BX, SI, DI, BP, SP, IP) \
	do { \
		(w)->regs[0] = (r)->AX; (w)->regs[1] = (r)->DX; (w)->regs[2] = (r)->CX; (w)->regs[3] = (r)->BX; \
		(w)->regs[4] = (r)->SI; (w)->regs[5] = (r)->DI; (w)->regs[6] = (r)->BP; (w)->regs[7] = (r)->SP; \
		(w)->regs[8] = (r)->r8; (w)->regs[9] = (r)->r9; (w)->regs[10] = (r)->r10; (w)->regs[11] = (r)->r11; \
		(w)->regs[12] = (r)->r12; (w)->regs[13] = (r)->r13; (w)->regs[14] = (r)->r14; (w)->regs[15] = (r)->r15; \
		(w)->regs[UNWIND_REG_RA] = (r)->IP; \
		(w)->cs = (r)->cs; \
	} while (0)

/* The sample was in the kernel: what user space had is at the top of the stack. */
static __always_inline bool task_regs(struct walk *w)
{
	struct pt_regs___kernel *at;
	struct task_struct *task;
	void *stack, *mm;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) {
		task = (void *)bpf_get_current_task_btf();
		w->gone = !task->mm;
		at = (void *)bpf_task_pt_regs((void *)task);
		COPY_REGS(w, at, ax, dx, cx, bx, si, di, bp, sp, ip);
		return true;
	}
	if (!unwind_config.read_kernel)
		return false;
	task = (void *)bpf_get_current_task();
	if (bpf_core_read(&stack, sizeof(stack), &task->stack) || bpf_core_read(&mm, sizeof(mm), &task->mm) ||
	    bpf_probe_read_kernel(&w->copy, sizeof(w->copy), stack + THREAD_SIZE - sizeof(w->copy)))
		return false;
	w->gone = !mm;
	COPY_REGS(w, &w->copy, ax, dx, cx, bx, si, di, bp, sp, ip);
	return true;
}

/* Into w->regs and w->cs; into the map at once, because two stack frames of this
 * size are more than old kernels allow. */
static __always_inline bool user_regs(struct bpf_perf_event_data *ctx, struct walk *w)
{
	w->gone = 0;
	if (!regs_user(ctx))
		return task_regs(w) && (w->cs & 3) == 3;
	COPY_REGS(w, &ctx->regs, rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, rip);
	return true;
}

/* The process's mappings, if those are of the image that it is now. */
static __always_inline bool mappings_of(struct unwind_state *u, ev_u32 tgid)
{
	ev_u64 *word = bpf_map_lookup_elem(&unwind_processes, &tgid);
	ev_u32 *image = bpf_map_lookup_elem(&unwind_images, &tgid);
	struct unwind_process p;

	if (!word)
		return false;
	unwind_process_unpack(&p, *word);
	u->base = p.base;
	u->n = p.n;
	u->serial = p.serial;
	return p.tgid == tgid && p.image == (image ? *image & 0xff : 0);
}

/* Why the stack cannot be walked at all, or UNWIND_GO_ON. */
static __always_inline int walk_refused(struct walk *w, ev_u32 tgid)
{
	if ((w->cs & 0xff) == COMPAT_CS)
		return UNWIND_ENDED_COMPAT;
	if (w->gone)
		return UNWIND_ENDED_EXITING;
	return mappings_of(&w->state, tgid) ? UNWIND_GO_ON : UNWIND_ENDED_UNMAPPED;
}

/* Keep the frame that the walk is at, step to its caller. */
__noinline int walk_frame(void)
{
	ev_u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);

	if (!w || !s)
		return UNWIND_ENDED_BAD_RULE;
	if (w->n >= config.max_frames)
		return UNWIND_ENDED_DEPTH;
	s->words[(w->first + w->n) & (2 * EVENT_MAX_FRAMES - 1)] = w->state.ip;
	w->n++;
	if (w->state.exact && w->n > 1 && w->n < config.max_frames) {
		s->words[(w->first + w->n) & (2 * EVENT_MAX_FRAMES - 1)] = EVENT_WORD_EXACT;
		w->n++;
	}
	return unwind_step(&w->state);
}

static __always_inline int walk_frames(void)
{
	for (int i = 0; i < EVENT_MAX_FRAMES; i++) {
		int end = walk_frame();

		if (end)
			return end;
	}
	return UNWIND_ENDED_DEPTH;
}

static __always_inline long take_user(struct bpf_perf_event_data *ctx, struct scratch *s)
{
	ev_u32 zero = 0, tgid = bpf_get_current_pid_tgid() >> 32;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	int end;

	if (!w || !user_regs(ctx, w))
		return 0;
	__builtin_memcpy(w->state.regs, w->regs, sizeof(w->state.regs));
	w->state.ip = w->regs[UNWIND_REG_RA];
	w->state.sp = w->regs[UNWIND_REG_SP];
	w->state.fp = w->regs[UNWIND_REG_FP];
	w->state.fp_is = UNWIND_FP_KNOWN;
	w->state.exact = 1;
	w->state.last = 0;
	w->first = s->head.nkstack;
	w->n = 0;
	end = walk_refused(w, tgid);
	if (end) {
		s->words[w->first & (2 * EVENT_MAX_FRAMES - 1)] = w->state.ip;
		w->n = 1;
	} else {
		end = walk_frames();
	}
	s->head.user_end = end;
	if (end == UNWIND_ENDED_UNMAPPED)
		nudge();
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
	__builtin_memcpy(c->regs, w->regs, sizeof(c->regs));
	c->pad = 0;
	for (int i = 0; i < EVENT_COPY_BYTES / COPY_PIECE; i++) {
		if (bpf_probe_read_user(to + i * COPY_PIECE, COPY_PIECE, (void *)(w->regs[UNWIND_REG_SP] + i * COPY_PIECE)))
			break;
		got += COPY_PIECE;
	}
	for (int i = 0; i < COPY_PIECE / COPY_SMALL_PIECE; i++) {
		if (got > EVENT_COPY_BYTES - COPY_SMALL_PIECE ||
		    bpf_probe_read_user(to + got, COPY_SMALL_PIECE, (void *)(w->regs[UNWIND_REG_SP] + got)))
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
