/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a module's files were looked for, and what was there: kept to be told. */
#ifndef FOLD_REPORT_TRIES_H
#define FOLD_REPORT_TRIES_H

#include "symbolize.h"

#define TRIES_MAX 128 /* of one module; more are not kept */

struct tries {
	struct module_try *v;
	size_t n, room;
};

/* 0, or -1: out of memory. */
int tries_add(struct tries *t, const char *path, enum module_try_result result);
void tries_release(struct tries *t); /* accepts a zeroed struct */

#endif
