/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was running already, from /proc, as the events that would have told of it:
 * FORK (running), COMM, MMAP.
 *
 * The rings must be on before, so that nothing falls between; what both tell is
 * harmless.  A process's events have the time right before it was read: what the
 * rings tell from later than that is newer.
 */
#ifndef FOLD_RECORD_CENSUS_H
#define FOLD_RECORD_CENSUS_H

#include "event.h"

/* Takes one event; non-zero stops the census. */
typedef int census_sink(void *state, const struct event *event);

/* All processes and threads below `proc`, in time order.  0; what the sink
 * returned; or -1 with a line in the log when `proc` cannot be read or memory is short. */
int census_run(const char *proc, census_sink *sink, void *state);

/* One process, its events with `time` (0: now).  Also 0 when it is gone: then
 * the sink saw nothing. */
int census_pid(const char *proc, uint32_t pid, uint64_t time, census_sink *sink, void *state);

/* The events of census_run() as an array sorted by time, with all they point at. */
struct census {
	struct event *events;
	size_t n, room;
	struct census_text *texts;
};
int census_collect(struct census *c, const char *proc); /* 0, or -1 with a line in the log */
void census_release(struct census *c); /* accepts a zeroed struct */

/* One line of /proc/PID/maps, which is changed; path points into it.  False: not such a line. */
bool maps_parse(char *line, struct event_mmap *out);

/* Of /proc/PID/stat. */
struct stat_line {
	uint32_t ppid;
	uint64_t start; /* ticks since boot */
};
bool stat_parse(const char *line, struct stat_line *out);

#endif
