/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording of one to three segments that uses what the format allows: every
 * section, marker and kind, numbers that nobody has assigned, strings that break
 * outputs, and now and then a value at its limit.  It keeps every rule of
 * SPEC.md, those that readers do not enforce too.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MODULES = 64 };

struct recording {
	struct random random;
	struct writer *w;
	struct pool pool;
	struct fold_meta meta;
	size_t nweights;                  /* the largest of the events */
	uint64_t strings;                 /* next id */
	size_t nmodules;
	uint32_t kind[MAX_MODULES];
	uint64_t base[MAX_MODULES], span[MAX_MODULES];
	uint64_t space;                   /* end of the last module */
	uint64_t procs, threads, kstacks, ustacks;
	struct fold_total totals[FOLD_MAX_EVENTS];
};

static const struct {
	const char *at;
	size_t size;
} odd_strings[] = {
#define ODD(text) {text, sizeof(text) - 1}
	ODD("cat"), ODD("</script><script>alert(1)"), ODD("a;b c 7"), ODD("new\nline\r\n"), ODD("\x1b[31mred\x1b]0;title\a"),
	ODD("\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"), ODD("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5"), ODD("\xc2\x80\xc2\x9b" "1m\xc2\x9f\xc2\xa0"),
	ODD("\0nul\0"), ODD("\x7f"), ODD("]]>&amp;<!--"), ODD("\"quoted\\\""), ODD("=cmd|' /C calc'!A0"), ODD("\xe2\x80\xae" "exe.txt"),
	ODD("\xe2\x80\xa8"), ODD("\xc3"), ODD("\xe2\x82"), ODD("\xf0\x9f\x94"), ODD("/usr/lib/x86_64-linux-gnu/libc.so.6"), ODD(" "), ODD("%s%n"), ODD("[unknown]"),
};

static uint64_t below(struct recording *g, uint64_t n)
{
	return random_below(&g->random, n);
}

static bool once_in(struct recording *g, uint64_t n)
{
	return random_once_in(&g->random, n);
}

/* Of any magnitude: each number of bits is as likely. */
static uint64_t any(struct recording *g)
{
	return random_u64(&g->random) >> below(g, 64);
}

static uint32_t any32(struct recording *g)
{
	return (uint32_t)any(g);
}

/* An enumeration with values up to `last`; sometimes one that is unknown. */
static uint32_t any_of(struct recording *g, uint32_t last)
{
	return once_in(g, 20) ? any32(g) : (uint32_t)below(g, last + 1);
}

static struct fold_bytes any_bytes(struct recording *g, size_t size)
{
	uint8_t *at = pool_take(&g->pool, size, 1);

	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)random_u64(&g->random);
	return (struct fold_bytes){at, size};
}

/* Not empty. */
static struct fold_bytes any_string(struct recording *g)
{
	size_t n = sizeof(odd_strings) / sizeof(odd_strings[0]), which = below(g, n);

	if (once_in(g, 100))
		return any_bytes(g, FOLD_MAX_STRING);
	if (once_in(g, 4))
		return any_bytes(g, 1 + below(g, 40));
	return (struct fold_bytes){(const uint8_t *)odd_strings[which].at, odd_strings[which].size};
}

/* ---- META */

static void any_event(struct recording *g, struct fold_event *event)
{
	*event = (struct fold_event){
		.kind = any_of(g, FOLD_EVENT_OFFCPU), .name = any_string(g), .period_unit = any_of(g, FOLD_PERIOD_NS),
		.period = any(g), .sample_ns = any(g), .nweights = once_in(g, 3) ? below(g, FOLD_MAX_WEIGHTS + 1) : 0,
	};
	for (size_t i = 0; i < event->nweights; i++)
		event->weights[i] = (struct fold_weight){.name = any_string(g), .unit = any_of(g, FOLD_UNIT_BYTES)};
	if (g->nweights < event->nweights)
		g->nweights = event->nweights;
}

static void any_meta(struct recording *g)
{
	struct fold_meta *meta = &g->meta;

	*meta = (struct fold_meta){
		.recorder = any_string(g), .version = any_string(g), .draft = FOLD_DRAFT,
		.start = {any(g), any(g), any(g)}, .tick_ns = 1 + below(g, once_in(g, 2) ? 1000 : 1000000000),
		.machine = any32(g), .word_bytes = once_in(g, 4) ? 4 : 8, .big_endian = once_in(g, 8), .page_size = any32(g),
		.cpus_online = any32(g), .cpus_possible = any32(g),
		.mode = once_in(g, 3) ? FOLD_MODE_AGGREGATED : FOLD_MODE_EVENTS, .interval_ns = any(g),
		.sides = (uint32_t)below(g, 4), .max_depth = any32(g), .unwinder = any_of(g, FOLD_UNWIND_LBR),
		.flags = (uint32_t)below(g, 32), .nevents = 1 + below(g, once_in(g, 10) ? FOLD_MAX_EVENTS : 3),
		.scope = any_of(g, FOLD_SCOPE_CGROUP), .scope_count = any(g),
	};
	if (once_in(g, 2))
		meta->kernel_release = any_string(g);
	memcpy(meta->id, any_bytes(g, 16).at, 16);
	meta->id[6] = (meta->id[6] & 0x0f) | 0x40;
	meta->id[8] = (meta->id[8] & 0x3f) | 0x80;
	for (size_t i = 0; i < meta->nevents; i++)
		any_event(g, &meta->events[i]);
}

/* ---- definitions */

/* The empty string too. */
static uint64_t a_string(struct recording *g)
{
	return below(g, g->strings);
}

static void any_strings(struct recording *g, struct fold_strings *strings)
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

static void any_modules(struct recording *g, struct fold_modules *modules)
{
	size_t n = below(g, 5);

	if (n > MAX_MODULES - g->nmodules)
		n = MAX_MODULES - g->nmodules;
	*modules = (struct fold_modules){.first_id = g->nmodules, .first_base = round_up(g->space), .n = n};
	modules->v = pool_take(&g->pool, n, sizeof(*modules->v));
	for (size_t i = 0; i < n; i++)
		any_module(g, &modules->v[i]);
}

/* Ticks whose nanoseconds fit. */
static int64_t any_time(struct recording *g)
{
	int64_t last = INT64_MAX / (int64_t)g->meta.tick_ns;
	int64_t ticks = (int64_t)(any(g) >> 1) % (last + 1);

	if (once_in(g, 50))
		ticks = last;
	return once_in(g, 4) ? -ticks : ticks;
}

static void any_procs(struct recording *g, struct fold_procs *procs)
{
	*procs = (struct fold_procs){.first_id = g->procs, .n = below(g, 6)};
	procs->v = pool_take(&g->pool, procs->n, sizeof(*procs->v));
	for (size_t i = 0; i < procs->n; i++)
		procs->v[i] = (struct fold_proc){
			.pid = any32(g), .start = any_time(g), .comm = a_string(g),
			.exe = below(g, g->nmodules + 1), .parent = below(g, g->procs++ + 1),
		};
}

static void any_mmaps(struct recording *g, struct fold_mmaps *mmaps)
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

static void any_threads(struct recording *g, struct fold_threads *threads)
{
	*threads = (struct fold_threads){.first_id = g->threads, .n = g->procs ? below(g, 6) : 0};
	threads->v = pool_take(&g->pool, threads->n, sizeof(*threads->v));
	for (size_t i = 0; i < threads->n; i++)
		threads->v[i] = (struct fold_thread){.proc = below(g, g->procs), .tid = any32(g), .comm = a_string(g)};
	g->threads += threads->n;
}

static void any_syms(struct recording *g, struct fold_syms *syms, bool kernel, uint64_t names)
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
	*stack = (struct fold_stack){walk->depth ? walk->path[walk->depth - 1] : FOLD_NO_NODE, walk->depth, any_of(g, FOLD_STACK_END_COMPAT)};
}

static void any_stacks(struct recording *g, struct fold_stacks *stacks, uint64_t *next)
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

static void any_samples(struct recording *g, struct fold_samples *s)
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

static void any_counts(struct recording *g, struct fold_counts *c)
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

static void any_account(struct recording *g, struct fold_account *account)
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

/* ---- chunks */

static void write_batch(struct recording *g)
{
	struct fold_batch batch = {.have = (uint32_t)random_u64(&g->random) | (uint32_t)random_u64(&g->random)};
	uint32_t *have = &batch.have;

	*have &= (1u << FOLD_SECTION_MAX) - 2;
	*have &= ~(1u << (g->meta.mode == FOLD_MODE_AGGREGATED ? FOLD_SAMPLES : FOLD_COUNTS));
#define SECTION(id, fill) do { if (*have & 1u << (id)) fill; } while (0)
	SECTION(FOLD_STRINGS, any_strings(g, &batch.strings));
	SECTION(FOLD_MODULES, any_modules(g, &batch.modules));
	SECTION(FOLD_PROCS, any_procs(g, &batch.procs));
	SECTION(FOLD_MMAPS, any_mmaps(g, &batch.mmaps));
	SECTION(FOLD_THREADS, any_threads(g, &batch.threads));
	SECTION(FOLD_KSTACKS, any_stacks(g, &batch.kstacks, &g->kstacks));
	SECTION(FOLD_USTACKS, any_stacks(g, &batch.ustacks, &g->ustacks));
	SECTION(FOLD_SAMPLES, any_samples(g, &batch.samples));
	SECTION(FOLD_COUNTS, any_counts(g, &batch.counts));
	SECTION(FOLD_ACCOUNT, any_account(g, &batch.account));
	SECTION(FOLD_KSYMS, any_syms(g, &batch.ksyms, true, g->strings));
	SECTION(FOLD_JITSYMS, any_syms(g, &batch.jitsyms, false, g->strings));
#undef SECTION
	gen_check(g->w, writer_batch(g->w, &batch));
}

static void write_note(struct recording *g)
{
	struct fold_note note = {.text = once_in(g, 8) ? (struct fold_bytes){0} : any_string(g)};

	gen_check(g->w, writer_note(g->w, &note));
}

static void write_symbols(struct recording *g)
{
	struct fold_symbols symbols = {.strings = {.first_id = 1, .n = below(g, 6)}};
	struct fold_strings *strings = &symbols.strings;

	strings->v = pool_take(&g->pool, strings->n, sizeof(*strings->v));
	for (size_t i = 0; i < strings->n; i++)
		strings->v[i] = any_string(g);
	any_syms(g, &symbols.syms, once_in(g, 2), strings->n + 1);
	gen_check(g->w, writer_symbols(g->w, &symbols));
}

/* What closes the sum: per event, samples taken or lost that no batch told yet. */
static void write_balance(struct recording *g)
{
	struct fold_batch batch = {.have = 1u << FOLD_ACCOUNT};
	struct fold_account *account = &batch.account;

	account->v = pool_take(&g->pool, g->meta.nevents, sizeof(*account->v));
	for (size_t i = 0; i < g->meta.nevents; i++) {
		struct fold_total *total = &g->totals[i];
		uint64_t ended = total->written + total->lost;
		bool more = ended > total->taken;
		uint64_t count = more ? ended - total->taken : total->taken - ended;

		*(more ? &total->taken : &total->lost) += count;
		account->v[account->n++] = (struct fold_account_row){(uint32_t)i, more ? FOLD_TAKEN : FOLD_LOST_KERNEL, 0, count};
	}
	gen_check(g->w, writer_batch(g->w, &batch));
}

static void write_end(struct recording *g)
{
	struct fold_end end = {
		.reason = any_of(g, FOLD_REASON_ERROR), .stop = {any(g), any(g), any(g)}, .nevents = g->meta.nevents,
		.self_cpu_ns = any(g), .self_peak_bytes = any(g), .bpf_ns = any(g),
	};

	write_balance(g);
	memcpy(end.totals, g->totals, sizeof(end.totals));
	gen_check(g->w, writer_end(g->w, &end));
}

static void write_ancillary(struct recording *g)
{
	if (once_in(g, 3))
		write_note(g);
	if (once_in(g, 3))
		write_symbols(g);
}

static void write_segment(struct random *random, struct fold_sink sink)
{
	struct recording g = {.random = *random, .strings = 1};
	struct writer_options options = {.level = once_in(&g, 3) ? -1 : 1 + (int)below(&g, 5)};
	uint64_t batches = below(&g, 6);

	gen_check(g.w, writer_new(&g.w, sink, &options));
	any_meta(&g);
	gen_check(g.w, writer_meta(g.w, &g.meta));
	for (uint64_t i = 0; i < batches; i++) {
		write_ancillary(&g);
		write_batch(&g);
	}
	if (!once_in(&g, 5))
		write_end(&g);
	write_ancillary(&g);
	writer_free(g.w);
	pool_reset(&g.pool);
	*random = g.random;
}

void gen_unusual(struct fold_sink sink, uint64_t seed)
{
	struct random random = {.state = seed};
	uint64_t segments = random_once_in(&random, 4) ? 1 + random_below(&random, 3) : 1;

	for (uint64_t i = 0; i < segments; i++)
		write_segment(&random, sink);
}
