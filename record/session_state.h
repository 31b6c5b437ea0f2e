/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a session consists of, for the files that make it up: session.c (events
 * and life cycle), sample.c (samples to rows), resolve.c (words to frames),
 * define.c (what rows refer to), doubt.c (what to ask again after losses),
 * late.c (samples that wait).  Nobody else includes this.
 */
#ifndef FOLD_RECORD_SESSION_STATE_H
#define FOLD_RECORD_SESSION_STATE_H

#include "account.h"
#include "batch.h"
#include "jit.h"
#include "kernel.h"
#include "module.h"
#include "process.h"
#include "session.h"
#include "stacks.h"

/* Samples that came before their stacks. */
struct late_sample {
	struct event event;   /* without words */
	struct batch_row row;
	uint64_t serial;      /* of the process */
	struct mapset *set;   /* its mappings, held */
	bool tried;           /* in a batch before this one */
};
struct late {
	struct late_sample *v;
	size_t n, room;
};

struct session {
	struct session_options options;
	struct fold_clock start;
	uint64_t tick_ns;
	uint32_t sides, max_depth;
	bool marks;                 /* user stacks have marks among their words */
	size_t nevents;

	struct account account;
	struct batch batch;
	struct modules modules;
	struct kernel kernel;
	struct processes processes;
	struct stacks stacks;
	struct jit jit;
	struct late late;

	struct intern thread_keys;  /* (process, tid, name) -> key */
	uint32_t *thread_ids;       /* by key: id in the file */
	size_t thread_ids_room;
	struct process **touched;   /* that have a sample in this batch */
	size_t ntouched, touched_room;

	uint64_t written[FOLD_MAX_EVENTS];
	uint64_t flushed;           /* ns: where the last interval ended */
	uint64_t doubt;             /* when records were lost last, 0 never */
	uint64_t lost_records;      /* of the rings, of any kind */
	bool unresolve;             /* forget results after the next flush */
	fold_frame frames[FOLD_MAX_FRAMES];
};

/* ns of CLOCK_MONOTONIC to ticks since the start, rounded down. */
int64_t session_ticks(const struct session *s, int64_t ns);

/* Events that census gives for one process. */
int session_learn(void *state, const struct event *event);

/*
 * doubt.c: the process that `p` really is, after records were lost.  NULL: out
 * of memory.
 */
struct process *doubt_process(struct session *s, struct process *p, uint64_t time);

/* sample.c: 0, or -1 out of memory. */
int sample_add(struct session *s, const struct event *event);
/* Stacks, notes and the row; 1: a stack's id is not known (yet), nothing was done. */
int sample_finish(struct session *s, const struct event *e, const struct process *p, struct mapset *set, struct batch_row *row);

/*
 * late.c: keep a sample until its stacks come; try again, and with `last` give up.
 * 0, or -1 out of memory.
 */
int late_add(struct session *s, const struct event *e, const struct process *p, struct mapset *set, const struct batch_row *row);
int late_retry(struct session *s, bool last);
void late_release(struct late *late); /* accepts a zeroed struct */

/*
 * resolve.c: what a stack means that was there at `time`, or at the first of several.
 * 1 when its id is not known; 0; -1 out of memory or of ids.
 */
int resolve_kernel(struct session *s, const struct event_stack *stack, struct stack_result *out);
int resolve_user(struct session *s, const struct event_stack *stack, const struct process *p, struct mapset *set,
		 uint64_t time, struct stack_result *out);

/* define.c: 0, or -1 out of memory or of ids. */
int define_process(struct session *s, struct process *p);  /* and its mappings; touches it */
int define_thread(struct session *s, const struct process *p, uint32_t tid, const uint8_t comm[PROCESS_COMM], uint32_t *id);
int define_late(struct session *s, struct process *p); /* what became known of it since then, before a batch is written */

#endif
