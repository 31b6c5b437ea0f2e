/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Line tables.  A table is never kept: its program runs once past the sorted
 * addresses that are asked for, and each takes its row as it goes by.
 */
#ifndef FOLD_REPORT_DWARF_LINE_H
#define FOLD_REPORT_DWARF_LINE_H

#include "dwarf_file.h"

struct dwarf_row {
	uint64_t address;  /* asked for */
	uint32_t file;     /* index in the unit's file table */
	uint32_t line;     /* 0: code of no line */
	bool found;
};

/* Fill the rows, sorted by address, from the line table of `u`, as far as it
 * has them.  The first sequence that holds an address wins. */
void dwarf_lines_run(struct dwarf_unit *u, struct dwarf_row *rows, size_t n);

/*
 * Path of a file of the unit's table; relative ones are joined with their
 * directories.  NULL there is none, or no memory.  Lives until dwarf_lines_free().
 */
const char *dwarf_lines_file(struct dwarf_unit *u, uint64_t index);
void dwarf_lines_free(struct dwarf_unit *u);

#endif
