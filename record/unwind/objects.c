/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and the tables being built of them.  See objects.h. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../array.h"

/* More code than this in one file is not read: 2^63 rows would not fit anyway, and
 * the child maps the whole file. */
#define MAX_FILE (UINT64_C(1) << 34)
/* Files that wait are held open. */
#define MAX_WAITING 512
#define PAGE UINT64_C(4096)

void objects_init(struct objects *o, struct tables *tables, struct builder *builder)
{
	*o = (struct objects){ .tables = tables, .builder = builder };
}

void objects_release(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->v[i]->fd >= 0)
			close(o->v[i]->fd);
		free(o->v[i]->segments);
		free(o->v[i]->name);
		free(o->v[i]);
	}
	free(o->v);
	table_release(&o->by_file);
	memset(o, 0, sizeof(*o));
}

static uint64_t file_key(const struct stat *st)
{
	uint64_t key = table_mix(st->st_ino, st->st_dev);

	key = table_mix(key, st->st_size);
	key = table_mix(key, (uint64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec);
	return table_mix(key, (uint64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec);
}

static void decide(struct objects *o, struct object *obj, enum object_state state, enum object_why why)
{
	obj->state = state;
	obj->why = why;
	if (obj->fd >= 0)
		close(obj->fd);
	obj->fd = -1;
	o->changes++;
}

static uint32_t add(struct objects *o, uint64_t key, int fd, uint64_t size, const char *name)
{
	struct object **v = array_grow(o->v, &o->room, o->n + 1, sizeof(*v));
	struct object *obj = v ? calloc(1, sizeof(*obj)) : NULL;

	if (v)
		o->v = v;
	if (!obj || table_put(&o->by_file, key, o->n + 1)) {
		free(obj);
		close(fd);
		return OBJECT_NONE;
	}
	obj->fd = fd;
	obj->size = size;
	obj->name = strdup(name);
	o->v[o->n] = obj;
	if (size > MAX_FILE || o->waiting == MAX_WAITING)
		decide(o, obj, OBJECT_NO_TABLE, OBJECT_CAP);
	else
		o->waiting++;
	return o->n++;
}

uint32_t objects_find(const struct objects *o, const struct stat *st)
{
	uint64_t there = table_get(&o->by_file, file_key(st));

	return there ? there - 1 : OBJECT_NONE;
}

uint32_t objects_add(struct objects *o, int fd, const struct stat *st, const char *name)
{
	uint32_t id = objects_find(o, st);

	if (id == OBJECT_NONE)
		return add(o, file_key(st), fd, st->st_size, name);
	close(fd);
	return id;
}

uint32_t objects_add_image(struct objects *o, const uint8_t *at, size_t size, const char *name)
{
	uint64_t key = table_mix((uintptr_t)at, size), there = table_get(&o->by_file, key);
	int fd;

	if (there)
		return there - 1;
	fd = memfd_create("fold-image", MFD_CLOEXEC);
	if (fd < 0)
		return OBJECT_NONE;
	if (write(fd, at, size) != (ssize_t)size) {
		close(fd);
		return OBJECT_NONE;
	}
	return add(o, key, fd, size, name);
}

static void segments_keep(struct object *obj, const struct packed *p)
{
	uint32_t n = p->nsegments < IMAGE_MAX_SEGMENTS ? p->nsegments : IMAGE_MAX_SEGMENTS;

	obj->segments = calloc(n, sizeof(*obj->segments));
	if (!obj->segments)
		return;
	memcpy(obj->segments, p->segments, n * sizeof(*obj->segments));
	obj->nsegments = n;
}

static void finish(struct objects *o, const struct packed *p)
{
	struct object *obj = o->building;

	o->building = NULL;
	switch (p->status) {
	case PACKED_OK:
		segments_keep(obj, p);
		if (tables_add(o->tables, p, &obj->table) == TABLES_ADDED)
			decide(o, obj, OBJECT_TABLE, OBJECT_FINE);
		else
			decide(o, obj, OBJECT_NO_TABLE, OBJECT_CAP);
		return;
	case PACKED_NOT_ELF: decide(o, obj, OBJECT_NO_TABLE, OBJECT_NOT_ELF); return;
	case PACKED_NO_FRAMES: decide(o, obj, OBJECT_NO_TABLE, OBJECT_NO_FRAMES); return;
	case PACKED_CAP: decide(o, obj, OBJECT_NO_TABLE, OBJECT_CAP); return;
	default: decide(o, obj, OBJECT_NO_TABLE, OBJECT_BROKEN); return;
	}
}

static void begin(struct objects *o)
{
	struct object *best = NULL;

	for (size_t i = 0; i < o->n; i++)
		if (o->v[i]->state == OBJECT_WAITING && (!best || o->v[i]->size < best->size))
			best = o->v[i];
	if (!best)
		return;
	o->waiting--;
	if (builder_begin(o->builder, best->fd)) {
		decide(o, best, OBJECT_NO_TABLE, OBJECT_BROKEN);
		return;
	}
	best->state = OBJECT_BUILDING;
	o->building = best;
	close(best->fd);
	best->fd = -1;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool objects_work(struct objects *o, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms, left;
	const struct packed *p;

	while (o->building || o->waiting) {
		if (!o->building) {
			begin(o);
			continue;
		}
		left = end - now_ms();
		p = builder_end(o->builder, left > 0 ? left : 0);
		if (!p)
			return false;
		finish(o, p);
	}
	return true;
}

bool object_vaddr(const struct object *obj, uint64_t offset, uint64_t *vaddr)
{
	for (uint32_t i = 0; i < obj->nsegments; i++) {
		const struct image_segment *s = &obj->segments[i];

		/* A mapping begins at a page, the segment perhaps within it. */
		if (offset < (s->offset & ~(PAGE - 1)) || offset >= s->offset + s->filesz)
			continue;
		*vaddr = s->vaddr + (offset - s->offset);
		return true;
	}
	return false;
}
