/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processed profile of the Firefox Profiler, version 56: old enough that every
 * reader upgrades it, while a newer one than it knows would be refused.  A thread
 * of the page is a thread and an event; its tables hold what its own stacks use.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/intern.h"
#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "threads.h"

#define VERSION 56
enum { CATEGORY_OTHER = 0, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT };

struct firefox {
	struct emit emit;
	const struct report *report;
	struct threads threads;
	struct intern strings;   /* of the page */
	uint32_t *process_turn;  /* by process: how many of the same pid came before */
	/* of the thread that is written: local numbers + 1 by node and by frame, and back */
	uint32_t *stack_of, *frame_of;
	uint32_t *stacks, nstacks; /* nodes, parents first */
	uint32_t *frames, nframes;
	bool failed;
};

/* ---- JSON columns */

static uint32_t string_of(struct firefox *f, const char *at, size_t n)
{
	uint32_t id = 0;

	f->failed |= intern_add(&f->strings, at, n, &id) != 0;
	return id;
}

static void json_string(struct emit *e, const char *at, size_t n)
{
	emit_char(e, '"');
	emit_json(e, at, n);
	emit_char(e, '"');
}

#define COLUMN(e, name, n, value) \
	do { \
		emit_str(e, ",\"" name "\":["); \
		for (size_t i_ = 0; i_ < (n); i_++) { \
			if (i_) \
				emit_char(e, ','); \
			value(i_); \
		} \
		emit_char(e, ']'); \
	} while (0)

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

/* ---- tables of a thread */

/* Local number of a node's stack, callers first. */
static uint32_t stack_number(struct firefox *f, const struct tree *tree, uint32_t node)
{
	uint32_t first = f->nstacks, at;

	for (at = node; at && !f->stack_of[at]; at = tree->nodes[at].parent) {
		f->stacks[f->nstacks++] = at;
		f->stack_of[at] = 1; /* a number comes below */
	}
	for (uint32_t i = first, k = f->nstacks; i < k--; i++) {
		uint32_t swap = f->stacks[i];

		f->stacks[i] = f->stacks[k];
		f->stacks[k] = swap;
	}
	for (uint32_t i = first; i < f->nstacks; i++) {
		uint32_t frame = tree->nodes[f->stacks[i]].frame;

		f->stack_of[f->stacks[i]] = i + 1;
		if (!f->frame_of[frame]) {
			f->frames[f->nframes++] = frame;
			f->frame_of[frame] = f->nframes;
		}
	}
	return f->stack_of[node] - 1;
}

static void forget(struct firefox *f)
{
	for (uint32_t i = 0; i < f->nstacks; i++)
		f->stack_of[f->stacks[i]] = 0;
	for (uint32_t i = 0; i < f->nframes; i++)
		f->frame_of[f->frames[i]] = 0;
	f->nstacks = f->nframes = 0;
}

static void stack_table(struct firefox *f, const struct tree *tree)
{
	struct emit *e = &f->emit;

#define STACK_FRAME(i) emit_u64(e, f->frame_of[tree->nodes[f->stacks[i]].frame] - 1)
#define STACK_PREFIX(i) \
	do { \
		uint32_t parent = tree->nodes[f->stacks[i]].parent; \
		if (parent) \
			emit_u64(e, f->stack_of[parent] - 1); \
		else \
			emit_str(e, "null"); \
	} while (0)
	emit_printf(e, ",\n\"stackTable\":{\"length\":%" PRIu32, f->nstacks);
	COLUMN(e, "frame", f->nstacks, STACK_FRAME);
	COLUMN(e, "prefix", f->nstacks, STACK_PREFIX);
	emit_char(e, '}');
}

/* A frame, its function and its resource have the same number. */
static void frame_tables(struct firefox *f, const struct tree *tree)
{
	struct emit *e = &f->emit;
	uint32_t n = f->nframes;

#define FRAME(i) (&tree->frames[f->frames[i]])
#define MINUS_ONE(i) emit_str(e, "-1")
#define ZERO(i) emit_char(e, '0')
#define NONE(i) emit_str(e, "null")
#define FALSE(i) emit_str(e, "false")
#define ONE(i) emit_char(e, '1')
#define NUMBER(i) emit_u64(e, i)
#define CATEGORY(i) emit_u64(e, category(FRAME(i)))
#define LINE(i) (FRAME(i)->line ? emit_u64(e, FRAME(i)->line) : emit_str(e, "null"))
#define NAME(i) emit_u64(e, string_of(f, FRAME(i)->name, strlen(FRAME(i)->name)))
#define FILE_NAME(i) (FRAME(i)->file ? emit_u64(e, string_of(f, FRAME(i)->file, strlen(FRAME(i)->file))) : emit_str(e, "null"))
#define MODULE(i) emit_u64(e, string_of(f, FRAME(i)->module, strlen(FRAME(i)->module)))
	emit_printf(e, ",\n\"frameTable\":{\"length\":%" PRIu32, n);
	COLUMN(e, "address", n, MINUS_ONE);
	COLUMN(e, "inlineDepth", n, ZERO);
	COLUMN(e, "category", n, CATEGORY);
	COLUMN(e, "subcategory", n, ZERO);
	COLUMN(e, "func", n, NUMBER);
	COLUMN(e, "nativeSymbol", n, NONE);
	COLUMN(e, "innerWindowID", n, NONE);
	COLUMN(e, "line", n, LINE);
	COLUMN(e, "column", n, NONE);
	emit_printf(e, "},\n\"funcTable\":{\"length\":%" PRIu32, n);
	COLUMN(e, "name", n, NAME);
	COLUMN(e, "isJS", n, FALSE);
	COLUMN(e, "relevantForJS", n, FALSE);
	COLUMN(e, "resource", n, NUMBER);
	COLUMN(e, "fileName", n, FILE_NAME);
	COLUMN(e, "lineNumber", n, NONE);
	COLUMN(e, "columnNumber", n, NONE);
	emit_printf(e, "},\n\"resourceTable\":{\"length\":%" PRIu32, n);
	COLUMN(e, "lib", n, NONE);
	COLUMN(e, "name", n, MODULE);
	COLUMN(e, "host", n, NONE);
	COLUMN(e, "type", n, ONE);
	emit_str(e, "},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]}");
}

static void sample_table(struct firefox *f, const struct thread_rows *t, const struct tree *tree)
{
	const struct rec_samples *samples = &f->report->rec->samples;
	bool time_weight = output_unit(f->report, t->tree) == OUTPUT_NS;
	struct emit *e = &f->emit;

#define SAMPLE_STACK(i) emit_u64(e, stack_number(f, tree, threads_node(f->report, t, i)))
#define SAMPLE_TIME(i) emit_fixed(e, samples->time[t->rows[i]] / 1e6, 3)
#define SAMPLE_WEIGHT(i) \
	do { \
		if (time_weight) \
			emit_fixed(e, threads_weight(f->report, t->tree, t->rows[i]) / 1e6, 6); \
		else \
			emit_u64(e, threads_weight(f->report, t->tree, t->rows[i])); \
	} while (0)
	emit_printf(e, ",\n\"samples\":{\"length\":%zu", t->n);
	COLUMN(e, "stack", t->n, SAMPLE_STACK);
	COLUMN(e, "time", t->n, SAMPLE_TIME);
	COLUMN(e, "weight", t->n, SAMPLE_WEIGHT);
	emit_printf(e, ",\"weightType\":\"%s\"}", time_weight ? "tracing-ms" :
		    output_unit(f->report, t->tree) == OUTPUT_BYTES ? "bytes" : "samples");
}

static void thread(struct firefox *f, const struct thread_rows *t)
{
	const struct recording *rec = f->report->rec;
	const struct rec_thread *thread = &rec->threads[t->thread];
	const struct rec_process *process = &rec->processes[thread->process];
	struct fold_bytes comm = recording_string(rec, thread->comm), process_comm = recording_string(rec, process->comm);
	struct fold_bytes event = recording_string(rec, rec->events[f->report->tree_events[t->tree]].name);
	const struct tree *tree = &f->report->trees[t->tree];
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
	sample_table(f, t, tree);
	emit_str(e, ",\n\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]}");
	stack_table(f, tree);
	frame_tables(f, tree);
	emit_char(e, '}');
	forget(f);
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
	emit_str(e, "],\n\"shared\":{\"stringArray\":[");
	for (uint32_t i = 0; i < f->strings.n; i++) {
		if (i)
			emit_char(e, ',');
		json_string(e, (const char *)f->strings.v[i].at, f->strings.v[i].size);
	}
	emit_str(e, "]}}\n");
}

static int init(struct firefox *f)
{
	size_t nodes = 0, frames = 0;

	for (size_t i = 0; i < f->report->ntrees; i++) {
		nodes = f->report->trees[i].nnodes > nodes ? f->report->trees[i].nnodes : nodes;
		frames = f->report->trees[i].nframes > frames ? f->report->trees[i].nframes : frames;
	}
	intern_init(&f->strings, 0);
	f->process_turn = calloc(f->report->rec->nprocesses + 1, sizeof(uint32_t));
	f->stack_of = calloc(nodes + 1, sizeof(uint32_t));
	f->frame_of = calloc(frames + 1, sizeof(uint32_t));
	f->stacks = calloc(nodes + 1, sizeof(uint32_t));
	f->frames = calloc(frames + 1, sizeof(uint32_t));
	if (!f->process_turn || !f->stack_of || !f->frame_of || !f->stacks || !f->frames)
		return -1;
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
		free(f->process_turn);
		free(f->stack_of);
		free(f->frame_of);
		free(f->stacks);
		free(f->frames);
	}
	free(f);
	if (err)
		log_error("out of memory while writing for the Firefox Profiler");
	return err;
}
