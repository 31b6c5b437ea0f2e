/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file, pipe or device that a recording goes to.  A recording is private:
 * mode 0600, never through a symbolic link, never over an existing file unless
 * that was asked for.
 */
#ifndef FOLD_RECORD_OUTFILE_H
#define FOLD_RECORD_OUTFILE_H

#include <stdbool.h>

#include "../format/error.h"

struct outfile {
	int fd;
	const char *name;  /* for messages; borrowed */
	const char *path;  /* NULL: not made by us */
};

/* "-" is stdout.  0, or -1 with a line in the log. */
int outfile_open(struct outfile *out, const char *path, bool overwrite);
/* A line in the log about why a writer could not go on; -1. */
int outfile_failed(const struct outfile *out, const struct fold_fault *fault);
/* 0, or -1 with a line in the log: some systems tell of a full disk only now. */
int outfile_close(struct outfile *out);
/* Nothing was recorded: the file goes away again. */
void outfile_abandon(struct outfile *out);

#endif
