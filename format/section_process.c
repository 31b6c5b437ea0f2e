/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PROCS, MMAPS, THREADS: who ran, and with what mapped.  Neighbours are alike, so
 * numbers that grow are written as differences to the record before, and what a
 * process has mapped is one record, the same bytes for all that run one program.
 */
#include "records.h"

/* The next number is a difference (to `last`) of numbers of 32 bits. */
static uint32_t step_u32(struct decoding *d, struct span *s, uint32_t last)
{
	uint64_t v = last + (uint64_t)span_sv(s);

	if (v <= UINT32_MAX)
		return (uint32_t)v;
	decoding_fail(d, s, FOLD_E_RANGE, v, NULL);
	return 0;
}

static void step_encode(struct buf *to, uint64_t v, uint64_t last)
{
	buf_sv(to, (int64_t)(v - last));
}

/* ---- PROCS */

void procs_encode(struct buf *to, const struct fold_procs *procs)
{
	struct fold_proc last = {0};

	buf_uv(to, procs->first_id);
	for (size_t i = 0; i < procs->n; i++) {
		const struct fold_proc *p = &procs->v[i];
		size_t mark = buf_open(to);

		step_encode(to, p->pid, last.pid);
		step_encode(to, (uint64_t)p->start, (uint64_t)last.start);
		buf_uv(to, p->comm);
		buf_uv(to, p->exe);
		buf_uv(to, p->parent ? procs->first_id + i + 1 - p->parent : 0);
		buf_close(to, mark);
		last = *p;
	}
}

static int64_t start_decode(struct decoding *d, struct span *s, int64_t last)
{
	int64_t tick = (int64_t)d->known.tick_ns, start = (int64_t)((uint64_t)last + (uint64_t)span_sv(s));

	if (start < INT64_MIN / tick || start > INT64_MAX / tick)
		decoding_fail(d, s, FOLD_E_RANGE, (uint64_t)start, "R-SMP-1");
	return start;
}

/* Written as how far before; process id + 1, 0 unknown.  Also after lost chunks the
 * id of this one is known, and its parent's is smaller. */
static uint64_t parent_decode(struct decoding *d, struct span *s)
{
	uint64_t id = d->known.next[FOLD_PROCS], before = span_u32(s);

	if (before > id)
		decoding_fail(d, s, FOLD_E_REFERENCE, before, "R-DEF-2");
	return before ? id + 1 - before : 0;
}

void procs_decode(struct decoding *d, struct span *s, struct fold_procs *procs)
{
	struct fold_proc last = {0};

	procs->first_id = define_first(d, s, FOLD_PROCS);
	procs->v = RECORDS(d, s, procs->v);
	while (span_left(s)) {
		struct span record = record_next(s);

		last.pid = step_u32(d, &record, last.pid);
		last.start = start_decode(d, &record, last.start);
		last.comm = decoding_refer(d, &record, FOLD_STRINGS, NULL);
		last.exe = decoding_refer_plus(d, &record, FOLD_MODULES);
		last.parent = parent_decode(d, &record);
		record_done(s, &record);
		if (s->bad || !define_next(d, s, FOLD_PROCS))
			return;
		procs->v[procs->n++] = last;
	}
}

/* ---- MMAPS: flat here, a record for each run of one process in the file */

static void mapping_encode(struct buf *to, const struct fold_mmap *m, bool start)
{
	buf_uv(to, m->module);
	buf_uv(to, m->offset);
	buf_uv(to, m->length);
	if (start)
		buf_uv(to, m->start);
}

void mmaps_encode(struct buf *to, const struct fold_mmaps *mmaps, uint32_t meta_flags)
{
	uint64_t last = 0;
	size_t n;

	for (size_t i = 0; i < mmaps->n; i += n) {
		const struct fold_mmap *m = &mmaps->v[i];
		size_t mark = buf_open(to);

		for (n = 1; i + n < mmaps->n && m[n].proc == m->proc; n++)
			;
		step_encode(to, m->proc, last);
		buf_uv(to, n);
		for (size_t k = 0; k < n; k++)
			mapping_encode(to, &m[k], meta_flags & FOLD_FLAG_RAW_ADDRESSES);
		buf_close(to, mark);
		last = m->proc;
	}
}

/* All mappings of the section, up to the first record that is wrong: each takes three
 * bytes at least. */
static size_t mappings_count(const struct span *s)
{
	struct span ahead = *s;
	size_t n = 0;

	while (span_left(&ahead)) {
		struct span record = record_next(&ahead);
		uint64_t more;

		span_uv(&record);
		more = span_uv(&record);
		if (more > span_left(&record) / 3)
			break;
		n += more;
	}
	return n;
}

static void mapping_decode(struct decoding *d, struct span *s, struct fold_mmap *m)
{
	m->module = decoding_refer(d, s, FOLD_MODULES, NULL);
	m->offset = decoding_max(d, s, FOLD_MAX_SPACE, FOLD_E_RANGE, NULL);
	m->length = decoding_max(d, s, FOLD_MAX_SPACE, FOLD_E_RANGE, NULL);
	m->start = d->known.flags & FOLD_FLAG_RAW_ADDRESSES ? span_uv(s) : 0;
}

void mmaps_decode(struct decoding *d, struct span *s, struct fold_mmaps *mmaps)
{
	uint32_t proc = 0;

	mmaps->v = decoding_alloc(d, s, mappings_count(s), sizeof(*mmaps->v));
	while (span_left(s)) {
		struct span record = record_next(s);
		uint32_t n;

		proc = step_u32(d, &record, proc);
		decoding_defined(d, &record, proc, FOLD_PROCS);
		n = span_u32(&record);
		if (n > span_left(&record) / 3)
			span_fail(&record, FOLD_E_SECTION);
		for (; n && !record.bad; n--) {
			struct fold_mmap *m = &mmaps->v[mmaps->n];

			m->proc = proc;
			mapping_decode(d, &record, m);
			mmaps->n += !record.bad;
		}
		record_done(s, &record);
	}
}

/* ---- THREADS */

void threads_encode(struct buf *to, const struct fold_threads *threads)
{
	struct fold_thread last = {0};

	buf_uv(to, threads->first_id);
	for (size_t i = 0; i < threads->n; i++) {
		const struct fold_thread *t = &threads->v[i];
		size_t mark = buf_open(to);

		step_encode(to, t->proc, last.proc);
		step_encode(to, t->tid, last.tid);
		buf_uv(to, t->comm);
		buf_close(to, mark);
		last = *t;
	}
}

void threads_decode(struct decoding *d, struct span *s, struct fold_threads *threads)
{
	struct fold_thread last = {0};

	threads->first_id = define_first(d, s, FOLD_THREADS);
	threads->v = RECORDS(d, s, threads->v);
	while (span_left(s)) {
		struct span record = record_next(s);

		last.proc = step_u32(d, &record, (uint32_t)last.proc);
		decoding_defined(d, &record, last.proc, FOLD_PROCS);
		last.tid = step_u32(d, &record, last.tid);
		last.comm = decoding_refer(d, &record, FOLD_STRINGS, NULL);
		record_done(s, &record);
		if (s->bad || !define_next(d, s, FOLD_THREADS))
			return;
		threads->v[threads->n++] = last;
	}
}
