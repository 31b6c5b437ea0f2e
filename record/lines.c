/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads big blocks: files of /proc are made anew for each read(2). */
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lines_init(struct lines *l, int fd)
{
	*l = (struct lines){.fd = fd, .buf = malloc(LINES_BUFFER + 1)};
	l->end = fd < 0;
	return l->buf ? 0 : -1;
}

void lines_release(struct lines *l)
{
	if (l->buf && l->fd >= 0)
		close(l->fd);
	free(l->buf);
	*l = (struct lines){.fd = -1};
}

/* More bytes behind those that are left. */
static void lines_fill(struct lines *l)
{
	ssize_t got;

	memmove(l->buf, l->buf + l->at, l->n);
	l->at = 0;
	do {
		got = read(l->fd, l->buf + l->n, LINES_BUFFER - l->n);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		l->end = true;
	else
		l->n += (size_t)got;
}

char *lines_next(struct lines *l, size_t *n)
{
	size_t seen = 0;

	for (;;) {
		char *line = l->buf + l->at, *newline = memchr(line + seen, '\n', l->n - seen);

		if (newline || (l->end && l->n)) {
			*n = newline ? (size_t)(newline - line) : l->n;
			l->whole = newline != NULL;
			line[*n] = '\0';
			l->at += *n + l->whole;
			l->n -= *n + l->whole;
			l->passed += *n + l->whole;
			seen = 0;
			if (!l->skip)
				return line;
			l->skip = false;
			continue;
		}
		if (l->end)
			return NULL;
		seen = l->n;
		if (l->n == LINES_BUFFER) {
			l->skip = true;
			l->passed += l->n;
			l->at = l->n = seen = 0;
		}
		lines_fill(l);
	}
}
