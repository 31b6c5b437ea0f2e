/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of processes into tables and mappings.  See unwinder.h. */
#include "unwinder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "../../format/fold.h"
#include "../backing.h"
#include "../census.h"
#include "../clock.h"
#include "../log.h"
#include "../vdso.h"
#include "builder.h"
#include "mappings.h"
#include "objects.h"
#include "store.h"
#include "tables.h"

#define DEFAULT_BYTES (64u << 20)
/* JIT compilers make code faster than anybody can look. */
#define FIRST_WAIT_NS UINT64_C(100000000)
#define LONGEST_WAIT_NS UINT64_C(10000000000)

struct unwinder {
	const char *proc;
	struct unwind_store store;
	struct builder builder;
	struct tables tables;
	struct objects objects;
	struct mappings mappings;
	struct vdso vdso;
	struct ring_buffer *nudges;
	int wakes;             /* epoll: the builder, nudges */
	size_t asked;          /* processes that somebody should look at */
	bool scoped;
};

static int nudged(void *context, void *data, size_t size)
{
	return 0; /* to be awake is all */
}

static int watch(struct unwinder *u, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(u->wakes, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int watch_all(struct unwinder *u, struct bpf_object *object)
{
	int err;

	u->nudges = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "unwind_nudges"), nudged, u, NULL);
	u->wakes = epoll_create1(EPOLL_CLOEXEC);
	if (!u->nudges || u->wakes < 0)
		return -errno;
	err = watch(u, u->builder.fd);
	return err ? err : watch(u, ring_buffer__epoll_fd(u->nudges));
}

static int begin(struct unwinder *u, struct bpf_object *object, const struct unwinder_options *options)
{
	int err = builder_open(&u->builder);

	if (!err)
		err = store_open(&u->store, object);
	if (!err && tables_init(&u->tables, &u->store, options->max_bytes ? options->max_bytes : DEFAULT_BYTES))
		err = -ENOMEM;
	return err ? err : watch_all(u, object);
}

int unwinder_new(struct unwinder **out, struct bpf_object *object, const struct unwinder_options *options)
{
	struct unwinder *u = calloc(1, sizeof(*u));
	int err;

	*out = NULL;
	if (!u)
		return -ENOMEM;
	u->wakes = -1;
	u->scoped = options->scoped;
	u->proc = options->proc ? options->proc : "/proc";
	objects_init(&u->objects, &u->tables, &u->builder);
	mappings_init(&u->mappings, &u->store, &u->objects);
	err = begin(u, object, options);
	if (err) {
		unwinder_free(u);
		return err;
	}
	vdso_init(&u->vdso);
	*out = u;
	return 0;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	mappings_release(&u->mappings);
	objects_release(&u->objects);
	tables_release(&u->tables);
	builder_close(&u->builder);
	store_release(&u->store);
	ring_buffer__free(u->nudges);
	if (u->wakes >= 0)
		close(u->wakes);
	free(u);
}

/* ---- files */

/* The very file that is mapped; to reach it needs privileges that a recorder may
 * lack. */
static void mapped_path(const struct unwinder *u, uint32_t pid, const struct event_mmap *m, char *out, size_t size)
{
	snprintf(out, size, "%s/%u/map_files/%llx-%llx", u->proc, pid, (unsigned long long)m->start, (unsigned long long)(m->start + m->length));
}

static int open_mapped(const char *path, struct stat *st)
{
	int fd;

	if (!S_ISREG(st->st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* By name in the process's root, if it proves to be the same file. */
static int open_named(const struct unwinder *u, uint32_t pid, const struct event_mmap *m, struct stat *st)
{
	struct identity_image image;
	struct identity id;
	char root[64];
	int fd;

	snprintf(root, sizeof(root), "%s/%u/root", u->proc, pid);
	fd = backing_open(root, m->path, st);
	if (fd < 0)
		return -1;
	image = (struct identity_image){ .fd = fd, .size = st->st_size };
	if (m->build_id_size ? !identity_read(&image, &id) && identity_has(&id, m->build_id, m->build_id_size)
			     : m->inode && m->inode == st->st_ino)
		return fd;
	close(fd);
	return -1;
}

static uint32_t object_of(struct unwinder *u, uint32_t pid, const struct event_mmap *m)
{
	char path[128];
	struct stat st;
	uint32_t known;
	int fd = -1;

	if (!strcmp(m->path, "[vdso]") && u->vdso.at)
		return objects_add_image(&u->objects, u->vdso.at, u->vdso.size, m->path);
	if (m->path[0] != '/' || m->path[1] == '/')
		return MAPPED_ANONYMOUS;
	mapped_path(u, pid, m, path, sizeof(path));
	if (!stat(path, &st)) {
		known = objects_find(&u->objects, &st);
		if (known != OBJECT_NONE)
			return known;
		fd = open_mapped(path, &st);
	}
	if (fd < 0)
		fd = open_named(u, pid, m, &st);
	return fd < 0 ? MAPPED_ANONYMOUS : objects_add(&u->objects, fd, &st, m->path);
}

static int map(struct unwinder *u, struct unwind_task *t, const struct event_mmap *m)
{
	if (m->length > UINT64_MAX - m->start)
		return 0;
	return mappings_map(&u->mappings, t, m->start, m->start + m->length, m->offset, object_of(u, t->tgid, m));
}

/* ---- processes that samples did not fit */

/* The process, if it is any of our business; NULL else, or with *failed. */
static struct unwind_task *task_of(struct unwinder *u, uint32_t pid, bool *failed)
{
	struct unwind_task *t = u->scoped ? mappings_find(&u->mappings, pid) : mappings_task(&u->mappings, pid);

	*failed = !t && !u->scoped;
	return t;
}

static void ask(struct unwinder *u, struct unwind_task *t)
{
	u->asked += !t->asked;
	t->asked = true;
}

/* The walk ended in code that was not known: was it known to us? */
static void sample(struct unwinder *u, const struct event *e)
{
	const struct event_stack *s = &e->sample.user;
	struct unwind_task *t;
	bool failed;

	if (s->end != FOLD_STACK_END_UNMAPPED || !s->words || !s->n)
		return;
	t = task_of(u, e->pid, &failed);
	if (t && (!t->maps->n || !mapset_find(t->maps, s->words[s->n - 1])))
		ask(u, t);
}

static int map_seen(void *context, const struct event *e)
{
	struct unwinder *u = context;
	struct unwind_task *t = e->kind == EVENT_MMAP ? mappings_find(&u->mappings, e->pid) : NULL;

	return t ? map(u, t, &e->mmap) : 0;
}

/* A look into /proc counts only if the process was one image all the while. */
static void look(struct unwinder *u, struct unwind_task *t, uint64_t now)
{
	uint32_t image = u->store.process_image(&u->store, t->tgid);

	t->asked = false;
	u->asked--;
	t->wait = t->wait ? t->wait * 2 : FIRST_WAIT_NS;
	if (t->wait > LONGEST_WAIT_NS)
		t->wait = LONGEST_WAIT_NS;
	t->next = now + t->wait;
	t->since = now;
	if (mappings_begin(&u->mappings, t, image) || census_pid(u->proc, t->tgid, now, map_seen, u) ||
	    u->store.process_image(&u->store, t->tgid) != image)
		mappings_begin(&u->mappings, t, image);
}

static void look_around(struct unwinder *u, uint64_t now)
{
	for (size_t i = 0; i < u->mappings.n && u->asked; i++) {
		struct unwind_task *t = u->mappings.v[i];

		if (t->asked && now >= t->next)
			look(u, t, now);
	}
}

/* ---- events */

static void leave(struct unwinder *u, uint32_t pid, uint64_t time)
{
	const struct unwind_task *t = mappings_find(&u->mappings, pid);

	if (t && t->asked)
		u->asked--;
	mappings_exit(&u->mappings, pid, time);
}

/* The census says all that is mapped, as of e->time. */
static void found(struct unwinder *u, struct unwind_task *t, const struct event *e)
{
	mappings_begin(&u->mappings, t, u->store.process_image(&u->store, t->tgid));
	t->since = e->time;
}

static int fork_event(struct unwinder *u, const struct event *e)
{
	bool failed = false;
	struct unwind_task *t;

	if (e->pid != e->tid)
		return 0;
	if (e->fork.running) {
		t = task_of(u, e->pid, &failed);
		if (t)
			found(u, t, e);
		return failed ? -1 : 0;
	}
	if (u->scoped && !mappings_find(&u->mappings, e->fork.ppid))
		return 0;
	return mappings_fork(&u->mappings, e->pid, e->fork.ppid);
}

static void exec_event(struct unwinder *u, const struct event *e)
{
	const struct unwind_task *t = mappings_find(&u->mappings, e->pid);

	if (!t ? !u->scoped : e->time >= t->since)
		mappings_exec(&u->mappings, e->pid, clock_now());
}

int unwinder_follow(struct unwinder *u, uint32_t pid)
{
	return mappings_task(&u->mappings, pid) ? 0 : -1;
}

int unwinder_event(struct unwinder *u, const struct event *e)
{
	struct unwind_task *t;
	bool failed;

	switch (e->kind) {
	case EVENT_SAMPLE:
		sample(u, e);
		return 0;
	case EVENT_MMAP:
		t = task_of(u, e->pid, &failed);
		if (!t)
			return failed ? -1 : 0;
		return e->time < t->since ? 0 : map(u, t, &e->mmap);
	case EVENT_FORK:
		return fork_event(u, e);
	case EVENT_COMM:
		if (e->comm.exec)
			exec_event(u, e);
		return 0;
	case EVENT_EXIT:
		if (e->pid == e->tid)
			leave(u, e->pid, clock_now());
		return 0;
	default:
		return 0;
	}
}

void unwinder_work(struct unwinder *u, uint64_t drained, int wait_ms)
{
	ring_buffer__consume(u->nudges);
	objects_work(&u->objects, wait_ms);
	if (u->asked)
		look_around(u, clock_now());
	objects_work(&u->objects, 0);
	mappings_publish(&u->mappings, clock_now(), drained);
}

int unwinder_fd(const struct unwinder *u)
{
	return u->wakes;
}

void unwinder_summary(const struct unwinder *u, struct unwinder_summary *out)
{
	*out = (struct unwinder_summary){ .objects = u->objects.n, .rows = u->tables.rows, .table_bytes = (uint64_t)u->tables.nshards * UNWIND_SHARD_BYTES,
					  .processes = u->mappings.n, .unpublished = u->mappings.unpublished };
	for (size_t i = 0; i < u->objects.n; i++) {
		const struct object *o = u->objects.v[i];

		out->tables += o->state == OBJECT_TABLE;
		out->without += o->state == OBJECT_NO_TABLE && (o->why == OBJECT_NOT_ELF || o->why == OBJECT_NO_FRAMES);
		out->refused += o->state == OBJECT_NO_TABLE && (o->why == OBJECT_CAP || o->why == OBJECT_BROKEN);
	}
}
