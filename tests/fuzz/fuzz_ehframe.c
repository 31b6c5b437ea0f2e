/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: the builder of unwind tables on any bytes.  The table it makes
 * must obey what the kernel's side and record/unwind/tables rely on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../../record/unwind/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "table breaks its promise: %s\n", what);
	abort();
}

static void table_check(const struct packed *t)
{
	require(t->npages <= PACK_MAX_PAGES && t->nrows <= PACK_MAX_ROWS && t->nrules <= UNWIND_RULES, "counts");
	for (uint32_t p = 0; p < t->npages; p++) {
		uint32_t end = p + 1 < t->npages ? t->pages[p + 1] : t->nrows;

		require(t->pages[p] < end && end <= t->nrows, "a page has rows");
		require(!unwind_row_pc(t->rows[t->pages[p]]), "a page begins at 0");
		for (uint32_t i = t->pages[p]; i < end; i++) {
			uint32_t word = unwind_row_rule(t->rows[i]);

			require(i == t->pages[p] || unwind_row_pc(t->rows[i]) > unwind_row_pc(t->rows[i - 1]), "rows go up");
			require(word >> 14 != UNWIND_EXT || (word & (UNWIND_RULES - 1)) < t->nrules, "rules exist");
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct packed *t;

	if (!t) {
		t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (t == MAP_FAILED)
			abort();
	}
	t->status = t->nsegments = t->npages = t->nrows = t->nrules = 0;
	pack_image(t, data, size);
	require(t->status != PACKED_UNFINISHED, "status");
	if (t->status == PACKED_OK)
		table_check(t);
	return 0;
}
