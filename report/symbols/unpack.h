/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed files and sections: xz, zstd, gzip.  Within limits: a few bytes can stand for terabytes. */
#ifndef FOLD_REPORT_UNPACK_H
#define FOLD_REPORT_UNPACK_H

#include <stddef.h>

#define UNPACK_MAX ((size_t)512 << 20)

/*
 * What `packed` stands for, by its first bytes.  NULL: not packed in a way that is
 * known, broken, larger than UNPACK_MAX, or no memory.  The result is the caller's.
 */
char *unpack(const void *packed, size_t packed_size, size_t *size);

#endif
