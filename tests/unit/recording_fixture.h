/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording written by hand, definition by definition and sample by sample,
 * into a temporary file.  Ids count by themselves; what was added since the last
 * recording_flush() goes out as one batch.
 */
#ifndef FOLD_TESTS_RECORDING_FIXTURE_H
#define FOLD_TESTS_RECORDING_FIXTURE_H

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "../../format/writer.h"
#include "../../report/model/recording.h"
#include "../../report/model/select.h"
#include "test.h"

#define ROWS 4096

struct file {
	char path[64];
	int fd;
	struct writer *w;
	struct fold_meta meta;
	struct fold_batch batch;
	uint64_t next[FOLD_SECTION_MAX], space;
	struct fold_bytes strings[ROWS];
	struct fold_module modules[64];
	uint64_t bases[64]; /* of all modules of the segment */
	struct fold_proc procs[ROWS];
	struct fold_thread threads[ROWS];
	struct fold_node nodes[2][ROWS];
	struct fold_stack stacks[2][ROWS];
	int64_t time[ROWS];
	uint32_t cpu[ROWS], thread[ROWS], event[ROWS], kstack[ROWS], ustack[ROWS];
	uint64_t count[ROWS], weight[ROWS];
	struct fold_account_row account[ROWS];
	struct fold_sym ksyms[64], jitsyms[64];
	struct fold_total totals[FOLD_MAX_EVENTS];
};

static inline struct fold_bytes bytes_of(const char *text)
{
	return (struct fold_bytes){(const uint8_t *)text, strlen(text)};
}

static inline void file_reset_batch(struct file *f)
{
	struct fold_batch *b = &f->batch;

	*b = (struct fold_batch){0};
	b->strings = (struct fold_strings){f->next[FOLD_STRINGS], 0, f->strings};
	b->modules = (struct fold_modules){f->next[FOLD_MODULES], f->space, 0, f->modules};
	b->procs = (struct fold_procs){f->next[FOLD_PROCS], 0, f->procs};
	b->threads = (struct fold_threads){f->next[FOLD_THREADS], 0, f->threads};
	b->kstacks = (struct fold_stacks){f->next[FOLD_KSTACKS], 0, f->stacks[0], 0, f->nodes[0]};
	b->ustacks = (struct fold_stacks){f->next[FOLD_USTACKS], 0, f->stacks[1], 0, f->nodes[1]};
	b->account = (struct fold_account){0, f->account};
	b->ksyms = (struct fold_syms){0, f->ksyms};
	b->jitsyms = (struct fold_syms){0, f->jitsyms};
}

/* An event "cpu-clock" at 100 Hz, ticks of 1 us. */
static inline struct fold_meta file_usual(void)
{
	return (struct fold_meta){
		.draft = FOLD_DRAFT,
		.id = {1},
		.start = {1000000000, UINT64_C(1764424930) * 1000000000, 5},
		.tick_ns = 1000,
		.machine = 62,
		.word_bytes = 8,
		.page_size = 4096,
		.sides = 3,
		.nevents = 1,
		.events = {{.kind = FOLD_EVENT_CPU_CLOCK, .period_unit = FOLD_PERIOD_HZ, .period = 100}},
	};
}

/* A segment begins: `meta` as it is, or the usual one. */
static inline void file_segment(struct file *f, const struct fold_meta *meta)
{
	f->meta = meta ? *meta : file_usual();
	f->meta.recorder = bytes_of("test");
	f->meta.version = bytes_of("1");
	f->meta.kernel_release = bytes_of("6.0");
	for (size_t i = 0; i < f->meta.nevents; i++)
		if (!f->meta.events[i].name.size)
			f->meta.events[i].name = bytes_of("cpu-clock");
	writer_free(f->w);
	writer_new(&f->w, sink_fd(f->fd), NULL);
	memset(f->next, 0, sizeof(f->next));
	f->next[FOLD_STRINGS] = 1;
	f->space = 0;
	memset(f->totals, 0, sizeof(f->totals));
	CHECK(!writer_meta(f->w, &f->meta));
	file_reset_batch(f);
}

static inline void file_open(struct file *f, const struct fold_meta *meta)
{
	memset(f, 0, sizeof(*f));
	strcpy(f->path, "/tmp/fold-test-XXXXXX");
	f->fd = mkstemp(f->path);
	CHECK(f->fd >= 0);
	file_segment(f, meta);
}

static inline uint64_t file_string(struct file *f, const char *text)
{
	f->strings[f->batch.strings.n++] = bytes_of(text);
	return f->next[FOLD_STRINGS]++;
}

/* `id`: bytes of a GNU build-id as text, NULL none. */
static inline uint32_t file_module(struct file *f, uint32_t kind, const char *name, const char *id, uint64_t span)
{
	struct fold_module *m = &f->modules[f->batch.modules.n++];

	*m = (struct fold_module){.kind = kind, .name = file_string(f, name), .span = span};
	if (id) {
		m->nids = 1;
		m->ids[0] = (struct fold_module_id){FOLD_ID_GNU, bytes_of(id)};
	}
	f->bases[f->next[FOLD_MODULES]] = f->space;
	f->space += (span + 4095) / 4096 * 4096;
	return (uint32_t)f->next[FOLD_MODULES]++;
}

static inline uint32_t file_proc(struct file *f, uint32_t pid, const char *comm)
{
	f->procs[f->batch.procs.n++] = (struct fold_proc){.pid = pid, .comm = file_string(f, comm)};
	return (uint32_t)f->next[FOLD_PROCS]++;
}

static inline uint32_t file_thread(struct file *f, uint32_t proc, uint32_t tid, const char *comm)
{
	f->threads[f->batch.threads.n++] = (struct fold_thread){proc, tid, file_string(f, comm)};
	return (uint32_t)f->next[FOLD_THREADS]++;
}

static inline fold_frame file_frame(const struct file *f, uint32_t module, uint64_t offset)
{
	return f->bases[module] + offset;
}

/* `n` frames, root first.  The result is id + 1, as samples want it. */
static inline uint32_t file_stack(struct file *f, int user, uint32_t end, int n, ...)
{
	struct fold_stacks *stacks = user ? &f->batch.ustacks : &f->batch.kstacks;
	uint32_t parent = FOLD_NO_NODE;
	va_list frames;

	va_start(frames, n);
	for (int i = 0; i < n; i++) {
		stacks->nodes[stacks->nnodes] = (struct fold_node){parent, va_arg(frames, fold_frame)};
		parent = (uint32_t)stacks->nnodes++;
	}
	va_end(frames);
	stacks->v[stacks->n++] = (struct fold_stack){parent, (uint32_t)n, end};
	return (uint32_t)++f->next[user ? FOLD_USTACKS : FOLD_KSTACKS];
}

/* `row`: columns that are not named are 0; `count` 0 means 1. */
struct row {
	int64_t time;
	uint32_t cpu, thread, event, kstack, ustack;
	uint64_t count, weight;
};
static inline void file_sample(struct file *f, struct row row)
{
	bool aggregated = f->meta.mode == FOLD_MODE_AGGREGATED;
	size_t i = aggregated ? f->batch.counts.n++ : f->batch.samples.n++;

	f->time[i] = row.time;
	f->cpu[i] = row.cpu;
	f->thread[i] = row.thread;
	f->event[i] = row.event;
	f->kstack[i] = row.kstack;
	f->ustack[i] = row.ustack;
	f->count[i] = row.count ? row.count : 1;
	f->weight[i] = row.weight;
	f->totals[row.event].written += f->count[i];
	f->totals[row.event].taken += f->count[i];
	f->account[f->batch.account.n++] = (struct fold_account_row){row.event, FOLD_TAKEN, 0, f->count[i]};
}

static inline void file_lost(struct file *f, uint32_t event, uint32_t cause, uint64_t n)
{
	if (cause < FOLD_CAUSE_NOTE) {
		f->account[f->batch.account.n++] = (struct fold_account_row){event, FOLD_TAKEN, 0, n};
		f->totals[event].taken += n;
		f->totals[event].lost += n;
	}
	f->account[f->batch.account.n++] = (struct fold_account_row){event, cause, 0, n};
}

static inline void file_sym(struct file *f, bool jit, uint32_t module, uint64_t offset, uint64_t size, const char *name)
{
	struct fold_syms *syms = jit ? &f->batch.jitsyms : &f->batch.ksyms;

	syms->v[syms->n++] = (struct fold_sym){module, offset, size, file_string(f, name)};
}

/* One batch; the result is where its chunk begins in the file. */
static inline uint64_t file_flush(struct file *f)
{
	struct fold_batch *b = &f->batch;
	uint64_t *weights[1] = {f->weight};
	uint64_t at = writer_bytes(f->w);

	b->have = (1u << FOLD_SECTION_MAX) - 2;
	b->have &= ~(b->samples.n ? 0 : 1u << FOLD_SAMPLES) & ~(b->counts.n ? 0 : 1u << FOLD_COUNTS);
	b->samples.time = f->time;
	b->samples.cpu = f->cpu;
	b->samples.thread = b->counts.thread = f->thread;
	b->samples.event = b->counts.event = f->event;
	b->samples.kstack = b->counts.kstack = f->kstack;
	b->samples.ustack = b->counts.ustack = f->ustack;
	b->counts.count = f->count;
	for (size_t i = 0; i < f->meta.nevents; i++)
		if (f->meta.events[i].nweights)
			b->samples.nweights = b->counts.nweights = 1;
	b->samples.weight[0] = b->counts.weight[0] = weights[0];
	if (b->counts.n) {
		b->counts.from = f->time[0];
		b->counts.to = f->time[0] + 1000;
	}
	CHECK(!writer_batch(f->w, b));
	file_reset_batch(f);
	return at;
}

static inline void file_end(struct file *f)
{
	struct fold_end end = {
		.reason = FOLD_REASON_DURATION,
		.stop = {f->meta.start.monotonic + 1000000000, f->meta.start.realtime + 1000000000, 0},
		.nevents = f->meta.nevents,
	};

	memcpy(end.totals, f->totals, sizeof(end.totals));
	CHECK(!writer_end(f->w, &end));
}

/* Flip a bit: of the payload of the chunk at `offset`, when `at` is 32 or more. */
static inline void file_damage(struct file *f, uint64_t offset, unsigned at)
{
	uint8_t byte;

	CHECK_EQ(pread(f->fd, &byte, 1, (off_t)(offset + at)), 1);
	byte ^= 1;
	CHECK_EQ(pwrite(f->fd, &byte, 1, (off_t)(offset + at)), 1);
}

static inline void file_release(struct file *f)
{
	writer_free(f->w);
	close(f->fd);
	unlink(f->path);
}

/* ---- what came out */

static inline int load(struct recording *rec, struct file *f, const struct select *select, const struct rec_keep *keep)
{
	static const struct select all;
	char *files[] = {f->path};

	return recording_load(rec, files, 1, select ? select : &all, keep);
}

static inline uint64_t total_count(const struct recording *rec)
{
	uint64_t n = 0;

	for (size_t i = 0; i < rec->ncounts; i++)
		n += rec->counts[i].count;
	return n;
}

static inline const char *string_text(const struct recording *rec, uint32_t id)
{
	static char text[256];
	struct fold_bytes b = recording_string(rec, id);

	snprintf(text, sizeof(text), "%.*s", (int)b.size, (const char *)b.at);
	return text;
}

#endif
