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

/* The explorer, in the order in which the scripts stand in the page. */
extern const struct asset asset_explorer_html; /* body */
extern const struct asset asset_explorer_css;
extern const struct asset asset_explorer_data_js, asset_explorer_forest_js, asset_explorer_view_js, asset_explorer_merged_js, asset_explorer_layout_js, asset_explorer_draw_js,
	asset_explorer_timeline_js, asset_explorer_table_js, asset_explorer_app_js,
	asset_explorer_controls_js;

#endif
