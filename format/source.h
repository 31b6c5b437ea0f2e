/* SPDX-License-Identifier: BSD-2-Clause */
/* Where bytes come from and go to: a file descriptor or memory.  Neither seeks. */
#ifndef FOLD_FORMAT_SOURCE_H
#define FOLD_FORMAT_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fold_source {
	/* Up to `n` bytes to `to`; 0 at the end; -errno on failure. */
	ssize_t (*read)(void *state, void *to, size_t n);
	void *state;
};
struct fold_sink {
	/* All `n` bytes in one write(2) where the system lets it; 0 or -errno. */
	int (*write)(void *state, const void *from, size_t n);
	void *state;
};
struct memory_source { const uint8_t *at, *end; };

/* Both borrow: `fd` is kept as a number in the state pointer, `memory` must
 * outlive the source.  Retries EINTR and short writes. */
struct fold_source source_fd(int fd);
struct fold_source source_memory(struct memory_source *memory);
struct fold_sink sink_fd(int fd);

#endif
