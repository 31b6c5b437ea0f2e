/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of each thread and event, in order of time: for formats that show threads. */
#ifndef FOLD_REPORT_THREADS_H
#define FOLD_REPORT_THREADS_H

#include "output.h"

struct thread_rows {
	size_t tree;        /* index in report->trees */
	uint32_t thread;
	const size_t *rows; /* in rec->samples */
	const uint32_t *nodes; /* in which they end */
	size_t n;
	uint64_t weight;    /* of all of them */
};
struct threads {
	struct thread_rows *v; /* by tree, the heaviest thread first */
	size_t n;
	size_t *rows;
	uint32_t *nodes;
};

/* 0, or -1 out of memory. */
int threads_init(struct threads *threads, const struct report *report);
void threads_release(struct threads *threads);

/* Samples or weight of one row of rec->samples. */
uint64_t threads_weight(const struct report *report, size_t tree, size_t row);

#endif
