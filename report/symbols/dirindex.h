/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF files below a directory by build-id: for trees of debug files that
 * are laid out in no known way.  Bounded in depth and number of files.
 */
#ifndef FOLD_REPORT_DIRINDEX_H
#define FOLD_REPORT_DIRINDEX_H

#include "../../format/fold.h"

struct dir_limits {
	size_t files;   /* looked at */
	unsigned depth; /* directories below the first */
};

struct dir_entry {
	char *path;
	uint8_t id_size;  /* GNU build-id; 0: the file has none */
	uint8_t id[FOLD_MAX_BUILD_ID];
};
struct dir_index {
	size_t n, room;
	struct dir_entry **v; /* sorted by id, then path */
	struct dir_limits limits;
	size_t seen;      /* files looked at */
	bool cut, too_deep; /* there were more files, or deeper ones, than the limits allow */
};

/* Read the tree below `dir`; what cannot be read is passed over.  0, or -1: out of memory. */
int dir_index_build(struct dir_index *index, const char *dir, struct dir_limits limits);
void dir_index_release(struct dir_index *index); /* accepts a zeroed struct */

/* First entry with this id and how many follow it; size 0: the files without one. */
size_t dir_index_find(const struct dir_index *index, const uint8_t *id, size_t size, size_t *first);

#endif
