/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of generated code, from the perf-PID.map files that runtimes write.
 * Only what was hit is looked up, and nothing of a file is kept: maps of
 * hundreds of megabytes are ordinary.
 *
 * Code moves and maps grow, so a file is read when a process has new hits, again
 * while some stay nameless (less and less often), and when the process ends.
 */
#ifndef FOLD_RECORD_JIT_H
#define FOLD_RECORD_JIT_H

#include "backing.h"
#include "process.h"
#include "table.h"

struct jit_hit {
	uint64_t address;        /* to look up */
	uint64_t offset;         /* of the same byte in the module */
	uint32_t module;
	/* while a map is read: the last line that covers it */
	uint64_t start, size;
	char *name;
};

/* One process with nameless hits. */
struct jit_source {
	uint64_t serial;
	uint32_t pid, ppid;
	uint32_t uid;            /* whose maps are believed; JIT_NO_UID: not known */
	bool foreign;            /* in another mount namespace */
	uint32_t wait, pause;    /* flushes until the next look, and after that */
	int64_t since, until;    /* CLOCK_MONOTONIC ns; until 0: it lives */
	struct jit_hit *hits;
	size_t n, room;
};

/* Name [offset, offset + size) of a module.  0, or -1 out of memory. */
typedef int jit_sink(void *state, uint32_t module, uint64_t offset, uint64_t size, const char *name);

struct jit {
	struct backings *backings;       /* borrowed */
	int64_t realtime;                /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	jit_sink *sink;
	void *state;
	struct table hits;       /* (module, offset) that were hit */
	struct table named;      /* (module, start, size) that have a name */
	struct jit_source *sources;
	size_t n, room;
};

void jit_init(struct jit *j, struct backings *backings, int64_t realtime, jit_sink *sink, void *state);
void jit_release(struct jit *j); /* accepts a zeroed struct */

/* `address` of process `p`, which is `offset` of `module`, was hit.  0, -1 out of memory. */
int jit_hit(struct jit *j, const struct process *p, uint32_t module, uint64_t offset, uint64_t address);
/* True if this function was asked for before: its name is in the file. */
bool jit_named(struct jit *j, uint32_t module, uint64_t start, uint64_t size);

/* A batch is about to be written: look where it is time to. */
int jit_flush(struct jit *j);
/* The process ends at `time`; look a last time and forget it. */
int jit_end(struct jit *j, const struct process *p, uint64_t time);
/* The recording ends: look everywhere. */
int jit_finish(struct jit *j);

/* One line of a perf map, which is changed; false: not such a line. */
struct perfmap_line {
	uint64_t start, size;
	char *name;
};
bool perfmap_parse(char *line, struct perfmap_line *out);

#endif
