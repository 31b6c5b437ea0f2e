/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One command after the other: its samples are added to the tree's nodes, what
 * is wide enough is taken over, and the nodes it touched are cleared again.
 */
#include <stdlib.h>
#include <string.h>

#include "overview.h"

#define WIDEST 4096 /* pixels: a node below 1 / WIDEST of all is not seen */

struct sum { uint64_t self[2], total[2], gap[2]; }; /* gap: of children left out since the last one taken */
struct item { uint32_t comm, count; }; /* a row of rec->counts and its command */
struct group { uint32_t comm; size_t first, n; uint64_t total[2]; };

struct maker {
	struct overview *to;
	const struct report *report;
	const struct tree *tree;
	const uint8_t *sides;
	struct item *items;
	size_t nitems;
	struct group *groups;
	size_t ngroups;
	struct sum *sums;      /* by node */
	struct sum root;       /* of all groups */
	uint32_t *mark;        /* by node: number of the group that touched it, + 1 */
	uint32_t *touched;
	size_t ntouched;
	size_t room;
};

static uint64_t value(const struct maker *m, uint32_t count)
{
	const struct rec_count *c = &m->report->rec->counts[count];

	return m->tree->weighted ? c->weight : c->count;
}

static const struct rec_process *process_of(const struct maker *m, uint32_t count)
{
	const struct recording *rec = m->report->rec;

	return &rec->processes[rec->threads[rec->counts[count].thread].process];
}

static bool is_wide(const struct maker *m, const uint64_t total[2])
{
	return total[0] > m->to->total[0] / WIDEST || total[1] > m->to->total[1] / WIDEST;
}

static int by_comm(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

static int by_label(const void *a, const void *b, void *context)
{
	const struct group *x = a, *y = b;
	const struct recording *rec = context;
	struct fold_bytes s = recording_string(rec, x->comm), t = recording_string(rec, y->comm);
	int c = s.size && t.size ? memcmp(s.at, t.at, s.size < t.size ? s.size : t.size) : 0;

	return c ? c : s.size < t.size ? -1 : s.size > t.size;
}

static void make_groups(struct maker *m)
{
	const struct recording *rec = m->report->rec;

	for (uint32_t i = 0; i < rec->ncounts; i++)
		if (rec->counts[i].event == m->report->tree_events[0] && m->tree->leaves[i] != TREE_NONE)
			m->items[m->nitems++] = (struct item){process_of(m, i)->comm, i};
	if (m->nitems)
		qsort(m->items, m->nitems, sizeof(*m->items), by_comm);
	for (size_t i = 0; i < m->nitems; i++) {
		uint8_t side = m->sides[process_of(m, m->items[i].count)->segment];
		struct group *g;

		if (!i || m->items[i].comm != m->items[i - 1].comm)
			m->groups[m->ngroups++] = (struct group){.comm = m->items[i].comm, .first = i};
		g = &m->groups[m->ngroups - 1];
		g->n++;
		g->total[side] += value(m, m->items[i].count);
		m->to->total[side] += value(m, m->items[i].count);
	}
	if (m->ngroups)
		qsort_r(m->groups, m->ngroups, sizeof(*m->groups), by_label, (void *)(uintptr_t)rec);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The touched nodes, parents first: sorted, or, when they are many, looked for. */
static void in_order(struct maker *m, uint32_t mark)
{
	if (m->ntouched && m->ntouched * 32 < m->tree->nnodes) {
		qsort(m->touched, m->ntouched, sizeof(*m->touched), by_number);
		return;
	}
	m->ntouched = 0;
	for (uint32_t at = 0; at < m->tree->nnodes; at++)
		if (m->mark[at] == mark)
			m->touched[m->ntouched++] = at;
}

static void add_up(struct maker *m, const struct group *g, uint32_t mark)
{
	const struct tree_node *nodes = m->tree->nodes;

	m->ntouched = 0;
	for (size_t i = g->first; i < g->first + g->n; i++) {
		uint32_t count = m->items[i].count, at = m->tree->leaves[count];
		uint8_t side = m->sides[process_of(m, count)->segment];

		m->sums[at].self[side] += value(m, count);
		for (; at != TREE_NONE && m->mark[at] != mark; at = nodes[at].parent) {
			m->mark[at] = mark;
			m->touched[m->ntouched++] = at;
		}
	}
	in_order(m, mark);
	for (size_t i = m->ntouched; i--;) {
		struct sum *s = &m->sums[m->touched[i]];

		for (int side = 0; side < 2; side++) {
			s->total[side] += s->self[side];
			if (m->touched[i])
				m->sums[nodes[m->touched[i]].parent].total[side] += s->total[side];
		}
	}
}

static void pass_over(struct sum *parent, const uint64_t total[2])
{
	parent->gap[0] += total[0];
	parent->gap[1] += total[1];
}

static int take(struct maker *m, uint32_t up, uint32_t frame, const struct sum *s, struct sum *parent)
{
	struct overview *to = m->to;

	if (to->n == m->room) {
		size_t room = m->room ? 2 * m->room : 256;
		struct overview_node *v = reallocarray(to->v, room, sizeof(*v));

		if (!v)
			return -1;
		to->v = v;
		m->room = room;
	}
	to->v[to->n++] = (struct overview_node){
		up, frame, {s->self[0], s->self[1]}, {s->total[0], s->total[1]}, {parent->gap[0], parent->gap[1]},
	};
	parent->gap[0] = parent->gap[1] = 0;
	return 0;
}

/* The wide nodes of a group, depth first. */
static int take_wide(struct maker *m, uint32_t group, uint32_t mark, uint32_t *depth)
{
	const struct tree_node *nodes = m->tree->nodes;
	uint32_t at = 0, level = 1; /* of `at`: the tree's root is the group's root */

	for (;;) {
		bool wide = m->mark[at] == mark && is_wide(m, m->sums[at].total);
		struct sum *parent = at ? &m->sums[nodes[at].parent] : &m->root;

		if (wide) {
			if (take(m, *depth + 1 - level, at ? nodes[at].frame : m->tree->nframes + group, &m->sums[at], parent))
				return -1;
			*depth = level;
		} else if (m->mark[at] == mark) {
			pass_over(parent, m->sums[at].total);
		}
		if (wide && nodes[at].child != TREE_NONE) {
			at = nodes[at].child;
			level++;
			continue;
		}
		while (at && nodes[at].next == TREE_NONE) {
			at = nodes[at].parent;
			level--;
		}
		if (!at)
			return 0;
		at = nodes[at].next;
	}
}

static int make(struct maker *m)
{
	uint32_t depth = 0;

	m->to->groups = malloc((m->ngroups + 1) * sizeof(*m->to->groups));
	if (!m->to->groups)
		return -1;
	for (size_t i = 0; i < m->ngroups; i++) {
		if (!is_wide(m, m->groups[i].total)) {
			pass_over(&m->root, m->groups[i].total);
			continue;
		}
		m->to->groups[m->to->ngroups] = m->groups[i].comm;
		add_up(m, &m->groups[i], i + 1);
		if (take_wide(m, m->to->ngroups++, i + 1, &depth))
			return -1;
		for (size_t k = 0; k < m->ntouched; k++)
			m->sums[m->touched[k]] = (struct sum){0};
	}
	return 0;
}

int overview_make(struct overview *overview, const struct report *report, const uint8_t *sides)
{
	const struct tree *tree = &report->trees[0];
	size_t n = report->rec->ncounts + 1;
	struct maker m = {
		.to = overview, .report = report, .tree = tree, .sides = sides,
		.items = malloc(n * sizeof(*m.items)), .groups = malloc(n * sizeof(*m.groups)),
		.sums = calloc(tree->nnodes, sizeof(*m.sums)), .mark = calloc(tree->nnodes, sizeof(*m.mark)),
		.touched = malloc(tree->nnodes * sizeof(*m.touched)),
	};
	int err = -1;

	*overview = (struct overview){0};
	if (m.items && m.groups && m.sums && m.mark && m.touched) {
		make_groups(&m);
		err = make(&m);
	}
	free(m.items);
	free(m.groups);
	free(m.sums);
	free(m.mark);
	free(m.touched);
	return err;
}

void overview_release(struct overview *overview)
{
	free(overview->v);
	free(overview->groups);
	*overview = (struct overview){0};
}
