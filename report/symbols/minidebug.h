/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * .gnu_debugdata: a small ELF file, packed with xz, in which distributions leave
 * the function names of a stripped file.
 */
#ifndef FOLD_REPORT_MINIDEBUG_H
#define FOLD_REPORT_MINIDEBUG_H

#include "elf.h"

struct minidebug {
	struct elf_file file;
	char *image;
};

/* Unpack what `elf` carries.  0, or a negative errno: -ENOENT it carries nothing. */
int minidebug_open(struct minidebug *m, Elf *elf);
void minidebug_release(struct minidebug *m); /* accepts a zeroed struct */

#endif
