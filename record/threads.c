/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID/task is read until nothing new is in it.  Who made a new thread, and
 * when, is in the rings, which were opened before.
 */
#include "threads.h"
#include "drain.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void threads_init(struct threads *t, const struct numbers *pids)
{
	memset(t, 0, sizeof(*t));
	t->pids = pids;
}

void threads_release(struct threads *t)
{
	free(t->v);
	free(t->listed);
	memset(t, 0, sizeof(*t));
}

static int list(struct threads *t, uint32_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	t->nlisted = 0;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (!tid)
			continue;
		if (t->nlisted == t->listed_room) {
			size_t room = t->listed_room ? t->listed_room * 2 : 64;
			uint32_t *listed = realloc(t->listed, room * sizeof(*listed));

			if (!listed)
				break;
			t->listed = listed;
			t->listed_room = room;
		}
		t->listed[t->nlisted++] = tid;
	}
	closedir(dir);
	return entry ? -ENOMEM : 0;
}

static struct thread *find(const struct threads *t, uint32_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].tid == tid)
			return &t->v[i];
	return NULL;
}

static int add(struct threads *t, uint32_t tid, uint64_t attached)
{
	if (t->n == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		struct thread *v = realloc(t->v, room * sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->v = v;
		t->room = room;
	}
	t->v[t->n++] = (struct thread){ .tid = tid, .attached = attached };
	return 0;
}

/* Was it made by a thread that had its event?  Then so has it. */
static bool inherited(const struct threads *t, const struct rings *rings, uint32_t tid)
{
	const struct thread *maker;
	uint32_t parent;
	uint64_t time;

	if (!t->n || !drain_find_fork(rings, tid, &parent, &time))
		return false;
	maker = find(t, parent);
	return maker && maker->attached && time > maker->attached;
}

/* Makers have smaller numbers than what they made, but where numbers begin again. */
static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a > b ? -1 : a < b;
}

/* List the next process; after the last one the first again, if there was a thread
 * without the event: it may have made others before it got it. */
static int list_next(struct threads *t)
{
	int err;

	if (t->pid == t->pids->n) {
		if (!t->found)
			return 0;
		t->pid = 0;
		t->found = 0;
	}
	err = list(t, t->pids->v[t->pid++]);
	if (t->nlisted) /* taken from the end */
		qsort(t->listed, t->nlisted, sizeof(*t->listed), by_number);
	return err ? err : 1;
}

int threads_next(struct threads *t, const struct rings *rings, uint32_t *tid)
{
	int more;

	for (;;) {
		while (t->nlisted) {
			int err;

			*tid = t->listed[--t->nlisted];
			if (find(t, *tid))
				continue;
			if (inherited(t, rings, *tid)) {
				err = add(t, *tid, 1);
			} else {
				err = add(t, *tid, 0);
				t->found++;
				return err ? err : 1;
			}
			if (err)
				return err;
		}
		more = list_next(t);
		if (more <= 0)
			return more;
	}
}

void threads_attached(struct threads *t, uint64_t when)
{
	t->v[t->n - 1].attached = when;
}
