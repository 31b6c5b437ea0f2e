/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers by what was asked: module, offset, exact or not.  Nothing is ever dropped. */
#ifndef FOLD_REPORT_CACHE_H
#define FOLD_REPORT_CACHE_H

#include "symbolize.h"

struct cache {
	struct cache_slot *slots; /* open addressing */
	size_t nslots, n;
};

int cache_init(struct cache *c); /* 0, or -1: out of memory */
void cache_release(struct cache *c);

/* Room for `n` more; without memory it grows later. */
void cache_reserve(struct cache *c, size_t n);
bool cache_find(const struct cache *c, const struct symbol_address *key, struct symbols *out);
/* Without memory nothing is kept, and the next one who asks waits again. */
void cache_put(struct cache *c, const struct symbol_address *key, const struct symbols *value);

#endif
