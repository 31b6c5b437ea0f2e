/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of samples: totals by event, cause and CPU, and what of them is in the file. */
#ifndef FOLD_RECORD_ACCOUNT_H
#define FOLD_RECORD_ACCOUNT_H

#include "../format/fold.h"
#include "table.h"

#define ACCOUNT_ALL_CPUS UINT32_MAX

struct account_line {
	uint32_t event, cause, cpu; /* cpu + 1, 0: all */
	uint64_t total, written;
};
struct account {
	struct table lines; /* of (event, cause, cpu) -> index + 1 */
	struct account_line *v;
	size_t n, room;
};

void account_release(struct account *a); /* accepts a zeroed struct */
/* 0, or -1 out of memory. */
int account_add(struct account *a, uint32_t event, uint32_t cause, uint32_t cpu, uint64_t more);
int account_set(struct account *a, uint32_t event, uint32_t cause, uint32_t cpu, uint64_t total);

/* Sums over CPUs; losses: all causes of a loss. */
uint64_t account_sum(const struct account *a, uint32_t event, uint32_t cause);
uint64_t account_losses(const struct account *a, uint32_t event);

/* The next line from *at on with something that is not in the file yet, as a
 * row; it counts as written from now on.  False: no more. */
bool account_next(struct account *a, size_t *at, struct fold_account_row *out);
bool account_pending(const struct account *a);

#endif
