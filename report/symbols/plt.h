/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for the stubs through which a file calls other files: "malloc@plt".
 * They have no symbols; each is decoded to the slot that it jumps through, and
 * the slot's relocation says whose address goes there.
 */
#ifndef FOLD_REPORT_PLT_H
#define FOLD_REPORT_PLT_H

#include "symtab.h"

struct plt_names {
	char **v; /* what the ranges are called */
	size_t n, room;
};

/* Add the stubs of .plt, .plt.sec, .plt.got and .iplt of `elf`.  `full` may name the
 * resolvers of IFUNC stubs; it is finished, or empty.  0, or -1: out of memory. */
int plt_add(struct symtab *t, struct plt_names *names, Elf *elf, const struct symtab *full);
void plt_names_release(struct plt_names *names); /* accepts a zeroed struct */

#endif
