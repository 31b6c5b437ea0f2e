/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions of a batch, from ids of the file to ids of the target. */
#include "source.h"

#include <string.h>

#include "../model/array.h"

static int add_strings(struct source *s, const struct fold_strings *strings)
{
	uint32_t id;

	for (size_t i = 0; i < strings->n; i++)
		if (intern_add(&s->text, strings->v[i].at, strings->v[i].size, &id) || idmap_add(&s->strings, strings->first_id + i, id))
			return -1;
	return 0;
}

/* ---- modules */

/*
 * Can another recording's module be the same?  Only if an id of the content says
 * so; generated code has none, and offsets from a hidden anchor mean nothing elsewhere.
 */
static bool shareable(const struct source *s, const struct fold_module *m)
{
	bool proven = m->nids && m->ids[0].kind != FOLD_ID_OTHER && m->ids[0].kind != FOLD_ID_NONE;

	switch (m->kind) {
	case FOLD_MODULE_KERNEL:
		return proven && !(s->flags & FOLD_FLAG_KERNEL_ANCHORED);
	case FOLD_MODULE_KO:
	case FOLD_MODULE_ELF:
	case FOLD_MODULE_VDSO:
		return proven;
	default:
		return false;
	}
}

/* Its build-id tells the kernel's release. */
static bool is_kernels(uint64_t kind)
{
	return kind == FOLD_MODULE_KERNEL || kind == FOLD_MODULE_KO || kind == FOLD_MODULE_VDSO;
}

static int add_module(struct source *s, const struct fold_module *from, struct source_module *known)
{
	struct fold_bytes name = source_text(s, from->name);
	struct fold_module to = *from;
	char hidden[VEIL_TEXT];
	uint32_t id;

	if (veil_path(s->veil, from->kind, &name, hidden, &known->own) || target_string(s->t, name, &id))
		return -1;
	to.name = id;
	if (known->own && veil_hides(s->veil, VEIL_IDS))
		to.nids = to.nsegments = 0;
	if (is_kernels(from->kind) && from->nids && veil_hides(s->veil, VEIL_KERNEL))
		to.nids = 0;
	return target_module(s->t, &to, s->merged && shareable(s, from), &known->id);
}

static int add_modules(struct source *s, const struct fold_modules *modules)
{
	uint64_t base = modules->first_base;

	for (size_t i = 0; i < modules->n; i++) {
		const struct fold_module *m = &modules->v[i];
		struct source_module known = {0};

		if (add_module(s, m, &known) || array_room(s->known, s->known_room, s->nknown + 1) ||
		    idmap_add(&s->modules, modules->first_id + i, (uint32_t)s->nknown) ||
		    space_add(&s->space, &base, m->span, (uint32_t)s->nknown))
			return -1;
		s->known[s->nknown++] = known;
	}
	return 0;
}

/* The target's id + 1 of module `id`; 0 when it is lost. */
static uint64_t module_plus(const struct source *s, uint64_t id)
{
	uint32_t at = idmap_get(&s->modules, id);

	return at == IDMAP_LOST ? 0 : (uint64_t)s->known[at].id + 1;
}

/* ---- processes, threads, mappings */

static int comm_of(struct source *s, uint64_t string, uint64_t *out)
{
	struct fold_bytes comm = source_text(s, string);
	char hidden[VEIL_TEXT];
	uint32_t id;

	if (veil_comm(s->veil, &comm, hidden) || target_string(s->t, comm, &id))
		return -1;
	*out = id;
	return 0;
}

/*
 * 0 is "not known": a start at that instant is moved by a tick.  How long before the
 * recording something started tells when that was since boot: for init, nearly exactly.
 */
static int64_t start_of(const struct source *s, int64_t ticks)
{
	bool hide = ticks < 0 && s->veil && s->veil->parts & VEIL_TIMES;
	int64_t start = ticks && !hide ? source_time(s, ticks) : 0;

	return ticks && !hide && !start ? 1 : start;
}

static int add_procs(struct source *s, const struct fold_procs *procs)
{
	for (size_t i = 0; i < procs->n; i++) {
		const struct fold_proc *from = &procs->v[i];
		uint32_t parent = from->parent ? idmap_get(&s->procs, from->parent - 1) : IDMAP_LOST, id;
		struct fold_proc to = {
			.pid = from->pid, .start = start_of(s, from->start),
			.exe = from->exe ? module_plus(s, from->exe - 1) : 0, .parent = parent == IDMAP_LOST ? 0 : (uint64_t)parent + 1,
		};

		if (veil_pid(s->veil, &to.pid) || comm_of(s, from->comm, &to.comm) || target_proc(s->t, &to, &id) ||
		    idmap_add(&s->procs, procs->first_id + i, id))
			return -1;
	}
	return 0;
}

static int lost_proc(struct source *s, uint32_t *id)
{
	struct fold_proc lost = {0};

	if (s->lost_proc == IDMAP_LOST &&
	    (comm_of(s, UINT64_MAX, &lost.comm) || target_proc(s->t, &lost, &s->lost_proc)))
		return -1;
	*id = s->lost_proc;
	return 0;
}

static int add_mmaps(struct source *s, const struct fold_mmaps *mmaps)
{
	bool raw = s->flags & FOLD_FLAG_RAW_ADDRESSES && !(s->veil && s->veil->parts & VEIL_ADDRESSES);

	for (size_t i = 0; i < mmaps->n; i++) {
		const struct fold_mmap *from = &mmaps->v[i];
		uint32_t proc = idmap_get(&s->procs, from->proc);
		uint64_t module = module_plus(s, from->module);
		struct fold_mmap to = {.proc = proc, .module = module - 1, .offset = from->offset, .length = from->length, .start = raw ? from->start : 0};

		if (proc != IDMAP_LOST && module && target_mmap(s->t, &to))
			return -1;
	}
	return 0;
}

static int add_threads(struct source *s, const struct fold_threads *threads)
{
	for (size_t i = 0; i < threads->n; i++) {
		const struct fold_thread *from = &threads->v[i];
		uint32_t proc = idmap_get(&s->procs, from->proc), id;
		struct fold_thread to = {.tid = from->tid};

		if (proc == IDMAP_LOST && lost_proc(s, &proc))
			return -1;
		to.proc = proc;
		if (veil_pid(s->veil, &to.tid) || comm_of(s, from->comm, &to.comm) || target_thread(s->t, &to, &id) ||
		    idmap_add(&s->threads, threads->first_id + i, id))
			return -1;
	}
	return 0;
}

int source_thread(struct source *s, uint64_t thread, uint32_t *id)
{
	struct fold_thread lost = {0};
	uint32_t proc;

	*id = idmap_get(&s->threads, thread);
	if (*id != IDMAP_LOST)
		return 0;
	if (s->lost_thread == IDMAP_LOST) {
		if (lost_proc(s, &proc))
			return -1;
		lost.proc = proc;
		if (comm_of(s, UINT64_MAX, &lost.comm) || target_thread(s->t, &lost, &s->lost_thread))
			return -1;
	}
	*id = s->lost_thread;
	return 0;
}

/* ---- stacks */

/* What was lost cannot be told from what is not known: the marker OTHER. */
static fold_frame frame_of(const struct source *s, fold_frame frame)
{
	const struct space_place *place;

	if (frame_is_marker(frame))
		return frame;
	place = space_find(&s->space, frame);
	return place ? s->t->modules[s->known[place->module].id].base + (frame - place->base) : frame_marker(FOLD_MARK_OTHER);
}

static int add_nodes(struct source *s, enum target_side side, const struct fold_stacks *stacks)
{
	const fold_frame exact = frame_marker(FOLD_MARK_EXACT);

	if (array_room(s->nodes, s->nodes_room, stacks->nnodes))
		return -1;
	for (size_t i = 0; i < stacks->nnodes; i++) {
		fold_frame frame = frame_of(s, stacks->nodes[i].frame);
		uint32_t parent = stacks->nodes[i].parent;

		/* EXACT says something of code, which is lost here. */
		if (frame == frame_marker(FOLD_MARK_OTHER) && parent != FOLD_NO_NODE && stacks->nodes[parent].frame == exact)
			parent = stacks->nodes[parent].parent;
		if (stackset_node(s->t->stacks[side], parent == FOLD_NO_NODE ? FOLD_NO_NODE : s->nodes[parent], frame, &s->nodes[i]))
			return -1;
	}
	return 0;
}

static int add_stacks(struct source *s, enum target_side side, const struct fold_stacks *stacks)
{
	uint32_t handle;

	if (add_nodes(s, side, stacks))
		return -1;
	for (size_t i = 0; i < stacks->n; i++) {
		const struct fold_stack *from = &stacks->v[i];
		uint32_t leaf = from->leaf == FOLD_NO_NODE ? FOLD_NO_NODE : s->nodes[from->leaf];

		if (stackset_close(s->t->stacks[side], leaf, from->end, &handle) || idmap_add(&s->stacks[side], stacks->first_id + i, handle))
			return -1;
	}
	return 0;
}

int source_define(struct source *s, const struct fold_batch *batch)
{
	return add_strings(s, &batch->strings) || add_modules(s, &batch->modules) || add_procs(s, &batch->procs) ||
	       add_mmaps(s, &batch->mmaps) || add_threads(s, &batch->threads) ||
	       add_stacks(s, TARGET_KERNEL, &batch->kstacks) || add_stacks(s, TARGET_USER, &batch->ustacks) ||
	       source_names(s, batch) ? -1 : 0;
}
