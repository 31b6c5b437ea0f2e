/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two functions of the C library's start files that come without unwind information
 * and are in nearly every file: .init, where an executable segment begins, and .fini,
 * where it ends.  Theirs is the first code of its page that runs, so a process that
 * does not live long is often seen there, waiting for that page.
 */
#ifndef FOLD_UNWIND_STARTUP_H
#define FOLD_UNWIND_STARTUP_H

#include "cfi.h"
#include "image.h"

/* Where the code of `s` is exactly one of them: false else. */
bool startup_init_find(const struct image *img, const struct image_segment *s, uint64_t *pc);
bool startup_fini_find(const struct image *img, const struct image_segment *s, uint64_t *pc);

/* The rows of the one at `pc`, and where it ends; none if that is behind `limit`.
 * False: `row` said stop. */
bool startup_rows(const struct image *img, uint64_t pc, uint64_t limit, uint64_t *end, cfi_row_fn row, void *context);

#endif
