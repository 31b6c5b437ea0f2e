/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of the explorer page: see page.h for its layout. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/wire.h"
#include "emit.h"
#include "page.h"

struct page {
	struct buf *out;
	const struct report *report;
	struct emit emit;   /* of the JSON */
	int64_t *shift;     /* by segment, ns: what brings its samples onto the page's axis */
	uint32_t *pieces;   /* segments that begin a piece of the axis, in order of time */
	size_t npieces;
	uint32_t *place;    /* by node of the current tree: its number, depth first */
};

static bool in_tree(const struct report *report, size_t tree, size_t row)
{
	const struct recording *rec = report->rec;
	uint32_t count = rec->samples.count[row];

	return rec->counts[count].event == report->tree_events[tree] && report->trees[tree].leaves[count] != TREE_NONE;
}

/* ---- the axis of time: what lies between recordings far apart is left out */

#define GAP INT64_C(1000000000) /* what stays of it, ns */

static uint32_t segment_of(const struct recording *rec, size_t row)
{
	return rec->processes[rec->threads[rec->counts[rec->samples.count[row]].thread].process].segment;
}

struct extent { int64_t first, last; uint32_t segment; };

static int by_first(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->segment < y->segment ? -1 : x->segment > y->segment;
}

/* First and last sample of each segment, as far as there are any. */
static size_t extents(const struct recording *rec, struct extent *v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < rec->nsegments; i++)
		v[i] = (struct extent){INT64_MAX, INT64_MIN, i};
	for (size_t row = 0; row < rec->samples.n; row++) {
		struct extent *e = &v[segment_of(rec, row)];

		e->first = rec->samples.time[row] < e->first ? rec->samples.time[row] : e->first;
		e->last = rec->samples.time[row] > e->last ? rec->samples.time[row] : e->last;
	}
	for (uint32_t i = 0; i < rec->nsegments; i++)
		if (v[i].first <= v[i].last)
			v[n++] = v[i];
	if (n)
		qsort(v, n, sizeof(*v), by_first);
	return n;
}

static int lay_axis(struct page *p)
{
	const struct recording *rec = p->report->rec;
	struct extent *v = calloc(rec->nsegments + 1, sizeof(*v));
	int64_t end = 0, shift = 0;
	size_t n;

	p->shift = calloc(rec->nsegments + 1, sizeof(*p->shift));
	p->pieces = calloc(rec->nsegments + 1, sizeof(*p->pieces));
	if (!v || !p->shift || !p->pieces) {
		free(v);
		return -1;
	}
	n = extents(rec, v);
	for (size_t i = 0; i < n; i++) {
		if (!i || v[i].first + shift > end + GAP) {
			shift = (i ? end + GAP : 0) - v[i].first;
			p->pieces[p->npieces++] = v[i].segment;
		}
		p->shift[v[i].segment] = shift;
		end = v[i].last + shift > end ? v[i].last + shift : end;
	}
	free(v);
	return 0;
}

/* ---- JSON */

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

/* What can be compared: files, or, in a single file, the recordings in it. */
static uint32_t recording_number(const struct recording *rec, uint32_t segment)
{
	uint32_t n = 0;

	if (rec->segments[0].file == rec->segments[rec->nsegments - 1].file)
		return segment;
	for (uint32_t i = 1; i <= segment; i++)
		n += rec->segments[i].file != rec->segments[i - 1].file;
	return n;
}

static void recordings(struct page *p)
{
	const struct recording *rec = p->report->rec;
	struct emit *e = &p->emit;

	emit_str(e, ",\"recordings\":[");
	for (size_t i = 0; i < rec->nsegments; i++) {
		const struct rec_segment *g = &rec->segments[i];

		if (i && recording_number(rec, i) == recording_number(rec, i - 1))
			continue;
		emit_str(e, separator(i));
		string(e, "{\"file\":", g->file);
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
		number(e, separator(i), recording_number(rec, rec->processes[i].segment));
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

	emit_str(e, ",\"pieces\":[");
	for (size_t i = 0; i < p->npieces; i++) {
		const struct rec_segment *g = &rec->segments[p->pieces[i]];
		int64_t start = (int64_t)g->meta.start.realtime - origin;

		emit_printf(e, "%s[%" PRId64 ",%" PRIu64 "]", separator(i), (start + p->shift[p->pieces[i]]) / 1000,
			    g->meta.start.realtime / 1000);
	}
	emit_str(e, p->npieces ? "]" : "[0,0]]");
}

static void frames(struct page *p, const struct tree *tree)
{
	struct emit *e = &p->emit;

	emit_str(e, ",\"frames\":{\"name\":[");
	for (size_t i = 0; i < tree->nframes; i++)
		string(e, separator(i), tree->frames[i].name);
	emit_str(e, "],\"module\":[");
	for (size_t i = 0; i < tree->nframes; i++)
		string(e, separator(i), tree->frames[i].module);
	emit_str(e, "],\"kind\":[");
	for (size_t i = 0; i < tree->nframes; i++)
		number(e, separator(i), tree->frames[i].kind);
	emit_str(e, "],\"source\":[");
	for (size_t i = 0; i < tree->nframes; i++) {
		const struct frame *f = &tree->frames[i];

		emit_str(e, separator(i));
		emit_char(e, '"');
		if (f->file) {
			emit_json(e, f->file, strlen(f->file));
			emit_printf(e, ":%" PRIu32, f->line);
		}
		emit_char(e, '"');
	}
	emit_str(e, "]}");
}

static void tree_json(struct page *p, size_t index)
{
	const struct recording *rec = p->report->rec;
	const struct tree *tree = &p->report->trees[index];
	uint32_t event = p->report->tree_events[index];
	struct emit *e = &p->emit;
	bool counted = false;
	uint64_t rows = 0;
	char title[256];

	for (size_t row = 0; row < rec->samples.n; row++)
		if (in_tree(p->report, index, row)) {
			rows++;
			counted |= rec->samples.times[row] != 1;
		}
	emit_str(e, separator(index));
	string(e, "{\"title\":", output_title(p->report, index, title, sizeof(title)));
	bytes(e, ",\"event\":", event < rec->nevents ? recording_string(rec, rec->events[event].name) : (struct fold_bytes){0});
	number(e, ",\"unit\":", output_unit(p->report, index));
	number(e, ",\"nodes\":", tree->nnodes);
	number(e, ",\"rows\":", rows);
	number(e, ",\"counted\":", counted);
	number(e, ",\"weighted\":", tree->weighted);
	frames(p, tree);
	emit_char(e, '}');
}

static void document(struct page *p)
{
	const struct report *report = p->report;
	struct emit *e = &p->emit;
	char line[OUTPUT_LOSS_LINE];

	string(e, "{\"summary\":", output_loss_line(report, line, sizeof(line)));
	string(e, ",\"quality\":", output_quality_line(report, line, sizeof(line)));
	string(e, ",\"title\":", report->options.title ? report->options.title : "");
	string(e, ",\"compare\":", report->before ? "recordings:0,1" : "none");
	string(e, ",\"generator\":", "fold-report " FOLD_VERSION);
	pieces(p);
	recordings(p);
	people(p);
	emit_str(e, ",\"trees\":[");
	for (size_t i = 0; i < report->ntrees; i++)
		tree_json(p, i);
	emit_str(e, "]}");
}

static int put_json(struct page *p)
{
	char *at = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&at, &n);
	int err = -1;

	if (to) {
		emit_init(&p->emit, to);
		document(p);
		emit_flush(&p->emit);
		err = fclose(to);
	}
	if (!err)
		buf_bytes(p->out, (struct fold_bytes){(const uint8_t *)at, n});
	free(at);
	return err ? -1 : 0;
}

/* ---- columns */

/* The node after `at` depth first; adds how far up it lies to *up. */
static uint32_t next_node(const struct tree_node *nodes, uint32_t at, uint32_t *up)
{
	*up = 0;
	if (nodes[at].child != TREE_NONE)
		return nodes[at].child;
	while (at && nodes[at].next == TREE_NONE) {
		at = nodes[at].parent;
		++*up;
	}
	++*up;
	return at ? nodes[at].next : TREE_NONE;
}

static void put_nodes(struct page *p, const struct tree *tree)
{
	uint32_t up, place = 0;

	buf_uv(p->out, 0);
	for (uint32_t at = 0; (at = next_node(tree->nodes, at, &up)) != TREE_NONE;)
		buf_uv(p->out, up);
	for (uint32_t at = 0; at != TREE_NONE; at = next_node(tree->nodes, at, &up)) {
		p->place[at] = place++;
		buf_uv(p->out, tree->nodes[at].frame);
	}
}

static void put_rows(struct page *p, size_t index)
{
	const struct recording *rec = p->report->rec;
	const struct rec_samples *s = &rec->samples;
	const struct tree *tree = &p->report->trees[index];
	int64_t last_time = 0, last_node = 0;
	bool counted = false;

#define ROWS for (size_t row = 0; row < s->n; row++) if (in_tree(p->report, index, row))
	ROWS {
		int64_t time = (s->time[row] + p->shift[segment_of(rec, row)]) / 1000;

		buf_uv(p->out, time - last_time);
		last_time = time;
		counted |= s->times[row] != 1;
	}
	ROWS
		buf_uv(p->out, rec->counts[s->count[row]].thread);
	ROWS
		buf_uv(p->out, s->cpu[row] == REC_NONE ? 0 : s->cpu[row] + 1);
	ROWS {
		int64_t node = p->place[tree->leaves[s->count[row]]];

		buf_uv(p->out, zigzag(node - last_node));
		last_node = node;
	}
	if (counted)
		ROWS
			buf_uv(p->out, s->times[row]);
	if (tree->weighted)
		ROWS
			buf_uv(p->out, s->weight[row]);
#undef ROWS
}

static int put_tree(struct page *p, size_t index)
{
	const struct tree *tree = &p->report->trees[index];

	p->place = malloc(tree->nnodes * sizeof(*p->place));
	if (!p->place)
		return -1;
	put_nodes(p, tree);
	put_rows(p, index);
	free(p->place);
	return 0;
}

int page_pack(struct buf *out, const struct report *report)
{
	struct page *p = calloc(1, sizeof(*p));
	int err = -1;

	if (!p)
		return -1;
	p->out = out;
	p->report = report;
	err = lay_axis(p) || put_json(p) ? -1 : 0;
	for (size_t i = 0; !err && i < report->ntrees; i++)
		err = put_tree(p, i);
	free(p->shift);
	free(p->pieces);
	free(p);
	return err || out->failed ? -1 : 0;
}
