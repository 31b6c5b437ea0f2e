/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of 32-bit numbers to numbers: the one hash table behind stacks, branches and paths. */
#ifndef FOLD_REPORT_PAIRMAP_H
#define FOLD_REPORT_PAIRMAP_H

#include <stddef.h>
#include <stdint.h>

#include "hash.h"

struct pairmap_slot {
	uint32_t a, b;
	uint32_t value; /* + 1; 0 free */
};
struct pairmap {
	struct pairmap_slot *slots;
	size_t nslots, n; /* nslots is a power of two */
	struct hash_seed seed;
};

int pairmap_init(struct pairmap *map); /* 0, or -1 out of memory */
void pairmap_release(struct pairmap *map);

/* The value of (a, b).  A new pair gets `fresh` (below UINT32_MAX).  1 new, 0 known, -1 out of memory. */
int pairmap_add(struct pairmap *map, uint32_t a, uint32_t b, uint32_t fresh, uint32_t *value);
/* The value of (a, b), or UINT32_MAX. */
uint32_t pairmap_get(const struct pairmap *map, uint32_t a, uint32_t b);

#endif
