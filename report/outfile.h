/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears under its name only when it is complete: it has no name,
 * or a temporary one beside its place, until outfile_commit().
 */
#ifndef FOLD_REPORT_OUTFILE_H
#define FOLD_REPORT_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *stream;
	const char *path; /* NULL: standard output */
	char *temporary;  /* a name to rename or remove; NULL none */
};

/* A pipe, a device, or a link to anything that is there: written as it is. */
bool outfile_in_place(const char *path);

/*
 * `path` NULL: standard output.  `secret`: a new file is for its owner alone, as
 * recordings are; else as the umask has it.  0, or -1 and a line in the log.
 */
int outfile_open(struct outfile *out, const char *path, bool secret);

/* Give it its name.  0, or -1 and a line in the log: a write failed somewhere. */
int outfile_commit(struct outfile *out);

/* The program ends at once: take the file along that is being written, if any. */
void outfile_abandon(void);

/* Forget what was not committed. */
void outfile_release(struct outfile *out);

#endif
