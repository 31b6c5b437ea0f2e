/* SPDX-License-Identifier: BSD-2-Clause */
/* gzip's way of packing, because libbpf and libelf bring zlib along anyway. */
#include "programs.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <bpf/libbpf.h>

#define GZIP_WINDOW (16 + MAX_WBITS)

/* The last four bytes: how large it was. */
static uint32_t unpacked_size(const unsigned char *end)
{
	return (uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24;
}

void *program_unpack(const unsigned char *from, const unsigned char *end, size_t *size)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)from, .avail_in = (unsigned)(end - from) };
	unsigned char *to;
	int done;

	*size = unpacked_size(end);
	to = malloc(*size);
	if (!to || inflateInit2(&z, GZIP_WINDOW) != Z_OK) {
		free(to);
		return NULL;
	}
	z.next_out = to;
	z.avail_out = (unsigned)*size;
	done = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (done == Z_STREAM_END)
		return to;
	free(to);
	return NULL;
}

int program_open(struct bpf_object **out, const unsigned char *from, const unsigned char *end, const char *name)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	size_t size;
	void *bytes = program_unpack(from, end, &size);
	int err;

	*out = NULL;
	if (!bytes)
		return -ENOMEM;
	*out = bpf_object__open_mem(bytes, size, &opts);
	err = *out ? 0 : -errno;
	free(bytes); /* libbpf keeps copies of what it needs */
	return err;
}
