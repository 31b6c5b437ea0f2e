/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte strings to dense ids: equal bytes, equal id; ids count from `first` in
 * order of arrival.  Bytes are copied and stay where they are until release.
 */
#ifndef FOLD_FORMAT_INTERN_H
#define FOLD_FORMAT_INTERN_H

#include "fold.h"
#include "hash.h"

struct intern {
	uint32_t first, n, room;   /* ids given: first .. first + n - 1 */
	struct fold_bytes *v;      /* v[id - first] */
	uint32_t *slots, nslots;   /* open addressing, index + 1 */
	struct intern_block *blocks;
	size_t bytes;              /* memory held */
	struct hash_key key;
};

void intern_init(struct intern *in, uint32_t first);
void intern_release(struct intern *in); /* accepts a zeroed struct */
/* The id of these bytes, new or old.  -1: out of memory or beyond FOLD_MAX_STRINGS. */
int intern_add(struct intern *in, const void *at, size_t size, uint32_t *id);
struct fold_bytes intern_get(const struct intern *in, uint32_t id);

#endif
