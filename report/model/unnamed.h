/* SPDX-License-Identifier: BSD-2-Clause */
/* How many samples each module costs its names: what a debug file for it would bring. */
#ifndef FOLD_REPORT_UNNAMED_H
#define FOLD_REPORT_UNNAMED_H

#include "../symbols/symbolize.h"
#include "recording.h"

struct unnamed_module {
	uint32_t module;
	uint64_t samples;  /* with a frame of it that has no name */
	uint64_t selves;   /* of those, with that frame as leaf of its side */
};
struct unnamed {
	uint64_t samples;  /* all selected */
	uint64_t affected; /* with any frame without a name */
	size_t n;
	struct unnamed_module *v; /* most samples first */
};

/* Names every address of the recording.  0, or -1 out of memory. */
int unnamed_measure(struct unnamed *u, const struct recording *rec, struct symbolizer *symbolizer);
void unnamed_release(struct unnamed *u);

#endif
