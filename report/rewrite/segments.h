/* SPDX-License-Identifier: BSD-2-Clause */
/* How many segments a file has, by its headers alone: most have one, and need not be read to know it. */
#ifndef FOLD_REPORT_SEGMENTS_H
#define FOLD_REPORT_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Is it one segment to its end?  False also where damage, or a cut, hides what follows.  Does not move the file's offset. */
bool segments_are_one(int fd, uint64_t size);

#endif
