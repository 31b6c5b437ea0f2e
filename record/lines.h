/* SPDX-License-Identifier: BSD-2-Clause */
/* A text file line by line, through one buffer of a fixed size. */
#ifndef FOLD_RECORD_LINES_H
#define FOLD_RECORD_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_BUFFER (64u << 10)

struct lines {
	int fd;
	char *buf;
	size_t at, n;    /* bytes of buf that are left */
	bool skip;       /* inside a line that does not fit: drop the rest of it */
	bool end;
	bool whole;      /* the last line given out ended with a newline */
	uint64_t passed; /* bytes up to the end of that line */
};

/* Takes `fd`; a negative one is a file without lines.  0, or -1 out of memory. */
int lines_init(struct lines *l, int fd);
void lines_release(struct lines *l);

/* The next line, terminated, without its newline, until the next call; NULL at
 * the end.  A line longer than the buffer is passed over.  A zero byte in a line
 * ends it for who reads it as a string; `n` counts on. */
char *lines_next(struct lines *l, size_t *n);

#endif
