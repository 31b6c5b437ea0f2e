/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The explorer: one page with everything in it.  The data (page.h) is compressed
 * and read by the scripts of web/; a policy in the page forbids every connection,
 * so that opening it tells nobody.
 */
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "asset.h"
#include "emit.h"
#include "formats.h"
#include "gzip.h"
#include "page.h"

static void head(struct emit *e, const struct report *report)
{
	char title[256];

	output_title(report, 0, title, sizeof(title));
	emit_str(e, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n<title>");
	emit_xml(e, title, strlen(title));
	emit_str(e, "</title>\n<style>\n");
	emit_str(e, asset_explorer_css.at);
	emit_str(e, "</style>\n</head>\n");
}

static void scripts(struct emit *e)
{
	const struct asset *const parts[] = {
		&asset_explorer_data_js, &asset_explorer_forest_js, &asset_explorer_view_js, &asset_explorer_merged_js, &asset_explorer_layout_js, &asset_explorer_draw_js,
		&asset_explorer_timeline_js, &asset_explorer_table_js, &asset_explorer_app_js, &asset_explorer_controls_js,
	};

	emit_str(e, "<script>\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		emit_str(e, parts[i]->at);
	emit_str(e, "</script>\n");
}

static void packed_data(struct emit *e, const char *id, const struct buf *packed)
{
	emit_str(e, "<script type=\"text/plain\" id=\"");
	emit_str(e, id);
	emit_str(e, "\">");
	emit_base64(e, packed->at, packed->size);
	emit_str(e, "</script>\n");
}

/* What is painted first and what paints it stand before the rest. */
int html_write(FILE *to, const struct report *report)
{
	struct buf first = {0}, rest = {0}, packed_first = {0}, packed_rest = {0};
	struct emit *e = malloc(sizeof(*e));
	int err = !e || page_pack(&first, &rest, report) || gzip_bytes(&packed_first, first.at, first.size) ||
		  gzip_bytes(&packed_rest, rest.at, rest.size) ? -1 : 0;

	if (!err) {
		emit_init(e, to);
		head(e, report);
		emit_str(e, asset_explorer_html.at);
		packed_data(e, "first", &packed_first);
		scripts(e);
		packed_data(e, "rest", &packed_rest);
		emit_str(e, "</body>\n</html>\n");
		emit_flush(e);
	} else {
		log_error("out of memory while packing the explorer's data");
	}
	buf_release(&first);
	buf_release(&rest);
	buf_release(&packed_first);
	buf_release(&packed_rest);
	free(e);
	return err;
}
