/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The definitions of a batch, turned from the file's ids to ours, section by section
 * in file order.
 */
#include "segment.h"

#include <string.h>

#include "array.h"

static int add_strings(struct segment *s, const struct fold_strings *strings)
{
	uint32_t id;

	for (size_t i = 0; i < strings->n; i++)
		if (intern_add(&s->load->rec->strings, strings->v[i].at, strings->v[i].size, &id) ||
		    idmap_add(&s->strings, strings->first_id + i, id))
			return -1;
	return 0;
}

static int add_modules(struct segment *s, const struct fold_modules *modules)
{
	bool anchored = segment_record(s)->meta.flags & FOLD_FLAG_KERNEL_ANCHORED;
	uint64_t base = modules->first_base;
	uint32_t name, id;

	for (size_t i = 0; i < modules->n; i++) {
		const struct fold_module *m = &modules->v[i];

		if (segment_string(s, m->name, &name) ||
		    modules_add(&s->load->modules, &s->load->rec->strings, m, name, s->id,
				anchored && m->kind == FOLD_MODULE_KERNEL, &id) ||
		    idmap_add(&s->modules, modules->first_id + i, id) || space_add(&s->space, &base, m->span, id))
			return -1;
	}
	return 0;
}

static int add_procs(struct segment *s, const struct fold_procs *procs)
{
	for (size_t i = 0; i < procs->n; i++) {
		const struct fold_proc *p = &procs->v[i];
		struct rec_process new = {
			.pid = p->pid,
			.exe = p->exe ? idmap_get(&s->modules, p->exe - 1) : REC_NONE,
			.parent = p->parent ? idmap_get(&s->procs, p->parent - 1) : REC_NONE,
			.segment = s->id,
			.origin = REC_NONE,
			.start = p->start ? segment_monotonic(s, p->start) : 0,
		};
		uint32_t id;

		if (segment_string(s, p->comm, &new.comm) || segment_add_process(s, &new, &id) ||
		    idmap_add(&s->procs, procs->first_id + i, id))
			return -1;
	}
	return 0;
}

static int add_mmaps(struct segment *s, const struct fold_mmaps *mmaps)
{
	struct recording *rec = s->load->rec;

	for (size_t i = 0; i < mmaps->n; i++) {
		const struct fold_mmap *m = &mmaps->v[i];
		struct rec_mmap new = {
			.process = idmap_get(&s->procs, m->proc),
			.module = idmap_get(&s->modules, m->module),
			.offset = m->offset,
			.length = m->length,
			.start = m->start,
		};

		if (new.process == REC_NONE || new.module == REC_NONE)
			continue; /* of a lost process or module: says nothing about the others */
		if (array_room(rec->mmaps, s->load->mmaps_room, rec->nmmaps + 1))
			return -1;
		rec->mmaps[rec->nmmaps++] = new;
	}
	return 0;
}

/* The name of `string` for fnmatch(3), cut at its first NUL. */
static const char *name_text(const struct recording *rec, uint32_t string, char *buf, size_t size)
{
	struct fold_bytes bytes = recording_string(rec, string);
	size_t n = bytes.size < size - 1 ? bytes.size : size - 1;

	memcpy(buf, bytes.at, n);
	buf[n] = '\0';
	return buf;
}

static bool thread_wanted(const struct load *load, const struct rec_thread *thread)
{
	const struct rec_process *process = &load->rec->processes[thread->process];
	char process_comm[256], thread_comm[256];

	return select_pid(load->select, process->pid) && select_tid(load->select, thread->tid) &&
	       select_comm(load->select, name_text(load->rec, process->comm, process_comm, sizeof(process_comm)),
			   name_text(load->rec, thread->comm, thread_comm, sizeof(thread_comm)));
}

static int mark_wanted(struct segment *s, uint64_t id)
{
	size_t word = id / 64, before = s->wanted_words;

	if (word >= before) {
		if (array_room(s->wanted_threads, s->wanted_words, word + 1))
			return -1;
		memset(s->wanted_threads + before, 0, (s->wanted_words - before) * sizeof(*s->wanted_threads));
	}
	s->wanted_threads[word] |= UINT64_C(1) << id % 64;
	return 0;
}

static int add_threads(struct segment *s, const struct fold_threads *threads)
{
	for (size_t i = 0; i < threads->n; i++) {
		const struct fold_thread *t = &threads->v[i];
		struct rec_thread new = {.process = idmap_get(&s->procs, t->proc), .tid = t->tid};
		uint64_t file_id = threads->first_id + i;
		uint32_t id;

		if (new.process == REC_NONE && segment_lost_process(s, &new.process))
			return -1;
		if (segment_string(s, t->comm, &new.comm) || segment_add_thread(s, &new, &id) ||
		    idmap_add(&s->threads, file_id, id))
			return -1;
		if (s->by_thread && thread_wanted(s->load, &new) && mark_wanted(s, file_id))
			return -1;
	}
	return 0;
}

/* ---------------------------------------------------------------- stacks */

static void node_frame(const struct segment *s, fold_frame frame, struct rec_node *node)
{
	const struct space_place *place;

	if (frame_is_marker(frame)) {
		node->kind = REC_FRAME_MARKER;
		node->module = (uint32_t)(frame & ~FOLD_MARKER);
		return;
	}
	place = space_find(&s->space, frame);
	if (!place) {
		node->kind = REC_FRAME_LOST;
		return;
	}
	node->kind = REC_FRAME_CODE;
	node->module = place->module;
	node->offset = frame - place->base;
}

/* The new nodes of a section.  EXACT is no node of its own: it says something about the next. */
static int add_nodes(struct segment *s, const struct fold_stacks *stacks)
{
	const fold_frame exact = frame_marker(FOLD_MARK_EXACT);

	if (array_room(s->nodes, s->nodes_room, stacks->nnodes))
		return -1;
	for (size_t i = 0; i < stacks->nnodes; i++) {
		const struct fold_node *from = &stacks->nodes[i];
		bool root = from->parent == FOLD_NO_NODE;
		struct rec_node node = {.parent = root ? REC_NONE : s->nodes[from->parent]};

		if (from->frame == exact) {
			s->nodes[i] = node.parent;
			continue;
		}
		node_frame(s, from->frame, &node);
		node.exact = !root && stacks->nodes[from->parent].frame == exact;
		if (trie_add(&s->load->trie, &node, &s->nodes[i]))
			return -1;
	}
	return 0;
}

static int add_stacks(struct segment *s, enum side side, const struct fold_stacks *stacks)
{
	if (add_nodes(s, stacks))
		return -1;
	for (size_t i = 0; i < stacks->n; i++) {
		const struct fold_stack *from = &stacks->v[i];
		uint32_t leaf = from->leaf == FOLD_NO_NODE ? REC_NONE : s->nodes[from->leaf], id;

		if (stacks_add(&s->load->stacks, leaf, from->end, &id) ||
		    idmap_add(&s->stacks[side], stacks->first_id + i, id))
			return -1;
	}
	return 0;
}

int segment_define(struct segment *s, const struct fold_batch *batch)
{
	return add_strings(s, &batch->strings) || add_modules(s, &batch->modules) || add_procs(s, &batch->procs) ||
	       add_mmaps(s, &batch->mmaps) || add_threads(s, &batch->threads) ||
	       add_stacks(s, SIDE_KERNEL, &batch->kstacks) || add_stacks(s, SIDE_USER, &batch->ustacks) ? -1 : 0;
}
