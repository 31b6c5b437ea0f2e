/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of functions that every Go program carries for its own runtime: where
 * each function begins, and how far rsp is from its return address at every pc.
 * Go code has no .eh_frame, and functions without a frame of their own are passed
 * over when frame pointers are followed.  Reads hostile bytes; keeps nothing.
 *
 * Source of the layout: the Go runtime's symtab.go and internal/abi; versions 1.18
 * to 1.20 and later.
 */
#ifndef FOLD_UNWIND_GOPCLNTAB_H
#define FOLD_UNWIND_GOPCLNTAB_H

#include "cfi.h"
#include "image.h"

struct gopclntab {
	struct bytes functions; /* pairs of u32: entry - text, offset of the function in `table` */
	struct bytes table;     /* those offsets are from here */
	struct bytes deltas;    /* the pc-value tables */
	struct bytes names;     /* strings; functions have offsets from here */
	uint64_t nfunctions;
	uint64_t text, end;     /* ELF addresses of the Go code */
	unsigned flag_offset;   /* in a function's record */
};

/* Find the table and prove that it is about this file's code.  False: there is none,
 * or not one that is understood. */
bool gopclntab_open(struct gopclntab *out, const struct image *img);

/* Give the rows of [text, end), in order, to `row`.  False: `row` said stop. */
bool gopclntab_read(const struct gopclntab *t, const struct image *img, cfi_row_fn row, void *context);

#endif
