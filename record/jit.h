/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of generated code, from the jitdumps or perf maps that runtimes write.  Only
 * what was hit is looked up, and nothing else is kept: some have hundreds of megabytes.
 *
 * A dump says when a place in memory became which code.  A map grows, and a place in memory is used again for other code, without a time in
 * the map.  So the size that it had before a place was hit is remembered: of the lines
 * from before that the last one is right, and each one behind it may be.  A place that
 * may have been one function or another is called so.
 */
#ifndef FOLD_RECORD_JIT_H
#define FOLD_RECORD_JIT_H

#include "jitdump.h"
#include "perfmap.h"
#include "process.h"
#include "table.h"

/* A place that was hit, until its process ends. */
struct jit_hit {
	uint64_t address;        /* to look up */
	uint64_t offset;         /* of the same byte in the module */
	uint32_t module;
	bool fresh;              /* the map was not gone through for it yet */
	uint64_t time;           /* of the hit; ns, CLOCK_MONOTONIC */
	uint64_t known;          /* bytes of the map that were there before the hit */
	uint64_t start, size;    /* the function that covers it */
	char *name;              /* NULL: none yet */
	char *other;             /* that it may be as well, NULL none */
	bool others;             /* it may be still others */
	bool shared;             /* other lines cover it, too: names this byte only */
	bool changed;            /* since the sink had it */
};

/* A process with generated code. */
struct jit_source {
	uint64_t serial;
	uint32_t ppid;
	struct perfmap_owner owner;
	bool dumps;              /* it has a jitdump, `dump`, which is read instead of a map */
	int dump;                /* open: the process may end, and the file be removed */
	uint64_t since;          /* nothing in its dump is older; ns, CLOCK_MONOTONIC */
	uint64_t sizes[2];       /* of its map or dump at the last two looks, the older one first */
	uint64_t read;           /* bytes of it that were gone through for all hits but fresh ones */
	uint64_t inherited;      /* bytes of its parent's map or dump that are about its own code */
	uint64_t forked;         /* the dump is its parent's, and tells of its code until then; 0: its own */
	uint32_t wait;           /* flushes until the next look */
	uint32_t told;           /* names of hits in this look */
	struct jit_hit *hits;
	size_t n, room, nfresh;
};

/* Name [offset, offset + size) of a module; what comes later for the same bytes
 * is better.  0, or -1 out of memory. */
typedef int jit_sink(void *state, uint32_t module, uint64_t offset, uint64_t size, const char *name);

struct jit {
	struct backings *backings;       /* borrowed */
	int64_t realtime;                /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	jit_sink *sink;
	void *state;
	struct table hits;       /* (module, offset) that were hit */
	struct table named;      /* (module, start, size) that have a name */
	struct jit_source *sources;
	size_t n, room, ndumps;
};

void jit_init(struct jit *j, struct backings *backings, int64_t realtime, jit_sink *sink, void *state);
void jit_release(struct jit *j); /* accepts a zeroed struct */

/* `p` has, or is about to have, generated code.  0, -1 out of memory. */
int jit_watch(struct jit *j, const struct process *p);
/* `p` has mapped a file that is called like a jitdump.  0, -1 out of memory. */
int jit_dump(struct jit *j, const struct process *p, const struct backing_request *file);
/* `p` was forked from `parent`, and runs its code.  1: it has none. */
int jit_fork(struct jit *j, const struct process *p, const struct process *parent);
/* `address` of process `p`, which is `offset` of `module`, was hit at `time`. */
int jit_hit(struct jit *j, const struct process *p, uint32_t module, uint64_t offset, uint64_t address, uint64_t time);
/* True if this function was asked for before: its name is in the file. */
bool jit_named(struct jit *j, uint32_t module, uint64_t start, uint64_t size);

/* A batch is about to be written: look where it is time to. */
int jit_flush(struct jit *j);
/* The process ends at `time`; look a last time and forget it. */
int jit_end(struct jit *j, const struct process *p, uint64_t time);
/* The recording ends: look everywhere. */
int jit_finish(struct jit *j);

#endif
