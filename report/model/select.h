/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples a report is about.  A zeroed struct selects all. */
#ifndef FOLD_REPORT_SELECT_H
#define FOLD_REPORT_SELECT_H

#include "recording.h"

struct select_time { /* one end of --from/--to */
	bool given, absolute;
	int64_t ns;       /* absolute: CLOCK_REALTIME; else from the first sample of the recording */
};
struct select {
	const char *const *comms; size_t ncomms; /* globs (fnmatch); process or thread comm */
	const uint32_t *pids; size_t npids;
	const uint32_t *tids; size_t ntids;
	const uint32_t *cpus; size_t ncpus;
	const char *const *modules; size_t nmodules; /* globs on path or base name: samples with a frame in one */
	const char *match; /* POSIX extended regex on frame names: applied by the tree, after naming */
	const char *event;
	struct select_time from, to;
};

/* "14:02:10", "2026-11-29T14:02:10.5Z", "12.5" (seconds).  0, or -1 malformed. */
int select_parse_time(struct select_time *out, const char *text, int64_t recording_realtime_ns);

#endif
