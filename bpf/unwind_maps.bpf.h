/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the walker of user stacks has: tables that user space fills, and for each CPU
 * the state of a walk and what earlier ones found.  A walk begins with cold caches,
 * so it is made to touch few lines.
 */
#ifndef FOLD_BPF_UNWIND_MAPS_BPF_H
#define FOLD_BPF_UNWIND_MAPS_BPF_H

#include "core.h"
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
 * in unwind_config.nudge_ns is enough. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_nudges SEC(".maps");
ev_u64 nudged;

static __always_inline void nudge(void)
{
	ev_u64 now = bpf_ktime_get_ns();
	ev_u32 nothing = 0;

	if (now - nudged < unwind_config.nudge_ns)
		return;
	nudged = now;
	bpf_ringbuf_output(&unwind_nudges, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

#define WINDOW_BYTES 1024
#define WINDOW_BEHIND 64 /* registers are saved below the return address */
#define WALK_MAPPINGS 2
struct walk_mapping {
	ev_u64 process;  /* its word */
	struct unwind_mapping is;
};
/* Where a task is in execve; from some point on its memory is another's. */
enum exec { EXEC_NONE = 0, EXEC_GOES_ON = 1, EXEC_DONE = 2 };
struct walk {
	ev_u32 first, n; /* words taken so far lie behind the kernel's */
	ev_u32 gone;     /* the task is ending: its memory is not there any more */
	ev_u32 ending;   /* PF_EXITING of it: what is known of its mappings may be gone */
	ev_u32 exec;     /* enum exec */
	ev_u32 turn, copied; /* bytes sent since the queues were emptied the last time */
	ev_u32 oldest;   /* of `mappings` */
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

#endif
