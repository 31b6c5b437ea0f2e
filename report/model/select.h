/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples a report is about.  A zeroed struct selects all. */
#ifndef FOLD_REPORT_SELECT_H
#define FOLD_REPORT_SELECT_H

#include "recording.h"

/* One end of --from/--to.  What it means in a recording is known only when its
 * META was read: select_instant(). */
enum select_time_kind {
	SELECT_TIME_NONE = 0,
	SELECT_TIME_OFFSET, /* ns from the first sample of each recording */
	SELECT_TIME_UTC,    /* ns, CLOCK_REALTIME */
	SELECT_TIME_OF_DAY, /* ns since midnight UTC, on the day that fits the recording */
};
struct select_time {
	enum select_time_kind kind;
	int64_t ns;
};
struct select {
	const char *const *comms; size_t ncomms; /* globs (fnmatch); process or thread comm */
	const uint32_t *pids; size_t npids;
	const uint32_t *tids; size_t ntids;
	const uint32_t *cpus; size_t ncpus;
	const char *const *modules; size_t nmodules; /* globs on path or base name: samples with a frame in one */
	const char *match; /* POSIX extended regex on frame names: applied by the tree, after naming */
	const char *event;
	struct select_time from, to; /* from <= time < to */
};

/* "14:02:10.5", "2026-11-29T14:02:10.5Z", "2026-11-29 14:02:10", "12.5" (seconds).
 * 0, or -1 malformed. */
int select_parse_time(struct select_time *out, const char *text);

/*
 * The instant `time` (not NONE) in ns since META's start.  `first`: of the first
 * sample, same unit.  A time of day means its first occurrence that is not more
 * than six hours before the start: recordings up to 18 hours are unambiguous.
 */
int64_t select_instant(const struct select_time *time, const struct fold_clock *start, int64_t first);

bool select_pid(const struct select *select, uint32_t pid);
bool select_tid(const struct select *select, uint32_t tid);
bool select_cpu(const struct select *select, uint32_t cpu);
/* Either name may fit. */
bool select_comm(const struct select *select, const char *process, const char *thread);
/* `path` or its base name. */
bool select_module(const struct select *select, const char *path);

#endif
