/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What samples refer to, defined in the file when it is first needed: processes
 * with their mappings, threads.
 */
#include "session_state.h"
#include "array.h"

#include <string.h>

#define PARENTS_MAX 16 /* generations defined for the sake of a child */

static int define_comm(struct session *s, const uint8_t comm[PROCESS_COMM], uint64_t *id)
{
	return batch_string(&s->batch, comm, comm_length(comm), id);
}

/* ------------------------------------------------------------ processes */

static struct process *parent_of(const struct session *s, const struct process *p)
{
	struct process *parent;

	if (p->parent_serial)
		return process_serial(&s->processes, p->ppid, p->parent_serial);
	/* Found by census, in any order: whoever has that pid and is older. */
	parent = p->ppid ? process_find(&s->processes, p->ppid) : NULL;
	return parent && parent != p && parent->start <= p->start ? parent : NULL;
}

/* The module of the main program: module id + 1, 0 unknown. */
static int define_exe(struct session *s, struct process *p, uint64_t *exe)
{
	*exe = 0;
	for (size_t i = 0; p->exe != PROCESS_NO_EXE && i < p->maps->n; i++) {
		struct mapping *m = &p->maps->v[i];

		if (m->mapped != p->exe)
			continue;
		if (m->module == MAPPING_NO_MODULE && module_resolve(&s->modules, p->pid, p->maps, m))
			return -1;
		*exe = (uint64_t)m->module + 1;
		break;
	}
	return 0;
}

static int define_one(struct session *s, struct process *p)
{
	const struct process *parent = parent_of(s, p);
	struct fold_proc def = {.pid = p->pid, .parent = parent ? parent->id : 0};
	uint32_t id;

	if (p->start) {
		def.start = session_ticks(s, p->start);
		def.start += !def.start; /* 0 means unknown */
	}
	if (define_comm(s, p->comm, &def.comm) || define_exe(s, p, &def.exe) || batch_proc(&s->batch, &def, &id))
		return -1;
	p->id = id + 1;
	return 0;
}

/* Parents first: a process can only name an earlier one. */
static int define_lineage(struct session *s, struct process *p)
{
	struct process *line[PARENTS_MAX];
	size_t n = 0;

	for (; p && !p->id && n < PARENTS_MAX; p = parent_of(s, p))
		line[n++] = p;
	while (n-- > 0) {
		if (define_one(s, line[n]))
			return -1;
	}
	return 0;
}

/* ------------------------------------------------------------ mappings */

static bool mapping_written(const struct process *p, const struct mapping *m)
{
	const struct mapping *old = p->written ? mapset_at(p->written, m->start) : NULL;

	return old && old->end == m->end && old->module == m->module && old->bias == m->bias;
}

static int define_mappings(struct session *s, struct process *p)
{
	struct mapset *set = p->maps;

	if (p->written && p->written->version == set->version)
		return 0;
	for (size_t i = 0; i < set->n; i++) {
		struct mapping *m = &set->v[i];
		struct fold_mmap def = {.proc = p->id - 1, .length = m->end - m->start};

		if (m->module == MAPPING_NO_MODULE && module_resolve(&s->modules, p->pid, set, m))
			return -1;
		if (mapping_written(p, m))
			continue;
		def.module = m->module;
		def.offset = m->start + m->bias;
		def.start = s->options.raw_addresses ? m->start : 0;
		if (batch_mmap(&s->batch, &def))
			return -1;
	}
	mapset_unref(p->written);
	p->written = mapset_ref(set);
	return 0;
}

int define_late(struct session *s, struct process *p)
{
	struct fold_proc *def = batch_pending_proc(&s->batch, p->id - 1);

	/* Sampled between exec and its first mapping. */
	if (def && !def->exe && define_exe(s, p, &def->exe))
		return -1;
	return define_mappings(s, p);
}

int define_process(struct session *s, struct process *p)
{
	struct process **v;

	if (p->touched)
		return 0;
	v = array_grow(s->touched, &s->touched_room, s->ntouched + 1, sizeof(*v));
	if (!v)
		return -1;
	s->touched = v;
	v[s->ntouched++] = p;
	p->touched = true;
	if (define_lineage(s, p))
		return -1;
	return define_mappings(s, p);
}

/* ------------------------------------------------------------ threads */

int define_thread(struct session *s, const struct process *p, uint32_t tid, const uint8_t comm[PROCESS_COMM], uint32_t *id)
{
	struct { uint64_t process; uint32_t tid, none; uint8_t comm[PROCESS_COMM]; } key = {
		.process = p->serial, .tid = tid,
	};
	struct fold_thread def = {.proc = p->id - 1, .tid = tid};
	uint32_t known = s->thread_keys.n, at, *ids;

	memcpy(key.comm, comm, PROCESS_COMM);
	if (intern_add(&s->thread_keys, &key, sizeof(key), &at))
		return -1;
	if (at < known) {
		*id = s->thread_ids[at];
		return 0;
	}
	ids = array_grow(s->thread_ids, &s->thread_ids_room, at + 1, sizeof(*ids));
	if (!ids)
		return -1;
	s->thread_ids = ids;
	if (define_comm(s, comm, &def.comm) || batch_thread(&s->batch, &def, id))
		return -1;
	ids[at] = *id;
	return 0;
}
