/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of functions: share of samples with it as leaf (self) and anywhere in
 * the stack (total), counted once per sample.  Fits into 80 columns; wider
 * terminals and pipes get the whole names.
 */
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "terminal.h"

#define ROWS_DEFAULT 30
#define MODULE_MAX 24

struct top {
	struct emit emit;
	const struct report *report;
	const struct tree *tree;
	enum output_unit unit;
	const struct frame **rows;
	size_t nrows, shown, module_width;
};

static int by_self(const void *a, const void *b)
{
	const struct frame *x = *(const struct frame *const *)a, *y = *(const struct frame *const *)b;
	int c;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	c = strcmp(x->name, y->name);
	return c ? c : strcmp(x->module, y->module);
}

static int collect(struct top *top)
{
	const struct tree *tree = top->tree;
	uint32_t limit = top->report->options.top ? top->report->options.top : ROWS_DEFAULT;
	double least = top->report->options.min_percent;

	top->rows = malloc((tree->nframes + 1) * sizeof(const struct frame *));
	if (!top->rows)
		return -1;
	for (size_t i = 1; i < tree->nframes; i++)
		if (tree->frames[i].kind != FRAME_ROOT && tree->frames[i].total)
			top->rows[top->nrows++] = &tree->frames[i];
	if (top->nrows)
		qsort(top->rows, top->nrows, sizeof(const struct frame *), by_self);
	while (top->shown < top->nrows && top->shown < limit &&
	       output_percent(top->rows[top->shown]->self, tree->total) >= least)
		top->shown++;
	top->module_width = 6;
	for (size_t i = 0; i < top->shown; i++) {
		size_t n = text_columns(top->rows[i]->module, strlen(top->rows[i]->module));

		if (n > top->module_width)
			top->module_width = n < MODULE_MAX ? n : MODULE_MAX;
	}
	return 0;
}

static void row(struct top *top, const struct frame *frame, size_t name_width)
{
	struct emit *e = &top->emit;
	const char *color = terminal_color(top->report, frame->kind);
	char value[OUTPUT_TEXT];
	size_t n;

	if (top->unit == OUTPUT_SAMPLES)
		text_count(value, frame->self);
	else
		output_value(top->unit, frame->self, value);
	n = text_columns(value, strlen(value));
	terminal_percent(e, output_percent(frame->self, top->tree->total), 2);
	emit_str(e, "  ");
	terminal_percent(e, output_percent(frame->total, top->tree->total), 2);
	emit_repeat(e, ' ', n < 11 ? 11 - n : 1);
	emit_str(e, value);
	emit_str(e, "  ");
	terminal_name(e, frame->module[0] ? frame->module : "-", top->module_width, true);
	emit_str(e, "  ");
	emit_str(e, color);
	terminal_name(e, frame->name, name_width, false);
	emit_str(e, *color ? TERMINAL_PLAIN "\n" : "\n");
}

static void rest(struct top *top)
{
	uint64_t self = 0;

	for (size_t i = top->shown; i < top->nrows; i++)
		self += top->rows[i]->self;
	if (!self)
		return;
	terminal_percent(&top->emit, output_percent(self, top->tree->total), 2);
	emit_str(&top->emit, "  in ");
	emit_count(&top->emit, top->nrows - top->shown);
	emit_str(&top->emit, " more functions (--top N shows more)\n");
}

static int write_table(struct top *top, size_t index)
{
	struct emit *e = &top->emit;
	char title[256], value[OUTPUT_TEXT];
	size_t columns = top->report->options.columns, fixed;

	top->unit = output_unit(top->report, index);
	if (collect(top))
		return -1;
	fixed = 6 + 2 + 6 + 11 + 2 + top->module_width + 2;
	emit_char(e, '\n');
	emit_plain(e, title, strlen(output_title(top->report, index, title, sizeof(title))));
	emit_str(e, ": ");
	emit_str(e, output_value(top->unit, top->tree->total, value));
	emit_str(e, "\n\nself %  total %");
	emit_printf(e, "  %8s  %-*s  function\n", top->unit == OUTPUT_SAMPLES ? "samples" : "self", (int)top->module_width, "module");
	for (size_t i = 0; i < top->shown; i++)
		row(top, top->rows[i], !columns ? 0 : columns > fixed + 16 ? columns - fixed : 16);
	rest(top);
	return 0;
}

int top_write(FILE *to, const struct report *report)
{
	struct top *top = malloc(sizeof(*top));
	char line[OUTPUT_LOSS_LINE];
	int err = top ? 0 : -1;

	if (top) {
		emit_init(&top->emit, to);
		output_loss_line(report, line, sizeof(line));
		emit_plain(&top->emit, line, strlen(line));
		emit_char(&top->emit, '\n');
	}
	for (size_t i = 0; !err && i < report->ntrees; i++) {
		top->report = report;
		top->tree = &report->trees[i];
		top->rows = NULL;
		top->nrows = top->shown = 0;
		err = write_table(top, i);
		free(top->rows);
	}
	if (top)
		emit_flush(&top->emit);
	free(top);
	if (err)
		log_error("out of memory while writing the table");
	return err;
}
