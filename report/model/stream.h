/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording that may still grow: a pipe.  Ctrl-C (SIGINT) while it is read means
 * "that is enough": its end is then where reading stopped.  The recorder at
 * the other end of the pipe often got the same Ctrl-C, so its last words are waited for.
 */
#ifndef FOLD_REPORT_STREAM_H
#define FOLD_REPORT_STREAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../format/source.h"

#define STREAM_LAST_WORDS 2000 /* ms; a second Ctrl-C ends them */

struct stream {
	int fd;
	int signals;      /* signalfd; -1: SIGINT is ignored, and stays so */
	bool stopped;
	int64_t deadline; /* ms, CLOCK_MONOTONIC; once stopped */
	sigset_t mask;    /* as it was */
};

/* From here to the end, SIGINT stops the stream and nothing else. */
struct fold_source stream_begin(struct stream *s, int fd);
void stream_end(struct stream *s);

#endif
