/* SPDX-License-Identifier: BSD-2-Clause */
/* What recordings are called, to tell them apart: the label "host", else their file. */
#ifndef FOLD_REPORT_HOST_H
#define FOLD_REPORT_HOST_H

#include "recording.h"

/* The name of a file without directories and suffix. */
struct fold_bytes host_file(const struct rec_segment *segment);
/* Where a process ran. */
struct fold_bytes host_name(const struct recording *rec, uint32_t process);

#endif
