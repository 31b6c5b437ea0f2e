/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that travel inside the program.  The assembler copies them in, with paths
 * from the top of the tree, where make runs; the Makefile knows that this object
 * depends on them.
 */
#include "asset.h"

#define ASSET(name, path) \
	__asm__(".pushsection .rodata\n" \
		"asset_" #name "_at:\n" \
		".incbin \"report/output/" path "\"\n" \
		"asset_" #name "_end:\n" \
		".byte 0\n" \
		".popsection\n"); \
	extern const char asset_##name##_at[], asset_##name##_end[]; \
	const struct asset asset_##name = {asset_##name##_at, asset_##name##_end}

ASSET(schema, "fold-report.schema.json");
ASSET(flame_js, "web/flame.js");
ASSET(flame_css, "web/flame.css");
ASSET(explorer_html, "web/explorer.html");
ASSET(explorer_css, "web/explorer.css");
ASSET(explorer_data_js, "web/data.js");
ASSET(explorer_forest_js, "web/forest.js");
ASSET(explorer_view_js, "web/view.js");
ASSET(explorer_merged_js, "web/merged.js");
ASSET(explorer_layout_js, "web/layout.js");
ASSET(explorer_draw_js, "web/draw.js");
ASSET(explorer_timeline_js, "web/timeline.js");
ASSET(explorer_table_js, "web/table.js");
ASSET(explorer_app_js, "web/app.js");
ASSET(explorer_controls_js, "web/controls.js");
