/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to events to a recording; see story.h.  Each byte is an event's kind: a
 * string, a module, a process, a stack, a sample, the end of a batch; the bytes
 * behind it are its numbers.  Whatever they are, every rule of SPEC.md is kept.
 */
#include "story.h"
#include "../../format/intern.h"
#include "../../format/stackset.h"
#include "../../format/writer.h"
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEFINED = 16, MAX_STACKS = 32, MAX_ROWS = 64, MAX_DEPTH = 24, NWEIGHTS = 2, NEVENTS = 2 };

/* Stacks of one side, of the batch being made: as given, and the id of each. */
struct side {
	struct stackset *set;
	size_t n;
	struct {
		fold_frame frames[MAX_DEPTH];
		size_t n;
		uint32_t end, handle;
	} v[MAX_STACKS];
};

struct row {
	int64_t time;
	uint64_t count, weight[NWEIGHTS];
	uint32_t cpu, thread, event, kstack, ustack; /* stacks: index + 1, 0 none */
};

struct story {
	const uint8_t *at, *end;
	struct writer *w;
	struct buf told;                  /* what was written, and so must be read */
	struct fold_meta meta;
	struct intern names;
	uint32_t strings;                 /* told so far */
	struct fold_module modules[MAX_DEFINED];
	uint64_t base[MAX_DEFINED];
	struct fold_segment segments[MAX_DEFINED];
	uint8_t ids[MAX_DEFINED][8];
	size_t nmodules, modules_told;
	struct fold_proc procs[MAX_DEFINED];
	size_t nprocs, procs_told;
	struct fold_thread threads[MAX_DEFINED];
	size_t nthreads, threads_told;
	struct fold_mmap mmaps[MAX_DEFINED];
	struct fold_sym syms[2][MAX_DEFINED]; /* KSYMS, JITSYMS */
	struct fold_account_row account[MAX_DEFINED];
	struct fold_origin origins[MAX_DEFINED];
	struct fold_origin_label labels[MAX_DEFINED][2];
	uint64_t origins_end;             /* processes that have one */
	size_t nmmaps, nsyms[2], naccount, norigins;
	struct side sides[2];
	struct row rows[MAX_ROWS];
	size_t nrows;
	int64_t now;
	struct fold_end summary;
};

void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "writing breaks a promise: %s\n", what);
	abort();
}

/* ---- numbers out of the bytes; zeros when they have run out */

static uint8_t byte(struct story *s)
{
	return s->at < s->end ? *s->at++ : 0;
}

static uint64_t below(struct story *s, uint64_t n)
{
	return n ? byte(s) % n : 0;
}

/* Of any magnitude: the first byte says how many follow. */
static uint64_t number(struct story *s)
{
	uint64_t v = byte(s);

	for (size_t n = v & 7; n; n--)
		v = v << 8 | byte(s);
	return v;
}

static uint64_t number_to(struct story *s, uint64_t max)
{
	uint64_t v = number(s);

	return v <= max ? v : v % (max + 1);
}

/* A new string, one byte at least; its id. */
static uint32_t name(struct story *s)
{
	size_t size = 1 + below(s, 12);
	uint32_t id;

	if (size > (size_t)(s->end - s->at))
		return 0;
	require(!intern_add(&s->names, s->at, size, &id), "a string is kept");
	s->at += size;
	return id;
}

static uint64_t a_string(struct story *s)
{
	return below(s, s->names.n + 1);
}

/* ---- definitions */

static bool is_kernel_kind(uint32_t kind)
{
	return kind == FOLD_MODULE_KERNEL || kind == FOLD_MODULE_KO || kind == FOLD_MODULE_BPF;
}

static void add_module(struct story *s)
{
	size_t i = s->nmodules;
	uint64_t end = i ? s->base[i - 1] + s->modules[i - 1].span : 0, base = (end + FOLD_MODULE_ALIGN - 1) & ~(uint64_t)(FOLD_MODULE_ALIGN - 1);
	struct fold_module *m = &s->modules[i];

	if (i == MAX_DEFINED)
		return;
	*m = (struct fold_module){.kind = (uint32_t)below(s, 9), .name = a_string(s), .flags = byte(s) & 31, .span = number_to(s, FOLD_MAX_SPACE - base)};
	if (i && m->kind == FOLD_MODULE_KERNEL)
		m->kind = FOLD_MODULE_ELF;
	m->elf_type = (uint32_t)number_to(s, UINT32_MAX);
	m->machine = byte(s);
	m->segments = &s->segments[i];
	m->nsegments = byte(s) & 1;
	if (m->nsegments)
		s->segments[i] = (struct fold_segment){number(s), number(s), number(s), number(s)};
	m->nids = byte(s) & 1;
	for (size_t k = 0; k < sizeof(s->ids[i]); k++)
		s->ids[i][k] = m->nids ? byte(s) | 1 : 0;
	m->ids[0] = (struct fold_module_id){.kind = 1 + (uint32_t)below(s, 6), .bytes = {s->ids[i], sizeof(s->ids[i])}};
	s->base[s->nmodules++] = base;
}

static void add_proc(struct story *s)
{
	if (s->nprocs == MAX_DEFINED)
		return;
	s->procs[s->nprocs] = (struct fold_proc){
		.pid = (uint32_t)number_to(s, UINT32_MAX), .start = (int64_t)number_to(s, INT32_MAX) - 1000, .comm = a_string(s),
		.exe = below(s, s->nmodules + 1), .parent = below(s, s->nprocs + 1),
	};
	s->nprocs++;
}

static void add_thread(struct story *s)
{
	if (s->nthreads == MAX_DEFINED || !s->nprocs)
		return;
	s->threads[s->nthreads++] = (struct fold_thread){
		.proc = below(s, s->nprocs), .tid = (uint32_t)number_to(s, UINT32_MAX), .comm = a_string(s),
	};
}

static void add_mmap(struct story *s)
{
	if (s->nmmaps == MAX_DEFINED || !s->nprocs || !s->nmodules)
		return;
	s->mmaps[s->nmmaps++] = (struct fold_mmap){
		.proc = below(s, s->nprocs), .module = below(s, s->nmodules), .offset = number_to(s, FOLD_MAX_SPACE),
		.length = number_to(s, FOLD_MAX_SPACE), .start = s->meta.flags & FOLD_FLAG_RAW_ADDRESSES ? number(s) : 0,
	};
}

static void add_sym(struct story *s)
{
	uint64_t module = below(s, s->nmodules);
	int jit;

	if (!s->nmodules)
		return;
	jit = !is_kernel_kind(s->modules[module].kind);
	if (s->nsyms[jit] < MAX_DEFINED)
		s->syms[jit][s->nsyms[jit]++] = (struct fold_sym){module, number_to(s, FOLD_MAX_SPACE), number_to(s, FOLD_MAX_SPACE), a_string(s)};
}

static void add_account(struct story *s)
{
	struct fold_account_row row = {(uint32_t)below(s, NEVENTS), byte(s), (uint32_t)number_to(s, FOLD_MAX_CPUS), number(s) >> 8};
	struct fold_total *total = &s->summary.totals[row.event];

	if (s->naccount == MAX_DEFINED)
		return;
	s->account[s->naccount++] = row;
	if (row.cause == FOLD_TAKEN)
		total->taken += row.count;
	else if (row.cause < FOLD_CAUSE_NOTE)
		total->lost += row.count;
}

/* Of processes that were told in an earlier batch, each of one origin. */
static void add_origin(struct story *s)
{
	struct fold_origin *o = &s->origins[s->norigins];
	uint64_t left = s->nprocs - s->origins_end;

	if (s->norigins == MAX_DEFINED || !(s->meta.flags & FOLD_FLAG_MERGED))
		return;
	*o = (struct fold_origin){
		.first = s->origins_end, .nprocs = below(s, left + 1), .id = {byte(s)}, .realtime = number(s), .duration = number(s),
		.reason = byte(s), .state = byte(s) & 1, .flags = byte(s) & 15, .cpus_online = (uint32_t)number_to(s, UINT32_MAX),
		.kernel_release = a_string(s), .recorder = a_string(s), .version = a_string(s), .nlabels = below(s, 3),
		.labels = s->labels[s->norigins],
	};
	for (size_t i = 0; i < o->nlabels; i++)
		o->labels[i] = (struct fold_origin_label){a_string(s), a_string(s)};
	s->origins_end += o->nprocs;
	s->norigins++;
}

/* ---- stacks and samples */

/* Two unmapped markers in a row are one; an exact pc needs code after it. */
static fold_frame next_frame(struct story *s, bool first, fold_frame last)
{
	uint64_t which = below(s, s->nmodules + 3);

	if (which < s->nmodules && s->modules[which].span)
		return s->base[which] + number_to(s, s->modules[which].span - 1);
	if (which & 1 || (!first && last == frame_marker(FOLD_MARK_UNMAPPED)))
		return frame_marker(FOLD_MARK_REDACTED);
	return frame_marker(FOLD_MARK_UNMAPPED);
}

static void add_stack(struct story *s, struct side *side)
{
	size_t n = below(s, MAX_DEPTH + 1), shared = side->n ? below(s, n + 1) : 0;

	if (side->n == MAX_STACKS)
		return;
	if (side->n && shared > side->v[side->n - 1].n)
		shared = side->v[side->n - 1].n;
	if (shared)
		memcpy(side->v[side->n].frames, side->v[side->n - 1].frames, shared * sizeof(fold_frame));
	for (size_t i = shared; i < n; i++)
		side->v[side->n].frames[i] = next_frame(s, !i, i ? side->v[side->n].frames[i - 1] : 0);
	side->v[side->n].n = n;
	side->v[side->n].end = (uint32_t)below(s, 12);
	require(!stackset_add(side->set, side->v[side->n].frames, n, side->v[side->n].end, &side->v[side->n].handle), "a stack is kept");
	side->n++;
}

static void add_row(struct story *s)
{
	struct row *row = &s->rows[s->nrows];

	if (s->nrows == MAX_ROWS || !s->nthreads)
		return;
	s->now += (int64_t)number_to(s, UINT32_MAX);
	*row = (struct row){
		.time = s->now, .count = 1 + (number(s) >> 16), .cpu = byte(s), .thread = (uint32_t)below(s, s->nthreads),
		.event = (uint32_t)below(s, NEVENTS), .kstack = (uint32_t)below(s, s->sides[0].n + 1), .ustack = (uint32_t)below(s, s->sides[1].n + 1),
	};
	for (size_t i = 0; i < s->meta.events[row->event].nweights; i++)
		row->weight[i] = number(s);
	s->nrows++;
}

/* ---- a batch */

static struct fold_stacks flush_side(struct side *side)
{
	fold_frame frames[FOLD_MAX_FRAMES];
	struct fold_stacks stacks;

	require(!stackset_flush(side->set, &stacks), "stacks are flushed");
	for (size_t i = 0; i < side->n; i++) {
		uint32_t id = stackset_id(side->set, side->v[i].handle);

		if (id < stacks.first_id) /* a stack that was told in an earlier batch */
			continue;
		require(id - stacks.first_id < stacks.n && stacks.v[id - stacks.first_id].end == side->v[i].end, "a stack has an id");
		require(stack_frames(&stacks, id - stacks.first_id, frames) == side->v[i].n &&
			!memcmp(frames, side->v[i].frames, side->v[i].n * sizeof(*frames)), "a stack has its frames");
	}
	return stacks;
}

static uint32_t stack_column(const struct side *side, uint32_t plus)
{
	return plus ? stackset_id(side->set, side->v[plus - 1].handle) + 1 : 0;
}

struct columns {
	int64_t time[MAX_ROWS];
	uint32_t cpu[MAX_ROWS], thread[MAX_ROWS], event[MAX_ROWS], kstack[MAX_ROWS], ustack[MAX_ROWS];
	uint64_t count[MAX_ROWS], weight[NWEIGHTS][MAX_ROWS];
};

static int compare_threads(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	return a->thread != b->thread ? (a->thread > b->thread) - (a->thread < b->thread) : (a->time > b->time) - (a->time < b->time);
}

static void fill_columns(struct story *s, struct columns *to, bool aggregated)
{
	if (aggregated)
		qsort(s->rows, s->nrows, sizeof(*s->rows), compare_threads);
	for (size_t i = 0; i < s->nrows; i++) {
		const struct row *row = &s->rows[i];

		to->time[i] = row->time;
		to->cpu[i] = row->cpu;
		to->thread[i] = row->thread;
		to->event[i] = row->event;
		to->kstack[i] = stack_column(&s->sides[0], row->kstack);
		to->ustack[i] = stack_column(&s->sides[1], row->ustack);
		to->count[i] = row->count;
		for (size_t w = 0; w < NWEIGHTS; w++)
			to->weight[w][i] = row->weight[w];
		s->summary.totals[row->event].written += aggregated ? row->count : 1;
	}
}

static void put_rows(struct story *s, struct fold_batch *batch, struct columns *columns)
{
	bool aggregated = s->meta.mode == FOLD_MODE_AGGREGATED;
	uint64_t *weight[FOLD_MAX_WEIGHTS] = {columns->weight[0], columns->weight[1]};

	fill_columns(s, columns, aggregated);
	if (!s->nrows)
		return;
	batch->have |= FOLD_HAVE(aggregated ? FOLD_COUNTS : FOLD_SAMPLES);
	if (aggregated) {
		batch->counts = (struct fold_counts){
			.from = 0, .to = s->now, .n = s->nrows, .thread = columns->thread, .event = columns->event, .kstack = columns->kstack,
			.ustack = columns->ustack, .count = columns->count, .nweights = NWEIGHTS,
		};
		memcpy(batch->counts.weight, weight, sizeof(weight));
	} else {
		batch->samples = (struct fold_samples){
			.n = s->nrows, .time = columns->time, .cpu = columns->cpu, .thread = columns->thread, .event = columns->event,
			.kstack = columns->kstack, .ustack = columns->ustack, .nweights = NWEIGHTS,
		};
		memcpy(batch->samples.weight, weight, sizeof(weight));
	}
}

static void put_definitions(struct story *s, struct fold_batch *b)
{
	b->strings = (struct fold_strings){1 + s->strings, s->names.n - s->strings, s->names.n ? s->names.v + s->strings : NULL};
	b->modules = (struct fold_modules){s->modules_told, s->base[s->modules_told % MAX_DEFINED], s->nmodules - s->modules_told, s->modules + s->modules_told};
	b->procs = (struct fold_procs){s->procs_told, s->nprocs - s->procs_told, s->procs + s->procs_told};
	b->threads = (struct fold_threads){s->threads_told, s->nthreads - s->threads_told, s->threads + s->threads_told};
	b->mmaps = (struct fold_mmaps){s->nmmaps, s->mmaps};
	b->ksyms = (struct fold_syms){s->nsyms[0], s->syms[0]};
	b->jitsyms = (struct fold_syms){s->nsyms[1], s->syms[1]};
	b->account = (struct fold_account){s->naccount, s->account};
	b->origins = (struct fold_origins){s->norigins, s->origins};
	b->kstacks = flush_side(&s->sides[0]);
	b->ustacks = flush_side(&s->sides[1]);
#define HAVE(field, id) if (b->field.n) b->have |= FOLD_HAVE(id)
	HAVE(strings, FOLD_STRINGS);
	HAVE(modules, FOLD_MODULES);
	HAVE(procs, FOLD_PROCS);
	HAVE(mmaps, FOLD_MMAPS);
	HAVE(threads, FOLD_THREADS);
	HAVE(kstacks, FOLD_KSTACKS);
	HAVE(ustacks, FOLD_USTACKS);
	HAVE(account, FOLD_ACCOUNT);
	HAVE(ksyms, FOLD_KSYMS);
	HAVE(jitsyms, FOLD_JITSYMS);
	HAVE(origins, FOLD_ORIGINS);
#undef HAVE
}

static void end_batch(struct story *s, bool forget)
{
	struct fold_batch batch = {0};
	struct columns columns;

	put_definitions(s, &batch);
	put_rows(s, &batch, &columns);
	tell_batch(&s->told, &batch);
	require(!writer_batch(s->w, &batch), "a batch is written");
	s->strings = s->names.n;
	s->modules_told = s->nmodules;
	s->procs_told = s->nprocs;
	s->threads_told = s->nthreads;
	s->nmmaps = s->nsyms[0] = s->nsyms[1] = s->naccount = s->norigins = s->nrows = 0;
	for (int i = 0; i < 2; i++) {
		s->sides[i].n = 0;
		if (forget)
			stackset_forget(s->sides[i].set);
	}
}

/* ---- the whole */

static void put_meta(struct story *s)
{
	uint8_t how = byte(s);

	s->meta = (struct fold_meta){
		.recorder = {(const uint8_t *)"fuzz", 4}, .version = {(const uint8_t *)"1", 1}, .draft = FOLD_DRAFT, .tick_ns = 1, .word_bytes = 8,
		.id = {[6] = 0x40, [8] = 0x80}, .start = {number(s), number(s), number(s)}, .page_size = 4096, .sides = 3, .max_depth = MAX_DEPTH,
		.mode = how & 1 ? FOLD_MODE_AGGREGATED : FOLD_MODE_EVENTS, .flags = (how & 2 ? FOLD_FLAG_RAW_ADDRESSES : 0) | (how & 4 ? FOLD_FLAG_MERGED : 0), .nevents = NEVENTS,
		.events = {
			{.kind = FOLD_EVENT_CPU_CLOCK, .name = {(const uint8_t *)"cpu-clock", 9}},
			{.kind = FOLD_EVENT_OFFCPU, .name = {(const uint8_t *)"off-cpu", 7}, .period = number(s), .nweights = NWEIGHTS},
		},
	};
	s->meta.events[1].weights[0] = (struct fold_weight){{(const uint8_t *)"ns", 2}, FOLD_UNIT_NS};
	s->meta.events[1].weights[1] = (struct fold_weight){{(const uint8_t *)"", 0}, FOLD_UNIT_COUNT};
	if (how & 8) {
		s->meta.nlabels = 2;
		s->meta.labels[0] = (struct fold_label){{(const uint8_t *)"host", 4}, {s->at, below(s, 8) < (size_t)(s->end - s->at) ? 1 : 0}};
		s->meta.labels[1] = (struct fold_label){{(const uint8_t *)"role", 4}, {NULL, 0}};
	}
	tell_meta(&s->told, &s->meta);
	require(!writer_meta(s->w, &s->meta), "META is written");
}

static void put_note(struct story *s)
{
	size_t size = below(s, 16);
	struct fold_note note;

	if (size > (size_t)(s->end - s->at))
		size = (size_t)(s->end - s->at);
	note.text = (struct fold_bytes){s->at, size};
	s->at += size;
	buf_bytes(&s->told, note.text);
	require(!writer_note(s->w, &note), "a note is written");
}

/* The sum closes: what is taken was written or lost. */
static void put_end(struct story *s)
{
	struct fold_batch balance = {.have = FOLD_HAVE(FOLD_ACCOUNT)};
	struct fold_account_row rows[NEVENTS];
	struct fold_end *end = &s->summary;

	for (uint32_t i = 0; i < NEVENTS; i++) {
		uint64_t ended = end->totals[i].written + end->totals[i].lost;
		bool more = ended > end->totals[i].taken;

		rows[i] = (struct fold_account_row){i, more ? FOLD_TAKEN : FOLD_LOST_RING, 0, more ? ended - end->totals[i].taken : end->totals[i].taken - ended};
		*(more ? &end->totals[i].taken : &end->totals[i].lost) += rows[i].count;
	}
	balance.account = (struct fold_account){NEVENTS, rows};
	tell_batch(&s->told, &balance);
	require(!writer_batch(s->w, &balance), "the balance is written");
	end->nevents = NEVENTS;
	end->reason = byte(s);
	end->stop.monotonic = number(s);
	tell_end(&s->told, end);
	require(!writer_end(s->w, end), "END is written");
}

static void one_event(struct story *s)
{
	uint8_t kind = byte(s);

	switch (kind % 16) {
	case 0: name(s); break;
	case 1: add_module(s); break;
	case 2: add_proc(s); break;
	case 3: add_thread(s); break;
	case 4: add_mmap(s); break;
	case 5: add_sym(s); break;
	case 6: add_account(s); break;
	case 7: case 8: add_stack(s, &s->sides[0]); break;
	case 9: case 10: add_stack(s, &s->sides[1]); break;
	case 11: end_batch(s, kind & 16); break;
	case 12: put_note(s); break;
	case 13: kind & 16 ? add_origin(s) : add_row(s); break;
	default: add_row(s); break;
	}
}

static int keep(void *state, const void *from, size_t n)
{
	struct buf *to = state;

	buf_raw(to, from, n);
	return 0;
}

void story_write(const uint8_t *data, size_t size, struct buf *file, struct buf *told)
{
	static struct story s;
	struct writer_options options = {.level = size && data[0] >= 0xf0 ? 1 : -1};

	s = (struct story){.at = data, .end = data + size};
	require(!writer_new(&s.w, (struct fold_sink){keep, file}, &options), "a writer");
	intern_init(&s.names, 1);
	require(!stackset_new(&s.sides[0].set) && !stackset_new(&s.sides[1].set), "sets of stacks");
	put_meta(&s);
	while (s.at < s.end)
		one_event(&s);
	end_batch(&s, false);
	put_end(&s);
	require(writer_bytes(s.w) == file->size && !file->failed && !s.told.failed, "bytes are counted");
	*told = s.told;
	stackset_free(s.sides[0].set);
	stackset_free(s.sides[1].set);
	intern_release(&s.names);
	writer_free(s.w);
}
