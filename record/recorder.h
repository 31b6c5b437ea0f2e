/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording from beginning to end. */
#ifndef FOLD_RECORD_RECORDER_H
#define FOLD_RECORD_RECORDER_H

#include "options.h"

/* Exit status: 0 or the command's, 1 when something failed (the log says what). */
int recorder_run(const struct options *options);

#endif
