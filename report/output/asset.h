/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of this directory that travel inside the program. */
#ifndef FOLD_REPORT_ASSET_H
#define FOLD_REPORT_ASSET_H

struct asset {
	const char *at, *end; /* *end is 0 */
};
extern const struct asset asset_schema;   /* fold-report.schema.json */
extern const struct asset asset_flame_js; /* web/flame.js */
extern const struct asset asset_flame_css;

#endif
