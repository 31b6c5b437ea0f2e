/* SPDX-License-Identifier: BSD-2-Clause */
/* Two recordings in one tree: see compare.h. */
#include <math.h>
#include <stdlib.h>

#include "compare.h"

/* Length of a side's recordings, ns. */
static double duration(const struct report *report, bool before)
{
	const struct recording *rec = report->rec;
	double sum = 0;

	for (size_t i = 0; i < rec->nsegments; i++)
		if ((rec->segments[i].file == report->before) == before)
			sum += (double)recording_duration(rec, i);
	return sum;
}

static void fill_self(struct compare *c, const struct report *report)
{
	const struct recording *rec = report->rec;
	double samples = 0, weight = 0;

	for (size_t i = 0; i < rec->ncounts; i++) {
		const struct rec_count *count = &rec->counts[i];
		uint32_t node = c->tree->leaves[i];
		uint32_t segment = rec->processes[rec->threads[count->thread].process].segment;
		double v = c->tree->weighted ? count->weight : count->count;

		if (node == TREE_NONE)
			continue;
		if (rec->segments[segment].file == report->before)
			c->self[node].before += v;
		else
			c->self[node].now += v;
		samples += count->count;
		weight += v;
	}
	c->unit = samples ? weight / samples : 1;
}

double compare_scale(const struct report *report)
{
	double before = duration(report, true), now = duration(report, false);

	return report->options.normalize == OUTPUT_NORMALIZE_TIME && before > 0 && now > 0 ? now / before : 1;
}

static void scale(struct compare *c, const struct report *report)
{
	for (size_t i = 0; i < c->tree->nnodes; i++) {
		c->whole.before += c->self[i].before;
		c->whole.now += c->self[i].now;
	}
	if (report->options.normalize == OUTPUT_NORMALIZE_SAMPLES && c->whole.before > 0 && c->whole.now > 0)
		c->scale = c->whole.now / c->whole.before, c->shares = true;
	else
		c->scale = compare_scale(report);
	c->whole.before *= c->scale;
	for (size_t i = 0; i < c->tree->nnodes; i++)
		c->self[i].before *= c->scale;
}

static void add(struct compare_sides *to, struct compare_sides s)
{
	to->before += s.before;
	to->now += s.now;
}

/* A frame counts where none above it is the same. */
static bool below_itself(const struct tree *tree, uint32_t node)
{
	for (uint32_t up = tree->nodes[node].parent; up != TREE_NONE && up; up = tree->nodes[up].parent)
		if (tree->nodes[up].frame == tree->nodes[node].frame)
			return true;
	return false;
}

static void fill_totals(struct compare *c)
{
	const struct tree_node *nodes = c->tree->nodes;

	for (size_t i = c->tree->nnodes; i-- > 0;) {
		add(&c->total[i], c->self[i]);
		if (i)
			add(&c->total[nodes[i].parent], c->total[i]);
		add(&c->frame_self[nodes[i].frame], c->self[i]);
	}
	for (size_t i = 0; i < c->tree->nnodes; i++)
		if (!below_itself(c->tree, i))
			add(&c->frame_total[nodes[i].frame], c->total[i]);
}

int compare_init(struct compare *c, const struct report *report, size_t index)
{
	const struct tree *tree = &report->trees[index];

	*c = (struct compare){.tree = tree};
	c->self = calloc(tree->nnodes, sizeof(*c->self));
	c->total = calloc(tree->nnodes, sizeof(*c->total));
	c->frame_self = calloc(tree->nframes, sizeof(*c->frame_self));
	c->frame_total = calloc(tree->nframes, sizeof(*c->frame_total));
	if (!c->self || !c->total || !c->frame_self || !c->frame_total) {
		compare_release(c);
		return -1;
	}
	fill_self(c, report);
	scale(c, report);
	fill_totals(c);
	return 0;
}

void compare_release(struct compare *c)
{
	free(c->self);
	free(c->total);
	free(c->frame_self);
	free(c->frame_total);
	*c = (struct compare){0};
}

/* Counts of samples scatter by their square root, and shares of them by less, the
 * nearer they are to all.  `before` was scaled, and its scatter with it.  Nothing
 * in one side is taken as less than one sample. */
double compare_sigma(const struct compare *c, struct compare_sides s)
{
	double variance = c->unit * (fmax(s.now, c->unit) + fmax(s.before, c->unit * c->scale) * c->scale);
	double all = c->whole.now + c->whole.before;

	if (c->shares && all > 0)
		variance = fmax(variance * (1 - (s.now + s.before) / all), c->unit * c->unit);
	return (s.now - s.before) / sqrt(variance);
}

bool compare_sure(const struct compare *c, struct compare_sides s)
{
	return fabs(compare_sigma(c, s)) >= COMPARE_SURE;
}

struct compare_sides compare_told(const struct compare *c, uint32_t node)
{
	return !compare_sure(c, c->total[node]) && compare_sure(c, c->self[node]) ? c->self[node] : c->total[node];
}

struct compare_sides compare_percent(const struct compare *c, struct compare_sides s)
{
	double now = c->whole.now, before = c->whole.before;

	return (struct compare_sides){before > 0 ? 100 * s.before / before : 0, now > 0 ? 100 * s.now / now : 0};
}

const char *compare_text(const struct compare *c, struct compare_sides s, char *buf)
{
	struct compare_sides p = compare_percent(c, s);

	snprintf(buf, COMPARE_TEXT, "%.2f %% before, %.2f %% now: %+.2f points", p.before, p.now, p.now - p.before);
	return buf;
}

const char *compare_class(const struct compare *c, struct compare_sides s, char *buf)
{
	double most = fmax(s.now, s.before), change = most > 0 ? (s.now - s.before) / most : 0;

	if (!compare_sure(c, s))
		sprintf(buf, "d0");
	else
		sprintf(buf, "%s%d", change > 0 ? "more" : "less", fabs(change) < 0.1 ? 1 : fabs(change) < 0.4 ? 2 : 3);
	return buf;
}

const char COMPARE_CSS[] =
	".d0>rect{fill:#dfe2e6}\n.more1>rect{fill:#f7cfc8}\n.more2>rect{fill:#f0a195}\n.more3>rect{fill:#e4695a}\n"
	".less1>rect{fill:#cfe0f7}\n.less2>rect{fill:#9fc1ec}\n.less3>rect{fill:#5f97dc}\n"
	"@media (prefers-color-scheme: dark) {\n"
	".d0>rect{fill:#3f444b}\n.more1>rect{fill:#5a3330}\n.more2>rect{fill:#84403a}\n.more3>rect{fill:#b04a41}\n"
	".less1>rect{fill:#2d3f58}\n.less2>rect{fill:#345a8a}\n.less3>rect{fill:#3c73ba}\n}\n";

const char COMPARE_LEGEND[] =
	"<g class=\"more3\"><rect x=\"14\" y=\"63\" width=\"10\" height=\"10\"/></g><text class=\"key\" x=\"29\" y=\"72\">more</text>\n"
	"<g class=\"less3\"><rect x=\"74\" y=\"63\" width=\"10\" height=\"10\"/></g><text class=\"key\" x=\"89\" y=\"72\">less</text>\n"
	"<g class=\"d0\"><rect x=\"130\" y=\"63\" width=\"10\" height=\"10\"/></g><text class=\"key\" x=\"145\" y=\"72\">"
	"no more than counting explains; widths are the mean of both</text>\n";
