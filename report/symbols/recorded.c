/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lookup in the names of a module that came with the recording.  They may nest
 * or overlap (a merge, an embed on top of recorded ones), so a few are passed
 * over on the way back from the nearest; never so many that a hostile file
 * could make it slow.
 */
#include "recorded.h"

#define MAX_STEPS_BACK 64

static bool covers(const struct rec_sym *sym, uint64_t offset)
{
	return offset - sym->offset < (sym->size ? sym->size : 1);
}

const struct rec_sym *recorded_find(const struct rec_module *m, uint64_t offset)
{
	uint32_t low = 0, high = m->nsyms;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->syms[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t steps = 0; low && steps < MAX_STEPS_BACK; low--, steps++)
		if (covers(&m->syms[low - 1], offset))
			return &m->syms[low - 1];
	return NULL;
}
