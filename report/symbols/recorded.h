/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that the recording itself brings: kernel symbols that were hit, JIT code, embedded symbols. */
#ifndef FOLD_REPORT_RECORDED_H
#define FOLD_REPORT_RECORDED_H

#include "../model/recording.h"

/* The innermost symbol of `m` that covers `offset`; NULL none.  A symbol without
 * size covers its first byte. */
const struct rec_sym *recorded_find(const struct rec_module *m, uint64_t offset);

#endif
