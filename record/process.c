/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lives of processes and threads.  Owns their structs and the references to
 * their mappings; knows neither modules nor the file.
 */
#include "process.h"
#include "array.h"

#include <stdlib.h>
#include <string.h>

void comm_copy(uint8_t to[PROCESS_COMM], const void *from)
{
	size_t n = strnlen(from, PROCESS_COMM);

	memcpy(to, from, n);
	memset(to + n, 0, PROCESS_COMM - n);
}

size_t comm_length(const uint8_t comm[PROCESS_COMM])
{
	return strnlen((const char *)comm, PROCESS_COMM);
}

void processes_init(struct processes *ps, bool history)
{
	*ps = (struct processes){.history = history};
}

/* ------------------------------------------------------------ threads */

static void thread_free(struct processes *ps, struct thread *t)
{
	struct process *p = t->process;

	if (t->prev)
		t->prev->next = t->next;
	else
		p->threads = t->next;
	if (t->next)
		t->next->prev = t->prev;
	if (table_get(&ps->by_tid, t->tid) == (uintptr_t)t)
		table_remove(&ps->by_tid, t->tid);
	free(t);
}

static void thread_link(struct thread *t, struct process *p)
{
	t->process = p;
	t->prev = NULL;
	t->next = p->threads;
	if (t->next)
		t->next->prev = t;
	p->threads = t;
	p->live++;
}

struct thread *process_thread(struct processes *ps, struct process *p, uint32_t tid)
{
	struct thread *t = (struct thread *)(uintptr_t)table_get(&ps->by_tid, tid);

	if (t && t->process == p)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t || table_put(&ps->by_tid, tid, (uintptr_t)t)) {
		free(t);
		return NULL;
	}
	t->tid = tid;
	memcpy(t->comm, p->comm, sizeof(t->comm));
	thread_link(t, p);
	return t;
}

struct thread *process_clone(struct processes *ps, struct process *p, uint32_t tid, uint32_t ptid)
{
	struct thread *parent = (struct thread *)(uintptr_t)table_get(&ps->by_tid, ptid);
	struct thread *t = process_thread(ps, p, tid);

	if (!t)
		return NULL;
	if (t->exited) {
		t->exited = 0;
		p->live++;
	}
	p->end = 0;
	if (parent && parent->process == p && parent != t)
		thread_comm(t, parent->comm);
	return t;
}

void thread_comm(struct thread *t, const void *comm)
{
	uint8_t name[PROCESS_COMM];

	comm_copy(name, comm);
	if (t->tid == t->process->pid)
		memcpy(t->process->comm, name, sizeof(name));
	if (memcmp(t->comm, name, sizeof(name)) != 0) {
		memcpy(t->comm, name, sizeof(name));
		t->id = 0;
	}
}

/* ------------------------------------------------------------ processes */

struct process *process_find(const struct processes *ps, uint32_t pid)
{
	return (struct process *)(uintptr_t)table_get(&ps->by_pid, pid);
}

struct process *process_at(const struct processes *ps, uint32_t pid, uint64_t time)
{
	struct process *p = process_find(ps, pid);

	while (p && p->since > time && p->older)
		p = p->older;
	return p;
}

struct process *process_serial(const struct processes *ps, uint32_t pid, uint64_t serial)
{
	struct process *p = process_find(ps, pid);

	while (p && p->serial != serial)
		p = p->older;
	return p;
}

struct mapset *process_maps_at(const struct process *p, uint64_t time)
{
	for (size_t i = 0; i < p->npast; i++) {
		if (time < p->past[i].until)
			return p->past[i].set;
	}
	return p->maps;
}

static int queue_add(struct process_queue *q, uint64_t time, uint32_t id, uint64_t serial)
{
	struct process_gone *v;

	if (q->head && q->head == q->n)
		q->head = q->n = 0;
	v = array_grow(q->v, &q->room, q->n + 1, sizeof(*v));
	if (!v)
		return -1;
	q->v = v;
	q->v[q->n++] = (struct process_gone){.time = time, .serial = serial, .id = id};
	return 0;
}

static int process_end(struct processes *ps, struct process *p, uint64_t time)
{
	if (p->end)
		return 0;
	p->end = time ? time : 1;
	return queue_add(&ps->ended, p->end, p->pid, p->serial);
}

/* A process under `pid` with these mappings (taken over), above what was there. */
static struct process *process_new(struct processes *ps, uint32_t pid, uint64_t since, struct mapset *maps)
{
	struct process *old = process_find(ps, pid), *p = calloc(1, sizeof(*p));

	if (!p || !maps || table_put(&ps->by_pid, pid, (uintptr_t)p)) {
		mapset_unref(maps);
		free(p);
		return NULL;
	}
	p->pid = pid;
	p->serial = ++ps->serials;
	p->since = p->checked = since;
	p->start = (int64_t)since;
	p->maps = maps;
	p->exe = PROCESS_NO_EXE;
	p->older = old;
	ps->count++;
	return old && process_end(ps, old, since) ? NULL : p;
}

struct process *process_add(struct processes *ps, uint32_t pid, uint64_t since)
{
	struct process *p = process_new(ps, pid, since, mapset_new(&ps->versions));

	if (p)
		p->unknown = true;
	return p;
}

struct process *process_fork(struct processes *ps, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t ptid)
{
	struct process *parent = process_find(ps, ppid), *p;
	struct thread *pt = (struct thread *)(uintptr_t)table_get(&ps->by_tid, ptid);

	if (!parent) {
		p = process_add(ps, pid, time);
		if (p)
			p->ppid = ppid;
		return p;
	}
	p = process_new(ps, pid, time, mapset_ref(parent->maps));
	if (!p)
		return NULL;
	p->ppid = ppid;
	p->parent_serial = parent->serial;
	p->exe = parent->exe;
	p->unknown = parent->unknown;
	memcpy(p->comm, pt && pt->process == parent ? pt->comm : parent->comm, sizeof(p->comm));
	return p;
}

struct process *process_exec(struct processes *ps, uint64_t time, uint32_t pid)
{
	struct process *old = process_find(ps, pid);
	struct process *p = process_new(ps, pid, time, mapset_new(&ps->versions));

	if (p && old) {
		p->ppid = old->ppid;
		p->parent_serial = old->parent_serial;
	}
	return p;
}

int process_exit(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct process *p = process_find(ps, pid);
	struct thread *t = (struct thread *)(uintptr_t)table_get(&ps->by_tid, tid);

	if (!p)
		return 0;
	if (t && t->process == p && !t->exited) {
		t->exited = time ? time : 1;
		p->live--;
		if (queue_add(&ps->exited, t->exited, tid, 0))
			return -1;
	}
	/* A process of which only the leader was ever seen has no other thread. */
	return p->live ? 0 : process_end(ps, p, time);
}

int process_map(struct processes *ps, struct process *p, const struct mapping *m)
{
	struct mapset *before = p->maps;
	int err;

	if (!ps->history || !before->n)
		return mapset_insert(&p->maps, m, &ps->versions);
	before = mapset_ref(before);
	err = mapset_insert(&p->maps, m, &ps->versions);
	if (!err) {
		struct mapset_past *v = array_grow(p->past, &p->past_room, p->npast + 1, sizeof(*v));

		if (v) {
			p->past = v;
			p->past[p->npast++] = (struct mapset_past){.until = m->time, .set = mapset_ref(before)};
		} else {
			err = -1;
		}
	}
	mapset_unref(before);
	return err;
}

/* ------------------------------------------------------------ forgetting */

static void process_forget_past(struct process *p, uint64_t time)
{
	size_t n = 0;

	while (n < p->npast && p->past[n].until < time)
		mapset_unref(p->past[n++].set);
	p->npast -= n;
	if (n)
		memmove(p->past, p->past + n, p->npast * sizeof(*p->past));
}

static void process_free(struct processes *ps, struct process *p)
{
	while (p->threads)
		thread_free(ps, p->threads);
	process_forget_past(p, UINT64_MAX);
	mapset_unref(p->maps);
	mapset_unref(p->written);
	free(p->past);
	free(p);
	ps->count--;
}

static void process_unlink(struct processes *ps, struct process *p)
{
	struct process *newest = process_find(ps, p->pid);

	if (newest != p) {
		while (newest->older != p)
			newest = newest->older;
		newest->older = p->older;
	} else if (p->older) {
		table_put(&ps->by_pid, p->pid, (uintptr_t)p->older);
	} else {
		table_remove(&ps->by_pid, p->pid);
	}
}

static bool queue_next(struct process_queue *q, uint64_t before, struct process_gone *out)
{
	if (q->head == q->n || q->v[q->head].time >= before)
		return false;
	*out = q->v[q->head++];
	return true;
}

static void queue_pack(struct process_queue *q)
{
	q->n -= q->head;
	if (q->head)
		memmove(q->v, q->v + q->head, q->n * sizeof(*q->v));
	q->head = 0;
}

void processes_trim(struct processes *ps, uint64_t time)
{
	struct process_gone gone;

	while (queue_next(&ps->exited, time, &gone)) {
		struct thread *t = (struct thread *)(uintptr_t)table_get(&ps->by_tid, gone.id);

		if (t && t->exited == gone.time)
			thread_free(ps, t);
	}
	while (queue_next(&ps->ended, time, &gone)) {
		struct process *p = process_serial(ps, gone.id, gone.serial);

		if (p && p->end == gone.time) {
			process_unlink(ps, p);
			process_free(ps, p);
		}
	}
	queue_pack(&ps->exited);
	queue_pack(&ps->ended);
	if (!ps->history)
		return;
	for (size_t i = 0; i < ps->by_pid.room; i++) {
		struct process *p = (struct process *)(uintptr_t)ps->by_pid.slots[i].value;

		for (; p; p = p->older)
			process_forget_past(p, time);
	}
}

void processes_release(struct processes *ps)
{
	for (size_t i = 0; i < ps->by_pid.room; i++) {
		struct process *p = (struct process *)(uintptr_t)ps->by_pid.slots[i].value, *older;

		for (; p; p = older) {
			older = p->older;
			process_free(ps, p);
		}
	}
	table_release(&ps->by_pid);
	table_release(&ps->by_tid);
	free(ps->ended.v);
	free(ps->exited.v);
	*ps = (struct processes){0};
}
