/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts to twigs: every address that they use is named once, every path that
 * two stacks share is grown once.
 */
#ifndef FOLD_REPORT_GROW_H
#define FOLD_REPORT_GROW_H

#include "chains.h"
#include "twigs.h"

/*
 * The stacks of options->event on top of their roots.  `leaves` (rec->ncounts)
 * receives the twig in which each count ends, TREE_NONE not of this event.
 * 0, or -1 out of memory.
 */
int grow(struct twigs *twigs, struct frames *frames, struct symbolizer *symbolizer, bool weighted, uint32_t *leaves);

#endif
