/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording byte for byte, with SYMBOLS chunks at the end of each of its segments. */
#ifndef FOLD_REPORT_EMBED_COPY_H
#define FOLD_REPORT_EMBED_COPY_H

#include "../outfile.h"

#include "embed_names.h"

/* `file` is what `rec` was loaded from, and nothing else.  0, or -1: the log has said why. */
int embed_copy(const char *file, const struct recording *rec, const struct embed_names *names, struct outfile *to);

#endif
