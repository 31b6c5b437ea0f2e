/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one node of a stack becomes: a chain of frames, one or more when code was
 * inlined.  Each distinct (module, offset, exact) is named once, and all of a
 * module in the order of their offsets, so that its tables are walked, not
 * jumped about in.
 */
#ifndef FOLD_REPORT_CHAINS_H
#define FOLD_REPORT_CHAINS_H

#include "frames.h"

struct address {
	uint64_t offset;
	uint32_t module; /* REC_NONE: `offset` is a marker */
	bool exact;
	uint32_t first, n; /* frames in pool[], outermost first; n is 0 until resolved */
};
struct chains {
	struct frames *frames;
	struct symbolizer *symbolizer;
	struct address *v;
	size_t n, room;
	uint32_t *slots; /* index + 1 */
	size_t nslots;
	struct hash_seed seed;
	uint32_t *pool;
	size_t npool, pool_room;
};

int chains_init(struct chains *chains, struct frames *frames, struct symbolizer *symbolizer);
void chains_release(struct chains *chains);

/* The chain of `node`, to be resolved.  0, or -1 out of memory. */
int chains_want(struct chains *chains, const struct rec_node *node, bool exact, uint32_t *id);
/* Name all that is wanted.  0, or -1 out of memory. */
int chains_resolve(struct chains *chains);

#endif
