/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the events of a recording, written as the recorder does. */
#ifndef FOLD_TESTS_STORY_H
#define FOLD_TESTS_STORY_H

#include "../../format/buf.h"

/* Append the recording that `data` tells to `file`, and put what it says (tell.h),
 * in the order of the file, into `told`, which the caller releases. */
void story_write(const uint8_t *data, size_t size, struct buf *file, struct buf *told);

/* Ends the program, saying what is not true. */
void require(bool truth, const char *what);

#endif
