/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as a file that a path leads to, for what opens files itself. */
#ifndef FOLD_TESTS_AS_PATH_H
#define FOLD_TESTS_AS_PATH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The same file each time, so its path is too. */
static inline char *as_path(const uint8_t *data, size_t size)
{
	static char path[40];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, (off_t)size) || pwrite(fd, data, size, 0) != (ssize_t)size) {
		perror("a file in memory");
		abort();
	}
	return path;
}

#endif
