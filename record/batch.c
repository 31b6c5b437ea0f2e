/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects sections and cuts them into chunks of a bounded size.  Definitions go
 * first, in the order of the file's sections, so that nothing is referred to
 * before it is defined, whatever chunk it ends up in.
 */
#include "batch.h"
#include "array.h"

#include <stdlib.h>
#include <string.h>

/* Upper bounds of the bytes that things take in a payload. */
#define COST_LIMIT (FOLD_MAX_RAW_WRITER / 4 * 3)
#define COST_STRING 4
#define COST_MODULE 48
#define COST_SEGMENT 24
#define COST_PROC 32
#define COST_THREAD 16
#define COST_MMAP 36
#define COST_SYM 24
#define COST_STACK 12
#define COST_FRAME 7
#define COST_ROW 30
#define COST_ACCOUNT 16

int batch_init(struct batch *b, struct writer *writer, struct modules *modules, struct account *account)
{
	*b = (struct batch){.writer = writer, .modules = modules, .account = account, .strings_done = 1};
	intern_init(&b->strings, 1);
	if (!stackset_new(&b->kernel) && !stackset_new(&b->user))
		return 0;
	batch_release(b);
	return -1;
}

void batch_release(struct batch *b)
{
	intern_release(&b->strings);
	if (b->kernel)
		stackset_free(b->kernel);
	if (b->user)
		stackset_free(b->user);
	free(b->procs.v);
	free(b->threads.v);
	free(b->mmaps.v);
	free(b->ksyms.v);
	free(b->jitsyms.v);
	free(b->samples.v);
	free(b->counts.v);
	*b = (struct batch){0};
}

/* ------------------------------------------------------------ collecting */

#define LIST_ADD(list, item) \
	({ \
		__typeof__((list)->v) v_ = array_grow((list)->v, &(list)->room, (list)->n + 1, sizeof(*v_)); \
		if (v_) { \
			(list)->v = v_; \
			v_[(list)->n++] = (item); \
		} \
		v_ ? 0 : -1; \
	})

int batch_string(struct batch *b, const void *at, size_t size, uint64_t *id)
{
	uint32_t known = b->strings.n, got = 0;

	if (size > FOLD_MAX_STRING)
		size = FOLD_MAX_STRING;
	if (size && intern_add(&b->strings, at, size, &got))
		return -1;
	if (b->strings.n != known)
		b->bytes += size + COST_STRING;
	*id = got;
	return 0;
}

int batch_proc(struct batch *b, const struct fold_proc *proc, uint32_t *id)
{
	if (b->procs_done + b->procs.n >= FOLD_MAX_PROCS)
		return -1;
	*id = (uint32_t)(b->procs_done + b->procs.n);
	b->bytes += COST_PROC;
	return LIST_ADD(&b->procs, *proc);
}

struct fold_proc *batch_pending_proc(struct batch *b, uint32_t id)
{
	return id < b->procs_done ? NULL : &b->procs.v[id - b->procs_done];
}

int batch_thread(struct batch *b, const struct fold_thread *thread, uint32_t *id)
{
	if (b->threads_done + b->threads.n >= FOLD_MAX_THREADS)
		return -1;
	*id = (uint32_t)(b->threads_done + b->threads.n);
	b->bytes += COST_THREAD;
	return LIST_ADD(&b->threads, *thread);
}

int batch_mmap(struct batch *b, const struct fold_mmap *mmap)
{
	b->bytes += COST_MMAP;
	return LIST_ADD(&b->mmaps, *mmap);
}

int batch_sym(struct batch *b, bool jit, const struct fold_sym *sym)
{
	b->bytes += COST_SYM;
	return jit ? LIST_ADD(&b->jitsyms, *sym) : LIST_ADD(&b->ksyms, *sym);
}

int batch_row(struct batch *b, bool count, const struct batch_row *row)
{
	b->bytes += COST_ROW;
	return count ? LIST_ADD(&b->counts, *row) : LIST_ADD(&b->samples, *row);
}

int batch_stack(struct batch *b, bool user, const fold_frame *frames, size_t n, uint32_t end, uint32_t *handle)
{
	struct stackset *set = user ? b->user : b->kernel;
	size_t pending = stackset_pending(set);

	if (stackset_add(set, frames, n, end, handle))
		return -1;
	if (stackset_pending(set) != pending) {
		b->bytes += COST_STACK + n * COST_FRAME;
		b->stacks++;
	}
	return 0;
}

/* ------------------------------------------------------------ cutting */

/* A chunk being filled. */
struct fill {
	size_t used;
	bool full;
	struct fold_batch out;
};

/* Is there room for `bytes` more?  The first thing always fits. */
static bool take(struct fill *f, size_t bytes)
{
	if (f->full || (f->used && f->used + bytes > COST_LIMIT)) {
		f->full = true;
		return false;
	}
	f->used += bytes;
	return true;
}

static void fill_strings(struct batch *b, struct fill *f)
{
	struct fold_strings *out = &f->out.strings;
	uint32_t end = b->strings.first + b->strings.n;

	out->first_id = b->strings_done;
	out->v = b->strings.v + (b->strings_done - b->strings.first);
	while (b->strings_done < end && take(f, out->v[out->n].size + COST_STRING)) {
		out->n++;
		b->strings_done++;
	}
	if (out->n)
		f->out.have |= 1u << FOLD_STRINGS;
}

static size_t module_cost(const struct fold_module *m)
{
	return COST_MODULE + m->nids * (FOLD_MAX_BUILD_ID + 2) + m->nsegments * COST_SEGMENT;
}

static void fill_modules(struct batch *b, struct fill *f)
{
	struct fold_modules *out = &f->out.modules;

	if (b->modules_done == b->modules->n)
		return;
	out->first_id = b->modules_done;
	out->first_base = b->modules->place[b->modules_done].base;
	out->v = b->modules->v + b->modules_done;
	while (b->modules_done < b->modules->n && take(f, module_cost(&out->v[out->n]))) {
		out->n++;
		b->modules_done++;
	}
	if (out->n)
		f->out.have |= 1u << FOLD_MODULES;
}

/* As many of a list as fit: where they begin and how many there are. */
#define FILL_LIST(f, list, cost, section, to) \
	do { \
		(to)->v = (list)->v + (list)->at; \
		while ((list)->at < (list)->n && take(f, cost)) { \
			(to)->n++; \
			(list)->at++; \
		} \
		if ((to)->n) \
			(f)->out.have |= 1u << (section); \
	} while (0)

static void fill_definitions(struct batch *b, struct fill *f)
{
	fill_strings(b, f);
	fill_modules(b, f);
	f->out.procs.first_id = b->procs_done + b->procs.at;
	FILL_LIST(f, &b->procs, COST_PROC, FOLD_PROCS, &f->out.procs);
	FILL_LIST(f, &b->mmaps, COST_MMAP, FOLD_MMAPS, &f->out.mmaps);
	f->out.threads.first_id = b->threads_done + b->threads.at;
	FILL_LIST(f, &b->threads, COST_THREAD, FOLD_THREADS, &f->out.threads);
	FILL_LIST(f, &b->ksyms, COST_SYM, FOLD_KSYMS, &f->out.ksyms);
	FILL_LIST(f, &b->jitsyms, COST_SYM, FOLD_JITSYMS, &f->out.jitsyms);
}

/* Stacks share their nodes, so a section of them goes as a whole. */
static void fill_stacks(struct fill *f, struct fold_stacks *stacks, struct fold_stacks *out, uint32_t section)
{
	if (!stacks->n || !take(f, stacks->n * COST_STACK + stacks->nnodes * COST_FRAME))
		return;
	*out = *stacks;
	*stacks = (struct fold_stacks){0};
	f->out.have |= 1u << section;
}

/* ------------------------------------------------------------ rows */

/* Rows of one thread are alike in all columns, its times a period apart. */
static int order_samples(const void *va, const void *vb)
{
	const struct batch_row *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static int order_counts(const void *va, const void *vb)
{
	const struct batch_row *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	return a->user < b->user ? -1 : a->user > b->user;
}

/* Handles to ids + 1, which order and the file want. */
static void rows_finish(struct batch *b, struct batch_row *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		v[i].kernel = v[i].kernel == BATCH_NO_STACK ? 0 : stackset_id(b->kernel, v[i].kernel) + 1;
		v[i].user = v[i].user == BATCH_NO_STACK ? 0 : stackset_id(b->user, v[i].user) + 1;
	}
}

static void samples_finish(struct batch *b)
{
	rows_finish(b, b->samples.v, b->samples.n);
	if (b->samples.n)
		qsort(b->samples.v, b->samples.n, sizeof(*b->samples.v), order_samples);
}

static void counts_finish(struct batch *b)
{
	struct batch_row *v = b->counts.v;
	size_t n = 0;

	rows_finish(b, v, b->counts.n);
	if (b->counts.n)
		qsort(v, b->counts.n, sizeof(*v), order_counts);
	for (size_t i = 0; i < b->counts.n; i++) {
		if (n && !order_counts(&v[n - 1], &v[i]))
			v[n - 1].count += v[i].count;
		else
			v[n++] = v[i];
	}
	b->counts.n = n;
}

/* Columns of up to `n` rows in one allocation. */
struct columns {
	int64_t *time;
	uint64_t *count;
	uint32_t *cpu, *thread, *event, *kernel, *user;
};

static int columns_new(struct columns *c, size_t n)
{
	uint8_t *p = malloc(n * (2 * sizeof(uint64_t) + 5 * sizeof(uint32_t)));

	if (!p)
		return -1;
	c->time = (int64_t *)p;
	c->count = (uint64_t *)p + n;
	c->cpu = (uint32_t *)((uint64_t *)p + 2 * n);
	c->thread = c->cpu + n;
	c->event = c->thread + n;
	c->kernel = c->event + n;
	c->user = c->kernel + n;
	return 0;
}

static void columns_fill(struct columns *c, const struct batch_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		c->time[i] = rows[i].time;
		c->count[i] = rows[i].count;
		c->cpu[i] = rows[i].cpu;
		c->thread[i] = rows[i].thread;
		c->event[i] = rows[i].event;
		c->kernel[i] = rows[i].kernel;
		c->user[i] = rows[i].user;
	}
}

/* The rows that fit into this chunk; *rows is where they begin. */
static size_t rows_take(struct fill *f, size_t *at, size_t n)
{
	size_t first = *at;

	while (*at < n && *at - first < FOLD_MAX_ROWS && take(f, COST_ROW))
		++*at;
	return *at - first;
}

static int fill_samples(struct batch *b, struct fill *f, struct columns *c)
{
	const struct batch_row *rows = b->samples.v + b->samples.at;
	size_t n = f->full ? 0 : rows_take(f, &b->samples.at, b->samples.n);

	if (!n)
		return 0;
	if (columns_new(c, n))
		return -1;
	columns_fill(c, rows, n);
	f->out.samples = (struct fold_samples){
		.n = n, .time = c->time, .cpu = c->cpu, .thread = c->thread, .event = c->event, .kstack = c->kernel, .ustack = c->user,
	};
	f->out.have |= 1u << FOLD_SAMPLES;
	return 0;
}

static int fill_counts(struct batch *b, struct fill *f, struct columns *c, int64_t from, int64_t to)
{
	const struct batch_row *rows = b->counts.v + b->counts.at;
	size_t n = f->full ? 0 : rows_take(f, &b->counts.at, b->counts.n);

	if (!n)
		return 0;
	if (columns_new(c, n))
		return -1;
	columns_fill(c, rows, n);
	f->out.counts = (struct fold_counts){
		.from = from, .to = to, .n = n, .thread = c->thread, .event = c->event, .kstack = c->kernel, .ustack = c->user,
		.count = c->count,
	};
	f->out.have |= 1u << FOLD_COUNTS;
	return 0;
}

static int fill_account(struct batch *b, struct fill *f)
{
	struct fold_account_row row;
	BATCH_LIST(struct fold_account_row) list = {0};
	size_t at = 0;

	if (f->full)
		return 0;
	while (account_next(b->account, &at, &row)) {
		f->used += COST_ACCOUNT;
		if (LIST_ADD(&list, row)) {
			free(list.v);
			return -1;
		}
	}
	f->out.account.v = list.v;
	f->out.account.n = list.n;
	if (list.n)
		f->out.have |= 1u << FOLD_ACCOUNT;
	return 0;
}

/* ------------------------------------------------------------ writing */

static void batch_emptied(struct batch *b, bool counts)
{
	b->procs_done += b->procs.n;
	b->threads_done += b->threads.n;
	b->procs.n = b->procs.at = b->threads.n = b->threads.at = b->mmaps.n = b->mmaps.at = 0;
	b->ksyms.n = b->ksyms.at = b->jitsyms.n = b->jitsyms.at = b->samples.n = b->samples.at = 0;
	if (counts)
		b->counts.n = b->counts.at = 0;
	b->bytes = b->counts.n * COST_ROW;
}

int batch_write(struct batch *b, bool counts, int64_t from, int64_t to)
{
	struct fold_stacks kernel, user;
	bool more = true;
	int err = 0;

	if (stackset_flush(b->kernel, &kernel) || stackset_flush(b->user, &user))
		return -1;
	samples_finish(b);
	if (counts)
		counts_finish(b);
	while (more && !err) {
		struct fill f = {0};
		struct columns samples = {0}, sums = {0};

		fill_definitions(b, &f);
		fill_stacks(&f, &kernel, &f.out.kstacks, FOLD_KSTACKS);
		fill_stacks(&f, &user, &f.out.ustacks, FOLD_USTACKS);
		err = fill_samples(b, &f, &samples);
		if (!err && counts)
			err = fill_counts(b, &f, &sums, from, to);
		if (!err)
			err = fill_account(b, &f);
		more = f.full;
		if (!err && f.out.have) {
			err = writer_batch(b->writer, &f.out);
			b->written += !err;
		}
		free(samples.time);
		free(sums.time);
		free(f.out.account.v);
	}
	batch_emptied(b, counts);
	return err;
}

size_t batch_ready_bytes(const struct batch *b)
{
	return b->bytes - b->counts.n * COST_ROW;
}

void batch_forget_stacks(struct batch *b)
{
	stackset_forget(b->kernel);
	stackset_forget(b->user);
}

size_t batch_stack_bytes(const struct batch *b)
{
	return stackset_bytes(b->kernel) + stackset_bytes(b->user);
}
