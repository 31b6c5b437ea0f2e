/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the two generators of recordings share: numbers from a seed, memory for
 * one batch, and the program's way to fail.  A recording that is made here is
 * valid: `fold-report check` finds nothing in it.
 */
#ifndef FOLD_TESTS_GEN_H
#define FOLD_TESTS_GEN_H

#include "../../format/fold.h"
#include "../../format/writer.h"

/* The same numbers from the same seed, everywhere. */
struct random {
	uint64_t state;
};
uint64_t random_u64(struct random *r);
/* 0 .. n - 1; 0 when n is 0. */
uint64_t random_below(struct random *r, uint64_t n);
/* True once in `n` times. */
bool random_once_in(struct random *r, uint64_t n);

/* Memory that lives until the next pool_reset(); never NULL. */
struct pool {
	void **v;
	size_t n, room;
};
void *pool_take(struct pool *pool, size_t n, size_t size);
void pool_reset(struct pool *pool);

/* Ends the program when `failed`, saying what the writer says. */
void gen_check(struct writer *w, int failed);

struct scale {
	uint64_t seed, samples, stacks, threads;
	uint32_t rows;  /* of a batch */
	bool aggregated;
};

/* One recording of one to three segments, with everything that the format allows. */
void gen_unusual(struct fold_sink sink, uint64_t seed);
/* One segment that looks like a busy machine, as large as asked for. */
void gen_scale(struct fold_sink sink, const struct scale *scale);

#endif
