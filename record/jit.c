/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places that were hit, and what maps and dumps say of them.  Either is gone through
 * from its beginning when there are new places, else only what was added to it.
 */
#include "jit.h"
#include "array.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TEXT 8192
#define BYTES_A_FLUSH (UINT64_C(4) << 20) /* of a map or dump, on average */
#define MAX_DUMP (INT64_C(2) << 30)
#define MAX_DUMPS 128 /* that are open */
#define FLUSHES_OF_PEACE 256
#define MAX_TOLD (1u << 22) /* names of places in a look: in a hostile map each line names all of them */

/* What a line of a map or a record of a dump tells. */
struct told {
	uint64_t at;          /* where, in bytes */
	uint64_t time;        /* since when it is so; ns, CLOCK_MONOTONIC, 0 not known */
	uint64_t start, size;
	const char *name;
	bool old;             /* so it was when the process began */
};

void jit_init(struct jit *j, struct backings *backings, int64_t realtime, jit_sink *sink, void *state)
{
	*j = (struct jit){.backings = backings, .realtime = realtime, .sink = sink, .state = state};
}

static void source_release(struct jit *j, struct jit_source *src)
{
	if (src->dumps) {
		close(src->dump);
		j->ndumps--;
	}
	for (size_t i = 0; i < src->n; i++) {
		free(src->hits[i].name);
		free(src->hits[i].other);
	}
	free(src->hits);
}

void jit_release(struct jit *j)
{
	for (size_t i = 0; i < j->n; i++)
		source_release(j, &j->sources[i]);
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

/* Of its map or dump, and the bytes of it; -1: there is none to be believed. */
static int source_open(const struct jit *j, const struct jit_source *src, uint64_t *size)
{
	struct stat st;

	if (!src->dumps || src->forked)
		return perfmap_open(j->backings->proc, &src->owner, size);
	*size = 0;
	if (fstat(src->dump, &st) || st.st_size > MAX_DUMP)
		return -1;
	*size = (uint64_t)st.st_size;
	return src->dump;
}

static void source_close(const struct jit_source *src, int fd)
{
	if (fd >= 0 && fd != src->dump)
		close(fd);
}

static void source_size(const struct jit *j, struct jit_source *src)
{
	source_close(src, source_open(j, src, &src->sizes[1]));
	src->sizes[0] = src->sizes[1];
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
		.serial = p->serial, .ppid = p->ppid, .dump = -1, .since = p->start > 0 ? (uint64_t)p->start : 0,
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
		source_size(j, src);
	return src;
}

int jit_watch(struct jit *j, const struct process *p)
{
	return source_watch(j, p) ? 0 : -1;
}

/* It is another map or dump: nothing is known of its age. */
static void start_over(struct jit_source *src)
{
	src->read = src->sizes[0] = src->sizes[1] = 0;
	for (size_t i = 0; i < src->n; i++)
		src->hits[i].known = 0;
}

static void source_dump(struct jit *j, struct jit_source *src, int fd)
{
	if (fd < 0)
		return;
	src->dumps = true;
	src->dump = fd;
	j->ndumps++;
}

int jit_dump(struct jit *j, const struct process *p, const struct backing_request *file)
{
	struct jit_source *src = source_watch(j, p);
	struct stat st;
	int fd;

	if (!src)
		return -1;
	if (src->dumps || j->ndumps == MAX_DUMPS)
		return 0;
	fd = backing_open_mapped(j->backings, file, &st);
	if (fd < 0)
		return 0;
	/* As of a map: who may write it can say what he likes. */
	if (src->owner.uid != PERFMAP_NO_UID && st.st_uid != src->owner.uid && st.st_uid) {
		close(fd);
		return 0;
	}
	source_dump(j, src, fd);
	start_over(src);
	source_size(j, src);
	return 0;
}

int jit_fork(struct jit *j, const struct process *p, const struct process *parent)
{
	struct jit_source *src;
	const struct jit_source *from;

	if (!source_find(j, parent))
		return 1;
	src = source_add(j, p);
	from = source_find(j, parent); /* they may have moved */
	if (!src)
		return -1;
	src->inherited = from->forked ? from->inherited : from->sizes[1];
	if (!from->dumps)
		return 0;
	source_dump(j, src, j->ndumps < MAX_DUMPS ? fcntl(from->dump, F_DUPFD_CLOEXEC, 0) : -1);
	src->since = from->since;
	if (src->dumps)
		src->forked = from->forked ? from->forked : p->since;
	else
		src->inherited = 0;
	return 0;
}

int jit_hit(struct jit *j, const struct process *p, uint32_t module, uint64_t offset, uint64_t address, uint64_t time)
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
	hits[src->n++] = (struct jit_hit){
		.address = address, .offset = offset, .module = module, .fresh = true, .time = time, .known = src->sizes[0],
	};
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

/* `before`: what is told is older than the hit. */
static int hit_told(struct jit_hit *hit, const struct told *t, bool before)
{
	bool same = hit->name && !strcmp(hit->name, t->name);

	hit->shared |= hit->name && (!same || hit->start != t->start || hit->size != t->size);
	hit->changed |= !same;
	if (same)
		return 0;
	if (!hit->name || before) {
		hit->start = t->start;
		hit->size = t->size;
		return keep(&hit->name, t->name);
	}
	if (!hit->other)
		return keep(&hit->other, t->name);
	hit->others |= strcmp(hit->other, t->name) != 0;
	return 0;
}

static int source_told(struct jit_source *src, const struct told *t)
{
	size_t lo = 0, hi = src->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (src->hits[mid].address >= t->start)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (; lo < src->n && src->hits[lo].address - t->start < t->size; lo++) {
		struct jit_hit *hit = &src->hits[lo];

		if (src->told == MAX_TOLD)
			return 0;
		src->told++;
		if (!hit->fresh && (t->old || t->at < src->read))
			continue; /* known already */
		if (hit_told(hit, t, t->old || (t->time ? t->time <= hit->time : t->at < hit->known)))
			return -1;
	}
	return 0;
}

/* Lines of a map up to byte `until`.  Takes `fd`; *next is where they end. */
static int read_map(struct jit_source *src, int fd, uint64_t from, uint64_t until, bool old, uint64_t *next)
{
	struct perfmap_line line;
	struct perfmap map;
	int err = 0;

	if (perfmap_begin(&map, fd, from))
		return -1;
	while (!err && perfmap_next(&map, &line) && map.at < until) {
		struct told t = {.at = map.at, .start = line.start, .size = line.size, .name = line.name, .old = old};

		err = source_told(src, &t);
	}
	*next = map.next;
	perfmap_end(&map);
	return err;
}

/* Of a dump; of a parent's, what is older than the fork. */
static int read_dump(struct jit_source *src, uint64_t size, uint64_t from, uint64_t *next)
{
	struct jitdump_code code;
	struct jitdump dump;
	int err = 0;

	*next = from;
	if (!jitdump_begin(&dump, src->dump, size, from))
		return 0;
	while (!err && jitdump_next(&dump, &code)) {
		struct told t = {.at = code.at, .start = code.start, .size = code.size, .name = code.name, .old = src->forked};

		/* A clock that begins after the process is another one. */
		if (code.time >= src->since)
			t.time = code.time;
		if (!src->forked || (t.time ? t.time <= src->forked : t.at < src->inherited))
			err = source_told(src, &t);
	}
	*next = dump.next;
	return err;
}

/* The parent's map or dump, as far as it is about what both have; then its own. */
static int read_inherited(struct jit *j, struct jit_source *src)
{
	struct perfmap_owner owner = src->owner;
	uint64_t size, next;
	struct stat st;

	if (src->forked)
		return fstat(src->dump, &st) || st.st_size > MAX_DUMP ? 0 : read_dump(src, (uint64_t)st.st_size, 0, &next);
	if (!src->inherited)
		return 0;
	owner.pid = src->ppid;
	return read_map(src, perfmap_open(j->backings->proc, &owner, &size), 0, src->inherited, true, &next);
}

static int read_own(struct jit *j, struct jit_source *src)
{
	uint64_t size, from, next = 0;
	int fd = source_open(j, src, &size), err;

	if (fd >= 0 && size < src->read)
		start_over(src);
	if (fd >= 0) {
		src->sizes[0] = src->sizes[1];
		src->sizes[1] = size;
	}
	from = src->nfresh ? 0 : src->read;
	err = fd >= 0 && fd == src->dump ? read_dump(src, size, from, &next) : read_map(src, fd, from, UINT64_MAX, false, &next);
	if (next > src->read)
		src->read = next;
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

/* What was not looked at may have other names for them. */
static void give_up(struct jit_source *src)
{
	for (size_t i = 0; i < src->n; i++) {
		struct jit_hit *hit = &src->hits[i];

		hit->changed |= hit->name && !hit->others;
		hit->shared = hit->others = true;
	}
	src->wait = FLUSHES_OF_PEACE;
}

static int source_look(struct jit *j, struct jit_source *src)
{
	int err = 0;

	if (!src->n)
		return 0;
	src->told = 0;
	if (src->nfresh) {
		qsort(src->hits, src->n, sizeof(*src->hits), order_hits);
		err = read_inherited(j, src);
		src->wait = (uint32_t)((src->inherited + src->read) / BYTES_A_FLUSH);
	}
	if (!err)
		err = read_own(j, src);
	if (src->told == MAX_TOLD)
		give_up(src);
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
	source_release(j, src);
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
