/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps lie in directories that anybody can write to, so they are opened like any
 * hostile file and believed only when they belong to the process's user or to root.
 */
#include "perfmap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MAP (INT64_C(512) << 20)
#define MAX_NAME 4096
#define NS_PER_S INT64_C(1000000000)

/* ------------------------------------------------------------ where it is */

/* The process's pid in its own pid namespace: the last field of NSpid. */
static uint32_t namespace_pid(const char *proc, uint32_t pid)
{
	char path[128], *last;
	struct lines lines;
	struct stat st;
	uint32_t found = pid;
	size_t n;

	snprintf(path, sizeof(path), "%s/%u/status", proc, pid);
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

static bool believed(const struct perfmap_owner *o, const struct stat *st)
{
	int64_t written = (int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;

	if (st->st_size > MAX_MAP)
		return false;
	/* Written later: by another user of the pid. */
	if (o->until && written > o->until)
		return false;
	if (o->uid != PERFMAP_NO_UID)
		return st->st_uid == o->uid || !st->st_uid;
	/* It died before anybody could ask: at least not a map of an earlier pid. */
	return written >= o->since;
}

int perfmap_open(const char *proc, const struct perfmap_owner *o, uint64_t *size)
{
	char root[128], path[64];
	struct stat st;
	int fd;

	*size = 0;
	snprintf(root, sizeof(root), "%s/%u/root", proc, o->pid);
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", namespace_pid(proc, o->pid));
	fd = backing_open(root, path, &st);
	if (fd < 0 && !o->foreign) {
		snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", o->pid);
		fd = backing_open(NULL, path, &st);
	}
	if (fd >= 0 && !believed(o, &st)) {
		close(fd);
		return -1;
	}
	if (fd >= 0)
		*size = (uint64_t)st.st_size;
	return fd;
}

/* ------------------------------------------------------------ lines */

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
	if (n > MAX_NAME)
		line[MAX_NAME] = '\0';
	out->name = line;
	return *line && out->start + out->size >= out->start;
}

int perfmap_begin(struct perfmap *m, int fd, uint64_t from)
{
	*m = (struct perfmap){.next = from};
	if (lines_init(&m->lines, fd))
		return -1;
	if (fd >= 0 && lseek(fd, (off_t)from, SEEK_SET) < 0)
		m->lines.end = true;
	m->lines.passed = from;
	return 0;
}

void perfmap_end(struct perfmap *m)
{
	lines_release(&m->lines);
}

/* A last line without newline is still being written. */
bool perfmap_next(struct perfmap *m, struct perfmap_line *out)
{
	size_t n;

	for (char *text; (text = lines_next(&m->lines, &n)) && m->lines.whole;) {
		m->at = m->lines.passed - n - 1;
		m->next = m->lines.passed;
		if (perfmap_parse(text, out))
			return true;
	}
	return false;
}
