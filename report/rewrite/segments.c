/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From header to header, over the payloads.  What is not a chunk where one has to
 * begin is not looked at here: the reader knows what to make of it.
 */
#include "segments.h"

#include <unistd.h>

#include "../../format/chunk.h"

/* The whole chunk at `at`: where the next one begins; 0 when there is none. */
static uint64_t next_chunk(int fd, uint64_t at, uint64_t size)
{
	uint8_t bytes[FOLD_CHUNK_HEADER_SIZE];
	struct chunk_header header;

	if (size - at < sizeof(bytes) || pread(fd, bytes, sizeof(bytes), (off_t)at) != (ssize_t)sizeof(bytes) || !chunk_header_get(bytes, &header))
		return 0;
	at += sizeof(bytes);
	return header.stored_size > size - at ? 0 : at + header.stored_size;
}

bool segments_are_one(int fd, uint64_t size)
{
	uint64_t at = FOLD_HEADER_SIZE;

	if (size < at || size > INT64_MAX)
		return false;
	while (at && at < size)
		at = next_chunk(fd, at, size);
	return at != 0;
}
