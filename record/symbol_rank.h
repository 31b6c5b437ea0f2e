/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of several names of one address is shown: not local before local, fewer
 * leading underscores, shorter, then by bytes.  The same input gives the same
 * name on every run, and the report chooses by the same rule.
 */
#ifndef FOLD_RECORD_SYMBOL_RANK_H
#define FOLD_RECORD_SYMBOL_RANK_H

#include <stdbool.h>
#include <string.h>

/* Is name `a` to be preferred to name `b`? */
static inline bool symbol_better(const char *a, bool a_local, const char *b, bool b_local)
{
	size_t na = strlen(a), nb = strlen(b), ua = strspn(a, "_"), ub = strspn(b, "_");

	if (a_local != b_local)
		return b_local;
	if (ua != ub)
		return ua < ub;
	if (na != nb)
		return na < nb;
	return strcmp(a, b) < 0;
}

#endif
