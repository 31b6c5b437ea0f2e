/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libelf can open compressed debug sections, and for that a static link takes in
 * all of zstd's decompressor and its decoders of older formats: 300 KB.  The only
 * ELF file that the recorder gives to libelf, through libbpf, is the one inside
 * itself, which has no such sections.  So it is told here that they cannot be
 * opened; files of other people are read by identity.c and unwind/.
 */
#include <stddef.h>

size_t ZSTD_decompress(void *to, size_t room, const void *from, size_t size);

/* zstd's way of saying ZSTD_error_GENERIC. */
size_t ZSTD_decompress(void *to, size_t room, const void *from, size_t size)
{
	return (size_t)-1;
}
