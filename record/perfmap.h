/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf-PID.map files, in which runtimes write where they put code and what it is:
 * finds the map of a process, proves that it may be believed, reads it line by line.
 * A map only grows; how far a line is from its beginning tells how old it is.
 */
#ifndef FOLD_RECORD_PERFMAP_H
#define FOLD_RECORD_PERFMAP_H

#include "backing.h"
#include "lines.h"

#define PERFMAP_NO_UID UINT32_MAX

/* Whose map. */
struct perfmap_owner {
	uint32_t pid;
	uint32_t uid;            /* whose files are believed; PERFMAP_NO_UID: not known */
	bool foreign;            /* in another mount namespace */
	int64_t since, until;    /* CLOCK_REALTIME ns; until 0: it lives */
};

/* An open map, or -1: there is none to be believed.  `size`: bytes of it. */
int perfmap_open(const char *proc, const struct perfmap_owner *owner, uint64_t *size);

struct perfmap_line {
	uint64_t start, size;
	char *name;
};
struct perfmap {
	struct lines lines;
	uint64_t at;             /* of the line given out last, in bytes */
	uint64_t next;           /* where a reader goes on later */
};
/* From byte `from` on, where a line begins.  Takes `fd`.  0, or -1 out of memory. */
int perfmap_begin(struct perfmap *m, int fd, uint64_t from);
void perfmap_end(struct perfmap *m);
/* The next line that makes sense, until the next call; false: none. */
bool perfmap_next(struct perfmap *m, struct perfmap_line *out);

/* One line, which is changed; false: not such a line. */
bool perfmap_parse(char *line, struct perfmap_line *out);

#endif
