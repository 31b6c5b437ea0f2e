/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples or counts that wait to be written, as columns that grow together. */
#ifndef FOLD_REPORT_COLUMNS_H
#define FOLD_REPORT_COLUMNS_H

#include "../../format/fold.h"
#include "../../format/stackset.h"

struct columns {
	size_t n, room, nweights;
	bool counted;        /* counts in [from, to), not samples */
	int64_t from, to;
	int64_t *time;
	uint32_t *cpu, *thread, *event;
	uint32_t *stack[2];  /* kernel and user: handle + 1, 0 none */
	uint64_t *count;
	uint64_t *weight[FOLD_MAX_WEIGHTS];
};

/* Room for `n` rows more; their weights are 0.  0, or -1 out of memory. */
int columns_reserve(struct columns *c, size_t n);
void columns_release(struct columns *c); /* accepts a zeroed struct */

/* Handles become ids + 1, once the stacks are flushed. */
void columns_resolve(struct columns *c, struct stackset *const *stacks);
/* By thread, as rows of COUNTS have to be, and by time, so that they are small.  0, or
 * -1 out of memory. */
int columns_sort(struct columns *c);
/* As sections of a batch; borrowed. */
struct fold_samples columns_samples(const struct columns *c);
struct fold_counts columns_counts(const struct columns *c);

#endif
