/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in a vmlinux file the offsets of a recorded kernel are.  Recordings count
 * from _text; those of a machine that hides its addresses count from an anchor
 * that is not known, and the file's code has to tell.
 */
#ifndef FOLD_REPORT_KERNEL_H
#define FOLD_REPORT_KERNEL_H

#include "../model/recording.h"
#include "elf.h"

enum kernel_answer {
	KERNEL_FOUND,
	KERNEL_NO_TEXT,    /* the file has no symbol _text, or no code */
	KERNEL_TOO_FEW,    /* too few return addresses were recorded to be sure */
	KERNEL_AMBIGUOUS,  /* no place fits, or several do */
};

/* Address of offset 0 of `module` of `rec` in the file, proven to be its kernel. */
enum kernel_answer kernel_base(const struct recording *rec, uint32_t module, const struct elf_file *file, uint64_t *base);

/*
 * The recovery itself: of all places that a 2 MiB aligned anchor can have, the
 * only one where nearly every offset stands behind a call instruction.
 */
enum kernel_answer kernel_recover(const struct elf_file *file, const uint64_t *returns, size_t n, uint64_t *base);

#endif
