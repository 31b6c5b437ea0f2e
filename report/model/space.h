/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The linear module space of a file, in which a frame is one number: which module
 * lies where.  What a module is called is its owner's affair.
 */
#ifndef FOLD_REPORT_SPACE_H
#define FOLD_REPORT_SPACE_H

#include <stddef.h>
#include <stdint.h>

struct space_place {
	uint64_t base, span;
	uint32_t module;
};
struct space {
	struct space_place *v; /* ascending */
	size_t n, room;
};

/* A module behind all others, at `*base`, which becomes that of the next.  0, or -1 out of memory. */
int space_add(struct space *space, uint64_t *base, uint64_t span, uint32_t module);
/* What lies at `at`; NULL nothing, or what was lost. */
const struct space_place *space_find(const struct space *space, uint64_t at);
void space_release(struct space *space); /* accepts a zeroed struct */

#endif
