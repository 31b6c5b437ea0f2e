/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording to be read: a file, or a pipe that may still grow.  Ctrl-C (SIGINT) or
 * SIGTERM while a pipe is read means "that is enough": its end is then where reading
 * stopped, and the program goes on with what it has.  The recorder at the other end
 * of the pipe often got the same Ctrl-C, so its last words are waited for.
 */
#ifndef FOLD_REPORT_INFILE_H
#define FOLD_REPORT_INFILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "../format/source.h"

#define INFILE_LAST_WORDS 2000 /* ms; a second signal ends them */

struct infile {
	const char *path; /* "-": standard input */
	int fd;
	uint64_t size;    /* 0: it may grow */
	bool got;         /* anything, from what may grow */
	int signals;      /* signalfd while a pipe is read; -1: none, both are ignored, or end the program as ever */
	bool stopped;
	int64_t deadline; /* ms, CLOCK_MONOTONIC; once stopped */
	sigset_t mask;    /* as it was */
};

/* 0, or -1 and a line in the log.  From here until infile_close() signals stop a pipe. */
int infile_open(struct infile *in, const char *path);
struct fold_source infile_source(struct infile *in);
/* Of a file that is no recording: what it is, and what to do then; NULL when that is not known. */
const char *infile_what(const struct infile *in);
void infile_close(struct infile *in);

#endif
