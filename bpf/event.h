/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The contract between the programs in the kernel and the recorder: what a raw
 * sample looks like and how it travels, what the maps hold, what is counted.
 * Compiled by both compilers; fixed-width types only; numbers are never reused.
 *
 * Samples travel in queues of our own, the kernel's records of mappings and
 * processes in perf's rings; their times, of one clock, say what came first.
 */
#ifndef FOLD_BPF_EVENT_H
#define FOLD_BPF_EVENT_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u8 ev_u8; typedef __u16 ev_u16; typedef __u32 ev_u32; typedef __u64 ev_u64; typedef __s16 ev_s16; typedef __s32 ev_s32;
#else
#include <stdint.h>
typedef uint8_t ev_u8; typedef uint16_t ev_u16; typedef uint32_t ev_u32; typedef uint64_t ev_u64; typedef int16_t ev_s16; typedef int32_t ev_s32;
#endif

#define EVENT_MAX_FRAMES 1024 /* per side */
#define EVENT_DEFAULT_FRAMES 512

enum event_raw_kind { EVENT_RAW_SAMPLE = 1 };

enum event_flag {
	EVENT_USER_MODE = 1u << 0,    /* the interrupted code was user code */
	EVENT_ESCAPED = 1u << 1,      /* aggregated mode, and the table was full */
	EVENT_KSTACK_INLINE = 1u << 2, /* frames follow: the id was not known to be sent */
	EVENT_USTACK_INLINE = 1u << 3,
	EVENT_KTHREAD = 1u << 4,       /* no user side at all: kernel thread, or exiting */
	EVENT_STACK_COPY = 1u << 6,    /* struct event_raw_copy follows the frames */
};

/*
 * One sample.  `kstack`, `ustack`: seeded 64-bit hash of the stack, 0 none.  An
 * id without its INLINE flag was sent inline before (earlier in time, on any
 * CPU) and is known to the recorder.  Inline frames follow the struct: first
 * `nkstack` kernel words, then `nustack` user words, leaf first, as
 * bpf_get_stack gives them.
 *
 * Among user words EVENT_WORD_EXACT says of the word before it (towards the leaf)
 * that its code was interrupted by a signal: an exact pc, not a return address.
 * The leaf itself is exact without it.
 */
#define EVENT_WORD_EXACT (~0ULL)
struct event_raw_sample {
	ev_u16 kind;      /* EVENT_RAW_SAMPLE */
	ev_u16 flags;     /* enum event_flag */
	ev_u16 event;     /* index of the event in META */
	ev_u16 user_end;  /* enum fold_stack_end of the user walk */
	ev_u16 nkstack, nustack; /* inline frames that follow */
	ev_s16 kerr, uerr;       /* negative errno of a side that has no stack, else 0 */
	ev_u32 pid, tid;         /* in the recorder's pid namespace; 0 not to be seen from there */
	ev_u64 kstack, ustack;
	ev_u64 ip;        /* sampled instruction; the leaf of its side */
	ev_u64 time;      /* CLOCK_MONOTONIC ns, later than any inline stack that it refers to */
	ev_u32 size;      /* of this and all that follows, a multiple of 8 */
	ev_u32 pad;
};
_Static_assert(sizeof(struct event_raw_sample) == 64, "event_raw_sample is a cache line");
#define EVENT_SAMPLE_MAX (sizeof(struct event_raw_sample) + 2 * EVENT_MAX_FRAMES * 8) /* without a copy */

/*
 * What a walk begins with, and the memory it would read: sent where the walker in
 * the kernel did not know the code yet, for the recorder, who knows it by the time
 * it reads this.  `size` bytes follow, from rsp on.  Code that calls nobody may have
 * its CFA below rsp; zeros there if nothing could be read.
 */
#define EVENT_COPY_BYTES 61440
#define EVENT_COPY_BELOW 128 /* the red zone */
#define EVENT_COPY_REGS 17 /* DWARF numbers of x86-64: 16 general ones, rip */
struct event_raw_copy {
	ev_u64 regs[EVENT_COPY_REGS];
	ev_u32 size;
	ev_u32 cut;       /* not 0: the stack goes on, but there was a limit */
	ev_u8 below[EVENT_COPY_BELOW]; /* up to rsp */
};
_Static_assert(sizeof(struct event_raw_copy) == 272, "event_raw_copy has holes");
#define EVENT_COPY_MAX (sizeof(struct event_raw_copy) + EVENT_COPY_BYTES)

/* Aggregated mode: key and value of the counts map. */
struct event_count_key {
	ev_u32 pid, tid;
	ev_u64 kstack, ustack; /* ids that are known to be sent; 0 none */
	ev_u64 ip;
	ev_u16 event, flags;
	ev_s16 kerr, uerr;
	ev_u8 comm[16];        /* tells images of one pid apart within an interval */
};
struct event_count {
	ev_u64 count;
	ev_u64 first, last;    /* CLOCK_MONOTONIC ns of the first and last one */
};
_Static_assert(sizeof(struct event_count_key) == 56, "event_count_key has holes");

/* Counters of a CPU; every one ends up in the file. */
enum event_counter {
	EVENT_TAKEN = 0,      /* samples the program decided to take */
	EVENT_SENT = 1,       /* queued */
	EVENT_COUNTED = 2,    /* added to the counts map */
	EVENT_RING_FULL = 3,  /* no room in the queue */
	EVENT_IDLE = 4,
	EVENT_FILTERED = 5,
	EVENT_ESCAPES = 6,
	EVENT_NO_SCRATCH = 7, /* a CPU without a queue: lost */
	EVENT_COUNTERS = 8,
};

struct event_counters {
	ev_u64 v[EVENT_COUNTERS];
};

#define EVENT_RECENT_SENT 256
/*
 * The queue of a CPU, memory that both sides see.  Only programs on that CPU write to
 * it, one at a time, so that it needs no lock and no call.  A sample is made where it
 * will lie, and is there when `head` is behind it.
 *
 * Positions count bytes and only grow; a record lies at its position modulo the
 * queue's size, a power of two, and in one piece: the last of a round reaches into
 * the margin behind the round, and the next one begins the next round.  Behind the
 * margin is a place for a sample that finds no room, and may only have to be counted.
 */
struct event_queue {
	/* The programs' own.  What a sample needs is in one cache line: they run with cold
	 * caches, and a miss is as long as a hundred instructions. */
	ev_u64 head;      /* behind the last record that is complete */
	ev_u64 at;        /* in `bytes`: the sample that is being made */
	ev_u64 seen;      /* of `tail`; looked at again when this leaves no room */
	/* What the recorder may change at any time. */
	ev_u64 seed;      /* of the stack ids: a new one forgets what was sent */
	ev_u32 half;      /* aggregated: maps in use, 0 or 1 */
	ev_u32 pad;
	struct event_counters counters;
	ev_u64 pad2[3];
	/* The recorder's own. */
	ev_u64 tail;      /* what is before it was read */
	ev_u64 pad3[15];
	/* The programs' again: ids that were seen to be sent, slot = id % EVENT_RECENT_SENT.
	 * To look into the large table costs two misses, its line and its page. */
	ev_u64 sent[EVENT_RECENT_SENT];
	ev_u8 bytes[];    /* size, margin, EVENT_SAMPLE_MAX */
};
_Static_assert(sizeof(struct event_queue) == 256 + 8 * EVENT_RECENT_SENT, "event_queue has holes");
static inline ev_u64 event_queue_next(ev_u64 position, ev_u64 record, ev_u64 size)
{
	ev_u64 left = size - (position & (size - 1));

	return position + (record < left ? record : left);
}

/* Read-only knobs, fixed before load. */
struct event_config {
	ev_u32 max_frames;    /* per side, 1..EVENT_MAX_FRAMES */
	ev_u32 sides;         /* 1 kernel, 2 user */
	ev_u32 sent_mask;     /* slots of the sent table - 1, a power of two - 1 */
	ev_u32 event;         /* index of the event in META */
	ev_u32 scoped;        /* only processes that have their bit in the map `scope` */
	ev_u32 counting;      /* aggregated mode */
	ev_u32 pid_ns_ino;    /* of the recorder's pid namespace, 0: the first one */
	ev_u64 pid_ns_dev;
	ev_u64 queue_size;    /* a power of two */
	ev_u64 queue_last;    /* with the margin */
};

/* A bit for every tgid that a kernel can have (PID_MAX_LIMIT). */
#define EVENT_SCOPE_WORDS (4194304 / 64)

/* A kernel address, and what the kernel calls it. */
struct event_name {
	ev_u64 address;
	char text[504];      /* more than the longest function's name, and its module's */
};

/* Read-only, for the program that keeps the scope. */
struct event_scope_config {
	ev_u32 command;       /* tgid that is in it as soon as it execs; 0 none */
};

#endif
