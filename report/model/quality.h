/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How good the stacks of a recording are: how they ended, what is missing in
 * them, and whose code stopped the walk.
 */
#ifndef FOLD_REPORT_QUALITY_H
#define FOLD_REPORT_QUALITY_H

#include "recording.h"

#define QUALITY_ENDS 16 /* enum fold_stack_end; the last one takes all larger ones */

struct quality_side {
	uint64_t samples;            /* with a stack on this side, be it empty */
	uint64_t ends[QUALITY_ENDS]; /* of those, by end */
	uint64_t unmapped;           /* of those, with a marker for words in no mapping */
	uint64_t lost;               /* of those, with a definition that was lost */
	uint64_t frames;             /* of all of them */
};
struct quality_module { /* where walks of user stacks ended before the root */
	uint32_t module;
	uint64_t samples;
};
struct quality {
	uint64_t samples, neither;   /* all selected; without a stack on any side */
	struct quality_side kernel, user;
	size_t nmodules;
	struct quality_module *modules; /* most samples first */
};

/* Of the selected samples of `event`.  0, or -1 out of memory. */
int quality_measure(struct quality *q, const struct recording *rec, uint32_t event);
void quality_release(struct quality *q);

/* Did the walk reach the outermost frame, as far as it can know? */
bool quality_complete(uint32_t end);

#endif
