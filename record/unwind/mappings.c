/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of processes into the store.  See mappings.h. */
#include "mappings.h"

#include <stdlib.h>
#include <string.h>

#include "../array.h"

struct range {            /* published; shared by a process and its forks */
	uint32_t refs;
	uint32_t base, class;
};

void mappings_init(struct mappings *m, struct unwind_store *store, struct objects *objects)
{
	*m = (struct mappings){ .store = store, .objects = objects };
}

static void range_unref(struct mappings *m, struct range *r, uint64_t now)
{
	if (!r || --r->refs)
		return;
	range_give(&m->ranges, r->base, r->class, now);
	free(r);
}

void mappings_release(struct mappings *m)
{
	for (size_t i = 0; i < m->n; i++) {
		mapset_unref(m->v[i]->maps);
		range_unref(m, m->v[i]->range, 0);
		free(m->v[i]);
	}
	free(m->v);
	table_release(&m->by_tgid);
	ranges_release(&m->ranges);
	memset(m, 0, sizeof(*m));
}

struct unwind_task *mappings_find(const struct mappings *m, uint32_t tgid)
{
	uint64_t i = table_get(&m->by_tgid, tgid);

	return i ? m->v[i - 1] : NULL;
}

struct unwind_task *mappings_task(struct mappings *m, uint32_t tgid)
{
	struct unwind_task *t = mappings_find(m, tgid), **v;

	if (t)
		return t;
	v = array_grow(m->v, &m->room, m->n + 1, sizeof(*v));
	if (!v)
		return NULL;
	m->v = v;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tgid = tgid;
	t->maps = mapset_new(&m->versions);
	if (!t->maps || table_put(&m->by_tgid, tgid, m->n + 1)) {
		mapset_unref(t->maps);
		free(t);
		return NULL;
	}
	return m->v[m->n++] = t;
}

static void mark_dirty(struct mappings *m, struct unwind_task *t)
{
	m->ndirty += !t->dirty;
	t->dirty = true;
}

static void mark_clean(struct mappings *m, struct unwind_task *t)
{
	m->ndirty -= t->dirty;
	t->dirty = false;
}

int mappings_map(struct mappings *m, struct unwind_task *t, uint64_t start, uint64_t end, uint64_t offset, uint32_t object)
{
	struct mapping map = { .start = start, .end = end, .offset = offset, .mapped = object, .module = MAPPING_NO_MODULE };

	if (start >= end)
		return 0;
	mark_dirty(m, t);
	return mapset_insert(&t->maps, &map, &m->versions) < 0 ? -1 : 0;
}

int mappings_begin(struct mappings *m, struct unwind_task *t, uint8_t image)
{
	struct mapset *empty = mapset_new(&m->versions);

	if (!empty)
		return -1;
	mapset_unref(t->maps);
	t->maps = empty;
	t->image = image;
	mark_dirty(m, t);
	return 0;
}

int mappings_fork(struct mappings *m, uint32_t tgid, uint32_t parent)
{
	struct unwind_task *from, *t = mappings_task(m, tgid);

	from = mappings_find(m, parent);
	if (!t || !from)
		return t ? 0 : -1;
	mapset_unref(t->maps);
	t->maps = mapset_ref(from->maps);
	t->image = from->image;
	t->incomplete = from->incomplete;
	if (from->range)
		from->range->refs++;
	range_unref(m, t->range, 0);
	t->range = from->range;
	mark_dirty(m, t);
	if (t->range && !from->dirty)
		mark_clean(m, t); /* the kernel's side has copied the parent's word */
	return 0;
}

void mappings_exec(struct mappings *m, uint32_t tgid, uint64_t now)
{
	struct unwind_task *t = mappings_task(m, tgid);

	if (!t || mappings_begin(m, t, t->image + 1))
		return;
	range_unref(m, t->range, now);
	t->range = NULL;
	mark_clean(m, t); /* until it has mappings; the word is gone since the exec */
}

void mappings_exit(struct mappings *m, uint32_t tgid, uint64_t now)
{
	uint64_t i = table_get(&m->by_tgid, tgid);
	struct unwind_task *t;

	if (!i)
		return;
	t = m->v[i - 1];
	table_remove(&m->by_tgid, tgid);
	mark_clean(m, t);
	m->v[i - 1] = m->v[--m->n];
	if (i - 1 < m->n)
		table_put(&m->by_tgid, m->v[i - 1]->tgid, i); /* replaces: never fails */
	if (m->store)
		m->store->process_set(m->store, tgid, 0);
	range_unref(m, t->range, now);
	mapset_unref(t->maps);
	free(t);
}

bool mapping_translate(const struct objects *objects, const struct mapping *from, struct unwind_mapping *to)
{
	const struct object *obj;
	uint64_t vaddr;

	*to = (struct unwind_mapping){ .start = from->start, .end = from->end };
	if (from->mapped == MAPPED_OPAQUE)
		to->flags = UNWIND_OPAQUE;
	if (from->mapped == MAPPED_ANONYMOUS || from->mapped == MAPPED_OPAQUE)
		return true;
	obj = objects->v[from->mapped];
	if (obj->state == OBJECT_NO_TABLE) {
		if (obj->why == OBJECT_CAP || obj->why == OBJECT_BROKEN)
			to->flags = UNWIND_OPAQUE;
		return true;
	}
	if (obj->state != OBJECT_TABLE)
		return false;
	if (!object_vaddr(obj, from->offset, &vaddr) || (from->start - vaddr) % UNWIND_BLOCK_SIZE)
		return true;
	to->bias = from->start - vaddr;
	to->page = obj->table.page;
	to->first_page = obj->table.first_page;
	to->npages = obj->table.npages;
	to->flags = UNWIND_HAS_TABLE;
	return true;
}

/* JIT compilers make thousands of neighbours. */
static bool joins(const struct unwind_mapping *before, const struct unwind_mapping *next)
{
	return before->end == next->start && !before->flags && !next->flags;
}

static void write_range(struct mappings *m, const struct mapset *maps, struct unwind_mapping *out, const struct range *r, bool *incomplete)
{
	uint32_t n = 0, room = range_size(r->class);
	uint16_t serial = range_serial(&m->ranges, r->base);

	for (size_t i = 0; i < maps->n; i++) {
		struct unwind_mapping one;

		if (!mapping_translate(m->objects, &maps->v[i], &one)) {
			*incomplete = true;
			continue;
		}
		one.serial = serial;
		if (n && joins(&out[n - 1], &one))
			out[n - 1].end = one.end;
		else if (n < room)
			out[n++] = one;
	}
	while (n < room)
		out[n++] = (struct unwind_mapping){ .start = UNWIND_NOWHERE };
}

static struct range *range_make(struct mappings *m, const struct mapset *maps)
{
	uint32_t n = maps->n < UNWIND_MAX_MAPPINGS ? maps->n : UNWIND_MAX_MAPPINGS;
	struct range *r;

	if (!n)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->class = range_class(n);
	r->base = range_take(&m->ranges, r->class);
	if (r->base == RANGE_NONE) {
		free(r);
		return NULL;
	}
	r->refs = 1;
	return r;
}

static void note_delay(struct delays *d, uint64_t *since, uint64_t now)
{
	if (*since && now > *since)
		delays_add(d, now - *since);
	*since = 0;
}

static void task_publish(struct mappings *m, struct unwind_task *t, uint64_t now)
{
	struct range *old = t->range, *r = range_make(m, t->maps);
	struct unwind_process p = { .tgid = t->tgid, .image = t->image };
	uint64_t word = 0;

	mark_clean(m, t);
	t->incomplete = false;
	if (r) {
		p.serial = range_serial(&m->ranges, r->base);
		p.base = r->base;
		p.class = r->class;
		write_range(m, t->maps, m->store->mappings + r->base, r, &t->incomplete);
		word = unwind_process_pack(&p);
		__atomic_thread_fence(__ATOMIC_RELEASE);
	}
	if ((!r && t->maps->n) || m->store->process_set(m->store, t->tgid, word))
		m->unpublished++;
	t->range = r;
	range_unref(m, old, now);
	if (r && !t->incomplete) {
		note_delay(&m->after_exec, &t->began, now);
		note_delay(&m->after_mapping, &t->changed, now);
	}
}

void mappings_publish(struct mappings *m, uint64_t now, uint64_t drained)
{
	bool all = m->objects->changes != m->objects_seen;

	m->objects_seen = m->objects->changes;
	ranges_rest(&m->ranges, drained);
	for (size_t i = 0; i < m->n && (all || m->ndirty); i++)
		if (m->v[i]->dirty || (all && m->v[i]->incomplete))
			task_publish(m, m->v[i], now);
}
