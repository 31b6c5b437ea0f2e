/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of one recorded stack, leaf first: kernel side, then user side.
 * For outputs that show addresses; those that show names walk the tree instead.
 */
#ifndef FOLD_REPORT_WALK_H
#define FOLD_REPORT_WALK_H

#include "output.h"

struct walk_place {
	const char *marker; /* "[unknown]" and its like; NULL: code */
	uint32_t module;
	uint64_t offset;
	bool exact;         /* else a return address: the call is before it */
	bool leaf;          /* of its side */
	uint32_t node;      /* in rec->nodes: with `leaf` it says all of the above; REC_NONE: made up */
};
struct walk {
	const struct recording *rec;
	const struct rec_count *count;
	uint32_t at;        /* next node, REC_NONE: the side is done */
	int side;           /* 0 kernel, 1 user, 2 done */
	bool leaf, end, any;
	const char *last;   /* marker before: equal ones that follow each other are one */
};

void walk_begin(struct walk *w, const struct recording *rec, const struct rec_count *count);
bool walk_next(struct walk *w, struct walk_place *place); /* false: no more */

/* Base name of a module, not terminated. */
struct fold_bytes walk_module_name(const struct recording *rec, uint32_t module);

#endif
