/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind tables of all files, in the store: places packed tables where the
 * walker finds them, shares long rules, keeps the caps.  Tables stay until the
 * recording ends.  What a packed table says is checked: it comes from a process
 * that has read hostile bytes.
 */
#ifndef FOLD_UNWIND_TABLES_H
#define FOLD_UNWIND_TABLES_H

#include <stddef.h>

#include "pack.h"
#include "store.h"

/* Where the table of a file is. */
struct table_place {
	uint32_t page, first_page, npages;
	uint32_t rows;
};

struct tables {
	struct unwind_store *store;
	uint32_t max_shards;
	uint32_t npages, nshards, nrules;
	uint32_t used;              /* rows of the last shard */
	uint64_t rows;              /* all */
	uint16_t *slots;            /* hash over rules: index + 1 */
};

/* `max_bytes`: memory for rows, at least one shard.  0, or -1 out of memory. */
int tables_init(struct tables *t, struct unwind_store *store, size_t max_bytes);
void tables_release(struct tables *t); /* accepts a zeroed struct */

enum tables_result { TABLES_ADDED, TABLES_FULL, TABLES_DAMAGED };
enum tables_result tables_add(struct tables *t, const struct packed *p, struct table_place *out);

#endif
