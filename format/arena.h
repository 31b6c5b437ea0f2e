/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is given back all at once: what the reader decodes a chunk into.
 * Settles on one block that holds the largest chunk so far.
 */
#ifndef FOLD_FORMAT_ARENA_H
#define FOLD_FORMAT_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks; /* newest first; allocations come from it */
};

void arena_release(struct arena *a); /* accepts a zeroed struct */
void arena_reset(struct arena *a);   /* everything given out is void */

/* `n` things of `size` bytes, not zeroed; NULL when there is no memory. */
void *arena_alloc(struct arena *a, size_t n, size_t size);

#endif
