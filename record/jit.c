/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads perf maps.  They lie in directories that anybody can write to, so they
 * are opened like any hostile file and believed only when they belong to the
 * process's user or to root.
 */
#include "jit.h"
#include "array.h"
#include "lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JIT_MAX_MAP (INT64_C(512) << 20)
#define JIT_MAX_NAME 4096
#define JIT_NO_UID UINT32_MAX
#define JIT_MAX_PAUSE 32 /* flushes */
#define NS_PER_S INT64_C(1000000000)

void jit_init(struct jit *j, struct backings *backings, int64_t realtime, jit_sink *sink, void *state)
{
	*j = (struct jit){.backings = backings, .realtime = realtime, .sink = sink, .state = state};
}

static void source_release(struct jit_source *src)
{
	for (size_t i = 0; i < src->n; i++)
		free(src->hits[i].name);
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

/* ------------------------------------------------------------ hits */

static struct jit_source *jit_source(struct jit *j, const struct process *p)
{
	struct jit_source *src;
	char path[128];
	struct stat st;

	for (size_t i = 0; i < j->n; i++) {
		if (j->sources[i].serial == p->serial)
			return &j->sources[i];
	}
	src = array_grow(j->sources, &j->room, j->n + 1, sizeof(*src));
	if (!src)
		return NULL;
	j->sources = src;
	src += j->n++;
	*src = (struct jit_source){
		.serial = p->serial, .pid = p->pid, .ppid = p->ppid, .uid = JIT_NO_UID, .since = p->start, .pause = 1,
		.foreign = backing_foreign(j->backings, p->pid),
	};
	/* While it is there to be asked. */
	snprintf(path, sizeof(path), "%s/%u", j->backings->proc, p->pid);
	if (!stat(path, &st))
		src->uid = st.st_uid;
	return src;
}

int jit_hit(struct jit *j, const struct process *p, uint32_t module, uint64_t offset, uint64_t address)
{
	uint64_t key = table_mix(offset, module);
	struct jit_source *src;
	struct jit_hit *hits;

	if (table_get(&j->hits, key))
		return 0;
	src = jit_source(j, p);
	if (!src || table_put(&j->hits, key, 1))
		return -1;
	hits = array_grow(src->hits, &src->room, src->n + 1, sizeof(*hits));
	if (!hits)
		return -1;
	src->hits = hits;
	hits[src->n++] = (struct jit_hit){.address = address, .offset = offset, .module = module};
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

/* ------------------------------------------------------------ maps */

static bool perfmap_number(char **p, uint64_t *out)
{
	char *at = *p;
	uint64_t v = 0;
	int digits = 0;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	for (; digits <= 16; at++, digits++) {
		if (*at >= '0' && *at <= '9')
			v = v << 4 | (uint64_t)(*at - '0');
		else if ((*at | 32) >= 'a' && (*at | 32) <= 'f')
			v = v << 4 | (uint64_t)((*at | 32) - 'a' + 10);
		else
			break;
	}
	if (!digits || digits > 16 || *at != ' ')
		return false;
	*p = at + strspn(at, " ");
	*out = v;
	return true;
}

bool perfmap_parse(char *line, struct perfmap_line *out)
{
	size_t n;

	if (!perfmap_number(&line, &out->start) || !perfmap_number(&line, &out->size) || !*line)
		return false;
	n = strlen(line);
	if (line[n - 1] == '\r')
		line[n - 1] = '\0';
	if (n > JIT_MAX_NAME)
		line[JIT_MAX_NAME] = '\0';
	out->name = line;
	return *line && out->start + out->size >= out->start;
}

/* The process's pid in its own pid namespace: the last field of NSpid. */
static uint32_t namespace_pid(const struct jit *j, uint32_t pid)
{
	char path[128], *last;
	struct lines lines;
	struct stat st;
	uint32_t found = pid;
	size_t n;

	snprintf(path, sizeof(path), "%s/%u/status", j->backings->proc, pid);
	if (lines_init(&lines, backing_open(NULL, path, &st)))
		return pid;
	for (char *line; (line = lines_next(&lines, &n));) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		last = strrchr(line, '\t');
		if (last)
			found = (uint32_t)strtoul(last + 1, NULL, 10);
		break;
	}
	lines_release(&lines);
	return found;
}

static bool map_believed(const struct jit *j, const struct jit_source *src, const struct stat *st)
{
	int64_t written = (int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;

	if (st->st_size > JIT_MAX_MAP)
		return false;
	/* Written later: by another user of the pid. */
	if (src->until && written > src->until + j->realtime)
		return false;
	if (src->uid != JIT_NO_UID)
		return st->st_uid == src->uid || !st->st_uid;
	/* It died before anybody could ask: at least not a map of an earlier pid. */
	return written >= src->since + j->realtime;
}

/* The map of `pid`, which is the source's process or the one it was forked from. */
static int map_open(const struct jit *j, const struct jit_source *src, uint32_t pid)
{
	char root[128], path[64];
	struct stat st;
	int fd;

	snprintf(root, sizeof(root), "%s/%u/root", j->backings->proc, pid);
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", namespace_pid(j, pid));
	fd = backing_open(root, path, &st);
	if (fd < 0 && !src->foreign) {
		snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
		fd = backing_open(NULL, path, &st);
	}
	if (fd < 0 || map_believed(j, src, &st))
		return fd;
	close(fd);
	return -1;
}

static int order_hits(const void *va, const void *vb)
{
	const struct jit_hit *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Later lines win: they are newer. */
static int map_line(struct jit_source *src, const struct perfmap_line *line)
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

		free(hit->name);
		hit->name = strdup(line->name);
		if (!hit->name)
			return -1;
		hit->start = line->start;
		hit->size = line->size;
	}
	return 0;
}

/* Give the names found to the sink; what stays nameless stays a hit. */
static int source_emit(struct jit *j, struct jit_source *src)
{
	size_t left = 0;
	int err = 0;

	for (size_t i = 0; i < src->n; i++) {
		struct jit_hit *hit = &src->hits[i];
		uint64_t before = hit->address - hit->start;

		if (!hit->name) {
			src->hits[left++] = *hit;
			continue;
		}
		/* A function that begins below its region is named from there on. */
		if (before > hit->offset) {
			hit->size -= before - hit->offset;
			before = hit->offset;
		}
		if (!err && !jit_named(j, hit->module, hit->offset - before, hit->size))
			err = j->sink(j->state, hit->module, hit->offset - before, hit->size, hit->name);
		free(hit->name);
	}
	src->n = left;
	return err;
}

static int source_read(struct jit *j, struct jit_source *src, uint32_t pid)
{
	struct perfmap_line line;
	struct lines lines;
	int err = 0;
	size_t n;

	if (!src->n)
		return 0;
	if (src->n)
		qsort(src->hits, src->n, sizeof(*src->hits), order_hits);
	if (lines_init(&lines, map_open(j, src, pid)))
		return -1;
	/* A last line without newline is still being written. */
	for (char *text; !err && (text = lines_next(&lines, &n)) && lines.whole;) {
		if (perfmap_parse(text, &line))
			err = map_line(src, &line);
	}
	lines_release(&lines);
	return source_emit(j, src) || err ? -1 : 0;
}

/* A child that did not exec runs its parent's code, under the parent's map. */
static int source_look(struct jit *j, struct jit_source *src)
{
	if (source_read(j, src, src->pid))
		return -1;
	return src->ppid ? source_read(j, src, src->ppid) : 0;
}

/* ------------------------------------------------------------ when */

int jit_flush(struct jit *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct jit_source *src = &j->sources[i];

		if (!src->n || (src->wait && --src->wait))
			continue;
		if (source_look(j, src))
			return -1;
		if (src->n && src->pause < JIT_MAX_PAUSE)
			src->pause *= 2;
		src->wait = src->pause;
	}
	return 0;
}

int jit_end(struct jit *j, const struct process *p, uint64_t time)
{
	int err;

	for (size_t i = 0; i < j->n; i++) {
		if (j->sources[i].serial != p->serial)
			continue;
		j->sources[i].until = (int64_t)time;
		err = source_look(j, &j->sources[i]);
		source_release(&j->sources[i]);
		j->sources[i] = j->sources[--j->n];
		return err;
	}
	return 0;
}

int jit_finish(struct jit *j)
{
	int err = 0;

	for (size_t i = 0; i < j->n && !err; i++)
		err = source_look(j, &j->sources[i]);
	return err;
}
