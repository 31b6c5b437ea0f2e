/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf script` prints, for the many tools that read it: one block for each
 * sample in order of time, leaf first.  Kept clear of what those tools stumble
 * over: blanks in commands and paths are "_"; "(anonymous namespace)" is
 * "{anonymous}", because a name that begins with "(" is passed over; "->" is an
 * arrow, because it is taken for a border between inlined functions; every name
 * has its offset; the kernel is called "[kernel.kallsyms]".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "walk.h"

struct script {
	struct emit emit;
	const struct report *report;
	const struct tree *tree;
	int64_t origin; /* ns of CLOCK_MONOTONIC at rec->samples' zero */
};

static bool is_blank(struct text_char c)
{
	return c.code == ' ' || c.control;
}

/* A name without what readers trip over; blanks become `blank`. */
static void name(struct emit *e, const char *at, size_t n, char blank)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *end = at + n;

	while (at < end) {
		size_t left = end - at;
		struct text_char c = text_char(at, end);

		if (left >= sizeof(anonymous) - 1 && !memcmp(at, anonymous, sizeof(anonymous) - 1)) {
			emit_str(e, "{anonymous}");
			at += sizeof(anonymous) - 1;
		} else if (left >= 2 && at[0] == '-' && at[1] == '>') {
			emit_str(e, "→");
			at += 2;
		} else if (is_blank(c)) {
			emit_char(e, blank);
			at += c.size;
		} else {
			emit_plain(e, at, c.size);
			at += c.size;
		}
	}
}

/* Readers drop blanks at both ends; of a name, something has to be left. */
static void function(struct emit *e, const char *at)
{
	const char *last = at, *end = at + strlen(at);

	while (at < end && is_blank(text_char(at, end)))
		at += text_char(at, end).size;
	for (const char *c = at; c < end; c += text_char(c, end).size)
		if (!is_blank(text_char(c, end)))
			last = c + text_char(c, end).size;
	if (at < last)
		name(e, at, last - at, ' ');
	else
		emit_str(e, "[unknown]");
}

static void header(struct script *s, size_t row)
{
	const struct recording *rec = s->report->rec;
	const struct rec_samples *samples = &rec->samples;
	const struct rec_thread *thread = &rec->threads[rec->counts[samples->count[row]].thread];
	struct fold_bytes comm = recording_string(rec, thread->comm);
	struct fold_bytes event = recording_string(rec, rec->events[s->report->tree_events[0]].name);
	int64_t at = samples->time[row] + s->origin;
	uint64_t us = at > 0 ? at / 1000 : 0;
	struct emit *e = &s->emit;

	name(e, comm.size ? (const char *)comm.at : "[unknown]", comm.size ? comm.size : 9, '_');
	emit_printf(e, " %" PRIu32 "/%" PRIu32 " [%03" PRIu32 "] %5" PRIu64 ".%06" PRIu64 ": ", rec->processes[thread->process].pid,
		    thread->tid, samples->cpu[row] == REC_NONE ? 0 : samples->cpu[row], us / 1000000, us % 1000000);
	emit_printf(e, "%10" PRIu64 " ", s->tree->weighted ? samples->weight[row] : samples->times[row]);
	name(e, (const char *)event.at, event.size, '_');
	emit_str(e, ": \n");
}

static void module(struct script *s, uint32_t index)
{
	const struct recording *rec = s->report->rec;
	const struct rec_module *m = &rec->modules[index];
	struct fold_bytes path = recording_string(rec, m->name);
	struct emit *e = &s->emit;

	if (m->kind == FOLD_MODULE_KERNEL)
		emit_str(e, "[kernel.kallsyms]");
	else if (m->kind == FOLD_MODULE_KO && path.size && path.at[0] != '[')
		emit_char(e, '['), name(e, (const char *)path.at, path.size, '_'), emit_char(e, ']');
	else if (path.size)
		name(e, (const char *)path.at, path.size, '_');
	else
		emit_str(e, "[unknown]");
}

static void place(struct script *s, const struct walk_place *p)
{
	struct emit *e = &s->emit;
	struct symbols symbols;

	if (p->marker) {
		emit_printf(e, "\t%16x %s ([unknown])\n", 0, p->marker);
		return;
	}
	symbols = symbolize(s->report->symbolizer, p->module, p->offset, p->exact);
	for (uint32_t i = 0; i < symbols.n; i++) {
		const struct symbol *f = &symbols.v[i];

		emit_printf(e, "\t%16" PRIx64 " ", p->offset);
		if (f->named) {
			function(e, f->name);
			emit_printf(e, "+0x%" PRIx64 " (", f->offset);
		} else {
			emit_str(e, "[unknown] (");
		}
		if (f->inlined)
			emit_str(e, "inlined");
		else
			module(s, p->module);
		emit_str(e, ")\n");
	}
}

static void sample(struct script *s, size_t row)
{
	struct walk_place p;
	struct walk walk;

	header(s, row);
	walk_begin(&walk, s->report->rec, &s->report->rec->counts[s->report->rec->samples.count[row]]);
	while (walk_next(&walk, &p))
		place(s, &p);
	emit_char(&s->emit, '\n');
}

int script_write(FILE *to, const struct report *report)
{
	const struct recording *rec = report->rec;
	struct script *s = malloc(sizeof(*s));
	char line[OUTPUT_LOSS_LINE];

	if (!s) {
		log_error("out of memory while writing samples");
		return -1;
	}
	s->report = report;
	s->tree = &report->trees[0];
	s->origin = rec->nsegments ? (int64_t)rec->segments[0].meta.start.monotonic : 0;
	emit_init(&s->emit, to);
	emit_str(&s->emit, "# ========\n# ");
	output_loss_line(report, line, sizeof(line));
	emit_plain(&s->emit, line, strlen(line));
	emit_str(&s->emit, "\n# ========\n#\n");
	for (size_t row = 0; row < rec->samples.n; row++) {
		uint32_t count = rec->samples.count[row];

		if (rec->counts[count].event == report->tree_events[0] && s->tree->leaves[count] != TREE_NONE)
			sample(s, row);
	}
	emit_flush(&s->emit);
	free(s);
	return 0;
}
