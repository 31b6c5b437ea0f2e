/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of the explorer page: see page.h for its layout. */
#include <stdlib.h>
#include <string.h>

#include "../../format/wire.h"
#include "page.h"
#include "page_json.h"

bool page_has(const struct page *p, size_t tree, size_t row)
{
	return p->report->trees[tree].leaves[p->report->rec->samples.count[row]] != TREE_NONE;
}

static int put_json(struct page *p, int (*document)(struct page *p))
{
	char *at = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&at, &n);
	int err = -1;

	if (to) {
		emit_init(&p->emit, to);
		err = document(p);
		emit_flush(&p->emit);
		err |= fclose(to);
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

static void put_overview(struct page *p)
{
	const struct overview *o = &p->overview;
	int sides = p->report->before ? 2 : 1;

	buf_uv(p->out, 0);
	for (size_t i = 0; i < o->n; i++)
		buf_uv(p->out, o->v[i].up);
	buf_uv(p->out, 0);
	for (size_t i = 0; i < o->n; i++) {
		uint32_t frame = o->v[i].frame;

		buf_uv(p->out, frame < p->report->trees[0].nframes ? p->rank[0][frame] : frame);
	}
	for (int side = 0; side < sides; side++) {
		buf_uv(p->out, 0);
		for (size_t i = 0; i < o->n; i++)
			buf_uv(p->out, o->v[i].self[side]);
		buf_uv(p->out, o->total[side]);
		for (size_t i = 0; i < o->n; i++)
			buf_uv(p->out, o->v[i].total[side]);
		buf_uv(p->out, 0);
		for (size_t i = 0; i < o->n; i++)
			buf_uv(p->out, o->v[i].gap[side]);
	}
}

static void put_nodes(struct page *p, size_t index)
{
	const struct tree *tree = &p->report->trees[index];
	uint32_t up, place = 0;

	buf_uv(p->out, 0);
	for (uint32_t at = 0; (at = next_node(tree->nodes, at, &up)) != TREE_NONE;)
		buf_uv(p->out, up);
	for (uint32_t at = 0; at != TREE_NONE; at = next_node(tree->nodes, at, &up)) {
		p->place[at] = place++;
		buf_uv(p->out, p->rank[index][tree->nodes[at].frame]);
	}
}

static void put_rows(struct page *p, size_t index)
{
	const struct recording *rec = p->report->rec;
	const struct rec_samples *s = &rec->samples;
	const struct tree *tree = &p->report->trees[index];
	int64_t last_time = 0, last_node = 0;
	bool counted = false;

#define ROWS for (size_t row = 0; row < s->n; row++) if (page_has(p, index, row))
	ROWS {
		int64_t time = (s->time[row] + p->axis.shift[axis_segment(rec, row)]) / 1000;

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
	put_nodes(p, index);
	put_rows(p, index);
	free(p->place);
	return 0;
}

/* ---- order of frames */

static int by_name(const void *a, const void *b, void *context)
{
	const uint32_t *i = a, *k = b;
	const struct frame *frames = context, *x = &frames[*i], *y = &frames[*k];
	int c = strcmp(x->name, y->name);

	c = c ? c : strcmp(x->module, y->module);
	return c ? c : *i < *k ? -1 : *i > *k;
}

/* Number 0 stays the frame of the root. */
static int sort_frames(struct page *p, size_t index)
{
	const struct tree *tree = &p->report->trees[index];
	uint32_t *order = malloc((tree->nframes + 1) * sizeof(*order)), *rank = malloc((tree->nframes + 1) * sizeof(*rank));

	p->order[index] = order;
	p->rank[index] = rank;
	if (!order || !rank)
		return -1;
	for (size_t i = 0; i < tree->nframes; i++)
		order[i] = i;
	if (tree->nframes > 1)
		qsort_r(order + 1, tree->nframes - 1, sizeof(*order), by_name, tree->frames);
	for (size_t i = 0; i < tree->nframes; i++)
		rank[order[i]] = i;
	return 0;
}

/* What can be compared: files, or, in a single file, the recordings in it. */
static void number_recordings(struct page *p)
{
	const struct recording *rec = p->report->rec;
	bool single = rec->nsegments && rec->segments[0].file == rec->segments[rec->nsegments - 1].file;

	for (size_t i = 1; i < rec->nsegments; i++)
		p->number[i] = p->number[i - 1] + (single || rec->segments[i].file != rec->segments[i - 1].file);
	for (size_t i = 0; i < rec->nsegments; i++)
		p->sides[i] = p->report->before && !p->number[i];
}

static int prepare(struct page *p)
{
	const struct recording *rec = p->report->rec;
	size_t ntrees = p->report->ntrees;

	p->number = calloc(rec->nsegments + 1, sizeof(*p->number));
	p->sides = calloc(rec->nsegments + 1, sizeof(*p->sides));
	p->order = calloc(ntrees, sizeof(*p->order));
	p->rank = calloc(ntrees, sizeof(*p->rank));
	if (!p->number || !p->sides || !p->order || !p->rank)
		return -1;
	number_recordings(p);
	for (size_t i = 0; i < ntrees; i++)
		if (sort_frames(p, i))
			return -1;
	return axis_init(&p->axis, rec) || overview_make(&p->overview, p->report, p->sides) ? -1 : 0;
}

static void page_free(struct page *p)
{
	for (size_t i = 0; p->order && p->rank && i < p->report->ntrees; i++) {
		free(p->order[i]);
		free(p->rank[i]);
	}
	free(p->order);
	free(p->rank);
	free(p->number);
	free(p->sides);
	axis_release(&p->axis);
	overview_release(&p->overview);
	free(p);
}

int page_pack(struct buf *first, struct buf *rest, const struct report *report)
{
	struct page *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -1;
	p->report = report;
	p->out = first;
	err = prepare(p) || put_json(p, page_json_first) ? -1 : 0;
	if (!err)
		put_overview(p);
	p->out = rest;
	err = err || put_json(p, page_json_rest) ? -1 : 0;
	for (size_t i = 0; !err && i < report->ntrees; i++)
		err = put_tree(p, i);
	page_free(p);
	return err || first->failed || rest->failed ? -1 : 0;
}
