/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that a recording brings for the code of one module, collected batch
 * by batch.  Code that is compiled at run time is replaced by other code at the
 * same place: what came later wins.
 */
#ifndef FOLD_REPORT_SYMS_H
#define FOLD_REPORT_SYMS_H

#include "recording.h"

struct syms {
	struct rec_sym *v; /* in order of arrival */
	size_t n, room;
};

/* 0, or -1 out of memory. */
int syms_add(struct syms *syms, const struct rec_sym *sym);

/*
 * Sort by offset, and make ranges disjoint: a name gives way to a later one from
 * where that begins, and to its own end; it is dropped when its first byte is
 * covered.  So each one left begins where its function begins.  0, or -1 out of memory.
 */
int syms_settle(struct syms *syms);
void syms_release(struct syms *syms);

#endif
