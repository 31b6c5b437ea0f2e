/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples by thread and event: counted first, then placed. */
#include <stdlib.h>

#include "threads.h"

uint64_t threads_weight(const struct report *report, size_t tree, size_t row)
{
	const struct rec_samples *samples = &report->rec->samples;

	return report->trees[tree].weighted ? samples->weight[row] : samples->times[row];
}

/* Which tree a sample belongs to; ntrees when to none. */
static size_t tree_of(const struct report *report, size_t row)
{
	uint32_t count = report->rec->samples.count[row];
	size_t tree = 0;

	while (tree < report->ntrees && report->trees[tree].leaves[count] == TREE_NONE)
		tree++;
	return tree;
}

static int by_weight(const void *a, const void *b)
{
	const struct thread_rows *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void count_rows(const struct report *report, struct thread_rows *all)
{
	const struct recording *rec = report->rec;

	for (size_t row = 0; row < rec->samples.n; row++) {
		size_t tree = tree_of(report, row);
		struct thread_rows *t;

		if (tree == report->ntrees)
			continue;
		t = &all[tree * rec->nthreads + rec->counts[rec->samples.count[row]].thread];
		t->weight += threads_weight(report, tree, row);
		t->n++;
	}
}

/* `first`: where the rows of each (tree, thread) go. */
static void place_rows(const struct report *report, struct threads *threads, size_t *first)
{
	const struct recording *rec = report->rec;

	for (size_t row = 0; row < rec->samples.n; row++) {
		uint32_t count = rec->samples.count[row];
		size_t tree = tree_of(report, row), at;

		if (tree == report->ntrees)
			continue;
		at = first[tree * rec->nthreads + rec->counts[count].thread]++;
		threads->rows[at] = row;
		threads->nodes[at] = report->trees[tree].leaves[count];
	}
}

int threads_init(struct threads *threads, const struct report *report)
{
	const struct recording *rec = report->rec;
	size_t n = report->ntrees * rec->nthreads, at = 0;
	size_t *first = calloc(n + 1, sizeof(*first));

	*threads = (struct threads){0};
	threads->v = calloc(n + 1, sizeof(*threads->v));
	threads->rows = malloc((rec->samples.n + 1) * sizeof(*threads->rows));
	threads->nodes = malloc((rec->samples.n + 1) * sizeof(*threads->nodes));
	if (!first || !threads->v || !threads->rows || !threads->nodes) {
		free(first);
		threads_release(threads);
		return -1;
	}
	count_rows(report, threads->v);
	for (size_t i = 0; i < n; i++) {
		struct thread_rows *t = &threads->v[i];

		t->tree = i / rec->nthreads;
		t->thread = i % rec->nthreads;
		t->rows = threads->rows + at;
		t->nodes = threads->nodes + at;
		first[i] = at;
		at += t->n;
		if (t->n)
			threads->v[threads->n++] = *t;
	}
	place_rows(report, threads, first);
	free(first);
	if (threads->n)
		qsort(threads->v, threads->n, sizeof(*threads->v), by_weight);
	return 0;
}

void threads_release(struct threads *threads)
{
	free(threads->v);
	free(threads->rows);
	free(threads->nodes);
	*threads = (struct threads){0};
}
