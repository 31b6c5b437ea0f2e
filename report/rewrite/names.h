/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the code of modules that several recordings share, each kept once.
 * What is written does not depend on who named something first.
 */
#ifndef FOLD_REPORT_NAMES_H
#define FOLD_REPORT_NAMES_H

#include "../../format/intern.h"

struct names {
	struct fold_sym *v;
	size_t n, room;
	uint32_t *slots; /* index + 1 */
	size_t nslots;
	struct hash_key key;
};

void names_init(struct names *names);
void names_release(struct names *names); /* accepts a zeroed struct */

/* Add `sym`; equal ones are one.  0, or -1 out of memory. */
int names_add(struct names *names, const struct fold_sym *sym);

/*
 * Sort by module, offset, size and text.  Of several names for the same bytes the
 * first one stays, whoever gave it.  `text` has the strings; name ids are its.
 */
void names_settle(struct names *names, const struct intern *text);

#endif
