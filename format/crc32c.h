/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC-32C (Castagnoli; reflected, start and end inverted).  Finds accidents,
 * proves nothing against an enemy.
 */
#ifndef FOLD_FORMAT_CRC32C_H
#define FOLD_FORMAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of some bytes and then `n` more, given the CRC of the first; 0 for none. */
uint32_t crc32c(uint32_t crc, const void *at, size_t n);

#endif
