/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-1-3, for tables whose keys come from strangers: who does not know the
 * key cannot make names that collide.  What is written never depends on it.
 */
#ifndef FOLD_FORMAT_HASH_H
#define FOLD_FORMAT_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t a, b;
};

void hash_key_init(struct hash_key *key); /* random */
uint64_t hash_bytes(const struct hash_key *key, const void *at, size_t n);

#endif
