/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heat map of a recording: a column is a second (or more, if it would not fit), a
 * row a part of it, darker is more.  What repeats every second lies level, what
 * happens once stands out.  The busiest cells come with the --from and --to that
 * show them alone; in the SVG every cell does, on pointing at it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../log.h"
#include "emit.h"
#include "formats.h"

#define ROWS_TEXT 25
#define ROWS_SVG 50
#define COLUMNS_TEXT 72    /* without a terminal */
#define COLUMNS_MAX 3600
#define SHADES 8
#define BUSIEST 5
#define SECOND INT64_C(1000000000)

struct heatmap {
	struct emit emit;
	const struct report *report;
	int64_t begin;     /* ns: where column 0 begins, on a whole second of UTC */
	int64_t origin;    /* ns UTC of time 0 */
	int64_t period;    /* ns of a column */
	size_t columns, rows;
	size_t cell;       /* width in the SVG, pixels */
	uint64_t *cells;   /* [column * rows + row] */
	uint64_t most;
};

static bool shown(const struct report *report, size_t row)
{
	return report->trees[0].leaves[report->rec->samples.count[row]] != TREE_NONE;
}

static int64_t floor_second(int64_t ns)
{
	return ns - ((ns % SECOND) + SECOND) % SECOND;
}

/* UTC of time 0, so that what is added to it stays a number. */
static int64_t origin(const struct fold_clock *start)
{
	return start->realtime < INT64_MAX / 2 ? (int64_t)start->realtime : INT64_MAX / 2;
}

/* The span of time to show, and a grid over it. */
static int lay_out(struct heatmap *h, size_t rows, size_t columns)
{
	const struct rec_samples *s = &h->report->rec->samples;
	int64_t first = INT64_MAX, last = INT64_MIN;

	h->origin = h->report->rec->nsegments ? origin(&h->report->rec->segments[0].meta.start) : 0;
	for (size_t i = 0; i < s->n; i++)
		if (shown(h->report, i)) {
			first = s->time[i] < first ? s->time[i] : first;
			last = s->time[i] > last ? s->time[i] : last;
		}
	if (first > last)
		first = last = 0;
	h->begin = floor_second(first + h->origin) - h->origin;
	h->period = ((last - h->begin) / SECOND / (int64_t)columns + 1) * SECOND;
	h->columns = (last - h->begin) / h->period + 1;
	h->rows = rows;
	h->cells = calloc(h->columns * rows, sizeof(*h->cells));
	return h->cells ? 0 : -1;
}

static void fill(struct heatmap *h)
{
	const struct rec_samples *s = &h->report->rec->samples;
	bool weighted = h->report->trees[0].weighted;

	for (size_t i = 0; i < s->n; i++) {
		int64_t at = s->time[i] - h->begin;
		uint64_t *cell;

		if (!shown(h->report, i))
			continue;
		cell = &h->cells[at / h->period * h->rows + at % h->period / (h->period / (int64_t)h->rows)];
		*cell += weighted ? s->weight[i] : s->times[i];
		h->most = *cell > h->most ? *cell : h->most;
	}
}

/* 0 nothing, 1 .. levels */
static unsigned level(const struct heatmap *h, uint64_t value, unsigned levels)
{
	unsigned n = value ? 1 + (value - 1) * (double)levels / h->most : 0;

	return n < levels ? n : levels;
}

static void utc(struct emit *e, int64_t ns)
{
	time_t t = ns / SECOND;
	char buf[32] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%S", &tm);
	emit_printf(e, "%s.%03dZ", buf, (int)(ns % SECOND / 1000000));
}

/* The options that select one cell. */
static void cell_options(struct heatmap *h, size_t cell)
{
	int64_t from = h->origin + h->begin + (int64_t)(cell / h->rows) * h->period;
	int64_t row = cell % h->rows, height = h->period / (int64_t)h->rows;

	emit_str(&h->emit, "--from ");
	utc(&h->emit, from + row * height);
	emit_str(&h->emit, " --to ");
	utc(&h->emit, from + (row + 1) * height);
}

/* What a cell and its shade mean. */
static void scale(struct heatmap *h)
{
	struct emit *e = &h->emit;
	char value[OUTPUT_TEXT];

	emit_printf(e, "a column is %" PRId64 " s, a row %" PRId64 " ms of it, the darkest cell ", h->period / SECOND,
		    h->period / (int64_t)h->rows / 1000000);
	emit_str(e, output_value(output_unit(h->report, 0), h->most, value));
}

static void caption(struct heatmap *h)
{
	struct emit *e = &h->emit;
	char title[256], value[OUTPUT_TEXT];

	emit_plain(e, title, strlen(output_title(h->report, 0, title, sizeof(title))));
	emit_str(e, ": ");
	emit_str(e, output_value(output_unit(h->report, 0), h->report->trees[0].total, value));
	emit_str(e, "; ");
	scale(h);
}

static int by_value(const void *a, const void *b, void *cells)
{
	const uint64_t *v = cells;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (v[x] != v[y])
		return v[x] > v[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int busiest(struct heatmap *h)
{
	size_t n = h->columns * h->rows, *order = malloc(n * sizeof(*order));
	char value[OUTPUT_TEXT];

	if (!order)
		return -1;
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_value, h->cells);
	if (h->most)
		emit_str(&h->emit, "\nbusiest:\n");
	for (size_t i = 0; i < BUSIEST && i < n && h->cells[order[i]]; i++) {
		emit_printf(&h->emit, "  %12s  ", output_value(output_unit(h->report, 0), h->cells[order[i]], value));
		cell_options(h, order[i]);
		emit_char(&h->emit, '\n');
	}
	free(order);
	return 0;
}

static int text(struct heatmap *h)
{
	static const char *const blocks[] = {" ", "·", "░", "▒", "▓", "█"};
	struct emit *e = &h->emit;
	char line[OUTPUT_LOSS_LINE];

	output_loss_line(h->report, line, sizeof(line));
	emit_plain(e, line, strlen(line));
	emit_str(e, "\n\n");
	caption(h);
	emit_str(e, "\n\n");
	for (size_t row = 0; row < h->rows; row++) {
		emit_printf(e, "%6.2f |", (double)row / h->rows * h->period / SECOND);
		for (size_t column = 0; column < h->columns; column++)
			emit_str(e, blocks[level(h, h->cells[column * h->rows + row], 5)]);
		emit_str(e, "|\n");
	}
	emit_str(e, "        ");
	for (size_t column = 0; column < h->columns; column += 10)
		emit_printf(e, "%-10" PRId64, (int64_t)column * h->period / SECOND);
	emit_str(e, "s from ");
	utc(e, h->origin + h->begin);
	emit_char(e, '\n');
	return busiest(h);
}

int heatmap_write(FILE *to, const struct report *report)
{
	struct heatmap *h = calloc(1, sizeof(*h));
	uint32_t columns = report->options.columns > 20 ? report->options.columns - 9 : COLUMNS_TEXT;
	int err = -1;

	if (h) {
		h->report = report;
		emit_init(&h->emit, to);
		err = lay_out(h, ROWS_TEXT, columns);
		if (!err) {
			fill(h);
			err = text(h);
		}
		emit_flush(&h->emit);
		free(h->cells);
	}
	free(h);
	if (err)
		log_error("out of memory while drawing the heat map");
	return err;
}

/* ---- SVG */

#define CELL_MIN 4  /* width, by what there is to show */
#define CELL_MAX 18
#define WIDTH 640
#define CELL_HEIGHT 7
#define PAD 14
#define HEAD 62
#define LEFT 48

static void style(struct emit *e)
{
	static const char *const light[SHADES + 1] = {"", "#fdebd8", "#fbd5ad", "#f8bb7e", "#f29d53", "#e57d33", "#cf5c20", "#ab3f16", "#7d2a10"};
	static const char *const dark[SHADES + 1] = {"", "#33261c", "#4b321e", "#6a4220", "#8d5523", "#b16b2a", "#d38638", "#eda657", "#ffd08a"};

	emit_str(e, "<style>\ntext { font: 12px \"Helvetica Neue\", Helvetica, Arial, \"Liberation Sans\", sans-serif; fill: #59636e; }\n"
		    ".title { font-size: 17px; font-weight: 600; fill: #1f2328; }\n.paper { fill: #ffffff; }\nrect:hover { stroke: #1f2328; }\n"
		    ".paper:hover { stroke: none; }\n");
	for (int i = 1; i <= SHADES; i++)
		emit_printf(e, ".h%d { fill: %s; }\n", i, light[i]);
	emit_str(e, "@media (prefers-color-scheme: dark) {\ntext { fill: #9aa4af; }\n.title { fill: #e6e9ed; }\n.paper { fill: #16191d; }\n"
		    "rect:hover { stroke: #ffffff; }\n");
	for (int i = 1; i <= SHADES; i++)
		emit_printf(e, ".h%d { fill: %s; }\n", i, dark[i]);
	emit_str(e, "}\n</style>\n");
}

static void cells(struct heatmap *h)
{
	struct emit *e = &h->emit;
	char value[OUTPUT_TEXT];

	for (size_t i = 0; i < h->columns * h->rows; i++) {
		if (!h->cells[i])
			continue;
		emit_printf(e, "<rect class=\"h%u\" x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\"><title>", level(h, h->cells[i], SHADES),
			    LEFT + i / h->rows * h->cell, HEAD + i % h->rows * CELL_HEIGHT, (int)h->cell - 1, CELL_HEIGHT - 1);
		emit_str(e, output_value(output_unit(h->report, 0), h->cells[i], value));
		emit_char(e, '\n');
		cell_options(h, i);
		emit_str(e, "</title></rect>\n");
	}
}

static void axes(struct heatmap *h)
{
	struct emit *e = &h->emit;

	for (size_t row = 0; row <= h->rows; row += 10)
		emit_printf(e, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%.1f</text>\n", LEFT - 6, HEAD + row * CELL_HEIGHT + 4,
			    (double)row / h->rows * h->period / SECOND);
	for (size_t column = 0; column < h->columns; column += 10)
		emit_printf(e, "<text x=\"%zu\" y=\"%zu\">%" PRId64 "</text>\n", LEFT + column * h->cell, HEAD + h->rows * CELL_HEIGHT + 16,
			    (int64_t)column * h->period / SECOND);
	emit_printf(e, "<text x=\"%d\" y=\"%zu\">seconds from ", LEFT, HEAD + h->rows * CELL_HEIGHT + 34);
	utc(e, h->origin + h->begin);
	emit_str(e, "; point at a cell for the options that show it alone</text>\n");
}

static void svg(struct heatmap *h)
{
	struct emit *e = &h->emit;
	size_t width = LEFT + h->columns * h->cell + PAD, height = HEAD + h->rows * CELL_HEIGHT + 46;
	char title[256], line[OUTPUT_LOSS_LINE];

	width = width < 700 ? 700 : width;
	output_title(h->report, 0, title, sizeof(title));
	output_loss_line(h->report, line, sizeof(line));
	emit_printf(e, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
		    "viewBox=\"0 0 %zu %zu\">\n<title>", width, height, width, height);
	emit_xml(e, title, strlen(title));
	emit_str(e, "</title>\n");
	style(e);
	emit_printf(e, "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n<text class=\"title\" x=\"%d\" y=\"26\">", PAD);
	emit_xml(e, title, strlen(title));
	emit_printf(e, "</text>\n<text x=\"%d\" y=\"46\">", PAD);
	emit_xml(e, line, strlen(line));
	emit_str(e, "; ");
	scale(h);
	emit_str(e, "</text>\n");
	cells(h);
	axes(h);
	emit_str(e, "</svg>\n");
}

int heatmap_svg_write(FILE *to, const struct report *report)
{
	struct heatmap *h = calloc(1, sizeof(*h));
	int err = -1;

	if (h) {
		h->report = report;
		emit_init(&h->emit, to);
		err = lay_out(h, ROWS_SVG, COLUMNS_MAX);
		if (!err) {
			fill(h);
			h->cell = WIDTH / h->columns;
			h->cell = h->cell < CELL_MIN ? CELL_MIN : h->cell > CELL_MAX ? CELL_MAX : h->cell;
			svg(h);
		}
		emit_flush(&h->emit);
		free(h->cells);
	}
	free(h);
	if (err)
		log_error("out of memory while drawing the heat map");
	return err;
}
