/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The definitions of a recording, turned from its ids to ours, section by
 * section in file order.  What refers to a lost definition becomes "[lost]",
 * never something else.
 */
#include "segment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../log.h"
#include "array.h"

/* Each costs an account of every cause. */
#define EVENTS_MAX 1024
_Static_assert(EVENTS_MAX <= TALLY_EVENTS, "events fit into a key");

static const char lost_name[] = "[lost]";

struct rec_segment *segment_record(const struct segment *s)
{
	return &s->load->rec->segments[s->id];
}

int segment_begin(struct segment *s, struct load *load, const char *file)
{
	struct recording *rec = load->rec;

	*s = (struct segment){.load = load, .lost_process = REC_NONE, .lost_thread = REC_NONE};
	if (array_room(rec->segments, load->segments_room, rec->nsegments + 1) || tally_init(&s->tally))
		return -1;
	s->id = (uint32_t)rec->nsegments;
	s->first_kept = load->nsamples;
	rec->segments[rec->nsegments++] = (struct rec_segment){.file = file};
	return 0;
}

void segment_release(struct segment *s)
{
	idmap_release(&s->strings);
	idmap_release(&s->modules);
	idmap_release(&s->procs);
	idmap_release(&s->threads);
	for (int side = 0; side < SIDES; side++)
		idmap_release(&s->stacks[side]);
	space_release(&s->space);
	free(s->nodes);
	free(s->wanted_threads);
	tally_release(&s->tally);
	*s = (struct segment){0};
}

/* ------------------------------------------------------------------ META */

static int keep_bytes(struct load *load, struct fold_bytes from, struct fold_bytes *to, uint32_t *id)
{
	if (intern_add(&load->rec->strings, from.size ? from.at : (const uint8_t *)"", from.size, id))
		return -1;
	*to = intern_get(&load->rec->strings, *id);
	return 0;
}

static uint32_t event_find(const struct recording *rec, const struct rec_event *event)
{
	for (size_t i = 0; i < rec->nevents; i++) {
		const struct rec_event *e = &rec->events[i];

		if (e->kind == event->kind && e->name == event->name && e->period_unit == event->period_unit &&
		    e->period == event->period && e->sample_ns == event->sample_ns &&
		    e->weight_name == event->weight_name && e->weight_unit == event->weight_unit)
			return (uint32_t)i;
	}
	return REC_NONE;
}

/* --event NAME, or NAME@PERIOD where recordings of different rates stand together. */
static bool event_wanted(const struct select *select, const struct fold_event *event)
{
	char period[24];
	size_t n = event->name.size;

	if (!select->event)
		return true;
	if (strlen(select->event) < n || memcmp(select->event, event->name.at, n))
		return false;
	snprintf(period, sizeof(period), "@%" PRIu64, event->period);
	return !select->event[n] || !strcmp(select->event + n, period);
}

static int define_event(struct segment *s, uint32_t i, const struct fold_event *event)
{
	struct load *load = s->load;
	struct recording *rec = load->rec;
	struct fold_bytes kept;
	struct rec_event new = {
		.kind = event->kind,
		.period_unit = event->period_unit,
		.period = event->period,
		.sample_ns = event->sample_ns,
	};

	if (keep_bytes(load, event->name, &kept, &new.name))
		return -1;
	if (event->nweights) {
		if (keep_bytes(load, event->weights[0].name, &kept, &new.weight_name))
			return -1;
		new.weight_unit = event->weights[0].unit;
		load->weighted = true;
	}
	if (event_wanted(load->select, event))
		s->wanted_events |= UINT64_C(1) << i;
	s->events[i] = event_find(rec, &new);
	if (s->events[i] != REC_NONE)
		return 0;
	if (rec->nevents >= EVENTS_MAX) {
		log_error("%s: more than %d different events in all", segment_record(s)->file, EVENTS_MAX);
		return -1;
	}
	if (array_room(rec->events, load->events_room, rec->nevents + 1))
		return -1;
	s->events[i] = (uint32_t)rec->nevents;
	rec->events[rec->nevents++] = new;
	return 0;
}

static int keep_labels(struct load *load, const struct fold_meta *from, struct rec_meta *to)
{
	uint32_t id;

	for (; to->nlabels < from->nlabels; to->nlabels++) {
		const struct fold_label *label = &from->labels[to->nlabels];

		if (keep_bytes(load, label->key, &to->labels[to->nlabels].key, &id) ||
		    keep_bytes(load, label->value, &to->labels[to->nlabels].value, &id))
			return -1;
	}
	return 0;
}

int segment_meta(struct segment *s, const struct fold_meta *meta)
{
	const struct select *select = s->load->select;
	struct rec_meta *kept = &segment_record(s)->meta;
	uint32_t id;

	*kept = (struct rec_meta){
		.start = meta->start,
		.tick_ns = meta->tick_ns,
		.machine = meta->machine,
		.word_bytes = meta->word_bytes,
		.page_size = meta->page_size,
		.cpus_online = meta->cpus_online,
		.cpus_possible = meta->cpus_possible,
		.big_endian = meta->big_endian,
		.mode = meta->mode,
		.sides = meta->sides,
		.max_depth = meta->max_depth,
		.unwinder = meta->unwinder,
		.flags = meta->flags,
		.interval_ns = meta->interval_ns,
		.nevents = (uint32_t)meta->nevents,
		.scope = meta->scope,
		.scope_count = meta->scope_count,
	};
	memcpy(kept->id, meta->id, sizeof(kept->id));
	if (keep_bytes(s->load, meta->recorder, &kept->recorder, &id) ||
	    keep_bytes(s->load, meta->version, &kept->version, &id) ||
	    keep_bytes(s->load, meta->kernel_release, &kept->kernel_release, &id))
		return -1;
	for (uint32_t i = 0; i < meta->nevents; i++)
		if (define_event(s, i, &meta->events[i]))
			return -1;
	if (keep_labels(s->load, meta, kept))
		return -1;
	s->by_thread = select->npids || select->ntids || select->ncomms;
	s->begun = true;
	return 0;
}

void segment_end(struct segment *s, const struct fold_end *end)
{
	struct rec_segment *record = segment_record(s);

	record->ended = true;
	record->end = (struct rec_end){end->reason, end->stop, end->self_cpu_ns, end->self_peak_bytes, end->bpf_ns};
	memcpy(s->ends, end->totals, sizeof(s->ends));
}

/* ----------------------------------------------------------- definitions */

int segment_string(struct segment *s, uint64_t id, uint32_t *out)
{
	*out = id ? idmap_get(&s->strings, id) : 0;
	if (*out != IDMAP_LOST)
		return 0;
	return intern_add(&s->load->rec->strings, lost_name, sizeof(lost_name) - 1, out);
}

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

int64_t segment_monotonic(const struct segment *s, int64_t ticks)
{
	const struct rec_meta *meta = &segment_record(s)->meta;
	int64_t ns;

	if (__builtin_mul_overflow(ticks, (int64_t)meta->tick_ns, &ns) ||
	    __builtin_add_overflow(ns, (int64_t)meta->start.monotonic, &ns))
		return ticks < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

static int append_process(struct load *load, const struct rec_process *process, uint32_t *id)
{
	struct recording *rec = load->rec;

	if (rec->nprocesses >= REC_NONE - 1 || array_room(rec->processes, load->processes_room, rec->nprocesses + 1))
		return -1;
	*id = (uint32_t)rec->nprocesses;
	rec->processes[rec->nprocesses++] = *process;
	return 0;
}

static int append_thread(struct load *load, const struct rec_thread *thread, uint32_t *id)
{
	struct recording *rec = load->rec;

	if (rec->nthreads >= REC_NONE - 1 || array_room(rec->threads, load->threads_room, rec->nthreads + 1))
		return -1;
	*id = (uint32_t)rec->nthreads;
	rec->threads[rec->nthreads++] = *thread;
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

		if (segment_string(s, p->comm, &new.comm) || append_process(s->load, &new, &id) ||
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
		if (segment_string(s, t->comm, &new.comm) || append_thread(s->load, &new, &id) ||
		    idmap_add(&s->threads, file_id, id))
			return -1;
		if (s->by_thread && thread_wanted(s->load, &new) && mark_wanted(s, file_id))
			return -1;
	}
	return 0;
}

int segment_lost_process(struct segment *s, uint32_t *process)
{
	struct rec_process lost = {.exe = REC_NONE, .parent = REC_NONE, .segment = s->id, .origin = REC_NONE};

	if (s->lost_process == REC_NONE &&
	    (segment_string(s, UINT64_MAX, &lost.comm) || append_process(s->load, &lost, &s->lost_process)))
		return -1;
	*process = s->lost_process;
	return 0;
}

int segment_lost_thread(struct segment *s, uint32_t *thread)
{
	struct rec_thread lost = {0};

	if (s->lost_thread == REC_NONE &&
	    (segment_lost_process(s, &lost.process) || segment_string(s, UINT64_MAX, &lost.comm) ||
	     append_thread(s->load, &lost, &s->lost_thread)))
		return -1;
	*thread = s->lost_thread;
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

/* --------------------------------------------------- accounts, names, notes */

static void add_account(struct segment *s, const struct fold_account *account)
{
	for (size_t i = 0; i < account->n; i++) {
		const struct fold_account_row *row = &account->v[i];
		struct rec_event *event = &s->load->rec->events[s->events[row->event]];
		uint32_t cause = row->cause < FOLD_NOTE_OTHER ? row->cause : FOLD_NOTE_OTHER;

		event->causes[cause] += row->count;
		if (cause == FOLD_TAKEN)
			s->totals[row->event].taken += row->count;
		else if (cause < FOLD_CAUSE_NOTE)
			s->totals[row->event].lost += row->count;
	}
}

/* `names` translates string ids of the section; NULL: the segment's. */
static int add_syms(struct segment *s, const struct fold_syms *syms, const uint32_t *names, size_t nnames)
{
	for (size_t i = 0; i < syms->n; i++) {
		const struct fold_sym *from = &syms->v[i];
		struct rec_sym sym = {.offset = from->offset, .size = from->size, .embedded = names != NULL};
		uint32_t module = idmap_get(&s->modules, from->module);

		if (names)
			sym.name = from->name && from->name <= nnames ? names[from->name - 1] : 0;
		else
			sym.name = from->name ? idmap_get(&s->strings, from->name) : 0;
		if (module == REC_NONE || sym.name == IDMAP_LOST || !sym.name)
			continue; /* a name that was lost names nothing */
		if (syms_add(&s->load->modules.syms[module], &sym))
			return -1;
	}
	return 0;
}

int segment_symbols(struct segment *s, const struct fold_symbols *symbols)
{
	const struct fold_strings *strings = &symbols->strings;
	uint32_t *names = malloc((strings->n + 1) * sizeof(*names));
	int err = names ? 0 : -1;

	for (size_t i = 0; !err && i < strings->n; i++)
		err = intern_add(&s->load->rec->strings, strings->v[i].at, strings->v[i].size, &names[i]);
	if (!err)
		err = add_syms(s, &symbols->syms, names, strings->n);
	free(names);
	return err;
}

int segment_note(struct segment *s, const struct fold_note *note)
{
	struct rec_segment *record = segment_record(s);
	struct fold_bytes text, *grown;
	uint32_t id;

	if (keep_bytes(s->load, note->text, &text, &id))
		return -1;
	grown = realloc(record->notes, (record->nnotes + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	record->notes = grown;
	record->notes[record->nnotes++] = text;
	return 0;
}

int segment_batch(struct segment *s, const struct fold_batch *batch)
{
	if (add_strings(s, &batch->strings) || add_modules(s, &batch->modules) || add_procs(s, &batch->procs) ||
	    add_mmaps(s, &batch->mmaps) || add_threads(s, &batch->threads) ||
	    add_stacks(s, SIDE_KERNEL, &batch->kstacks) || add_stacks(s, SIDE_USER, &batch->ustacks) ||
	    segment_samples(s, &batch->samples) || segment_counts(s, &batch->counts))
		return -1;
	add_account(s, &batch->account);
	if (segment_origins(s, &batch->origins))
		return -1;
	return add_syms(s, &batch->ksyms, NULL, 0) || add_syms(s, &batch->jitsyms, NULL, 0) ? -1 : 0;
}
