/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches, the names at the end, and END. */
#include "target.h"

#include <string.h>

#include "../model/array.h"

#define ENOUGH_BYTES (512u << 10)
#define ENOUGH_ROWS (64u << 10)
#define NAMES_OF_A_CHUNK 8192

/* ---- account */

#define ORDER(a, b) if ((a) != (b)) return (a) < (b) ? -1 : 1
static int compare_rows(const void *a, const void *b)
{
	const struct fold_account_row *x = a, *y = b;

	ORDER(x->event, y->event);
	ORDER(x->cause, y->cause);
	ORDER(x->cpu, y->cpu);
	return 0;
}

/* One row for each event, cause and CPU. */
static void sum_account(struct fold_account *account)
{
	size_t kept = 0;

	if (account->n)
		qsort(account->v, account->n, sizeof(*account->v), compare_rows);
	for (size_t i = 0; i < account->n; i++) {
		if (kept && !compare_rows(&account->v[kept - 1], &account->v[i]))
			account->v[kept - 1].count += account->v[i].count;
		else
			account->v[kept++] = account->v[i];
	}
	account->n = kept;
}

/* ---- batches */

static void fill_strings(struct target *t)
{
	size_t n = t->strings.n - t->strings_written;

	t->batch.strings = (struct fold_strings){
		.first_id = t->strings_written + 1, .n = n, .v = n ? t->strings.v + t->strings_written : NULL,
	};
	t->strings_written = t->strings.n;
}

static int fill_columns(struct target *t)
{
	struct columns *c = &t->columns;

	columns_resolve(c, t->stacks);
	for (size_t i = 0; i < c->n; i++)
		t->totals[c->event[i]].written += c->counted ? c->count[i] : 1;
	if (columns_sort(c))
		return -1;
	if (c->counted)
		t->batch.counts = columns_counts(c);
	else
		t->batch.samples = columns_samples(c);
	return 0;
}

static uint64_t sections_of(const struct target *t)
{
	const struct fold_batch *b = &t->batch;
	uint64_t have = 0;

#define SECTION(id, field) have |= b->field.n ? FOLD_HAVE(id) : 0
	SECTION(FOLD_STRINGS, strings);
	SECTION(FOLD_MODULES, modules);
	SECTION(FOLD_PROCS, procs);
	SECTION(FOLD_MMAPS, mmaps);
	SECTION(FOLD_THREADS, threads);
	SECTION(FOLD_KSTACKS, kstacks);
	SECTION(FOLD_USTACKS, ustacks);
	SECTION(FOLD_SAMPLES, samples);
	SECTION(FOLD_ACCOUNT, account);
	SECTION(FOLD_KSYMS, ksyms);
	SECTION(FOLD_JITSYMS, jitsyms);
	SECTION(FOLD_ORIGINS, origins);
#undef SECTION
	return have | (t->columns.counted ? FOLD_HAVE(FOLD_COUNTS) : 0);
}

/* The lists keep their memory for the next batch. */
static void forget_batch(struct target *t)
{
	struct fold_batch *b = &t->batch;

	for (size_t i = 0; i < b->modules.n; i++)
		free(b->modules.v[i].segments);
	for (size_t i = 0; i < b->origins.n; i++)
		free(b->origins.v[i].labels);
	b->modules.n = b->procs.n = b->mmaps.n = b->threads.n = b->account.n = b->ksyms.n = b->jitsyms.n = b->origins.n = 0;
	b->samples = (struct fold_samples){0};
	b->counts = (struct fold_counts){0};
	t->columns.n = 0;
	t->columns.counted = false;
	t->nodes_written = stackset_nodes(t->stacks[TARGET_KERNEL]) + stackset_nodes(t->stacks[TARGET_USER]);
	t->waiting = 0;
}

int target_write(struct target *t)
{
	struct fold_batch *b = &t->batch;

	fill_strings(t);
	sum_account(&b->account);
	if (stackset_flush(t->stacks[TARGET_KERNEL], &b->kstacks) || stackset_flush(t->stacks[TARGET_USER], &b->ustacks) ||
	    fill_columns(t))
		return -1;
	b->have = sections_of(t);
	if (b->have && writer_batch(t->writer, b))
		return -1;
	forget_batch(t);
	return 0;
}

int target_write_full(struct target *t)
{
	size_t nodes = stackset_nodes(t->stacks[TARGET_KERNEL]) + stackset_nodes(t->stacks[TARGET_USER]);
	size_t row = 12 + 8 * t->columns.nweights;

	if (t->columns.counted || t->columns.n >= ENOUGH_ROWS ||
	    t->waiting + 8 * (nodes - t->nodes_written) + row * t->columns.n >= ENOUGH_BYTES)
		return target_write(t);
	return 0;
}

/* ---- the rest of a segment */

int target_note(struct target *t, struct fold_bytes text)
{
	struct fold_note note = {text};
	uint32_t id, before = t->notes.n;

	if (intern_add(&t->notes, text.at, text.size, &id))
		return -1;
	return id < before ? 0 : writer_note(t->writer, &note);
}

static int write_names(struct target *t)
{
	size_t n;

	names_settle(&t->names, &t->strings);
	for (size_t at = 0; at < t->names.n; at += n) {
		bool kernel = target_is_kernel(t, t->names.v[at].module);
		struct fold_batch batch = {.have = FOLD_HAVE(kernel ? FOLD_KSYMS : FOLD_JITSYMS)};

		for (n = 1; n < NAMES_OF_A_CHUNK && at + n < t->names.n && target_is_kernel(t, t->names.v[at + n].module) == kernel; n++)
			;
		*(kernel ? &batch.ksyms : &batch.jitsyms) = (struct fold_syms){n, t->names.v + at};
		if (writer_batch(t->writer, &batch))
			return -1;
	}
	return 0;
}

/* One SYMBOLS chunk: its strings are its own. */
static int write_symbols(struct target *t, struct fold_sym *v, size_t n)
{
	struct fold_symbols chunk = {.strings = {.first_id = 1}, .syms = {.n = n, .v = v}};
	struct intern own;
	int err = 0;

	intern_init(&own, 1);
	for (size_t i = 0; !err && i < n; i++) {
		struct fold_bytes text = intern_get(&t->blobs, (uint32_t)v[i].name);
		uint32_t id;

		err = intern_add(&own, text.at, text.size, &id);
		v[i].name = id;
	}
	chunk.strings.n = own.n;
	chunk.strings.v = own.v;
	if (!err)
		err = writer_symbols(t->writer, &chunk);
	intern_release(&own);
	return err;
}

static int write_embedded(struct target *t)
{
	size_t from = 0, bytes = 0;

	names_settle(&t->embedded, &t->blobs);
	for (size_t i = 0; i < t->embedded.n; i++) {
		bytes += 20 + intern_get(&t->blobs, (uint32_t)t->embedded.v[i].name).size;
		if (i + 1 < t->embedded.n && bytes < ENOUGH_BYTES)
			continue;
		if (write_symbols(t, t->embedded.v + from, i + 1 - from))
			return -1;
		from = i + 1;
		bytes = 0;
	}
	return 0;
}

int target_end(struct target *t, const struct fold_end *end)
{
	struct fold_end filled;

	if (target_write(t) || write_names(t) || write_embedded(t))
		return -1;
	if (!end)
		return 0;
	filled = *end;
	filled.nevents = t->meta->nevents;
	memcpy(filled.totals, t->totals, sizeof(filled.totals));
	return writer_end(t->writer, &filled);
}
