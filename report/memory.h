/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --max-memory: a thread that looks at how much memory the program uses, and ends
 * it with a clear word.  A limit of the kernel would make single allocations fail,
 * and what a library makes of that is a worse report, not none.
 */
#ifndef FOLD_REPORT_MEMORY_H
#define FOLD_REPORT_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct memory_watch {
	uint64_t max;
	int statm;
	atomic_bool stop;
	bool runs;
	pthread_t thread;
};

/* Open what the watch needs; before the sandbox.  0, or -1 and a line in the log. */
int memory_watch_open(struct memory_watch *w, uint64_t max); /* 0: no limit, nothing is watched */

/*
 * Watch from here on: the program ends with status 1 when more than `max` bytes of
 * anonymous memory are resident; mapped files do not count.  It looks a hundred
 * times a second, so what is allocated between two looks can go beyond.  0, or -1 and a line in the log.
 */
int memory_watch_start(struct memory_watch *w);
void memory_watch_release(struct memory_watch *w); /* accepts a zeroed struct */

#endif
