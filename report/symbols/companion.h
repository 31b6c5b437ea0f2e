/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that a debug file names: dwz's supplementary file, split units.  Found
 * beside it, where it says, and in the trees that were given.  Kept open for as
 * long as the DWARF that uses them.
 */
#ifndef FOLD_REPORT_COMPANION_H
#define FOLD_REPORT_COMPANION_H

#include "dwarf.h"
#include "locate.h"

struct companions {
	struct locator *locator;
	const char *near;      /* path of the debug file; borrowed */
	struct elf_file *files;
	size_t n, room;
};

void companions_release(struct companions *c); /* accepts a zeroed struct */

/* A finder that uses `c`, which must stay where it is. */
struct dwarf_finder companions_finder(struct companions *c);

#endif
