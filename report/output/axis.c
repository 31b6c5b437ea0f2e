/* SPDX-License-Identifier: BSD-2-Clause */
/* Where each recording lies on the explorer's axis: see axis.h. */
#include <stdlib.h>

#include "axis.h"

#define GAP INT64_C(1000000000) /* what stays of the time between, ns */

uint32_t axis_segment(const struct recording *rec, size_t row)
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
		struct extent *e = &v[axis_segment(rec, row)];

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

int axis_init(struct axis *axis, const struct recording *rec)
{
	struct extent *v = calloc(rec->nsegments + 1, sizeof(*v));
	int64_t end = 0, shift = 0;
	size_t n;

	*axis = (struct axis){
		.shift = calloc(rec->nsegments + 1, sizeof(*axis->shift)),
		.pieces = calloc(rec->nsegments + 1, sizeof(*axis->pieces)),
	};
	if (!v || !axis->shift || !axis->pieces) {
		free(v);
		return -1;
	}
	n = extents(rec, v);
	for (size_t i = 0; i < n; i++) {
		if (!i || v[i].first + shift > end + GAP) {
			shift = (i ? end + GAP : 0) - v[i].first;
			axis->pieces[axis->npieces++] = v[i].segment;
		}
		axis->shift[v[i].segment] = shift;
		end = v[i].last + shift > end ? v[i].last + shift : end;
	}
	free(v);
	return 0;
}

void axis_release(struct axis *axis)
{
	free(axis->shift);
	free(axis->pieces);
	*axis = (struct axis){0};
}
