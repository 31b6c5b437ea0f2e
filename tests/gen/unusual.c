/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording of one to three segments that uses what the format allows: every
 * section, marker and kind, numbers that nobody has assigned, strings that break
 * outputs, and now and then a value at its limit.  It keeps every rule of
 * SPEC.md, those that readers do not enforce too.
 */
#include "unusual.h"

#include <string.h>

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

/* Keys that ascend: each of a letter of its own. */
static void any_labels(struct recording *g)
{
	struct fold_meta *meta = &g->meta;

	for (char first = 'a'; first <= 'z' && meta->nlabels < FOLD_MAX_LABELS; first++) {
		size_t n = 1 + below(g, once_in(g, 10) ? FOLD_MAX_LABEL_KEY : 8);
		uint8_t *key = pool_take(&g->pool, n, 1);

		if (!once_in(g, 4))
			continue;
		for (size_t i = 0; i < n; i++)
			key[i] = (uint8_t)(i ? "abcdefghijklmnopqrstuvwxyz0123456789_.-"[below(g, 39)] : first);
		meta->labels[meta->nlabels++] = (struct fold_label){
			{key, n}, any_bytes(g, once_in(g, 10) ? FOLD_MAX_LABEL_VALUE : below(g, 20)),
		};
	}
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
		.flags = (uint32_t)below(g, 64), .nevents = 1 + below(g, once_in(g, 10) ? FOLD_MAX_EVENTS : 3),
		.scope = any_of(g, FOLD_SCOPE_CGROUP), .scope_count = any(g),
	};
	if (once_in(g, 2))
		meta->kernel_release = any_string(g);
	memcpy(meta->id, any_bytes(g, 16).at, 16);
	meta->id[6] = (meta->id[6] & 0x0f) | 0x40;
	meta->id[8] = (meta->id[8] & 0x3f) | 0x80;
	for (size_t i = 0; i < meta->nevents; i++)
		any_event(g, &meta->events[i]);
	if (once_in(g, 3))
		any_labels(g);
}

/* ---- chunks */

static void write_batch(struct recording *g)
{
	struct fold_batch batch = {.have = random_u64(&g->random) | random_u64(&g->random)};
	uint64_t *have = &batch.have;

	*have &= ((1u << FOLD_SECTION_MAX) - 2) | (g->meta.flags & FOLD_FLAG_MERGED ? FOLD_HAVE(FOLD_ORIGINS) : 0);
	*have &= ~(UINT64_C(1) << (g->meta.mode == FOLD_MODE_AGGREGATED ? FOLD_SAMPLES : FOLD_COUNTS));
#define SECTION(id, fill) do { if (*have & FOLD_HAVE(id)) fill; } while (0)
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
	SECTION(FOLD_ORIGINS, any_origins(g, &batch.origins));
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
