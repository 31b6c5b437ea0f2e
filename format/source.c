/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources and sinks over file descriptors and memory; see source.h. */
#include "source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* One call moves no more than this, below what read(2) and write(2) may refuse. */
#define MAX_CALL (1u << 30)

static int state_fd(void *state)
{
	return (int)(intptr_t)state;
}

static ssize_t read_fd(void *state, void *to, size_t n)
{
	ssize_t got;

	do
		got = read(state_fd(state), to, n < MAX_CALL ? n : MAX_CALL);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

struct fold_source source_fd(int fd)
{
	return (struct fold_source){.read = read_fd, .state = (void *)(intptr_t)fd};
}

static ssize_t read_memory(void *state, void *to, size_t n)
{
	struct memory_source *memory = state;
	size_t left = (size_t)(memory->end - memory->at);

	if (n > left)
		n = left;
	if (n)
		memcpy(to, memory->at, n);
	memory->at += n;
	return (ssize_t)n;
}

struct fold_source source_memory(struct memory_source *memory)
{
	return (struct fold_source){.read = read_memory, .state = memory};
}

static int write_fd(void *state, const void *from, size_t n)
{
	const char *at = from;

	while (n) {
		ssize_t done = write(state_fd(state), at, n < MAX_CALL ? n : MAX_CALL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

struct fold_sink sink_fd(int fd)
{
	return (struct fold_sink){.write = write_fd, .state = (void *)(intptr_t)fd};
}
