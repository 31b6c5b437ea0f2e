/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for the addresses that a recording's stacks hit and that it cannot name itself. */
#ifndef FOLD_REPORT_EMBED_NAMES_H
#define FOLD_REPORT_EMBED_NAMES_H

#include "../symbols/symbolize.h"

struct embed_name {
	uint32_t module;       /* of the recording in memory */
	uint64_t offset, size; /* in its offset space */
	const char *name;      /* as in the symbol table; owned by the symbolizer */
};
struct embed_names {
	struct embed_name *v;  /* by module and offset */
	size_t n, room;
	uint64_t addresses, named; /* that the recording could not name, and those of them that files could */
};

/* 0, or -1 out of memory. */
int embed_names_find(struct embed_names *names, const struct recording *rec, struct symbolizer *symbolizer);
void embed_names_release(struct embed_names *names);

#endif
