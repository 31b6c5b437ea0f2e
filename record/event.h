/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happened, in time order: the currency between where facts come from
 * (drain: the kernel's rings; census: /proc at the start; aggregate: the counts
 * map) and session, which turns them into sections of the file.
 *
 * Times are CLOCK_MONOTONIC ns.  Pointers are borrowed for the call.
 */
#ifndef FOLD_RECORD_EVENT_H
#define FOLD_RECORD_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
	EVENT_SAMPLE = 1,  /* one sample, from the ring */
	EVENT_COUNT = 2,   /* `count` samples with the same thread and stacks, aggregated */
	EVENT_MMAP = 3,    /* an executable mapping appeared (or was there at the start) */
	EVENT_COMM = 4,    /* a thread has a name; `exec`: it is a new image */
	EVENT_FORK = 5,    /* a new thread or process */
	EVENT_EXIT = 6,
	EVENT_KSYMBOL = 7, /* kernel text came or went: BPF program, trampoline */
	EVENT_LOST = 8,    /* the kernel dropped records of this ring */
	EVENT_THROTTLE = 9,
};

struct event_stack {
	uint64_t id;           /* non-zero identity of these words within the recording; 0: no stack */
	const uint64_t *words; /* leaf first; NULL: the id was seen before */
	uint32_t n;
	int32_t err;           /* negative errno when there is no stack */
	uint32_t end;          /* enum fold_stack_end */
};

struct event_raw_copy; /* bpf/event.h */

struct event_sample {
	struct event_stack kernel, user;
	uint64_t ip;
	uint32_t flags;        /* enum event_flag of bpf/event.h */
	uint32_t event;        /* index in META */
	const struct event_raw_copy *copy; /* the user stack was not walked to its end; NULL none */
	/* EVENT_COUNT only */
	uint64_t count;
	uint64_t first, last;  /* ns */
	uint8_t comm[16];      /* as bpf_get_current_comm gave it: not always terminated */
};

struct event_mmap {
	uint64_t start, length, offset; /* offset in the file, bytes */
	uint32_t major, minor;          /* 0 when the kernel sent a build-id instead */
	uint64_t inode;
	uint32_t prot;
	uint8_t build_id_size;          /* 0 unknown */
	uint8_t build_id[20];
	const char *path;               /* terminated; as the kernel spells it: "/usr/bin/x", "//anon", "[vdso]" */
};

struct event_ksymbol {
	uint64_t start;
	uint32_t length;
	uint16_t type;                  /* PERF_RECORD_KSYMBOL_TYPE_* */
	bool unregister;
	const char *name;
};

struct event {
	enum event_kind kind;
	uint64_t time;
	uint32_t cpu, pid, tid;
	union {
		struct event_sample sample;  /* SAMPLE, COUNT */
		struct event_mmap mmap;
		struct { const char *comm; bool exec; } comm;
		struct {               /* pid, tid above: the new one */
			uint32_t ppid, ptid;
			bool running;  /* found by census: it was there already... */
			int64_t start; /* ...since then, CLOCK_MONOTONIC ns; 0 unknown */
		} fork;
		struct event_ksymbol ksymbol;
		struct { uint64_t records; } lost;
	};
};

#endif
