/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressed bytes for browsers and profilers: gzip without a time stamp, base64. */
#ifndef FOLD_REPORT_GZIP_H
#define FOLD_REPORT_GZIP_H

#include "../../format/buf.h"
#include "emit.h"

/* `n` bytes as one gzip member, appended to `out`.  0, or -1 out of memory. */
int gzip_bytes(struct buf *out, const void *at, size_t n);

/* As base64 with padding, in one line. */
void emit_base64(struct emit *e, const uint8_t *at, size_t n);

#endif
