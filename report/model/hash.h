/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashing of what comes out of files.  The seed is secret per run, so that
 * nobody can write a file whose keys all meet in one place; nothing that is
 * shown may depend on the order of a table.
 */
#ifndef FOLD_REPORT_HASH_H
#define FOLD_REPORT_HASH_H

#include <stdint.h>
#include <sys/random.h>

struct hash_seed {
	uint64_t a, b;
};

static inline void hash_seed_init(struct hash_seed *seed)
{
	/* Without random bytes the constants do: slower on hostile files, never wrong. */
	if (getrandom(seed, sizeof(*seed), GRND_NONBLOCK) != (ssize_t)sizeof(*seed))
		*seed = (struct hash_seed){UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f)};
}

/* 128 bits to 64: one wide multiplication, folded. */
static inline uint64_t hash_pair(const struct hash_seed *seed, uint64_t a, uint64_t b)
{
	unsigned __int128 wide = (unsigned __int128)(a ^ seed->a) * (b ^ seed->b);

	return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

#endif
