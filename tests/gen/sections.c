/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections of a BATCH, each valid behind what was defined before, at random and
 * now and then at a limit.
 */
#include "unusual.h"

#include <stdlib.h>
#include <string.h>

/* ---- definitions */

/* The empty string too. */
static uint64_t a_string(struct recording *g)
{
	return below(g, g->strings);
}

void any_strings(struct recording *g, struct fold_strings *strings)
{
	*strings = (struct fold_strings){.first_id = g->strings, .n = below(g, 12)};
	strings->v = pool_take(&g->pool, strings->n, sizeof(*strings->v));
	for (size_t i = 0; i < strings->n; i++)
		strings->v[i] = any_string(g);
	g->strings += strings->n;
}

static uint64_t round_up(uint64_t n)
{
	return (n + FOLD_MODULE_ALIGN - 1) & ~(uint64_t)(FOLD_MODULE_ALIGN - 1);
}

static uint64_t any_span(struct recording *g, uint64_t base)
{
	uint64_t left = FOLD_MAX_SPACE - base, span;
	static const uint64_t some[] = {0, 1, 4095, 4096, 4097, 0x1800000};

	if (once_in(g, 60))
		return left;
	span = once_in(g, 2) ? some[below(g, 6)] : any(g) >> 20;
	return span < left ? span : left;
}

static void any_module(struct recording *g, struct fold_module *module)
{
	uint64_t base = round_up(g->space);

	*module = (struct fold_module){
		.kind = g->nmodules || once_in(g, 4) ? 1 + any_of(g, FOLD_MODULE_OTHER - 1) % (UINT32_MAX - 1) : FOLD_MODULE_KERNEL,
		.name = a_string(g), .span = any_span(g, base), .flags = (uint32_t)below(g, 32),
		.elf_type = any32(g), .machine = any32(g), .nids = below(g, FOLD_MAX_IDS + 1),
		.nsegments = below(g, once_in(g, 10) ? FOLD_MAX_SEGMENTS + 1 : 3),
	};
	for (size_t i = 0; i < module->nids; i++) {
		struct fold_bytes id = any_bytes(g, once_in(g, 3) ? 1 + below(g, FOLD_MAX_BUILD_ID) : 20);

		((uint8_t *)id.at)[0] |= 1;
		module->ids[i] = (struct fold_module_id){.kind = 1 + any_of(g, FOLD_ID_OTHER - 1) % (UINT32_MAX - 1), .bytes = id};
	}
	module->segments = pool_take(&g->pool, module->nsegments, sizeof(*module->segments));
	for (size_t i = 0; i < module->nsegments; i++)
		module->segments[i] = (struct fold_segment){any(g), any(g), any(g), any(g)};
	g->kind[g->nmodules] = module->kind;
	g->base[g->nmodules] = base;
	g->span[g->nmodules++] = module->span;
	g->space = base + module->span;
}

void any_modules(struct recording *g, struct fold_modules *modules)
{
	size_t n = below(g, 5);

	if (n > MAX_MODULES - g->nmodules)
		n = MAX_MODULES - g->nmodules;
	*modules = (struct fold_modules){.first_id = g->nmodules, .first_base = round_up(g->space), .n = n};
	modules->v = pool_take(&g->pool, n, sizeof(*modules->v));
	for (size_t i = 0; i < n; i++)
		any_module(g, &modules->v[i]);
}

void any_procs(struct recording *g, struct fold_procs *procs)
{
	*procs = (struct fold_procs){.first_id = g->procs, .n = below(g, 6)};
	procs->v = pool_take(&g->pool, procs->n, sizeof(*procs->v));
	for (size_t i = 0; i < procs->n; i++)
		procs->v[i] = (struct fold_proc){
			.pid = any32(g), .start = any_time(g), .comm = a_string(g),
			.exe = below(g, g->nmodules + 1), .parent = below(g, g->procs++ + 1),
		};
}

void any_mmaps(struct recording *g, struct fold_mmaps *mmaps)
{
	bool raw = g->meta.flags & FOLD_FLAG_RAW_ADDRESSES;

	mmaps->n = g->procs && g->nmodules ? below(g, 6) : 0;
	mmaps->v = pool_take(&g->pool, mmaps->n, sizeof(*mmaps->v));
	for (size_t i = 0; i < mmaps->n; i++)
		mmaps->v[i] = (struct fold_mmap){
			.proc = below(g, g->procs), .module = below(g, g->nmodules), .offset = once_in(g, 20) ? FOLD_MAX_SPACE : any(g) >> 2,
			.length = once_in(g, 20) ? FOLD_MAX_SPACE : any(g) >> 2, .start = raw ? any(g) : 0,
		};
}

void any_threads(struct recording *g, struct fold_threads *threads)
{
	*threads = (struct fold_threads){.first_id = g->threads, .n = g->procs ? below(g, 6) : 0};
	threads->v = pool_take(&g->pool, threads->n, sizeof(*threads->v));
	for (size_t i = 0; i < threads->n; i++)
		threads->v[i] = (struct fold_thread){.proc = below(g, g->procs), .tid = any32(g), .comm = a_string(g)};
	g->threads += threads->n;
}

void any_syms(struct recording *g, struct fold_syms *syms, bool kernel, uint64_t names)
{
	size_t room = g->nmodules ? below(g, 6) : 0;

	*syms = (struct fold_syms){.v = pool_take(&g->pool, room, sizeof(*syms->v))};
	for (size_t i = 0; i < room; i++) {
		uint64_t module = below(g, g->nmodules);
		uint32_t kind = g->kind[module];

		if ((kind == FOLD_MODULE_KERNEL || kind == FOLD_MODULE_KO || kind == FOLD_MODULE_BPF) == kernel)
			syms->v[syms->n++] = (struct fold_sym){module, any(g) >> 2, once_in(g, 4) ? 0 : any(g) >> 2, below(g, names)};
	}
}

void any_origins(struct recording *g, struct fold_origins *origins)
{
	*origins = (struct fold_origins){.n = below(g, 4)};
	origins->v = pool_take(&g->pool, origins->n, sizeof(*origins->v));
	for (size_t i = 0; i < origins->n; i++) {
		struct fold_origin *o = &origins->v[i];

		*o = (struct fold_origin){
			.first = g->origin_end + below(g, g->procs - g->origin_end + 1), .realtime = any(g), .duration = any(g),
			.reason = any_of(g, FOLD_REASON_ERROR), .state = (uint32_t)below(g, 4), .flags = (uint32_t)below(g, 64),
			.cpus_online = any32(g), .kernel_release = a_string(g), .recorder = a_string(g), .version = a_string(g),
			.nlabels = below(g, once_in(g, 10) ? FOLD_MAX_LABELS + 1 : 3),
		};
		o->nprocs = below(g, g->procs - o->first + 1);
		g->origin_end = o->first + o->nprocs;
		memcpy(o->id, any_bytes(g, sizeof(o->id)).at, sizeof(o->id));
		o->labels = pool_take(&g->pool, o->nlabels, sizeof(*o->labels));
		for (size_t k = 0; k < o->nlabels; k++)
			o->labels[k] = (struct fold_origin_label){a_string(g), a_string(g)};
	}
}

/* ---- stacks */

struct walk {
	struct fold_stacks *stacks;
	uint32_t path[FOLD_MAX_FRAMES], depth;
	size_t room; /* nodes */
};

/* A frame in a module, or a marker when no module has room for one. */
static fold_frame code_frame(struct recording *g)
{
	for (size_t i = 0; i < g->nmodules; i++)
		if (g->span[i])
			return g->base[i] + below(g, g->span[i]);
	return frame_marker(FOLD_MARK_REDACTED);
}

/* A frame that may follow `last`.  EXACT may not be the last of all. */
static fold_frame any_frame(struct recording *g, fold_frame last, bool last_of_all)
{
	uint64_t module = below(g, g->nmodules);
	bool code = g->nmodules && g->span[module];
	enum fold_marker marker = (enum fold_marker)below(g, 4);

	if (code && !once_in(g, 5)) {
		uint64_t offset = once_in(g, 10) ? g->span[module] - 1 : random_u64(&g->random) % g->span[module];

		return g->base[module] + offset;
	}
	if (marker == FOLD_MARK_UNMAPPED && last == frame_marker(FOLD_MARK_UNMAPPED))
		marker = FOLD_MARK_REDACTED;
	if (marker == FOLD_MARK_EXACT && (last_of_all || frame_is_marker(code_frame(g))))
		marker = FOLD_MARK_OTHER;
	return frame_marker(marker);
}

static void any_stack(struct recording *g, struct walk *walk, struct fold_stack *stack)
{
	struct fold_stacks *stacks = walk->stacks;
	uint32_t shared = (uint32_t)below(g, walk->depth + 1), n = (uint32_t)below(g, once_in(g, 40) ? FOLD_MAX_FRAMES : 12);
	fold_frame last = 0;

	while (shared && stacks->nodes[walk->path[shared - 1]].frame == frame_marker(FOLD_MARK_EXACT))
		shared--;
	if (n > FOLD_MAX_FRAMES - shared)
		n = FOLD_MAX_FRAMES - shared;
	if (n > walk->room - stacks->nnodes)
		n = (uint32_t)(walk->room - stacks->nnodes);
	if (shared)
		last = stacks->nodes[walk->path[shared - 1]].frame;
	for (uint32_t i = shared; i < shared + n; i++) {
		bool after_exact = last == frame_marker(FOLD_MARK_EXACT);

		last = after_exact ? code_frame(g) : any_frame(g, last, i + 1 == shared + n);
		stacks->nodes[stacks->nnodes] = (struct fold_node){i ? walk->path[i - 1] : FOLD_NO_NODE, last};
		walk->path[i] = (uint32_t)stacks->nnodes++;
	}
	walk->depth = shared + n;
	*stack = (struct fold_stack){walk->depth ? walk->path[walk->depth - 1] : FOLD_NO_NODE, walk->depth, any_of(g, FOLD_STACK_END_EXITING)};
}

void any_stacks(struct recording *g, struct fold_stacks *stacks, uint64_t *next)
{
	struct walk walk = {.stacks = stacks, .room = 4 * FOLD_MAX_FRAMES};

	*stacks = (struct fold_stacks){.first_id = *next, .n = below(g, 12)};
	stacks->v = pool_take(&g->pool, stacks->n, sizeof(*stacks->v));
	stacks->nodes = pool_take(&g->pool, walk.room, sizeof(*stacks->nodes));
	for (size_t i = 0; i < stacks->n; i++)
		any_stack(g, &walk, &stacks->v[i]);
	*next += stacks->n;
}

/* ---- samples */

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* `n` numbers below `end`; sometimes all 0, and the column is not written. */
static uint32_t *any_column(struct recording *g, size_t n, uint64_t end)
{
	uint32_t *v = pool_take(&g->pool, n, sizeof(*v));

	for (size_t i = 0; i < n && !once_in(g, 200); i++)
		v[i] = (uint32_t)below(g, end);
	return v;
}

static void any_weights(struct recording *g, uint64_t **weights, const uint32_t *event, size_t n)
{
	for (size_t k = 0; k < g->nweights; k++) {
		weights[k] = pool_take(&g->pool, n, sizeof(**weights));
		for (size_t i = 0; i < n; i++)
			if (k < g->meta.events[event[i]].nweights)
				weights[k][i] = any(g);
	}
}

static size_t any_rows(struct recording *g)
{
	if (!g->threads)
		return 0;
	return below(g, once_in(g, 10) ? 400 : 30);
}

void any_samples(struct recording *g, struct fold_samples *s)
{
	size_t n = any_rows(g);

	*s = (struct fold_samples){.n = n, .nweights = g->nweights};
	s->time = pool_take(&g->pool, n, sizeof(*s->time));
	for (size_t i = 0; i < n; i++)
		s->time[i] = any_time(g);
	qsort(s->time, n, sizeof(*s->time), compare_times);
	s->cpu = any_column(g, n, once_in(g, 4) ? FOLD_MAX_CPUS : 4);
	s->thread = any_column(g, n, g->threads);
	s->event = any_column(g, n, g->meta.nevents);
	s->kstack = any_column(g, n, g->kstacks + 1);
	s->ustack = any_column(g, n, g->ustacks + 1);
	any_weights(g, s->weight, s->event, n);
	for (size_t i = 0; i < n; i++)
		g->totals[s->event[i]].written++;
}

void any_counts(struct recording *g, struct fold_counts *c)
{
	size_t n = any_rows(g);
	int64_t a = any_time(g), b = any_time(g);

	*c = (struct fold_counts){.from = a < b ? a : b, .to = a < b ? b : a, .n = n, .nweights = g->nweights};
	c->thread = any_column(g, n, g->threads);
	qsort(c->thread, n, sizeof(*c->thread), compare_u32);
	c->event = any_column(g, n, g->meta.nevents);
	c->kstack = any_column(g, n, g->kstacks + 1);
	c->ustack = any_column(g, n, g->ustacks + 1);
	c->count = pool_take(&g->pool, n, sizeof(*c->count));
	any_weights(g, c->weight, c->event, n);
	for (size_t i = 0; i < n; i++) {
		c->count[i] = 1 + (any(g) >> 24);
		g->totals[c->event[i]].written += c->count[i];
	}
}

void any_account(struct recording *g, struct fold_account *account)
{
	static const uint32_t some[] = {0, 1, 2, 3, 4, 5, 6, 63, 64, 65, 75, 76, 1023, 1024, UINT32_MAX};

	*account = (struct fold_account){.n = below(g, 8)};
	account->v = pool_take(&g->pool, account->n, sizeof(*account->v));
	for (size_t i = 0; i < account->n; i++) {
		struct fold_account_row *row = &account->v[i];

		*row = (struct fold_account_row){(uint32_t)below(g, g->meta.nevents), some[below(g, 15)], (uint32_t)below(g, FOLD_MAX_CPUS + 1), any(g) >> 24};
		if (row->cause == FOLD_TAKEN)
			g->totals[row->event].taken += row->count;
		else if (row->cause < FOLD_CAUSE_NOTE)
			g->totals[row->event].lost += row->count;
	}
}
