/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds unwind tables elsewhere: a small process, forked before there is much to
 * copy, forks a child for each file, which shuts itself in (seccomp: memory and
 * exit, nothing else) before it looks at the bytes.  What it leaves is a packed
 * table in shared memory.  One file at a time.
 */
#ifndef FOLD_UNWIND_BUILDER_H
#define FOLD_UNWIND_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "pack.h"

struct builder {
	pid_t pid;
	int fd;                 /* readable when a table is done */
	bool busy;
	struct packed *packed;  /* shared */
};

/* 0, or -errno.  Call it early: the process begins as a copy of this one. */
int builder_open(struct builder *b);
void builder_close(struct builder *b); /* accepts a zeroed struct */

/* Begin with the file open at `file`, which stays the caller's.  0, or -errno. */
int builder_begin(struct builder *b, int file);

/*
 * The table begun, waiting for it at most `timeout_ms`.  NULL: not yet, busy stays
 * true.  Else the table, until the next begin; its status is PACKED_UNFINISHED when
 * the child died of the file or took too long.
 */
const struct packed *builder_end(struct builder *b, int timeout_ms);

#endif
