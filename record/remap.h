/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Program text that a process copied into anonymous memory in its old place, to
 * have it in huge pages: the kernel calls it anonymous, the code is the file's.
 */
#ifndef FOLD_RECORD_REMAP_H
#define FOLD_RECORD_REMAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is `path` still mapped in process `pid` with address + bias = file offset,
 * outside of [start, end)?  An anonymous mapping in a library's place means
 * something else when the library was unloaded, which no event tells.
 */
bool remap_proven(const char *proc, uint32_t pid, const char *path, uint64_t bias, uint64_t start, uint64_t end);

#endif
