/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the explorer paints first: the first tree below commands, without the
 * nodes that no screen is wide enough for.  It is small however long the
 * recording is, and stands in the page before everything else.
 */
#ifndef FOLD_REPORT_OVERVIEW_H
#define FOLD_REPORT_OVERVIEW_H

#include "output.h"

struct overview_node {
	uint32_t up;       /* levels from the node before up to this one's siblings */
	uint32_t frame;    /* of the tree; nframes + n: the command groups[n] */
	/* Now, before: the second only when comparing. */
	uint64_t self[2], total[2];
	uint64_t gap[2];   /* of siblings left out between it and the one before it */
};
struct overview {
	size_t n;
	struct overview_node *v; /* depth first; the root of all is not among them */
	uint32_t ngroups;
	uint32_t *groups;        /* names of commands: strings of the recording */
	uint64_t total[2];       /* of the root of all */
};

/* `sides`: by segment 0 now, 1 before.  0, or -1 out of memory. */
int overview_make(struct overview *overview, const struct report *report, const uint8_t *sides);
void overview_release(struct overview *overview);

#endif
