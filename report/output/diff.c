/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of what changed between two recordings: functions whose own share, or
 * whose share with all they call, changed by more than counting can explain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "compare.h"
#include "formats.h"
#include "terminal.h"

#define ROWS_DEFAULT 20

struct changed { uint32_t frame; double points; };
struct diff {
	struct emit emit;
	const struct report *report;
	const struct tree *tree;
	struct compare compare;
	struct changed *rows;
	size_t nrows;
};

static int by_points(const void *a, const void *b, void *frames)
{
	const struct changed *x = a, *y = b;
	const struct frame *f = frames;
	double p = fabs(x->points), q = fabs(y->points);
	int c;

	if (p != q)
		return p > q ? -1 : 1;
	c = strcmp(f[x->frame].name, f[y->frame].name);
	return c ? c : strcmp(f[x->frame].module, f[y->frame].module);
}

/* Frames whose sides differ for sure, the largest change first; how many do not. */
static size_t collect(struct diff *d, const struct compare_sides *sides)
{
	size_t unsure = 0;

	d->nrows = 0;
	for (uint32_t i = 1; i < d->tree->nframes; i++) {
		struct compare_sides p = compare_percent(&d->compare, sides[i]);

		if (d->tree->frames[i].kind == FRAME_ROOT || p.before == p.now)
			continue;
		if (fabs(compare_sigma(&d->compare, sides[i])) < COMPARE_SURE || fabs(p.now - p.before) < d->report->options.min_percent)
			unsure++;
		else
			d->rows[d->nrows++] = (struct changed){i, p.now - p.before};
	}
	qsort_r(d->rows, d->nrows, sizeof(*d->rows), by_points, d->tree->frames);
	return unsure;
}

static void row(struct diff *d, const struct compare_sides *sides, const struct changed *c)
{
	struct compare_sides p = compare_percent(&d->compare, sides[c->frame]);
	const struct frame *frame = &d->tree->frames[c->frame];
	const char *word = !sides[c->frame].before ? "new" : !sides[c->frame].now ? "gone" : "";
	uint32_t columns = d->report->options.columns;
	struct emit *e = &d->emit;
	bool color = d->report->options.color;

	terminal_percent(e, p.before, 2);
	emit_str(e, "  ");
	terminal_percent(e, p.now, 2);
	emit_str(e, "  ");
	emit_str(e, !color ? "" : c->points > 0 ? "\033[31m" : "\033[32m");
	emit_printf(e, "%+7.2f", c->points);
	emit_str(e, color ? TERMINAL_PLAIN : "");
	emit_printf(e, "  %-4s  ", word);
	terminal_name(e, frame->module[0] ? frame->module : "-", 16, true);
	emit_str(e, "  ");
	terminal_name(e, frame->name, !columns ? 0 : columns > 66 ? columns - 49 : 17, false);
	emit_char(e, '\n');
}

static void table(struct diff *d, const char *title, const struct compare_sides *sides)
{
	uint32_t limit = d->report->options.top ? d->report->options.top : ROWS_DEFAULT;
	size_t unsure = collect(d, sides);
	struct emit *e = &d->emit;

	emit_printf(e, "\n%s\n", title);
	if (d->nrows)
		emit_str(e, "before     now  points        module            function\n");
	for (size_t i = 0; i < d->nrows && i < limit; i++)
		row(d, sides, &d->rows[i]);
	if (d->nrows > limit)
		emit_printf(e, "%zu more changed (--top N shows more)\n", d->nrows - limit);
	emit_printf(e, d->nrows ? "%zu others differ by no more than counting explains\n" :
		    "nothing changed by more than counting explains (%zu functions differ by less)\n", unsure);
}

static void sums(struct diff *d, size_t index)
{
	enum output_unit unit = output_unit(d->report, index);
	char before[OUTPUT_TEXT], now[OUTPUT_TEXT], title[256];
	struct emit *e = &d->emit;

	emit_char(e, '\n');
	emit_plain(e, title, strlen(output_title(d->report, index, title, sizeof(title))));
	output_value(unit, d->compare.whole.before / d->compare.scale + 0.5, before);
	output_value(unit, d->compare.whole.now + 0.5, now);
	emit_printf(e, ": %s before, %s now", before, now);
	if (d->report->options.normalize == OUTPUT_NORMALIZE_TIME)
		emit_printf(e, "; for the same time %+.1f %%", d->compare.whole.before > 0 ?
			    100 * (d->compare.whole.now / d->compare.whole.before - 1) : 0);
	emit_char(e, '\n');
}

static int write_tree(struct diff *d, size_t index)
{
	d->tree = &d->report->trees[index];
	d->rows = calloc(d->tree->nframes + 1, sizeof(*d->rows));
	if (!d->rows || compare_init(&d->compare, d->report, index))
		return -1;
	sums(d, index);
	table(d, "Own time (self), in %:", d->compare.frame_self);
	table(d, "With all they call (total), in %:", d->compare.frame_total);
	compare_release(&d->compare);
	return 0;
}

int diff_write(FILE *to, const struct report *report)
{
	struct diff *d = calloc(1, sizeof(*d));
	char line[OUTPUT_LOSS_LINE];
	int err = d ? 0 : -1;

	if (d) {
		d->report = report;
		emit_init(&d->emit, to);
		output_loss_line(report, line, sizeof(line));
		emit_plain(&d->emit, line, strlen(line));
		emit_char(&d->emit, '\n');
	}
	for (size_t i = 0; !err && i < report->ntrees; i++) {
		err = write_tree(d, i);
		free(d->rows);
	}
	if (d)
		emit_flush(&d->emit);
	free(d);
	if (err)
		log_error("out of memory while comparing");
	return err;
}
