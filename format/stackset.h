/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinct stacks of one side (kernel or user) of a segment being written.
 *
 * Stacks are given root first.  A new one gets a handle at once and its id in
 * the file when the batch is flushed: the new stacks of a batch are sorted root
 * first, so that neighbours share long prefixes.
 */
#ifndef FOLD_FORMAT_STACKSET_H
#define FOLD_FORMAT_STACKSET_H

#include "fold.h"

struct stackset;

int stackset_new(struct stackset **out); /* 0, or -1 out of memory */
void stackset_free(struct stackset *set);

/* Handle of the stack of `n` <= FOLD_MAX_FRAMES frames, root first, that ended
 * with `end`; the same handle for the same stack.  -1: out of memory or limit. */
int stackset_add(struct stackset *set, const fold_frame *frames, size_t n, uint32_t end, uint32_t *handle);

/*
 * The same in steps, for who has stacks as a forest: the node of `frame` called
 * from node `parent` (FOLD_NO_NODE: the root), then the handle of the stack that
 * ends there.  -1: out of memory or limit.
 */
int stackset_node(struct stackset *set, uint32_t parent, fold_frame frame, uint32_t *node);
int stackset_close(struct stackset *set, uint32_t leaf, uint32_t end, uint32_t *handle);

/* Fill `out` with the stacks added since the last flush, in file order, and fix
 * their ids.  `out` is borrowed until the next call.  -1: out of memory. */
int stackset_flush(struct stackset *set, struct fold_stacks *out);

/* The id of a flushed handle. */
uint32_t stackset_id(const struct stackset *set, uint32_t handle);

/* New stacks waiting, all nodes, and bytes of memory held. */
size_t stackset_pending(const struct stackset *set);
size_t stackset_nodes(const struct stackset *set);
size_t stackset_bytes(const struct stackset *set);

/* Forget all stacks (ids go on counting): a stack seen again is defined again.
 * Only when none is pending; handles given before are void. */
void stackset_forget(struct stackset *set);

#endif
