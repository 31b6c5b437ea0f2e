/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF that stands in other files: split units (.dwo files, or a .dwp package
 * of them) and dwz's supplementary file.  Each is proven by its id.
 */
#ifndef FOLD_REPORT_DWARF_SPLIT_H
#define FOLD_REPORT_DWARF_SPLIT_H

#include "dwarf.h"
#include "dwarf_file.h"

struct dwarf_split;

/* `work` and `finder` are borrowed.  0, or -1: out of memory. */
int dwarf_split_new(struct dwarf_split **out, struct dwarf_work *work, const struct dwarf_finder *finder);
void dwarf_split_free(struct dwarf_split *s);

/* The unit that has the entries of `u`: itself, or the split unit that it is the
 * skeleton of; NULL when that was not found. */
struct dwarf_unit *dwarf_split_unit(struct dwarf_split *s, struct dwarf_unit *u);

/* Open the supplementary file that `file` names, if it can be found. */
void dwarf_find_supplement(struct dwarf_file *file, struct dwarf_file *supplement, const struct dwarf_finder *finder);

#endif
