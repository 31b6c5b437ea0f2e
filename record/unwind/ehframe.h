/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * .eh_frame -> what holds from which address on, in order of addresses, given to
 * a sink row by row.  Reads hostile bytes within the caps given; holds one small
 * entry per function and nothing per row.
 */
#ifndef FOLD_UNWIND_EHFRAME_H
#define FOLD_UNWIND_EHFRAME_H

#include "cfi.h"
#include "image.h"

#define EHFRAME_MAX_FUNCTIONS (1u << 21)
#define EHFRAME_MAX_CIES (1u << 14)

/*
 * Give the rows of all functions in executable segments that begin in [from, to) to
 * `row`, with UNWIND_GAP
 * where unwind information ends.  Addresses never go down; of several rows at one
 * address the last counts.  Neighbours may have the same rule.
 *
 * True: done (an image without unwind information has no rows).  False: out of
 * memory, a cap was hit, or `row` said stop.
 */
bool ehframe_read(const struct image *img, uint64_t from, uint64_t to, cfi_row_fn row, void *context);

#endif
