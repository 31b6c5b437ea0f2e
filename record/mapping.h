/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The executable mappings of one process at one time: sorted, disjoint ranges.
 *
 * A fork takes a reference, not a copy; who changes a shared set gets one of his
 * own first.  A set's version changes with its content and is unique in a
 * session, so that (stack, version) is a key for what the stack means.
 */
#ifndef FOLD_RECORD_MAPPING_H
#define FOLD_RECORD_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAPPING_NO_MODULE UINT32_MAX
#define MAPPING_MAX 65536 /* of one process; the kernel's own default limit */

struct mapping {
	uint64_t start, end;
	uint64_t offset;  /* in the file, of the first byte */
	uint64_t time;    /* when it was mapped, at the latest; ns, CLOCK_MONOTONIC */
	uint32_t mapped;  /* what is mapped: module.h */
	uint32_t module;  /* id in the file, MAPPING_NO_MODULE: not looked at yet */
	uint64_t bias;    /* offset in the module = address + bias, modulo 2^64 */
	/* Of memory: the file that was mapped in its place before; MAPPING_NO_MODULE none. */
	uint32_t covered;      /* mapped id */
	uint64_t covered_bias; /* offset in that file = address + bias */
};

struct mapset {
	uint32_t refs;
	size_t n, room;
	uint64_t version;
	struct mapping *v;
};

/* An empty set with one reference, or NULL.  `versions` counts for the session. */
struct mapset *mapset_new(uint64_t *versions);
struct mapset *mapset_ref(struct mapset *set);
/* A copy with a version of its own, or NULL. */
struct mapset *mapset_copy(const struct mapset *set, uint64_t *versions);
void mapset_unref(struct mapset *set); /* accepts NULL */

/*
 * Map `m`, over whatever was there: older mappings are cut or split.  *set may
 * be replaced by a copy.  0; 1 when *set is full and nothing was done; -1 out of memory.
 */
int mapset_insert(struct mapset **set, const struct mapping *m, uint64_t *versions);

/* What holds `address`, or NULL. */
struct mapping *mapset_find(const struct mapset *set, uint64_t address);

/* The first that ends above `address`: index, set->n when there is none. */
size_t mapset_above(const struct mapset *set, uint64_t address);

/* What begins at `start`, or NULL. */
struct mapping *mapset_at(const struct mapset *set, uint64_t start);

#endif
