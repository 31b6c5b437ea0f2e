/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call tree as text.  Heaviest branch first; what is lighter than --min is left
 * out, and each place says how much that was.  A frame that is an only child
 * stands below its parent without going deeper, so that depth on the screen
 * means a decision, not the length of a chain; a function that does nothing but
 * call itself has one line, with how often.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "terminal.h"

#define MIN_DEFAULT 1.0
#define GUIDES_MAX 2048

struct row { /* a line still to be written */
	uint32_t node;     /* TREE_NONE: the line that says what was left out */
	uint32_t parent;   /* for that line */
	uint16_t guides;   /* bytes of the guide text before it */
	bool last, branch; /* last of several siblings; one of several */
};
struct text_tree {
	struct emit emit;
	const struct report *report;
	const struct tree *tree;
	uint64_t least;
	struct row *rows;
	size_t nrows, room;
	uint32_t *order; /* scratch: children of one node */
	size_t norder, order_room;
	char guides[GUIDES_MAX * 4];
};

static int push(struct text_tree *t, struct row row)
{
	if (t->nrows == t->room) {
		size_t room = t->room ? 2 * t->room : 256;
		struct row *v = reallocarray(t->rows, room, sizeof(*v));

		if (!v)
			return -1;
		t->rows = v;
		t->room = room;
	}
	t->rows[t->nrows++] = row;
	return 0;
}

static int by_total(const void *a, const void *b, void *nodes)
{
	const struct tree_node *n = nodes;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (n[x].total != n[y].total)
		return n[x].total > n[y].total ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Children worth a line, heaviest first, into t->order; the total of the rest. */
static int children(struct text_tree *t, uint32_t node, uint64_t *left_out)
{
	const struct tree_node *nodes = t->tree->nodes;

	t->norder = 0;
	*left_out = 0;
	for (uint32_t c = nodes[node].child; c != TREE_NONE; c = nodes[c].next) {
		if (nodes[c].total < t->least) {
			*left_out += nodes[c].total;
			continue;
		}
		if (t->norder == t->order_room) {
			size_t room = t->order_room ? 2 * t->order_room : 64;
			uint32_t *v = reallocarray(t->order, room, sizeof(*v));

			if (!v)
				return -1;
			t->order = v;
			t->order_room = room;
		}
		t->order[t->norder++] = c;
	}
	if (t->norder)
		qsort_r(t->order, t->norder, sizeof(*t->order), by_total, t->tree->nodes);
	return 0;
}

static int push_children(struct text_tree *t, uint32_t node, size_t guides)
{
	uint64_t left_out;
	bool branch, note;

	if (children(t, node, &left_out))
		return -1;
	note = left_out && left_out >= t->least && t->norder; /* all too light: the tree just ends here */
	branch = t->norder + note > 1;
	if (note && push(t, (struct row){TREE_NONE, node, guides, true, branch}))
		return -1;
	for (size_t i = t->norder; i-- > 0;)
		if (push(t, (struct row){t->order[i], node, guides, !note && i + 1 == t->norder, branch}))
			return -1;
	return 0;
}

static void numbers(struct text_tree *t, uint64_t total, uint64_t self)
{
	double own = output_percent(self, t->tree->total);

	emit_char(&t->emit, ' ');
	terminal_percent(&t->emit, output_percent(total, t->tree->total), 1);
	emit_char(&t->emit, ' ');
	if (own >= 0.05)
		terminal_percent(&t->emit, own, 1);
	else
		emit_repeat(&t->emit, ' ', 5);
	emit_str(&t->emit, "  ");
}

/* The name within what the terminal has left, and how often it stands there. */
static void label(struct text_tree *t, const struct frame *frame, size_t indent, uint32_t times)
{
	size_t columns = t->report->options.columns;
	const char *color = terminal_color(t->report, frame->kind);
	char more[24] = "";

	if (times > 1)
		indent += (size_t)snprintf(more, sizeof(more), "  \303\227%" PRIu32, times) - 1;
	emit_str(&t->emit, color);
	terminal_name(&t->emit, frame->name, !columns ? 0 : columns > indent + 20 ? columns - indent : 20, false);
	if (*color)
		emit_str(&t->emit, TERMINAL_PLAIN);
	emit_str(&t->emit, more);
	emit_char(&t->emit, '\n');
}

/* Where a chain of calls of a function by itself, and nothing else, ends. */
static uint32_t recursion(const struct tree *tree, uint32_t node, uint32_t *times)
{
	const struct tree_node *nodes = tree->nodes;

	*times = 1;
	for (uint32_t c = nodes[node].child; c != TREE_NONE;) {
		if (nodes[c].frame != nodes[node].frame || nodes[c].total != nodes[node].total) {
			c = nodes[c].next;
			continue;
		}
		node = c;
		c = nodes[node].child;
		++*times;
	}
	return node;
}

static void left_out_line(struct text_tree *t, const struct row *row)
{
	const struct tree_node *nodes = t->tree->nodes;
	uint64_t sum = 0, n = 0;

	for (uint32_t c = nodes[row->parent].child; c != TREE_NONE; c = nodes[c].next)
		if (nodes[c].total < t->least) {
			sum += nodes[c].total;
			n++;
		}
	numbers(t, sum, 0);
	emit_bytes(&t->emit, t->guides, row->guides);
	emit_str(&t->emit, row->branch ? "└─ (" : "(");
	emit_count(&t->emit, n);
	emit_str(&t->emit, n == 1 ? " lighter branch)\n" : " lighter branches)\n");
}

static int node_line(struct text_tree *t, const struct row *row)
{
	uint32_t times, last = recursion(t->tree, row->node, &times);
	const struct tree_node *node = &t->tree->nodes[last];
	size_t guides = row->guides, columns;

	numbers(t, node->total, node->self);
	emit_bytes(&t->emit, t->guides, guides);
	columns = 14 + text_columns(t->guides, guides);
	if (row->branch) {
		emit_str(&t->emit, row->last ? "└─ " : "├─ ");
		columns += 3;
		if (guides + 5 <= sizeof(t->guides))
			guides = stpcpy(t->guides + guides, row->last ? "   " : "│  ") - t->guides;
	}
	label(t, &t->tree->frames[node->frame], columns, times);
	return push_children(t, last, guides);
}

static int write_tree(struct text_tree *t, size_t index)
{
	const struct tree *tree = t->tree;
	double least = t->report->options.min_percent;
	char title[256], value[OUTPUT_TEXT];

	t->least = tree->total * (least < 0 ? MIN_DEFAULT : least) / 100 + 0.999999;
	emit_char(&t->emit, '\n');
	emit_plain(&t->emit, title, strlen(output_title(t->report, index, title, sizeof(title))));
	emit_str(&t->emit, ": ");
	emit_str(&t->emit, output_value(output_unit(t->report, index), tree->total, value));
	emit_str(&t->emit, tree->total ? " = 100 %\n\n total  self  function\n" : "\n");
	if (push_children(t, 0, 0))
		return -1;
	while (t->nrows) {
		struct row row = t->rows[--t->nrows];

		if (row.node == TREE_NONE)
			left_out_line(t, &row);
		else if (node_line(t, &row))
			return -1;
	}
	return 0;
}

int tree_write(FILE *to, const struct report *report)
{
	struct text_tree *t = calloc(1, sizeof(*t));
	char line[OUTPUT_LOSS_LINE];
	int err = t ? 0 : -1;

	if (t) {
		t->report = report;
		emit_init(&t->emit, to);
		output_loss_line(report, line, sizeof(line));
		emit_plain(&t->emit, line, strlen(line));
		emit_char(&t->emit, '\n');
	}
	for (size_t i = 0; !err && i < report->ntrees; i++) {
		t->tree = &report->trees[i];
		err = write_tree(t, i);
	}
	if (t) {
		emit_flush(&t->emit);
		free(t->rows);
		free(t->order);
	}
	free(t);
	if (err)
		log_error("out of memory while writing the call tree");
	return err;
}
