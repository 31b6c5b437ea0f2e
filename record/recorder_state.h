/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the recorder share: all that a recording holds on to. */
#ifndef FOLD_RECORD_RECORDER_STATE_H
#define FOLD_RECORD_RECORDER_STATE_H

#include <signal.h>

#include "aggregate.h"
#include "ahead.h"
#include "clock.h"
#include "drain.h"
#include "hostcheck.h"
#include "names.h"
#include "options.h"
#include "outfile.h"
#include "probe.h"
#include "session.h"
#include "target.h"
#include "unwind/unwinder.h"

/* With the margin of drain, what is killed has lost less than a second. */
#define RECORDER_FLUSH_NS (900 * NS_PER_MS)

struct recorder {
	const struct options *options;
	struct host host;
	struct probe_options probe_options;
	struct outfile out;
	struct probe *probe;
	struct drain drain;
	struct unwinder *unwinder; /* NULL: user stacks by frame pointers */
	struct ahead ahead;        /* feeds it */
	bool census;               /* going on: events are for the unwinder too */
	struct aggregate aggregate;
	struct targets targets;
	struct command command;
	struct writer *writer;
	struct session *session;
	struct names names;   /* of kernel functions */
	int signals;          /* signalfd */
	sigset_t old_mask;
	uint64_t start, deadline;
	uint64_t collected;   /* all events up to here are with the session */
	uint64_t flushed;
	uint64_t forget;      /* ids from before may still be in the rings; 0 none */
	enum fold_reason reason;
	int forward;          /* signal that the command has not had */
	int status;           /* to exit with */
};

/* begin.c: everything up to the first sample.  0, or -1 with a line in the log
 * and r->status. */
int recorder_begin(struct recorder *r);
/* All of it goes, also after a begin that failed. */
void recorder_release(struct recorder *r);

/* summary.c: the last lines. */
void recorder_summarize(const struct recorder *r);

#endif
