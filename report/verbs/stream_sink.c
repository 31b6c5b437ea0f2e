/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks are large: what fails is told with the chunk that failed. */
#include "stream_sink.h"

#include <errno.h>

static int sink_write(void *state, const void *from, size_t n)
{
	errno = 0;
	if (fwrite(from, 1, n, state) == n)
		return 0;
	return errno ? -errno : -EIO;
}

struct fold_sink stream_sink(FILE *stream)
{
	return (struct fold_sink){.write = sink_write, .state = stream};
}
