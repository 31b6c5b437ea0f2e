/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A large recording that looks like one of a busy machine: a call tree whose
 * stacks share their roots, some stacks much hotter than others, definitions
 * before their first use, batch by batch.
 */
#include "gen.h"
#include "../../format/stackset.h"

#include <stdio.h>
#include <string.h>

enum {
	MODULES = 40, KERNEL_SPAN = 0x1800000, MODULE_SPAN = 0x200000,
	COMMS = 16, CPUS = 64,
	DEPTH = 24, KDEPTH = 6, KSTACKS = 64,
};

struct machine {
	const struct scale *scale;
	struct random random;
	struct writer *w;
	struct pool pool;
	struct stackset *ustacks, *kstacks;
	uint64_t nustacks, nthreads; /* defined so far */
	uint64_t written, lost;
	int64_t now; /* ticks */
};

static struct fold_bytes text(struct machine *m, const char *word, unsigned n)
{
	char *at = pool_take(&m->pool, 64, 1);
	int size = n ? snprintf(at, 64, "%s%u", word, n) : snprintf(at, 64, "%s", word);

	return (struct fold_bytes){.at = (const uint8_t *)at, .size = (size_t)size};
}

/* Strings 1 .. MODULES name modules, the next COMMS threads. */
static void define_strings(struct machine *m, struct fold_strings *strings)
{
	*strings = (struct fold_strings){.first_id = 1, .n = MODULES + COMMS};
	strings->v = pool_take(&m->pool, strings->n, sizeof(*strings->v));
	strings->v[0] = text(m, "[kernel]", 0);
	for (unsigned i = 1; i < MODULES; i++)
		strings->v[i] = text(m, "/usr/lib/libgen.so.", i);
	for (unsigned i = 0; i < COMMS; i++)
		strings->v[MODULES + i] = text(m, "worker/", i + 1);
}

static void define_modules(struct machine *m, struct fold_modules *modules)
{
	*modules = (struct fold_modules){.n = MODULES, .v = pool_take(&m->pool, MODULES, sizeof(*modules->v))};
	for (unsigned i = 0; i < MODULES; i++) {
		struct fold_module *module = &modules->v[i];
		uint8_t *id = pool_take(&m->pool, 20, 1);

		for (int k = 0; k < 20; k++)
			id[k] = (uint8_t)(random_u64(&m->random) | 1);
		*module = (struct fold_module){
			.kind = i ? FOLD_MODULE_ELF : FOLD_MODULE_KERNEL, .name = i + 1,
			.span = i ? MODULE_SPAN : KERNEL_SPAN, .elf_type = i ? 3 : 2, .machine = 62,
			.nids = 1, .ids = {{.kind = FOLD_ID_GNU, .bytes = {.at = id, .size = 20}}},
			.nsegments = i != 0, .segments = pool_take(&m->pool, 1, sizeof(*module->segments)),
		};
		module->segments[0] = (struct fold_segment){.offset = 0x1000, .vaddr = 0x1000, .filesz = 0x1f0000, .align = 0x1000};
	}
}

/* This batch's part of what is still to be defined. */
static size_t part(const struct machine *m, uint64_t missing, uint64_t samples_left)
{
	uint64_t batches = (samples_left + m->scale->rows - 1) / m->scale->rows;

	return (missing + batches - 1) / batches;
}

static void define_threads(struct machine *m, struct fold_batch *batch, uint64_t samples_left)
{
	size_t n = part(m, m->scale->threads - m->nthreads, samples_left);

	batch->procs = (struct fold_procs){m->nthreads, n, pool_take(&m->pool, n, sizeof(*batch->procs.v))};
	batch->threads = (struct fold_threads){m->nthreads, n, pool_take(&m->pool, n, sizeof(*batch->threads.v))};
	for (size_t i = 0; i < n; i++) {
		uint64_t id = m->nthreads + i, comm = 1 + MODULES + id % COMMS;

		batch->procs.v[i] = (struct fold_proc){.pid = (uint32_t)(1000 + id), .start = m->now, .comm = comm, .exe = 2 + id % (MODULES - 1)};
		batch->threads.v[i] = (struct fold_thread){.proc = id, .tid = (uint32_t)(1000 + id), .comm = comm};
	}
	m->nthreads += n;
}

/* The code address of call tree node `key` at `level`. */
static fold_frame address(uint64_t level, uint64_t key, bool kernel)
{
	struct random place = {.state = level * 1000003 + key};
	uint64_t mixed = random_u64(&place);

	if (kernel)
		return mixed % KERNEL_SPAN;
	return KERNEL_SPAN + (mixed >> 32) % (MODULES - 1) * MODULE_SPAN + mixed % 0x1f0000;
}

/* Every node of the call tree calls four others. */
static void define_stack(struct machine *m, struct stackset *set, uint64_t which, unsigned depth, bool kernel)
{
	fold_frame frames[DEPTH];
	uint32_t handle;

	for (unsigned i = 0; i < depth; i++) {
		unsigned above = 2 * (depth - 1 - i);

		frames[i] = address(i, above < 64 ? which >> above : 0, kernel);
	}
	gen_check(m->w, stackset_add(set, frames, depth, FOLD_STACK_END_ROOT, &handle));
}

static void define_stacks(struct machine *m, struct fold_batch *batch, uint64_t samples_left)
{
	size_t n = part(m, m->scale->stacks - m->nustacks, samples_left);

	if (!m->nustacks)
		for (uint64_t i = 0; i < KSTACKS; i++)
			define_stack(m, m->kstacks, i, KDEPTH, true);
	for (uint64_t i = 0; i < n; i++)
		define_stack(m, m->ustacks, m->nustacks + i, DEPTH, false);
	gen_check(m->w, stackset_flush(m->ustacks, &batch->ustacks));
	gen_check(m->w, stackset_flush(m->kstacks, &batch->kstacks));
	m->nustacks += n;
}

/* Stack id + 1: the lower, the hotter; none when there are none. */
static uint32_t pick(struct random *r, uint64_t n)
{
	return n ? (uint32_t)random_below(r, random_below(r, random_below(r, n) + 1) + 1) + 1 : 0;
}

/* Who runs a stack: its process, which was defined about when the stack was; now and then one that shares the code. */
static uint32_t owner(struct machine *m, uint32_t ustack)
{
	uint64_t thread = (uint64_t)ustack * m->scale->threads / (m->scale->stacks + 1);

	thread += random_once_in(&m->random, 16) ? random_below(&m->random, 4) : 0;
	return (uint32_t)(thread < m->nthreads ? thread : m->nthreads - 1);
}

/* One of the few ways that a stack takes into the kernel. */
static uint32_t kernel_side(struct machine *m, uint32_t ustack)
{
	struct random own = {.state = ~(uint64_t)ustack};

	return random_once_in(&m->random, 3) ? (uint32_t)((random_u64(&own) + random_below(&m->random, 2)) % KSTACKS) + 1 : 0;
}

static void fill_samples(struct machine *m, struct fold_samples *s, size_t n)
{
	*s = (struct fold_samples){.n = n};
	s->time = pool_take(&m->pool, n, sizeof(*s->time));
	s->cpu = pool_take(&m->pool, n, sizeof(*s->cpu));
	s->thread = pool_take(&m->pool, n, sizeof(*s->thread));
	s->event = pool_take(&m->pool, n, sizeof(*s->event));
	s->kstack = pool_take(&m->pool, n, sizeof(*s->kstack));
	s->ustack = pool_take(&m->pool, n, sizeof(*s->ustack));
	for (size_t i = 0; i < n; i++) {
		m->now += (int64_t)random_below(&m->random, 400);
		s->time[i] = m->now;
		s->cpu[i] = (uint32_t)(i % CPUS);
		s->ustack[i] = pick(&m->random, m->nustacks);
		s->thread[i] = owner(m, s->ustack[i]);
		s->kstack[i] = kernel_side(m, s->ustack[i]);
	}
	m->written += n;
}

/* Counts that add up to `samples`, about. */
static void fill_counts(struct machine *m, struct fold_counts *c, uint64_t samples)
{
	size_t n = samples / 4 + 1;
	int64_t from = m->now;

	m->now += 1000000;
	*c = (struct fold_counts){.from = from, .to = m->now, .n = n};
	c->thread = pool_take(&m->pool, n, sizeof(*c->thread));
	c->event = pool_take(&m->pool, n, sizeof(*c->event));
	c->kstack = pool_take(&m->pool, n, sizeof(*c->kstack));
	c->ustack = pool_take(&m->pool, n, sizeof(*c->ustack));
	c->count = pool_take(&m->pool, n, sizeof(*c->count));
	for (size_t i = 0; i < n; i++) {
		c->thread[i] = (uint32_t)(i * m->nthreads / n);
		c->kstack[i] = random_once_in(&m->random, 3) ? pick(&m->random, KSTACKS) : 0;
		c->ustack[i] = pick(&m->random, m->nustacks);
		c->count[i] = 1 + random_below(&m->random, 7);
		m->written += c->count[i];
	}
}

static void write_batch(struct machine *m, bool first, uint64_t left)
{
	struct fold_batch batch = {0};
	uint64_t n = left < m->scale->rows ? left : m->scale->rows, before = m->written;
	struct fold_account_row rows[] = {{.cause = FOLD_TAKEN}, {.cause = FOLD_LOST_RING, .count = 1}};

	if (first) {
		define_strings(m, &batch.strings);
		define_modules(m, &batch.modules);
		batch.have |= 1u << FOLD_STRINGS | 1u << FOLD_MODULES;
	}
	define_threads(m, &batch, left);
	define_stacks(m, &batch, left);
	if (m->scale->aggregated)
		fill_counts(m, &batch.counts, n);
	else
		fill_samples(m, &batch.samples, n);
	m->lost++;
	rows[0].count = m->written - before + 1;
	batch.account = (struct fold_account){2, rows};
	batch.have |= 1u << FOLD_PROCS | 1u << FOLD_THREADS | 1u << FOLD_KSTACKS | 1u << FOLD_USTACKS | 1u << FOLD_ACCOUNT;
	batch.have |= 1u << (m->scale->aggregated ? FOLD_COUNTS : FOLD_SAMPLES);
	gen_check(m->w, writer_batch(m->w, &batch));
	pool_reset(&m->pool);
}

static void write_meta(struct machine *m)
{
	struct fold_meta meta = {
		.recorder = text(m, "gen", 0), .version = text(m, "0", 0), .draft = FOLD_DRAFT,
		.start = {.monotonic = UINT64_C(3600000000000), .realtime = UINT64_C(1795979400000000000), .boottime = UINT64_C(3600000000000)},
		.tick_ns = 1000, .machine = 62, .word_bytes = 8, .page_size = 4096, .cpus_online = CPUS, .cpus_possible = CPUS,
		.mode = m->scale->aggregated ? FOLD_MODE_AGGREGATED : FOLD_MODE_EVENTS, .interval_ns = 1000000000,
		.sides = FOLD_SIDE_KERNEL | FOLD_SIDE_USER, .max_depth = 512, .nevents = 1,
	};

	meta.events[0] = (struct fold_event){.kind = FOLD_EVENT_CPU_CLOCK, .name = text(m, "cpu-clock", 0), .period_unit = FOLD_PERIOD_HZ, .period = 99, .sample_ns = 10101010};
	for (int i = 0; i < 16; i++)
		meta.id[i] = (uint8_t)random_u64(&m->random);
	meta.id[6] = (meta.id[6] & 0x0f) | 0x40;
	meta.id[8] = (meta.id[8] & 0x3f) | 0x80;
	gen_check(m->w, writer_meta(m->w, &meta));
}

void gen_scale(struct fold_sink sink, const struct scale *scale)
{
	struct machine m = {.scale = scale, .random = {.state = scale->seed}};
	struct fold_end end = {.reason = FOLD_REASON_DURATION, .nevents = 1};

	gen_check(m.w, writer_new(&m.w, sink, NULL));
	gen_check(m.w, stackset_new(&m.ustacks));
	gen_check(m.w, stackset_new(&m.kstacks));
	write_meta(&m);
	for (uint64_t left = scale->samples; left; left -= left < scale->rows ? left : scale->rows)
		write_batch(&m, left == scale->samples, left);
	end.stop.monotonic = UINT64_C(3600000000000) + (uint64_t)m.now * 1000;
	end.stop.realtime = UINT64_C(1795979400000000000) + (uint64_t)m.now * 1000;
	end.stop.boottime = end.stop.monotonic;
	end.totals[0] = (struct fold_total){.taken = m.written + m.lost, .written = m.written, .lost = m.lost};
	gen_check(m.w, writer_end(m.w, &end));
	stackset_free(m.ustacks);
	stackset_free(m.kstacks);
	writer_free(m.w);
}
