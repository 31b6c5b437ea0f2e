/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads /proc/PID/{stat,comm,exe,maps,task}.  Processes come and go meanwhile:
 * whatever cannot be read is gone, and that is no error.
 */
#include "census.h"
#include "array.h"
#include "clock.h"
#include "lines.h"
#include "log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ------------------------------------------------------------ parsing */

static bool maps_number(char **p, int base, char until, uint64_t *out)
{
	char *end;

	/* strtoull would take blanks and signs */
	if (!(**p >= '0' && **p <= '9') && !(base == 16 && **p >= 'a' && **p <= 'f'))
		return false;
	errno = 0;
	*out = strtoull(*p, &end, base);
	if (errno || *end != until)
		return false;
	*p = end + 1;
	return true;
}

/* A newline in a path is written as \012; the kernel's other way to tell a path
 * does not do that. */
static void maps_unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

bool maps_parse(char *line, struct event_mmap *out)
{
	uint64_t end, major, minor;
	char *p = line, *mode;

	*out = (struct event_mmap){0};
	if (!maps_number(&p, 16, '-', &out->start) || !maps_number(&p, 16, ' ', &end) || end <= out->start)
		return false;
	mode = p;
	for (int i = 0; i < 4; i++) {
		if (!mode[i])
			return false;
	}
	if (mode[4] != ' ')
		return false;
	p += 5;
	if (!maps_number(&p, 16, ' ', &out->offset) || !maps_number(&p, 16, ':', &major) || !maps_number(&p, 16, ' ', &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	/* Nothing need follow the inode. */
	errno = 0;
	out->inode = strtoull(p, &p, 10);
	if (errno || (*p && *p != ' '))
		return false;
	p += strspn(p, " ");
	out->length = end - out->start;
	out->major = (uint32_t)major;
	out->minor = (uint32_t)minor;
	out->prot = (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0) | (mode[2] == 'x' ? PROT_EXEC : 0);
	maps_unescape(p);
	out->path = *p ? p : "//anon";
	return true;
}

bool stat_parse(const char *line, struct stat_line *out)
{
	const char *p = strrchr(line, ')'); /* the name before it can hold anything */
	unsigned long long ppid, start;

	if (!p || sscanf(p + 1, " %*c %llu %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &ppid, &start) != 2 ||
	    ppid > UINT32_MAX)
		return false;
	*out = (struct stat_line){.ppid = (uint32_t)ppid, .start = start};
	return true;
}

/* ------------------------------------------------------------ one process */

struct census_walk {
	const char *proc;
	census_sink *sink;
	void *state;
	uint64_t time;     /* of the events of this process */
	int64_t boot;      /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	int64_t tick;      /* ns of a tick in stat */
};

static struct census_walk walk_of(const char *proc, census_sink *sink, void *state)
{
	long hz = sysconf(_SC_CLK_TCK);

	return (struct census_walk){
		.proc = proc, .sink = sink, .state = state,
		.boot = (int64_t)(clock_ns(CLOCK_BOOTTIME) - clock_now()),
		.tick = (int64_t)NS_PER_SECOND / (hz > 0 ? hz : 100),
	};
}

static int open_proc(const struct census_walk *w, uint32_t pid, const char *name)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%u/%s", w->proc, pid, name) >= sizeof(path))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A short file as a string; false when it is not there. */
static bool read_proc(const struct census_walk *w, uint32_t pid, const char *name, char *buf, size_t size)
{
	int fd = open_proc(w, pid, name);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	return true;
}

static int tell_thread(const struct census_walk *w, uint32_t pid, uint32_t tid, const struct stat_line *stat)
{
	struct event e = {.kind = EVENT_FORK, .time = w->time, .pid = pid, .tid = tid};
	char name[64], comm[64];
	size_t n;
	int err;

	/* Read before anything is told: a thread that is gone by now is left out. */
	snprintf(name, sizeof(name), "task/%u/comm", tid);
	if (!read_proc(w, pid, name, comm, sizeof(comm)))
		return 0;
	e.fork.running = true;
	e.fork.ppid = pid == tid ? stat->ppid : pid;
	e.fork.ptid = e.fork.ppid;
	e.fork.start = pid == tid ? (int64_t)stat->start * w->tick - w->boot : 0;
	err = w->sink(w->state, &e);
	if (err)
		return err;
	n = strlen(comm);
	if (n && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	e = (struct event){.kind = EVENT_COMM, .time = w->time, .pid = pid, .tid = tid};
	e.comm.comm = comm;
	return w->sink(w->state, &e);
}

static int tell_threads(const struct census_walk *w, uint32_t pid, const struct stat_line *stat)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int err = tell_thread(w, pid, pid, stat);

	snprintf(path, sizeof(path), "%s/%u/task", w->proc, pid);
	dir = err ? NULL : opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		char *end;
		unsigned long tid = strtoul(entry->d_name, &end, 10);

		if (entry->d_name[0] != '.' && !*end && tid && tid <= UINT32_MAX && tid != pid)
			err = tell_thread(w, pid, (uint32_t)tid, stat);
	}
	if (dir)
		closedir(dir);
	return err;
}

/* Executable mappings, or only the first one of `exe`. */
static int tell_maps(const struct census_walk *w, uint32_t pid, const char *exe)
{
	struct event e = {.kind = EVENT_MMAP, .time = w->time, .pid = pid, .tid = pid};
	struct lines lines;
	int err = 0;
	size_t n;

	if (lines_init(&lines, open_proc(w, pid, "maps"))) {
		log_error("out of memory");
		return -1;
	}
	for (char *line; !err && (line = lines_next(&lines, &n));) {
		if (!maps_parse(line, &e.mmap) || !(e.mmap.prot & PROT_EXEC) || !strcmp(e.mmap.path, "[vsyscall]"))
			continue;
		if (exe && strcmp(e.mmap.path, exe) != 0)
			continue;
		err = w->sink(w->state, &e);
		if (exe)
			break;
	}
	lines_release(&lines);
	return err;
}

/* The main program is told first, as exec would, and once more in its place. */
static int tell_process(struct census_walk *w, uint32_t pid)
{
	char text[1024], path[PATH_MAX], exe[PATH_MAX];
	struct stat_line stat;
	ssize_t n;
	int err;

	if (!read_proc(w, pid, "stat", text, sizeof(text)) || !stat_parse(text, &stat))
		return 0;
	snprintf(path, sizeof(path), "%s/%u/exe", w->proc, pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	err = tell_threads(w, pid, &stat);
	if (!err && *exe)
		err = tell_maps(w, pid, exe);
	return err ? err : tell_maps(w, pid, NULL);
}

int census_pid(const char *proc, uint32_t pid, uint64_t time, census_sink *sink, void *state)
{
	struct census_walk w = walk_of(proc, sink, state);

	w.time = time ? time : clock_now();
	return tell_process(&w, pid);
}

int census_run(const char *proc, census_sink *sink, void *state)
{
	struct census_walk w = walk_of(proc, sink, state);
	DIR *dir = opendir(proc);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		log_error("cannot read %s: %s; without it nothing is known about what runs already", proc, strerror(errno));
		return -1;
	}
	while (!err && (entry = readdir(dir))) {
		char *end;
		unsigned long pid = strtoul(entry->d_name, &end, 10);

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || *end || !pid || pid > UINT32_MAX)
			continue;
		w.time = clock_now();
		err = tell_process(&w, (uint32_t)pid);
	}
	closedir(dir);
	return err;
}

/* ------------------------------------------------------------ all of it, kept */

struct census_text {
	struct census_text *next;
	char text[];
};

static const char *census_keep(struct census *c, const char *s)
{
	size_t n = strlen(s) + 1;
	struct census_text *t = malloc(sizeof(*t) + n);

	if (!t)
		return NULL;
	t->next = c->texts;
	c->texts = t;
	return memcpy(t->text, s, n);
}

static int census_add(void *state, const struct event *event)
{
	struct census *c = state;
	struct event *v = array_grow(c->events, &c->room, c->n + 1, sizeof(*v)), e = *event;
	bool kept = true;

	if (v)
		c->events = v;
	if (e.kind == EVENT_COMM)
		kept = (e.comm.comm = census_keep(c, e.comm.comm)) != NULL;
	else if (e.kind == EVENT_MMAP)
		kept = (e.mmap.path = census_keep(c, e.mmap.path)) != NULL;
	if (!v || !kept) {
		log_error("out of memory");
		return -1;
	}
	v[c->n++] = e;
	return 0;
}

int census_collect(struct census *c, const char *proc)
{
	*c = (struct census){0};
	return census_run(proc, census_add, c);
}

void census_release(struct census *c)
{
	struct census_text *next;

	for (struct census_text *t = c->texts; t; t = next) {
		next = t->next;
		free(t);
	}
	free(c->events);
	*c = (struct census){0};
}
