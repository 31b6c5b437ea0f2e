/* SPDX-License-Identifier: BSD-2-Clause */
/* The differences of two recordings as a part of the JSON document. */
#ifndef FOLD_REPORT_JSON_COMPARE_H
#define FOLD_REPORT_JSON_COMPARE_H

#include "compare.h"

/* A member "difference" of tree `index`, with the comma before it.  0, or -1 out of memory. */
int json_difference(struct emit *e, const struct report *report, size_t index);

#endif
