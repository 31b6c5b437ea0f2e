/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places that were hit, and what maps say of them.  A map is gone through from its
 * beginning when there are new places, else only what was added to it.
 */
#include "jit.h"
#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TEXT 8192
#define BYTES_A_FLUSH (UINT64_C(4) << 20) /* of a map, on average */

void jit_init(struct jit *j, struct backings *backings, int64_t realtime, jit_sink *sink, void *state)
{
	*j = (struct jit){.backings = backings, .realtime = realtime, .sink = sink, .state = state};
}

static void source_release(struct jit_source *src)
{
	for (size_t i = 0; i < src->n; i++) {
		free(src->hits[i].name);
		free(src->hits[i].other);
	}
	free(src->hits);
}

void jit_release(struct jit *j)
{
	for (size_t i = 0; i < j->n; i++)
		source_release(&j->sources[i]);
	free(j->sources);
	table_release(&j->hits);
	table_release(&j->named);
	*j = (struct jit){0};
}

/* ------------------------------------------------------------ sources */

static struct jit_source *source_find(const struct jit *j, const struct process *p)
{
	for (size_t i = 0; i < j->n; i++) {
		if (j->sources[i].serial == p->serial)
			return &j->sources[i];
	}
	return NULL;
}

static uint64_t map_size(const struct jit *j, const struct perfmap_owner *owner)
{
	uint64_t size;
	int fd = perfmap_open(j->backings->proc, owner, &size);

	if (fd >= 0)
		close(fd);
	return size;
}

static struct jit_source *source_add(struct jit *j, const struct process *p)
{
	struct jit_source *src = array_grow(j->sources, &j->room, j->n + 1, sizeof(*src));
	char path[128];
	struct stat st;

	if (!src)
		return NULL;
	j->sources = src;
	src += j->n++;
	*src = (struct jit_source){
		.serial = p->serial, .ppid = p->ppid,
		.owner = {.pid = p->pid, .uid = PERFMAP_NO_UID, .since = p->start + j->realtime, .foreign = backing_foreign(j->backings, p->pid)},
	};
	/* While it is there to be asked. */
	snprintf(path, sizeof(path), "%s/%u", j->backings->proc, p->pid);
	if (!stat(path, &st))
		src->owner.uid = st.st_uid;
	return src;
}

static struct jit_source *source_watch(struct jit *j, const struct process *p)
{
	struct jit_source *src = source_find(j, p);

	if (src)
		return src;
	src = source_add(j, p);
	if (src)
		src->sizes[0] = src->sizes[1] = map_size(j, &src->owner);
	return src;
}

int jit_watch(struct jit *j, const struct process *p)
{
	return source_watch(j, p) ? 0 : -1;
}

int jit_fork(struct jit *j, const struct process *p, const struct process *parent)
{
	const struct jit_source *from = source_find(j, parent);
	uint64_t inherited = from ? from->sizes[1] : 0;
	struct jit_source *src = from ? source_add(j, p) : NULL;

	if (src)
		src->inherited = inherited;
	return from && !src ? -1 : 0;
}

int jit_hit(struct jit *j, const struct process *p, uint32_t module, uint64_t offset, uint64_t address)
{
	uint64_t key = table_mix(offset, module);
	struct jit_source *src;
	struct jit_hit *hits;

	if (table_get(&j->hits, key))
		return 0;
	src = source_watch(j, p);
	if (!src || table_put(&j->hits, key, 1))
		return -1;
	hits = array_grow(src->hits, &src->room, src->n + 1, sizeof(*hits));
	if (!hits)
		return -1;
	src->hits = hits;
	/* Samples are older than the last look may be, but not than the one before. */
	hits[src->n++] = (struct jit_hit){.address = address, .offset = offset, .module = module, .fresh = true, .known = src->sizes[0]};
	src->nfresh++;
	return 0;
}

bool jit_named(struct jit *j, uint32_t module, uint64_t start, uint64_t size)
{
	uint64_t key = table_mix(table_mix(start, module), size);

	if (table_get(&j->named, key))
		return true;
	table_put(&j->named, key, 1);
	return false;
}

/* ------------------------------------------------------------ reading */

static int order_hits(const void *va, const void *vb)
{
	const struct jit_hit *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static int keep(char **to, const char *name)
{
	free(*to);
	*to = strdup(name);
	return *to ? 0 : -1;
}

/* `before`: the line is older than the hit. */
static int hit_line(struct jit_hit *hit, const struct perfmap_line *line, bool before)
{
	bool same = hit->name && !strcmp(hit->name, line->name);

	hit->shared |= hit->name && (!same || hit->start != line->start || hit->size != line->size);
	hit->changed |= !same;
	if (same)
		return 0;
	if (!hit->name || before) {
		hit->start = line->start;
		hit->size = line->size;
		return keep(&hit->name, line->name);
	}
	if (!hit->other)
		return keep(&hit->other, line->name);
	hit->others |= strcmp(hit->other, line->name) != 0;
	return 0;
}

/* What a line tells.  `old`: whose place it is does not depend on when it was hit. */
static int map_line(struct jit_source *src, const struct perfmap_line *line, uint64_t at, bool old)
{
	size_t lo = 0, hi = src->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (src->hits[mid].address >= line->start)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (; lo < src->n && src->hits[lo].address - line->start < line->size; lo++) {
		struct jit_hit *hit = &src->hits[lo];

		if (!old && !hit->fresh && at < src->read)
			continue; /* known already */
		if (old && !hit->fresh)
			continue;
		if (hit_line(hit, line, old || at < hit->known))
			return -1;
	}
	return 0;
}

/* The parent's map, as far as it is about what both have; then its own. */
static int read_inherited(struct jit *j, struct jit_source *src)
{
	struct perfmap_owner owner = src->owner;
	struct perfmap_line line;
	struct perfmap map;
	uint64_t size;
	int err = 0;

	owner.pid = src->ppid;
	if (perfmap_begin(&map, perfmap_open(j->backings->proc, &owner, &size), 0))
		return -1;
	while (!err && perfmap_next(&map, &line) && map.at < src->inherited)
		err = map_line(src, &line, map.at, true);
	perfmap_end(&map);
	return err;
}

/* It is another map: nothing is known of its age. */
static void start_over(struct jit_source *src)
{
	src->read = src->sizes[0] = src->sizes[1] = 0;
	for (size_t i = 0; i < src->n; i++)
		src->hits[i].known = 0;
}

static int read_own(struct jit *j, struct jit_source *src)
{
	struct perfmap_line line;
	struct perfmap map;
	uint64_t size;
	int fd = perfmap_open(j->backings->proc, &src->owner, &size), err = 0;

	if (fd >= 0 && size < src->read)
		start_over(src);
	if (perfmap_begin(&map, fd, src->nfresh ? 0 : src->read))
		return -1;
	while (!err && perfmap_next(&map, &line))
		err = map_line(src, &line, map.at, false);
	if (map.next > src->read)
		src->read = map.next;
	if (fd >= 0) {
		src->sizes[0] = src->sizes[1];
		src->sizes[1] = size;
	}
	perfmap_end(&map);
	return err;
}

/* ------------------------------------------------------------ telling */

static int tell_shared(struct jit *j, const struct jit_hit *hit)
{
	char text[MAX_TEXT + 64];

	snprintf(text, sizeof(text), "%.4000s%s%.4000s%s", hit->name, hit->other ? " or " : "", hit->other ? hit->other : "",
		 hit->others ? " or others" : "");
	return j->sink(j->state, hit->module, hit->offset, 1, text);
}

static int tell(struct jit *j, struct jit_hit *hit)
{
	uint64_t before = hit->address - hit->start, size = hit->size;

	hit->changed = false;
	if (hit->shared)
		return tell_shared(j, hit);
	/* A function that begins below its region is named from there on. */
	if (before > hit->offset) {
		size -= before - hit->offset;
		before = hit->offset;
	}
	if (jit_named(j, hit->module, hit->offset - before, size))
		return 0;
	return j->sink(j->state, hit->module, hit->offset - before, size, hit->name);
}

static int source_look(struct jit *j, struct jit_source *src)
{
	int err = 0;

	if (!src->n)
		return 0;
	if (src->nfresh) {
		qsort(src->hits, src->n, sizeof(*src->hits), order_hits);
		if (src->inherited)
			err = read_inherited(j, src);
		src->wait = (uint32_t)(src->read / BYTES_A_FLUSH);
	}
	if (!err)
		err = read_own(j, src);
	for (size_t i = 0; !err && i < src->n; i++) {
		src->hits[i].fresh = false;
		if (src->hits[i].changed)
			err = tell(j, &src->hits[i]);
	}
	src->nfresh = 0;
	return err;
}

/* ------------------------------------------------------------ when */

int jit_flush(struct jit *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct jit_source *src = &j->sources[i];

		if (src->wait)
			src->wait--;
		else if (source_look(j, src))
			return -1;
	}
	return 0;
}

int jit_end(struct jit *j, const struct process *p, uint64_t time)
{
	struct jit_source *src = source_find(j, p);
	int err;

	if (!src)
		return 0;
	src->owner.until = (int64_t)time + j->realtime;
	err = source_look(j, src);
	source_release(src);
	*src = j->sources[--j->n];
	return err;
}

int jit_finish(struct jit *j)
{
	int err = 0;

	for (size_t i = 0; i < j->n && !err; i++)
		err = source_look(j, &j->sources[i]);
	return err;
}
