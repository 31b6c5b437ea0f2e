/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data that the explorer page carries, before compression; web/data.js reads
 * it.  A number is an unsigned LEB128 unless said otherwise.  Frames are sorted
 * by name, so that a frame's number is its place among them.
 *
 * What is painted first (overview.h): length of JSON, JSON, and of overview.nodes,
 * depth first, the root of all first:
 *     up      levels from the node before up to this one's siblings
 *     frame   as in the first tree; nframes + n: the command groups[n]
 *     self, total, and gap: of siblings that are left out before this one;
 *             all three once more of the side before when "compare" is not "none"
 * Its frames are those at "places" among the first tree's.
 *
 * The rest: length of JSON, JSON, then for each of JSON's trees its columns, one
 * after the other, each as long as "nodes" or "rows" says:
 *     nodes, depth first, the root of all first:
 *       up      as above
 *       frame   index in the tree's frames
 *     rows, in order of time:
 *       time    microseconds since the row before; the first: since 0 of the page's axis
 *       thread  index in threads
 *       cpu     + 1, 0 not known
 *       node    zigzag of the difference to the row before
 *       count   samples; only if the tree's "counted"
 *       weight  only if the tree's "weighted"
 */
#ifndef FOLD_REPORT_PAGE_H
#define FOLD_REPORT_PAGE_H

#include "../../format/buf.h"
#include "output.h"

/* 0, or -1 out of memory. */
int page_pack(struct buf *first, struct buf *rest, const struct report *report);

#endif
