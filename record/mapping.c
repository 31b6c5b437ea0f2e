/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of mappings, copied on write.  Knows ranges only: what is mapped and
 * which module that becomes are numbers here.
 */
#include "mapping.h"
#include "array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct mapset *mapset_new(uint64_t *versions)
{
	struct mapset *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->refs = 1;
	set->version = ++*versions;
	return set;
}

struct mapset *mapset_ref(struct mapset *set)
{
	set->refs++;
	return set;
}

struct mapset *mapset_copy(const struct mapset *set, uint64_t *versions)
{
	struct mapset *own = mapset_new(versions);

	if (!own || !set->n)
		return own;
	own->v = array_grow(NULL, &own->room, set->n, sizeof(*own->v));
	if (!own->v) {
		free(own);
		return NULL;
	}
	memcpy(own->v, set->v, set->n * sizeof(*own->v));
	own->n = set->n;
	return own;
}

void mapset_unref(struct mapset *set)
{
	if (!set || --set->refs)
		return;
	free(set->v);
	free(set);
}

size_t mapset_above(const struct mapset *set, uint64_t address)
{
	size_t lo = 0, hi = set->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (set->v[mid].end > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

struct mapping *mapset_find(const struct mapset *set, uint64_t address)
{
	size_t i = mapset_above(set, address);

	return i < set->n && set->v[i].start <= address ? &set->v[i] : NULL;
}

struct mapping *mapset_at(const struct mapset *set, uint64_t start)
{
	struct mapping *m = mapset_find(set, start);

	return m && m->start == start ? m : NULL;
}

/* Make *set ours alone, with room for `need` mappings. */
static int mapset_own(struct mapset **set, size_t need)
{
	struct mapset *old = *set, *own = old;
	struct mapping *v;

	if (old->refs > 1) {
		own = calloc(1, sizeof(*own));
		if (!own)
			return -1;
		own->refs = 1;
	}
	v = array_grow(own->v, &own->room, need, sizeof(*v));
	if (!v) {
		if (own != old)
			free(own);
		return -1;
	}
	own->v = v;
	if (own != old) {
		own->n = old->n;
		if (old->n)
			memcpy(own->v, old->v, old->n * sizeof(*v));
		old->refs--;
		*set = own;
	}
	return 0;
}

int mapset_insert(struct mapset **set, const struct mapping *m, uint64_t *versions)
{
	struct mapping put[3], *v;
	size_t first = mapset_above(*set, m->start), last = first, n = 0, tail;

	assert(m->start < m->end);
	if ((*set)->n >= MAPPING_MAX)
		return 1;
	while (last < (*set)->n && (*set)->v[last].start < m->end)
		last++;
	if (last > first && (*set)->v[first].start < m->start) {
		put[n] = (*set)->v[first];
		put[n++].end = m->start;
	}
	put[n++] = *m;
	if (last > first && (*set)->v[last - 1].end > m->end) {
		put[n] = (*set)->v[last - 1];
		put[n].offset += m->end - put[n].start;
		put[n++].start = m->end;
	}
	tail = (*set)->n - last;
	if (mapset_own(set, first + n + tail))
		return -1;
	v = (*set)->v;
	if (tail)
		memmove(v + first + n, v + last, tail * sizeof(*v));
	memcpy(v + first, put, n * sizeof(*v));
	(*set)->n = first + n + tail;
	(*set)->version = ++*versions;
	return 0;
}
