/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Unwind tables as the walker in the kernel reads them and record/unwind/ writes
 * them: rows, pages, shards, extended rules, mappings, processes.  Compiled by
 * both compilers; fixed-width types only.
 *
 * An address is found in this order: process -> sorted mappings -> page of the
 * file's text -> sorted rows of that page -> rule.  All arrays are written before
 * the word that leads to them, and never change while something leads to them.
 */
#ifndef FOLD_BPF_UNWIND_H
#define FOLD_BPF_UNWIND_H

#include "event.h"

/* ---- rows: 32 bits, pc_lo in the low half, a rule in the high half.  pc_lo are
 * the low bits of the ELF address; a row holds until the next one.  Every page
 * starts with a row at pc_lo 0, so that no search crosses pages.
 *
 * On aarch64 instructions are 4 bytes long, so 16 bits reach over 256 KiB; there
 * the rbp field below says where the frame record is instead: none (return
 * address in lr), at the bottom of the frame, at CFA-16; the rest is the same. */
#define UNWIND_PAGE_SHIFT 16
#define UNWIND_PAGE_SIZE (1u << UNWIND_PAGE_SHIFT)

static inline ev_u32 unwind_row(ev_u32 pc_lo, ev_u32 rule) { return pc_lo | rule << 16; }
static inline ev_u32 unwind_row_pc(ev_u32 row) { return row & 0xffff; }
static inline ev_u32 unwind_row_rule(ev_u32 row) { return row >> 16; }

/*
 * A rule in 16 bits.
 *   15:14  UNWIND_SP, UNWIND_FP:  CFA = rsp, rbp + 8 * bits 9:0, the caller's rbp is
 *          the same (13:10 zero) or at CFA - 8 * bits 13:10; return address at CFA - 8
 *          UNWIND_EXT:  bits 13:0 are an index into the extended rules
 *          UNWIND_SPECIAL:  one of the words below
 */
enum unwind_class { UNWIND_SP = 0, UNWIND_FP = 1, UNWIND_EXT = 2, UNWIND_SPECIAL = 3 };
enum unwind_special {
	UNWIND_GAP = 0xc000,    /* no unwind information from here on */
	UNWIND_END = 0xc001,    /* outermost frame */
	UNWIND_SIGNAL = 0xc002, /* rt_sigframe at rsp */
	UNWIND_BAD = 0xc003,    /* there is a rule, but not one we can hold */
	UNWIND_REFUSED = 0xc004, /* never in a row: the file's information was not taken */
	UNWIND_GO_SYSTEMSTACK = 0xc005, /* calls on another stack: unwind_go.h */
	UNWIND_GO_MCALL = 0xc006,       /* what it calls never returns */
	UNWIND_GO_ASMCGOCALL = 0xc007,  /* calls C on another stack */
	UNWIND_GO_SWITCHED = 0xc020,    /* | distance / 8: never a frame; where those wait that call on another stack */
	UNWIND_PLT = 0xc010,    /* | threshold: CFA = rsp + 8, and 8 more when (pc & 15) >= threshold */
};
#define UNWIND_RULE_UNIT 8
#define UNWIND_MAX_CFA (0x3ff * UNWIND_RULE_UNIT)
#define UNWIND_MAX_SAVED 15

/* The rest, shared by all objects:
 *   v = register[base] + off, + 8 * register[index] if INDEXED
 *   CFA = DEREF ? *v + add : v
 * Registers have DWARF numbers.
 *
 * The linker's code for lazy binding, in the middle of a stack, has its CFA in rbx,
 * which those it calls save.  A file with such a rule has all its rules in this form,
 * and they say where the caller's rbx is. */
enum unwind_rule_flag {
	UNWIND_DEREF = 1,
	UNWIND_INDEXED = 2,
	UNWIND_RA_REGISTER = 4, /* return address in register `ra`, not in memory */
	UNWIND_EXACT = 8,       /* the caller was interrupted: its pc is no return address */
};
enum unwind_saved { UNWIND_SAME = 0, UNWIND_AT_CFA = 1, UNWIND_AT_FP = 2, UNWIND_UNKNOWN = 3 };
struct unwind_rule {
	ev_u8 base, index, flags;
	ev_u8 saved;    /* enum unwind_saved: where the caller's rbp is */
	ev_s32 off;
	ev_s32 saved_off;
	ev_u8 ra;
	ev_u8 rbx;      /* UNWIND_RBX_*, or at CFA - 8 * rbx */
	ev_u16 add;
};
#define UNWIND_RBX_UNKNOWN 0
#define UNWIND_RBX_SAME 255
_Static_assert(sizeof(struct unwind_rule) == 16, "unwind_rule has holes");
#define UNWIND_RULES (1u << 14)

/* ---- shards: 1 MiB of rows each, made when needed.  A page never straddles two. */
#define UNWIND_SHARD_ROWS (1u << 18)
#define UNWIND_SHARD_BYTES (UNWIND_SHARD_ROWS * 4)
#define UNWIND_SHARDS 256

#define UNWIND_PAGE_ROWS 0xffff /* so that 16 bits count them */
#define UNWIND_PAGES (1u << 17) /* 8 GiB of text */
struct unwind_page {
	ev_u32 rows;   /* shard << 18 | index of the first row */
	ev_u32 n;      /* at most UNWIND_PAGE_ROWS */
};

/* In front of a page's rows stands an index: for each KiB of the page the number
 * of rows that begin before its end, two in a word.  A search over all rows would
 * touch a cache line a step, and all of them are cold. */
#define UNWIND_INDEX_SHIFT 10
#define UNWIND_INDEX_ENTRIES (UNWIND_PAGE_SIZE >> UNWIND_INDEX_SHIFT)
#define UNWIND_INDEX_WORDS (UNWIND_INDEX_ENTRIES / 2)
static inline ev_u32 unwind_index_get(ev_u32 word, ev_u32 k) { return k & 1 ? word >> 16 : word & 0xffff; }

/* ---- mappings of processes, each process a range sorted by start */
#define UNWIND_MAPPINGS (1u << 16)
enum unwind_mapping_flag {
	UNWIND_HAS_TABLE = 1,
	UNWIND_OPAQUE = 2, /* has unwind information that we could not take: do not guess */
};
struct unwind_mapping {
	ev_u64 start, end;
	ev_u64 bias;       /* address - bias = ELF address */
	ev_u32 page;       /* index of its object's first page */
	ev_u32 first_page; /* ELF address of that page >> UNWIND_PAGE_SHIFT */
	ev_u32 npages;
	ev_u16 flags;
	ev_u16 serial;     /* of the range: must fit the process's word */
};
_Static_assert(sizeof(struct unwind_mapping) == 40, "unwind_mapping has holes");

/*
 * A process has a range of them: 4 << class entries, of which those left over
 * start at UNWIND_NOWHERE.  What a range holds never changes; when its place is
 * used again it has another serial, and place and serial never come together twice.
 */
#define UNWIND_NOWHERE (1ULL << 62) /* above all addresses */
#define UNWIND_RANGE_UNIT 4
#define UNWIND_RANGE_CLASSES 11
#define UNWIND_MAX_MAPPINGS (UNWIND_RANGE_UNIT << (UNWIND_RANGE_CLASSES - 1)) /* of one process */

/*
 * What is known of a process, in one word, so that it is read and replaced as a
 * whole:  tgid:22  image:8  serial:16  class:4  base:14 (in units of 4 mappings).
 *
 * tgid and serial are checked, so that a word or a range that was given to someone
 * else in the meantime fits nobody.  `image` counts the execs of the process: the
 * kernel's side counts them too, at once, and a word that was made for an image
 * that is gone does not hold, however late it is written.
 */
#define UNWIND_PROCESSES 16384
struct unwind_process {
	ev_u32 tgid, base;
	ev_u16 serial;
	ev_u8 image, class;
};
static inline ev_u64 unwind_process_pack(const struct unwind_process *p)
{
	return (ev_u64)p->tgid << 42 | (ev_u64)p->image << 34 | (ev_u64)p->serial << 18 | (ev_u64)(p->class & 15) << 14 |
	       (p->base / UNWIND_RANGE_UNIT & 0x3fff);
}
static inline void unwind_process_unpack(struct unwind_process *p, ev_u64 word)
{
	p->tgid = word >> 42;
	p->image = word >> 34;
	p->serial = word >> 18;
	p->class = word >> 14 & 15;
	p->base = (word & 0x3fff) * UNWIND_RANGE_UNIT;
}

static inline ev_u32 unwind_process_tgid(ev_u64 word) { return word >> 42; }

/* Serial, class and base of a word: names what a range holds, for good.  Not 0. */
#define UNWIND_RANGE_BITS 34
static inline ev_u64 unwind_process_range(ev_u64 word) { return (word & ((1ULL << UNWIND_RANGE_BITS) - 1)) | 1ULL << UNWIND_RANGE_BITS; }

/* DWARF register numbers of x86-64 */
#define UNWIND_REG_RBX 3
#define UNWIND_REG_FP 6
#define UNWIND_REG_SP 7
#define UNWIND_REG_RA 16
#define UNWIND_REGS 16 /* general ones */

/*
 * What a CPU found last, so that code that comes again costs one cache line: a block
 * of 64 bytes, the part of it that has a rule in common, the rule.
 *   key    block:42 (pc >> 6)  from:6  rule:16
 *   range  where it was found (unwind_process_range), length:7 of the part << 40
 */
#define UNWIND_RECENT 2048 /* what a per-CPU value can hold */
#define UNWIND_BLOCK_SHIFT 6
#define UNWIND_BLOCK_SIZE (1u << UNWIND_BLOCK_SHIFT)
#define UNWIND_RECENT_PC_BITS 48
#define UNWIND_RECENT_LENGTH 40
struct unwind_recent {
	ev_u64 key, range;
};
static inline ev_u32 unwind_recent_slot(ev_u64 pc)
{
	return (ev_u32)((pc >> UNWIND_BLOCK_SHIFT) * 0x9e3779b97f4a7c15ULL >> 40) & (UNWIND_RECENT - 1);
}

static inline int unwind_recent_is(const struct unwind_recent *r, ev_u64 pc, ev_u64 range)
{
	ev_u64 key = r->key, found = r->range;

	return key >> (UNWIND_BLOCK_SHIFT + 16) == pc >> UNWIND_BLOCK_SHIFT && (found & ((1ULL << UNWIND_RECENT_LENGTH) - 1)) == range &&
	       (pc & (UNWIND_BLOCK_SIZE - 1)) - (key >> 16 & (UNWIND_BLOCK_SIZE - 1)) < found >> UNWIND_RECENT_LENGTH;
}

/* The same for words of processes: good while unwind_changes of the tgid stays. */
#define UNWIND_CHANGES 1024
#define UNWIND_RECENT_PROCESSES 8
struct unwind_recent_process {
	ev_u64 changes, word;
};

/* ---- a walk */
/* Fixed before load. */
struct unwind_config {
	ev_u32 read_kernel; /* bpf_probe_read_kernel may be used: not under lockdown=confidentiality */
	ev_u32 nudge_ns;    /* user space is not woken more often */
};
/* Copies of stacks: a CPU may send `bytes` of them between two times that user space
 * emptied the queues, so that samples always have the rest; and `limit` of one stack. */
struct unwind_copying {
	ev_u32 turn;   /* counts those times */
	ev_u32 bytes;
	ev_u32 limit, pad;
};
#define UNWIND_COPY_FIRST 16384 /* limit, until a walk needs more */

/* As enum fold_stack_end of the file; 0: go on. */
enum unwind_end {
	UNWIND_GO_ON = 0,
	UNWIND_ENDED_ROOT = 1,
	UNWIND_ENDED_FP_ROOT = 2,
	UNWIND_ENDED_GAP = 3,
	UNWIND_ENDED_UNMAPPED = 4,
	UNWIND_ENDED_UNREADABLE = 5,
	UNWIND_ENDED_BAD_RULE = 6,
	UNWIND_ENDED_DEPTH = 7,
	UNWIND_ENDED_NO_REGS = 8,
	UNWIND_ENDED_COMPAT = 9,
	UNWIND_ENDED_EXITING = 10,
};

enum unwind_fp { UNWIND_FP_KNOWN = 0, UNWIND_FP_AT = 1, UNWIND_FP_LOST = 2 };

struct unwind_state {
	ev_u64 ip, sp;
	ev_u64 fp;       /* FP_KNOWN: rbp; FP_AT: where it was saved, read only when needed */
	ev_u32 fp_is;    /* enum unwind_fp */
	ev_u32 exact;    /* ip was interrupted; else it is a return address */
	ev_u64 process;  /* its word */
	ev_u8 from, length; /* the part of the pc's block where its rule holds */
	ev_u8 called;    /* ip is right behind a call, as the code showed */
	ev_u8 pad[5];
	ev_u64 rbx_sp;   /* regs[rbx] is of the frame with this rsp, too */
	ev_u64 regs[UNWIND_REGS]; /* of the innermost frame, or of the last signal frame */
};

#endif
