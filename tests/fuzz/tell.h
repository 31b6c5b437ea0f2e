/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A batch as one string of bytes, whoever made it: all fields of all sections, and
 * stacks as lists of frames, so that two batches are equal when these are.
 */
#ifndef FOLD_TESTS_TELL_H
#define FOLD_TESTS_TELL_H

#include "../../format/buf.h"

void tell_meta(struct buf *to, const struct fold_meta *meta);
void tell_batch(struct buf *to, const struct fold_batch *batch);
void tell_end(struct buf *to, const struct fold_end *end);

/* The frames of a stack, root first; how many. */
size_t stack_frames(const struct fold_stacks *stacks, size_t which, fold_frame frames[FOLD_MAX_FRAMES]);

#endif
