/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processed profile of the Firefox Profiler, version 60: old enough that every
 * reader upgrades it, while a newer one than it knows would be refused, and the
 * first in which threads share their tables: those are our trees as they are.  A
 * thread of the page is a thread and an event.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/intern.h"
#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "threads.h"

#define VERSION 60
enum { CATEGORY_OTHER = 0, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT };

struct firefox {
	struct emit emit;
	const struct report *report;
	struct threads threads;
	struct intern strings, sources; /* of the page; sources: names of files */
	uint32_t *process_turn;  /* by process: how many of the same pid came before */
	uint32_t *first_stack, *first_frame; /* by tree: where its nodes and frames begin */
	uint32_t nstacks, nframes;
	bool failed;
};

/* ---- JSON columns */

static uint32_t string_of(struct firefox *f, const char *at, size_t n)
{
	uint32_t id = 0;

	f->failed |= intern_add(&f->strings, at, n, &id) != 0;
	return id;
}

static uint32_t word_of(struct firefox *f, const char *s)
{
	return string_of(f, s, strlen(s));
}

/* Number of a source file; 0, and no use, for none. */
static uint32_t source_of(struct firefox *f, const char *file)
{
	uint32_t id = 0;

	if (file)
		f->failed |= intern_add(&f->sources, file, strlen(file), &id) != 0;
	return id;
}

static void json_string(struct emit *e, const char *at, size_t n)
{
	emit_char(e, '"');
	emit_json(e, at, n);
	emit_char(e, '"');
}

static unsigned category(const struct frame *frame)
{
	switch (frame->kind) {
	case FRAME_USER:
	case FRAME_INLINED:
		return CATEGORY_USER;
	case FRAME_KERNEL:
		return CATEGORY_KERNEL;
	case FRAME_JIT:
		return CATEGORY_JIT;
	default:
		return CATEGORY_OTHER;
	}
}

/* ---- shared tables.  A column has a value for each node or frame of all trees:
 * `COLUMN(f, name, stacks, { ... })` has `tree`, `base` and `i` in sight. */

#define COLUMN_OF(f, key, first, count, from, code) \
	do { \
		const char *separator = ",\"" key "\":["; \
		for (size_t t_ = 0; t_ < (f)->report->ntrees; t_++) { \
			const struct tree *tree = &(f)->report->trees[t_]; \
			const uint32_t base = (first)[t_]; \
			(void)base; \
			for (size_t i = (from); i < tree->count; i++) { \
				emit_str(e, separator); \
				separator = ","; \
				code; \
			} \
		} \
		emit_str(e, *separator == ',' && separator[1] ? ",\"" key "\":[]" : "]"); \
	} while (0)
#define STACKS(f, key, code) COLUMN_OF(f, key, (f)->first_stack, nnodes, 1, code)
#define FRAMES(f, key, code) COLUMN_OF(f, key, (f)->first_frame, nframes, 0, code)

static void optional(struct emit *e, bool given, uint64_t v)
{
	if (given)
		emit_u64(e, v);
	else
		emit_str(e, "null");
}

static void stack_table(struct firefox *f)
{
	struct emit *e = &f->emit;

	emit_printf(e, "\"stackTable\":{\"length\":%" PRIu32, f->nstacks);
	STACKS(f, "frame", emit_u64(e, f->first_frame[t_] + tree->nodes[i].frame));
	STACKS(f, "prefix", optional(e, tree->nodes[i].parent, base + tree->nodes[i].parent - 1));
	emit_str(e, "}");
}

/* A frame, its function and its resource have the same number. */
static void frame_tables(struct firefox *f)
{
	struct emit *e = &f->emit;

	emit_printf(e, ",\n\"frameTable\":{\"length\":%" PRIu32, f->nframes);
	FRAMES(f, "address", emit_str(e, "-1"));
	FRAMES(f, "inlineDepth", emit_char(e, '0'));
	FRAMES(f, "category", emit_u64(e, category(&tree->frames[i])));
	FRAMES(f, "subcategory", emit_char(e, '0'));
	FRAMES(f, "func", emit_u64(e, base + i));
	FRAMES(f, "nativeSymbol", emit_str(e, "null"));
	FRAMES(f, "innerWindowID", emit_str(e, "null"));
	FRAMES(f, "line", optional(e, tree->frames[i].line, tree->frames[i].line));
	FRAMES(f, "column", emit_str(e, "null"));
	emit_printf(e, "},\n\"funcTable\":{\"length\":%" PRIu32, f->nframes);
	FRAMES(f, "name", emit_u64(e, word_of(f, tree->frames[i].name)));
	FRAMES(f, "isJS", emit_str(e, "false"));
	FRAMES(f, "relevantForJS", emit_str(e, "false"));
	FRAMES(f, "resource", emit_u64(e, base + i));
	FRAMES(f, "source", optional(e, tree->frames[i].file, source_of(f, tree->frames[i].file)));
	FRAMES(f, "lineNumber", emit_str(e, "null"));
	FRAMES(f, "columnNumber", emit_str(e, "null"));
	emit_printf(e, "},\n\"resourceTable\":{\"length\":%" PRIu32, f->nframes);
	FRAMES(f, "lib", emit_str(e, "null"));
	FRAMES(f, "name", emit_u64(e, word_of(f, tree->frames[i].module)));
	FRAMES(f, "host", emit_str(e, "null"));
	FRAMES(f, "type", emit_char(e, '1'));
	emit_str(e, "},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]}");
}

/* Strings last: the other tables give them their numbers. */
static void string_tables(struct firefox *f)
{
	struct emit *e = &f->emit;

	emit_printf(e, ",\n\"sources\":{\"length\":%" PRIu32 ",\"id\":[", f->sources.n);
	for (uint32_t i = 0; i < f->sources.n; i++)
		emit_str(e, i ? ",null" : "null");
	emit_str(e, "],\"filename\":[");
	for (uint32_t i = 0; i < f->sources.n; i++) {
		emit_str(e, i ? "," : "");
		emit_u64(e, string_of(f, (const char *)f->sources.v[i].at, f->sources.v[i].size));
	}
	emit_str(e, "]},\n\"stringArray\":[");
	for (uint32_t i = 0; i < f->strings.n; i++) {
		emit_str(e, i ? "," : "");
		json_string(e, (const char *)f->strings.v[i].at, f->strings.v[i].size);
	}
	emit_char(e, ']');
}

/* ---- threads */

static void sample_table(struct firefox *f, const struct thread_rows *t)
{
	const struct rec_samples *samples = &f->report->rec->samples;
	enum output_unit unit = output_unit(f->report, t->tree);
	struct emit *e = &f->emit;

	emit_printf(e, ",\n\"samples\":{\"length\":%zu,\"stack\":[", t->n);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t node = t->nodes[i];

		emit_str(e, i ? "," : "");
		optional(e, node, f->first_stack[t->tree] + node - 1);
	}
	emit_str(e, "],\"time\":[");
	for (size_t i = 0; i < t->n; i++) {
		emit_str(e, i ? "," : "");
		emit_fixed(e, samples->time[t->rows[i]] / 1e6, 3);
	}
	emit_str(e, "],\"weight\":[");
	for (size_t i = 0; i < t->n; i++) {
		uint64_t weight = threads_weight(f->report, t->tree, t->rows[i]);

		emit_str(e, i ? "," : "");
		if (unit == OUTPUT_NS)
			emit_fixed(e, weight / 1e6, 6);
		else
			emit_u64(e, weight);
	}
	emit_printf(e, "],\"weightType\":\"%s\"}", unit == OUTPUT_NS ? "tracing-ms" : unit == OUTPUT_BYTES ? "bytes" : "samples");
}

static void thread(struct firefox *f, const struct thread_rows *t)
{
	const struct recording *rec = f->report->rec;
	const struct rec_thread *thread = &rec->threads[t->thread];
	const struct rec_process *process = &rec->processes[thread->process];
	struct fold_bytes comm = recording_string(rec, thread->comm), process_comm = recording_string(rec, process->comm);
	struct fold_bytes event = recording_string(rec, rec->events[f->report->tree_events[t->tree]].name);
	struct emit *e = &f->emit;

	emit_str(e, "{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
		    "\"unregisterTime\":null,\"pausedRanges\":[],\"name\":\"");
	emit_json(e, (const char *)comm.at, comm.size);
	if (f->report->ntrees > 1) {
		emit_str(e, " (");
		emit_json(e, (const char *)event.at, event.size);
		emit_char(e, ')');
	}
	emit_printf(e, "\",\"isMainThread\":%s,\"processName\":", thread->tid == process->pid ? "true" : "false");
	json_string(e, (const char *)process_comm.at, process_comm.size);
	emit_printf(e, ",\"pid\":\"%" PRIu32, process->pid);
	if (f->process_turn[thread->process]) /* another program under the same number: exec, or reuse */
		emit_printf(e, ".%" PRIu32, f->process_turn[thread->process]);
	emit_printf(e, "\",\"tid\":%" PRIu32, thread->tid);
	sample_table(f, t);
	emit_str(e, ",\n\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]}}");
}

/* ---- the page */

static void meta(struct firefox *f)
{
	const struct recording *rec = f->report->rec;
	const struct rec_segment *g = rec->nsegments ? &rec->segments[0] : NULL;
	struct emit *e = &f->emit;
	char line[OUTPUT_LOSS_LINE], title[256];
	uint64_t ns = f->report->tree_events[0] < rec->nevents ? rec->events[f->report->tree_events[0]].sample_ns : 0;

	emit_str(e, "{\"meta\":{\"interval\":");
	emit_fixed(e, ns ? ns / 1e6 : 1, 6);
	emit_str(e, ",\"startTime\":");
	emit_u64(e, g ? g->meta.start.realtime / 1000000 : 0);
	emit_printf(e, ",\"processType\":0,\"stackwalk\":0,\"version\":24,\"preprocessedProfileVersion\":%d,\"symbolicated\":true,"
		    "\"markerSchema\":[],\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		    "\"symbolicationNotSupported\":true,\"importedFrom\":\"fold-report " FOLD_VERSION "\",\"product\":", VERSION);
	output_title(f->report, 0, title, sizeof(title));
	json_string(e, title, strlen(title));
	emit_str(e, ",\"oscpu\":\"Linux ");
	if (g)
		emit_json(e, (const char *)g->meta.kernel_release.at, g->meta.kernel_release.size);
	emit_str(e, "\",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		    "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		    "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		    "{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],"
		    "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		    "\"extra\":[{\"label\":\"Recording\",\"entries\":[{\"label\":\"Samples\",\"format\":\"string\",\"value\":");
	output_loss_line(f->report, line, sizeof(line));
	json_string(e, line, strlen(line));
	emit_str(e, "}]}]}");
}

static void number_processes(struct firefox *f)
{
	const struct recording *rec = f->report->rec;
	struct intern pids;
	uint32_t *seen = calloc(rec->nprocesses + 1, sizeof(*seen)), id = 0;

	intern_init(&pids, 0);
	f->failed |= !seen;
	for (size_t i = 0; seen && i < rec->nprocesses; i++) {
		f->failed |= intern_add(&pids, &rec->processes[i].pid, sizeof(rec->processes[i].pid), &id) != 0;
		f->process_turn[i] = seen[id]++;
	}
	intern_release(&pids);
	free(seen);
}

static void document(struct firefox *f)
{
	struct emit *e = &f->emit;

	number_processes(f);
	meta(f);
	emit_str(e, ",\n\"libs\":[],\n\"threads\":[");
	for (size_t i = 0; i < f->threads.n; i++) {
		emit_str(e, i ? ",\n" : "\n");
		thread(f, &f->threads.v[i]);
	}
	emit_str(e, "],\n\"shared\":{");
	stack_table(f);
	frame_tables(f);
	string_tables(f);
	emit_str(e, "}}\n");
}

static int init(struct firefox *f)
{
	size_t n = f->report->ntrees;

	intern_init(&f->strings, 0);
	intern_init(&f->sources, 0);
	f->process_turn = calloc(f->report->rec->nprocesses + 1, sizeof(uint32_t));
	f->first_stack = calloc(n, sizeof(uint32_t));
	f->first_frame = calloc(n, sizeof(uint32_t));
	if (!f->process_turn || !f->first_stack || !f->first_frame)
		return -1;
	for (size_t i = 0; i < n; i++) {
		f->first_stack[i] = f->nstacks;
		f->first_frame[i] = f->nframes;
		f->nstacks += f->report->trees[i].nnodes - 1; /* the root of all is no stack */
		f->nframes += f->report->trees[i].nframes;
	}
	return threads_init(&f->threads, f->report);
}

int firefox_write(FILE *to, const struct report *report)
{
	struct firefox *f = calloc(1, sizeof(*f));
	int err = -1;

	if (f) {
		f->report = report;
		emit_init(&f->emit, to);
		err = init(f);
		if (!err)
			document(f);
		emit_flush(&f->emit);
		err = err || f->failed ? -1 : 0;
		threads_release(&f->threads);
		intern_release(&f->strings);
		intern_release(&f->sources);
		free(f->process_turn);
		free(f->first_stack);
		free(f->first_frame);
	}
	free(f);
	if (err)
		log_error("out of memory while writing for the Firefox Profiler");
	return err;
}
