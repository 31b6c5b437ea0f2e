/* SPDX-License-Identifier: BSD-2-Clause */
/* What `missing` found out, for its ways to show it: missing.c as text, missing_json.c. */
#ifndef FOLD_REPORT_MISSING_H
#define FOLD_REPORT_MISSING_H

#include "../model/unnamed.h"
#include "../output/emit.h"

struct missing {
	struct emit emit;
	const struct recording *rec;
	struct symbolizer *symbolizer;
	struct unnamed unnamed;
};

void missing_json(struct missing *m);

const struct fold_module_id *missing_gnu_id(const struct rec_module *module); /* NULL none */
void missing_hex(struct missing *m, const uint8_t *at, size_t n);
const char *missing_result_word(enum module_try_result result);

#endif
