/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of jobs done by several threads, with the same result as by one: the
 * heavy part of a job runs beside others', its ends run alone and in order.
 */
#ifndef FOLD_REPORT_CREW_H
#define FOLD_REPORT_CREW_H

#include <stddef.h>

#define CREW_MAX 8 /* threads: each holds the debug information of a module */

struct crew_job {
	void (*begin)(void *state, size_t i); /* one at a time, in order of i */
	void (*work)(void *state, size_t i);  /* beside the work of other jobs, and beside begin and end */
	void (*end)(void *state, size_t i);   /* one at a time and not beside begin, in order of i */
	void *state;
};

/* Jobs 0 .. n - 1, on as many threads as there are CPUs, `most` and CREW_MAX.  Without
 * threads the caller's does all.  Returns when the last has ended. */
void crew_run(const struct crew_job *job, size_t n, size_t most);

#endif
