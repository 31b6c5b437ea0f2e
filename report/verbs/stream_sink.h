/* SPDX-License-Identifier: BSD-2-Clause */
/* A stdio stream as a place where recordings go. */
#ifndef FOLD_REPORT_STREAM_SINK_H
#define FOLD_REPORT_STREAM_SINK_H

#include <stdio.h>

#include "../../format/source.h"

struct fold_sink stream_sink(FILE *stream);

#endif
