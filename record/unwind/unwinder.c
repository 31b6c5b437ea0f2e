/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of processes into tables and mappings.  See unwinder.h. */
#include "unwinder.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "../../format/fold.h"
#include "../../bpf/hash.h"
#include "../census.h"
#include "../clock.h"
#include "../log.h"
#include "builder.h"
#include "mappings.h"
#include "objects.h"
#include "replay.h"
#include "resolver.h"
#include "store.h"
#include "tables.h"

#define DEFAULT_BYTES (64u << 20)
#define URGENT_NICE (-10)
/* JIT compilers make code faster than anybody can look. */
#define FIRST_WAIT_NS UINT64_C(100000000)
#define LONGEST_WAIT_NS UINT64_C(10000000000)

struct unwinder {
	const char *proc;
	struct unwind_store store;
	struct builder builder;
	struct tables tables;
	struct objects objects;
	struct mappings mappings; /* as they are: what the walker sees */
	struct mappings past;     /* as they were when a sample that is read now was taken */
	struct replay replay;
	struct resolver resolver;
	struct ring_buffer *nudges;
	int wakes;             /* epoll: the builder, nudges */
	size_t asked;          /* processes that somebody should look at */
	uint64_t drained;      /* ns: events before that are out of the rings */
	uint64_t replayed, unfinished, uncopied, early;
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

/* Tables that come late are of no use: on a busy machine those who make and publish
 * them go first.  Not if somebody has decided on our priority. */
static void hurry(void)
{
	if (!getpriority(PRIO_PROCESS, 0))
		setpriority(PRIO_PROCESS, 0, URGENT_NICE);
}

static int begin(struct unwinder *u, struct bpf_object *object, const struct unwinder_options *options)
{
	int err;

	hurry();
	err = builder_open(&u->builder);
	if (!err)
		err = store_open(&u->store, object);
	if (!err) {
		u->store.copying->bytes = options->copy_bytes;
		u->store.copying->limit = UNWIND_COPY_FIRST;
	}
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
	mappings_init(&u->past, NULL, &u->objects);
	resolver_init(&u->resolver, u->proc, &u->objects);
	u->replay.store = &u->store;
	u->replay.objects = &u->objects;
	err = begin(u, object, options);
	if (err) {
		unwinder_free(u);
		return err;
	}
	*out = u;
	return 0;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	mappings_release(&u->mappings);
	mappings_release(&u->past);
	resolver_release(&u->resolver);
	objects_release(&u->objects);
	tables_release(&u->tables);
	builder_close(&u->builder);
	store_release(&u->store);
	ring_buffer__free(u->nudges);
	if (u->wakes >= 0)
		close(u->wakes);
	free(u);
}

/* The two models take the same events; only one is what the walker sees. */
static bool is_past(const struct unwinder *u, const struct mappings *m)
{
	return m == &u->past;
}

static int map(struct unwinder *u, struct mappings *m, struct unwind_task *t, const struct event *event)
{
	const struct event_mmap *e = &event->mmap;
	uint32_t object;

	if (e->length > UINT64_MAX - e->start)
		return 0;
	if (!t->changed)
		t->changed = event->time;
	object = is_past(u, m) ? resolver_ask_again(&u->resolver, t->tgid, e) : resolver_ask(&u->resolver, t->tgid, e);
	return mappings_map(m, t, e->start, e->start + e->length, e->offset, object);
}

/* The process, if it is any of our business; NULL else, or with *failed. */
static struct unwind_task *task_of(struct unwinder *u, struct mappings *m, uint32_t pid, bool *failed)
{
	struct unwind_task *t = u->scoped ? mappings_find(m, pid) : mappings_task(m, pid);

	*failed = !t && !u->scoped;
	return t;
}

/* ---- processes that samples did not fit */

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
	t = task_of(u, &u->mappings, e->pid, &failed);
	if (t && (!t->maps->n || !mapset_find(t->maps, s->words[s->n - 1])))
		ask(u, t);
}

static int map_seen(void *context, const struct event *e)
{
	struct unwinder *u = context;
	struct unwind_task *t = e->kind == EVENT_MMAP ? mappings_find(&u->mappings, e->pid) : NULL;

	return t ? map(u, &u->mappings, t, e) : 0;
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

static void leave(struct unwinder *u, struct mappings *m, uint32_t pid)
{
	const struct unwind_task *t = mappings_find(m, pid);

	if (t && t->asked)
		u->asked--;
	mappings_exit(m, pid, clock_now());
}

/* The census says all that is mapped, as of e->time. */
static void found(struct unwinder *u, struct mappings *m, struct unwind_task *t, const struct event *e)
{
	mappings_begin(m, t, u->store.process_image(&u->store, t->tgid));
	t->since = e->time;
}

static int fork_event(struct unwinder *u, struct mappings *m, const struct event *e)
{
	bool failed = false;
	struct unwind_task *t;

	if (e->pid != e->tid)
		return 0;
	if (e->fork.running) {
		t = task_of(u, m, e->pid, &failed);
		if (t)
			found(u, m, t, e);
		return failed ? -1 : 0;
	}
	if (u->scoped && !mappings_find(m, e->fork.ppid))
		return 0;
	return mappings_fork(m, e->pid, e->fork.ppid);
}

static void exec_event(struct unwinder *u, struct mappings *m, const struct event *e)
{
	struct unwind_task *t = mappings_find(m, e->pid);

	if (t ? e->time < t->since : u->scoped)
		return;
	mappings_exec(m, e->pid, clock_now());
	t = mappings_find(m, e->pid);
	if (t)
		t->began = e->time;
}

static int process_event(struct unwinder *u, struct mappings *m, const struct event *e)
{
	struct unwind_task *t;
	bool failed;

	switch (e->kind) {
	case EVENT_MMAP:
		t = task_of(u, m, e->pid, &failed);
		if (!t)
			return failed ? -1 : 0;
		return e->time < t->since ? 0 : map(u, m, t, e);
	case EVENT_FORK:
		return fork_event(u, m, e);
	case EVENT_COMM:
		if (e->comm.exec)
			exec_event(u, m, e);
		return 0;
	case EVENT_EXIT:
		if (e->pid == e->tid)
			leave(u, m, e->pid);
		return 0;
	default:
		return 0;
	}
}

int unwinder_follow(struct unwinder *u, uint32_t pid)
{
	return mappings_task(&u->mappings, pid) && mappings_task(&u->past, pid) ? 0 : -1;
}

int unwinder_ahead(struct unwinder *u, const struct event *e)
{
	return process_event(u, &u->mappings, e);
}

static bool is_early(const struct unwinder *u, const struct unwind_task *t, uint64_t pc)
{
	const struct mapping *m = mapset_find(t->maps, pc);
	struct unwind_mapping unused;

	return m && !mapping_translate(&u->objects, m, &unused);
}

/* A walk went on behind what was copied: there are programs with deep frames. */
static void copy_more(struct unwinder *u, const struct event_raw_copy *copy)
{
	struct unwind_copying *c = u->store.copying;

	if (copy->size + UNWIND_COPY_FIRST < c->limit) /* the queue had no room for more */
		return;
	c->limit = c->limit * 2 < EVENT_COPY_BYTES ? c->limit * 2 : EVENT_COPY_BYTES;
}

/* Whether the walk over a copy knows more than the one in the kernel: it got further, or
 * it says what was there when it got no further. */
static bool is_better(const struct replay *r, const struct event_stack *s)
{
	if (r->end == FOLD_STACK_END_ROOT || r->end == FOLD_STACK_END_FP_ROOT || r->n > s->n)
		return true;
	return r->n == s->n && r->end != FOLD_STACK_END_UNMAPPED;
}

/* Walk again what was not known in the kernel. */
static void walk_again(struct unwinder *u, struct event *e, uint64_t seed, uint32_t max)
{
	const struct unwind_task *t = mappings_find(&u->past, e->pid);
	struct replay *r = &u->replay;
	struct event_stack *s = &e->sample.user;
	uint64_t h;

	if (!t)
		return;
	replay_walk(r, t->maps, e->sample.copy, max);
	if (r->cut)
		copy_more(u, e->sample.copy);
	u->early += r->end == FOLD_STACK_END_UNMAPPED && is_early(u, t, r->words[r->n - 1]);
	if (!is_better(r, s))
		return;
	h = stack_hash_start(seed, EVENT_SIDE_USER, r->n, r->end);
	for (uint32_t i = 0; i < r->n; i++)
		h = stack_hash_step(h, r->words[i]);
	*s = (struct event_stack){ .id = stack_hash_finish(h), .words = r->words, .n = r->n, .end = r->end };
	u->replayed++;
	u->unfinished--;
}

int unwinder_event(struct unwinder *u, struct event *e, uint64_t seed, uint32_t max)
{
	if (e->kind != EVENT_SAMPLE)
		return process_event(u, &u->past, e);
	u->unfinished += e->sample.user.end == FOLD_STACK_END_UNMAPPED;
	u->uncopied += e->sample.user.end == FOLD_STACK_END_UNMAPPED && !e->sample.copy;
	if (e->sample.copy)
		walk_again(u, e, seed, max < EVENT_MAX_FRAMES ? max : EVENT_MAX_FRAMES);
	sample(u, e);
	return 0;
}

void unwinder_work(struct unwinder *u, uint64_t drained, int wait_ms)
{
	ring_buffer__consume(u->nudges);
	if (drained != u->drained) {
		u->drained = drained;
		__atomic_add_fetch(&u->store.copying->turn, 1, __ATOMIC_RELAXED);
	}
	objects_work(&u->objects, wait_ms);
	if (u->asked)
		look_around(u, clock_now());
	objects_work(&u->objects, 0);
	mappings_publish(&u->mappings, clock_now(), drained);
}

bool unwinder_busy(const struct unwinder *u)
{
	return u->objects.building || u->objects.waiting;
}

int unwinder_fd(const struct unwinder *u)
{
	return u->wakes;
}

static void summarize_delays(const struct delays *d, uint64_t out[2])
{
	out[0] = delays_percentile(d, 50);
	out[1] = delays_percentile(d, 99);
}

void unwinder_summary(const struct unwinder *u, struct unwinder_summary *out)
{
	*out = (struct unwinder_summary){ .objects = u->objects.n, .rows = u->tables.rows, .table_bytes = (uint64_t)u->tables.nshards * UNWIND_SHARD_BYTES,
					  .processes = u->mappings.n, .unpublished = u->mappings.unpublished, .replayed = u->replayed, .unfinished = u->unfinished,
					  .uncopied = u->uncopied, .early = u->early };
	summarize_delays(&u->mappings.after_exec, out->exec_ns);
	summarize_delays(&u->mappings.after_mapping, out->mapping_ns);
	for (size_t i = 0; i < u->objects.n; i++) {
		const struct object *o = u->objects.v[i];

		out->tables += o->state == OBJECT_TABLE;
		out->without += o->state == OBJECT_NO_TABLE && (o->why == OBJECT_NOT_ELF || o->why == OBJECT_NO_FRAMES);
		out->capped += o->state == OBJECT_NO_TABLE && o->why == OBJECT_CAP;
		out->refused += o->state == OBJECT_NO_TABLE && o->why == OBJECT_BROKEN;
	}
}
