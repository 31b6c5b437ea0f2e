/* SPDX-License-Identifier: BSD-2-Clause */
/* --reverse: a call tree turned around, so that callers lie below the leaf. */
#ifndef FOLD_REPORT_REVERSE_H
#define FOLD_REPORT_REVERSE_H

#include "tree.h"

/*
 * Turn the nodes of `tree`, whose siblings stand in the order of their frames, and
 * keep them so.  `moved` (nnodes) receives the new node of the samples that ended in
 * each, TREE_NONE where none did.  0, or -1 out of memory.
 */
int reverse_nodes(struct tree *tree, uint32_t *moved);

#endif
