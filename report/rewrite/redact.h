/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording again, without what its user does not want to give away. */
#ifndef FOLD_REPORT_REDACT_H
#define FOLD_REPORT_REDACT_H

#include "../../format/source.h"
#include "../memory.h"
#include "veil.h"

/* "-" is standard input.  0, or -1: the log has said why. */
int redact_file(const char *file, struct veil *veil, struct fold_sink sink, struct memory_watch *watch);

#endif
