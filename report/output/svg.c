/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flame graph as one SVG file.  It is a complete still picture without its
 * script, for viewers and documents; in a browser, web/flame.js makes it zoom,
 * search and fill the window.  Same tree, same bytes.
 *
 * The script gets its numbers from data-s="start width depth" of each frame, in
 * units of the tree; nothing else is shared but the ids used below.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "asset.h"
#include "compare.h"
#include "emit.h"
#include "formats.h"
#include "palette.h"

#define WIDTH_DEFAULT 1200
#define WIDTH_MIN 300
#define WIDTH_MAX 20000
#define PAD 14
#define HEAD 104
#define FOOT 34
#define NOTE 18            /* a line below the frames */
#define ROW_DEFAULT 18
#define ROW_MIN 10
#define ROW_MAX 60
#define FONT 11.5
#define LEAST_PX 0.1       /* narrower frames are left out */
#define LABEL_PX 20        /* narrower frames have no label */
#define LABEL_LEAST 3      /* bytes of a name: less of it says nothing */
#define SHARES 9           /* data-unit: in comparisons only shares mean something */
#define HEIGHT_MAX 27000   /* viewers stop at 32,767 px */

struct svg {
	struct emit emit;
	const struct report *report;
	const struct tree *tree;
	enum output_unit unit;
	const struct compare *compare; /* NULL: none */
	uint32_t *depth;   /* by node */
	uint64_t *start, *total; /* by node: where its samples begin, and how wide it is */
	uint64_t least;    /* smallest total that is drawn */
	uint32_t row;      /* height of a frame */
	uint32_t rows, rows_max;
	uint64_t narrow, narrow_total, deep; /* call paths left out */
	double width;      /* of the document */
	struct palette palette;
};

/* ---- layout */

static bool drawn(const struct svg *s, uint32_t node)
{
	return s->total[node] >= s->least && s->total[node] && s->depth[node] < s->rows_max;
}

static void place_children(struct svg *s, uint32_t node)
{
	const struct tree_node *nodes = s->tree->nodes;
	uint64_t at = s->start[node];
	bool visible = drawn(s, node);

	for (uint32_t c = nodes[node].child; c != TREE_NONE; c = nodes[c].next) {
		s->depth[c] = s->depth[node] + 1;
		s->start[c] = at;
		at += s->total[c];
		if (visible && !drawn(s, c)) {
			s->deep += s->depth[c] >= s->rows_max;
			s->narrow += s->depth[c] < s->rows_max;
			s->narrow_total += s->total[c];
		}
	}
	if (visible && s->depth[node] >= s->rows)
		s->rows = s->depth[node] + 1;
}

/* Widths: samples; in comparisons the mean of both sides in thousandths (or what
 * still fits), so that what is gone has a width too. */
static void measure(struct svg *s)
{
	const struct tree_node *nodes = s->tree->nodes;
	double factor = s->compare ? fmin(500, 1e15 / fmax(1, s->compare->whole.before + s->compare->whole.now)) : 0;

	for (size_t i = s->tree->nnodes; i-- > 0;) {
		s->total[i] += s->compare ? factor * (s->compare->self[i].before + s->compare->self[i].now) + 0.5 : nodes[i].self;
		if (i)
			s->total[nodes[i].parent] += s->total[i];
	}
}

static double least_px(const struct svg *s)
{
	return s->report->options.min_width >= 0 ? s->report->options.min_width : LEAST_PX;
}

static int layout(struct svg *s)
{
	const struct output_options *options = &s->report->options;
	uint32_t width = options->width ? options->width : WIDTH_DEFAULT;
	size_t n = s->tree->nnodes;
	double least;

	s->width = width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
	s->row = !options->height ? ROW_DEFAULT : options->height < ROW_MIN ? ROW_MIN : options->height > ROW_MAX ? ROW_MAX : options->height;
	s->rows_max = HEIGHT_MAX / s->row;
	least = options->min_percent >= 0 ? options->min_percent / 100 : least_px(s) / (s->width - 2 * PAD);
	s->rows = 1;
	s->depth = calloc(n, sizeof(*s->depth));
	s->start = calloc(n, sizeof(*s->start));
	s->total = calloc(n, sizeof(*s->total));
	if (!s->depth || !s->start || !s->total)
		return -1;
	measure(s);
	s->least = least * s->total[0] + 0.999999;
	for (size_t i = 0; i < n; i++)
		place_children(s, i);
	return 0;
}

static double x_of(const struct svg *s, uint64_t at)
{
	return PAD + (s->width - 2 * PAD) * at / s->total[0];
}

static uint32_t y_of(const struct svg *s, uint32_t depth)
{
	return HEAD + s->row * (s->report->options.inverted ? depth : s->rows - 1 - depth);
}

/* ---- text that fits.  Widths of Helvetica and what is made to its measure, in
 * 1/1000 em, for ' ' to '~'; a tenth is added because not every machine has one.
 * The script measures the real font. */
static const uint16_t widths[] = {
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
	556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
	611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
	667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
	222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};

static double char_width(struct text_char c)
{
	double em = c.broken ? 2.4 : c.code >= ' ' && c.code < ' ' + sizeof(widths) / sizeof(*widths) ?
		widths[c.code - ' '] / 1000.0 : c.code < 0x2000 ? 0.65 : 1.05;

	return em * 1.1 * FONT;
}

static double text_px(const char *s)
{
	double px = 0;

	for (const char *end = s + strlen(s); s < end;) {
		struct text_char c = text_char(s, end);

		px += char_width(c);
		s += c.size;
	}
	return px;
}

/* Bytes of `name` that fit into `px`; all, or so many that "…" fits behind. */
static size_t fit(const char *name, size_t n, double px)
{
	const char *at = name, *end = name + n, *cut = name;
	double used = 0, ellipsis = FONT * 1.1;

	while (at < end) {
		struct text_char c = text_char(at, end);

		used += char_width(c);
		if (used > px)
			return cut - name;
		at += c.size;
		if (used + ellipsis <= px)
			cut = at;
	}
	return n;
}

/* ---- frames */

static void xml(struct emit *e, const char *s)
{
	emit_xml(e, s, strlen(s));
}

static void values(struct svg *s, uint32_t index)
{
	const struct tree_node *node = &s->tree->nodes[index];
	char buf[OUTPUT_TEXT], sides[COMPARE_TEXT];
	struct emit *e = &s->emit;

	if (s->compare) {
		emit_str(e, compare_text(s->compare, s->compare->total[index], sides));
		if (node->child != TREE_NONE && compare_sure(s->compare, s->compare->self[index])) {
			emit_str(e, "; self ");
			emit_str(e, compare_text(s->compare, s->compare->self[index], sides));
		}
		return;
	}
	emit_str(e, output_value(s->unit, node->total, buf));
	emit_str(e, ", ");
	emit_fixed(e, output_percent(node->total, s->tree->total), 2);
	emit_str(e, " %");
	if (!node->self || node->self == node->total)
		return;
	emit_str(e, "; self ");
	emit_str(e, output_value(s->unit, node->self, buf));
	emit_str(e, ", ");
	emit_fixed(e, output_percent(node->self, s->tree->total), 2);
	emit_str(e, " %");
}

static void label(struct svg *s, const char *name, double x, double width, uint32_t y)
{
	struct emit *e = &s->emit;
	size_t n = strlen(name), fits;

	if (width < LABEL_PX)
		return;
	fits = fit(name, n, width - 7);
	if (!fits || (fits < n && fits < LABEL_LEAST))
		return;
	emit_str(e, "<text x=\"");
	emit_fixed(e, x + 3.5, 1);
	emit_str(e, "\" y=\"");
	emit_fixed(e, y + (s->row - 1) / 2.0 + 4, 1);
	emit_str(e, "\">");
	emit_xml(e, name, fits);
	emit_str(e, fits < n ? "…</text>" : "</text>");
}

static void draw_frame(struct svg *s, uint32_t index)
{
	const struct tree_node *node = &s->tree->nodes[index];
	const struct frame *frame = &s->tree->frames[node->frame];
	struct emit *e = &s->emit;
	double x = x_of(s, s->start[index]), width = x_of(s, s->start[index] + s->total[index]) - x;
	uint32_t y = y_of(s, s->depth[index]);
	char class[PALETTE_CLASS];

	emit_str(e, "<g class=\"");
	emit_str(e, s->compare ? compare_class(s->compare, compare_told(s->compare, index), class) :
		    palette_class(&s->palette, node->frame, class));
	emit_str(e, "\" data-s=\"");
	emit_u64(e, s->start[index]);
	emit_char(e, ' ');
	emit_u64(e, s->total[index]);
	emit_char(e, ' ');
	emit_u64(e, s->depth[index]);
	emit_str(e, "\"><title>");
	xml(e, frame->name);
	emit_char(e, '\n');
	if (frame->module[0]) {
		xml(e, frame->module);
		emit_str(e, ", ");
	}
	values(s, index);
	emit_str(e, "</title><rect x=\"");
	emit_fixed(e, x, 2);
	emit_str(e, "\" y=\"");
	emit_u64(e, y);
	emit_str(e, "\" width=\"");
	emit_fixed(e, width > 1.5 ? width - 0.5 : width, 2);
	emit_printf(e, "\" height=\"%" PRIu32 "\"/>", s->row - 1);
	label(s, frame->name, x, width, y);
	emit_str(e, "</g>\n");
}

/* Depth first, so that the script finds each frame behind its parent. */
static void draw_frames(struct svg *s)
{
	const struct tree_node *nodes = s->tree->nodes;
	uint32_t at = 0;

	for (;;) {
		uint32_t next = TREE_NONE;

		if (drawn(s, at)) {
			draw_frame(s, at);
			next = nodes[at].child;
		}
		while (next == TREE_NONE && at) {
			next = nodes[at].next;
			at = nodes[at].parent;
		}
		if (next == TREE_NONE)
			return;
		at = next;
	}
}

/* ---- around the frames */

static void legend(struct svg *s)
{
	struct emit *e = &s->emit;
	double x = PAD;

	if (s->compare) {
		emit_str(e, COMPARE_LEGEND);
		return;
	}
	for (size_t i = 0; i < s->palette.nkeys && x < s->width - 120; i++) {
		const struct palette_key *key = &s->palette.keys[i];

		emit_printf(e, "<g class=\"%s\"><rect x=\"%.1f\" y=\"63\" width=\"10\" height=\"10\"/></g><text class=\"key\" x=\"%.1f\" y=\"72\">",
			    key->class, x, x + 15);
		xml(e, key->name);
		emit_printf(e, " %.1f %%</text>\n", output_percent(key->self, s->tree->total));
		x += 15 + text_px(key->name) + text_px(" 00.0 %") + 16;
	}
}

static void head(struct svg *s, const char *title, const char *summary)
{
	struct emit *e = &s->emit;
	char value[OUTPUT_TEXT];

	emit_printf(e, "<g id=\"bar\"><rect class=\"paper\" width=\"100%%\" height=\"%d\"/>\n<text id=\"title\" x=\"%d\" y=\"28\">", HEAD - 6, PAD);
	xml(e, title);
	if (s->unit != OUTPUT_SAMPLES && s->tree->total && !s->compare) {
		emit_str(e, ", ");
		emit_str(e, output_value(s->unit, s->tree->total, value));
	}
	emit_printf(e, "</text>\n<text id=\"summary\" x=\"%d\" y=\"49\">", PAD);
	xml(e, summary);
	emit_str(e, "</text>\n");
	legend(s);
	emit_printf(e, "<text id=\"details\" x=\"%d\" y=\"92\">Interactive when opened in a web browser: point for details, "
		    "click to zoom, Ctrl-F to search.</text>\n</g>\n", PAD);
}

static void left_out(struct svg *s, uint32_t y)
{
	struct emit *e = &s->emit;

	if (!s->narrow && !s->deep)
		return;
	emit_printf(e, "<text class=\"note\" x=\"%d\" y=\"%" PRIu32 "\">Left out: ", PAD, y);
	if (s->narrow) {
		emit_count(e, s->narrow);
		emit_str(e, s->narrow == 1 ? " branch narrower than " : " branches narrower than ");
		if (s->report->options.min_percent >= 0)
			emit_printf(e, "%g %%", s->report->options.min_percent);
		else
			emit_printf(e, "%g px", least_px(s));
	}
	if (s->deep)
		emit_printf(e, "%s%" PRIu64 " beyond %" PRIu32 " frames", s->narrow ? ", " : "", s->deep, s->rows_max);
	emit_str(e, ". ");
	emit_fixed(e, output_percent(s->narrow_total, s->total[0]), 2);
	emit_str(e, " % of what was measured ends in them; --min, --min-width and --width draw more.</text>\n");
}

static void document(struct svg *s)
{
	struct emit *e = &s->emit;
	char title[256], summary[OUTPUT_LOSS_LINE];
	const char *notes = s->report->options.notes;
	uint32_t bottom = HEAD + s->row * s->rows, foot = FOOT + (notes ? NOTE : 0);

	output_title(s->report, 0, title, sizeof(title));
	output_loss_line(s->report, summary, sizeof(summary));
	emit_printf(e, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%" PRIu32 "\" viewBox=\"0 0 %.0f %" PRIu32 "\">\n<title>",
		    s->width, bottom + foot, s->width, bottom + foot);
	xml(e, title);
	emit_str(e, "</title>\n<desc>");
	xml(e, summary);
	emit_str(e, "</desc>\n<style>\n");
	emit_str(e, asset_flame_css.at);
	if (s->compare)
		emit_str(e, COMPARE_CSS);
	else
		palette_css(&s->palette, e);
	emit_printf(e, "</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n"
		    "<g id=\"frames\" data-total=\"%" PRIu64 "\" data-unit=\"%d\" data-inverted=\"%d\">\n",
		    s->total[0], s->compare ? SHARES : s->unit, s->report->options.inverted);
	if (s->total[0])
		draw_frames(s);
	emit_str(e, "</g>\n");
	if (!s->total[0])
		emit_printf(e, "<text class=\"empty\" x=\"50%%\" y=\"%d\" text-anchor=\"middle\">No samples to show.</text>\n", HEAD + 14);
	head(s, title, summary);
	if (notes) {
		emit_printf(e, "<text class=\"note\" x=\"%d\" y=\"%" PRIu32 "\">", PAD, bottom + 21);
		xml(e, notes);
		emit_str(e, "</text>\n");
	}
	left_out(s, bottom + foot - FOOT + 21);
	emit_str(e, "<script><![CDATA[\n");
	emit_str(e, asset_flame_js.at);
	emit_str(e, "]]></script>\n</svg>\n");
}

int svg_write(FILE *to, const struct report *report)
{
	struct svg *s = calloc(1, sizeof(*s));
	struct compare compare = {0};
	int err = -1;

	if (s && (!report->before || !compare_init(&compare, report, 0))) {
		s->compare = report->before ? &compare : NULL;
		s->report = report;
		s->tree = &report->trees[0];
		s->unit = output_unit(report, 0);
		emit_init(&s->emit, to);
		err = layout(s) || palette_init(&s->palette, s->tree, report->options.colors) ? -1 : 0;
		if (!err)
			document(s);
		emit_flush(&s->emit);
		palette_release(&s->palette);
		free(s->depth);
		free(s->start);
		free(s->total);
	}
	compare_release(&compare);
	free(s);
	if (err)
		log_error("out of memory while drawing the flame graph");
	return err;
}
