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
		&asset_explorer_data_js, &asset_explorer_view_js, &asset_explorer_merged_js, &asset_explorer_draw_js,
		&asset_explorer_timeline_js, &asset_explorer_table_js, &asset_explorer_app_js, &asset_explorer_controls_js,
	};

	emit_str(e, "<script>\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		emit_str(e, parts[i]->at);
	emit_str(e, "</script>\n");
}

int html_write(FILE *to, const struct report *report)
{
	struct buf raw = {0}, packed = {0};
	struct emit *e = malloc(sizeof(*e));
	int err = !e || page_pack(&raw, report) || gzip_bytes(&packed, raw.at, raw.size) ? -1 : 0;

	if (!err) {
		emit_init(e, to);
		head(e, report);
		emit_str(e, asset_explorer_html.at);
		emit_str(e, "<script type=\"text/plain\" id=\"data\">");
		emit_base64(e, packed.at, packed.size);
		emit_str(e, "</script>\n");
		scripts(e);
		emit_str(e, "</body>\n</html>\n");
		emit_flush(e);
	} else {
		log_error("out of memory while packing the explorer's data");
	}
	buf_release(&raw);
	buf_release(&packed);
	free(e);
	return err;
}
