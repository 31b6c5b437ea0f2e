/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the explorer page: everything in it that is no long column. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "page_json.h"

static void text(struct emit *e, const char *key, const char *at, size_t n)
{
	emit_str(e, key);
	emit_char(e, '"');
	emit_json(e, at, n);
	emit_char(e, '"');
}

static void string(struct emit *e, const char *key, const char *s)
{
	text(e, key, s, strlen(s));
}

static void bytes(struct emit *e, const char *key, struct fold_bytes b)
{
	text(e, key, (const char *)b.at, b.size);
}

static void number(struct emit *e, const char *key, uint64_t v)
{
	emit_str(e, key);
	emit_u64(e, v);
}

static const char *separator(size_t i)
{
	return i ? "," : "";
}

/* The base name of a file, which is all that others should see of where it lies;
 * the whole of it when another file is called so. */
static const char *file_name(const struct recording *rec, size_t segment)
{
	const char *file = rec->segments[segment].file, *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	for (size_t i = 0; i < rec->nsegments; i++) {
		const char *other = rec->segments[i].file, *slash = strrchr(other, '/');

		if (strcmp(other, file) && !strcmp(slash ? slash + 1 : other, base))
			return file;
	}
	return base;
}

static void recordings(struct page *p)
{
	const struct recording *rec = p->report->rec;
	struct emit *e = &p->emit;

	emit_str(e, ",\"recordings\":[");
	for (size_t i = 0; i < rec->nsegments; i++) {
		const struct rec_segment *g = &rec->segments[i];

		if (i && p->number[i] == p->number[i - 1])
			continue;
		emit_str(e, separator(i));
		string(e, "{\"file\":", file_name(rec, i));
		number(e, ",\"start\":", g->meta.start.realtime / 1000000);
		bytes(e, ",\"kernel\":", g->meta.kernel_release);
		emit_char(e, '}');
	}
	emit_char(e, ']');
}

static void people(struct page *p)
{
	const struct recording *rec = p->report->rec;
	struct emit *e = &p->emit;

	emit_str(e, ",\"processes\":{\"pid\":[");
	for (size_t i = 0; i < rec->nprocesses; i++)
		number(e, separator(i), rec->processes[i].pid);
	emit_str(e, "],\"recording\":[");
	for (size_t i = 0; i < rec->nprocesses; i++)
		number(e, separator(i), p->number[rec->processes[i].segment]);
	emit_str(e, "],\"comm\":[");
	for (size_t i = 0; i < rec->nprocesses; i++)
		bytes(e, separator(i), recording_string(rec, rec->processes[i].comm));
	emit_str(e, "]},\"threads\":{\"tid\":[");
	for (size_t i = 0; i < rec->nthreads; i++)
		number(e, separator(i), rec->threads[i].tid);
	emit_str(e, "],\"process\":[");
	for (size_t i = 0; i < rec->nthreads; i++)
		number(e, separator(i), rec->threads[i].process);
	emit_str(e, "],\"comm\":[");
	for (size_t i = 0; i < rec->nthreads; i++)
		bytes(e, separator(i), recording_string(rec, rec->threads[i].comm));
	emit_str(e, "]}");
}

/* [where a piece begins on the axis, what time that is]: microseconds, UTC. */
static void pieces(struct page *p)
{
	const struct recording *rec = p->report->rec;
	int64_t origin = rec->nsegments ? (int64_t)rec->segments[0].meta.start.realtime : 0;
	struct emit *e = &p->emit;

	emit_str(e, "{\"pieces\":[");
	for (size_t i = 0; i < p->axis.npieces; i++) {
		const struct rec_segment *g = &rec->segments[p->axis.pieces[i]];
		int64_t start = (int64_t)g->meta.start.realtime - origin;

		emit_printf(e, "%s[%" PRId64 ",%" PRIu64 "]", separator(i), (start + p->axis.shift[p->axis.pieces[i]]) / 1000,
			    g->meta.start.realtime / 1000);
	}
	emit_str(e, p->axis.npieces ? "]" : "[0,0]]");
}

static void source(struct emit *e, const struct frame *f)
{
	emit_char(e, '"');
	if (f->file) {
		emit_json(e, f->file, strlen(f->file));
		emit_printf(e, ":%" PRIu32, f->line);
	}
	emit_char(e, '"');
}

/* Columns of the frames order[from .. n) of a tree. */
static void frames(struct page *p, const struct tree *tree, const uint32_t *order, size_t n)
{
	struct emit *e = &p->emit;

	emit_str(e, ",\"frames\":{\"name\":[");
	for (size_t i = 0; i < n; i++)
		string(e, separator(i), tree->frames[order[i]].name);
	emit_str(e, "],\"module\":[");
	for (size_t i = 0; i < n; i++)
		string(e, separator(i), tree->frames[order[i]].module);
	emit_str(e, "],\"kind\":[");
	for (size_t i = 0; i < n; i++)
		number(e, separator(i), tree->frames[order[i]].kind);
	emit_str(e, "],\"source\":[");
	for (size_t i = 0; i < n; i++) {
		emit_str(e, separator(i));
		source(e, &tree->frames[order[i]]);
	}
	emit_str(e, "]}");
}

/* ---- what is painted first */

/* The frames that it needs, by name, and their places among all. */
static int overview_frames(struct page *p)
{
	const struct tree *tree = &p->report->trees[0];
	bool *used = calloc(tree->nframes + 1, sizeof(*used));
	uint32_t *order = calloc(tree->nframes + 1, sizeof(*order));
	struct emit *e = &p->emit;
	size_t n = 0;

	if (used && order) {
		used[0] = true;
		for (size_t i = 0; i < p->overview.n; i++)
			if (p->overview.v[i].frame < tree->nframes)
				used[p->overview.v[i].frame] = true;
		emit_str(e, ",\"places\":[");
		for (size_t i = 0; i < tree->nframes; i++) {
			if (!used[p->order[0][i]])
				continue;
			number(e, separator(n), i);
			order[n++] = p->order[0][i];
		}
		emit_char(e, ']');
		frames(p, tree, order, n);
	}
	free(used);
	free(order);
	return n ? 0 : -1;
}

static int overview(struct page *p)
{
	const struct recording *rec = p->report->rec;
	struct emit *e = &p->emit;
	int err;

	number(e, ",\"overview\":{\"nodes\":", p->overview.n + 1);
	number(e, ",\"nframes\":", p->report->trees[0].nframes);
	emit_str(e, ",\"groups\":[");
	for (size_t i = 0; i < p->overview.ngroups; i++)
		bytes(e, separator(i), recording_string(rec, p->overview.groups[i]));
	emit_char(e, ']');
	err = overview_frames(p);
	emit_char(e, '}');
	return err;
}

/* As the page calls it; what it does not have is by command. */
static const char *by_word(enum tree_by by)
{
	switch (by) {
	case TREE_BY_PROCESS: return "process";
	case TREE_BY_THREAD: return "thread";
	case TREE_BY_CPU: return "cpu";
	case TREE_BY_NONE: return "none";
	default: return "comm";
	}
}

int page_json_first(struct page *p)
{
	const struct report *report = p->report;
	struct emit *e = &p->emit;
	char line[OUTPUT_LOSS_LINE], title[256];

	string(e, "{\"summary\":", output_loss_line(report, line, sizeof(line)));
	string(e, ",\"quality\":", output_quality_line(report, line, sizeof(line)));
	string(e, ",\"title\":", report->options.title ? report->options.title : "");
	string(e, ",\"notes\":", report->options.notes ? report->options.notes : "");
	string(e, ",\"color\":", report->options.colors == OUTPUT_COLORS_KIND ? "kind" : report->options.colors == OUTPUT_COLORS_MODULE ? "module" : "hash");
	string(e, ",\"by\":", by_word(report->options.by));
	string(e, ",\"view\":", report->options.reverse ? "inverted" : "flame");
	string(e, ",\"compare\":", report->before ? "recordings:0,1" : "none");
	if (report->before && report->options.normalize != OUTPUT_NORMALIZE_SAMPLES)
		emit_printf(e, ",\"scale\":%.9g", compare_scale(report));
	string(e, ",\"generator\":", "fold-report " FOLD_VERSION);
	recordings(p);
	emit_str(e, ",\"trees\":[");
	for (size_t i = 0; i < report->ntrees; i++) {
		uint32_t event = report->tree_events[i];

		emit_str(e, separator(i));
		string(e, "{\"title\":", output_title(report, i, title, sizeof(title)));
		bytes(e, ",\"event\":", event < report->rec->nevents ? recording_string(report->rec, report->rec->events[event].name) : (struct fold_bytes){0});
		number(e, ",\"unit\":", output_unit(report, i));
		emit_char(e, '}');
	}
	emit_char(e, ']');
	if (overview(p))
		return -1;
	emit_char(e, '}');
	return 0;
}

/* ---- everything */

static void tree_json(struct page *p, size_t index)
{
	const struct recording *rec = p->report->rec;
	const struct tree *tree = &p->report->trees[index];
	struct emit *e = &p->emit;
	bool counted = false;
	uint64_t rows = 0;

	for (size_t row = 0; row < rec->samples.n; row++)
		if (page_has(p, index, row)) {
			rows++;
			counted |= rec->samples.times[row] != 1;
		}
	emit_str(e, separator(index));
	number(e, "{\"nodes\":", tree->nnodes);
	number(e, ",\"rows\":", rows);
	number(e, ",\"counted\":", counted);
	number(e, ",\"weighted\":", tree->weighted);
	frames(p, tree, p->order[index], tree->nframes);
	emit_char(e, '}');
}

int page_json_rest(struct page *p)
{
	struct emit *e = &p->emit;

	pieces(p);
	people(p);
	emit_str(e, ",\"trees\":[");
	for (size_t i = 0; i < p->report->ntrees; i++)
		tree_json(p, i);
	emit_str(e, "]}");
	return 0;
}
