/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf script` prints, for the many tools that read it: one block for each
 * sample in order of time, leaf first.  Kept clear of what those tools stumble
 * over: blanks in commands and paths are "_"; "(anonymous namespace)" is
 * "{anonymous}", because a name that begins with "(" is passed over; "->" is an
 * arrow, because it is taken for a border between inlined functions; every name
 * has its offset; the kernel is called "[kernel.kallsyms]".  Lines are worded once
 * for each place and thread, and copied from then on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/intern.h"
#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "walk.h"

struct script {
	struct emit emit;
	const struct report *report;
	const struct tree *tree;
	int64_t origin; /* ns of CLOCK_MONOTONIC at rec->samples' zero */
	/* What was worded before, 0 nothing: by node, of places that are leaves of
	 * their side and of others; by thread, how its headers begin. */
	struct intern texts;
	uint32_t *leaves, *places, *threads;
	bool failed;
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

/* ---- words said again */

struct said { uint64_t passed; size_t n; };

static struct said say(struct script *s)
{
	if (s->emit.n > sizeof(s->emit.buf) / 2)
		emit_flush(&s->emit);
	return (struct said){s->emit.passed, s->emit.n};
}

/* What was written since say(): kept unless it is longer than half of the buffer. */
static void keep(struct script *s, struct said said, uint32_t *text)
{
	struct emit *e = &s->emit;

	if (e->passed == said.passed)
		s->failed |= intern_add(&s->texts, e->buf + said.n, e->n - said.n, text) != 0;
}

static void say_again(struct script *s, uint32_t text)
{
	struct fold_bytes bytes = intern_get(&s->texts, text);

	emit_bytes(&s->emit, (const char *)bytes.at, bytes.size);
}

/* ---- a sample */

static void header_begin(struct script *s, uint32_t index)
{
	const struct recording *rec = s->report->rec;
	const struct rec_thread *thread = &rec->threads[index];
	struct fold_bytes comm = recording_string(rec, thread->comm);
	struct said said;

	if (s->threads[index]) {
		say_again(s, s->threads[index]);
		return;
	}
	said = say(s);
	name(&s->emit, comm.size ? (const char *)comm.at : "[unknown]", comm.size ? comm.size : 9, '_');
	emit_printf(&s->emit, " %" PRIu32 "/%" PRIu32 " [", rec->processes[thread->process].pid, thread->tid);
	keep(s, said, &s->threads[index]);
}

static void header(struct script *s, size_t row)
{
	const struct recording *rec = s->report->rec;
	const struct rec_samples *samples = &rec->samples;
	struct fold_bytes event = recording_string(rec, rec->events[s->report->tree_events[0]].name);
	int64_t at = samples->time[row] + s->origin;
	uint64_t us = at > 0 ? at / 1000 : 0;
	struct emit *e = &s->emit;

	header_begin(s, rec->counts[samples->count[row]].thread);
	emit_padded(e, samples->cpu[row] == REC_NONE ? 0 : samples->cpu[row], 3, '0');
	emit_str(e, "] ");
	emit_padded(e, us / 1000000, 5, ' ');
	emit_char(e, '.');
	emit_padded(e, us % 1000000, 6, '0');
	emit_str(e, ": ");
	emit_padded(e, s->tree->weighted ? samples->weight[row] : samples->times[row], 10, ' ');
	emit_char(e, ' ');
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

static void place_lines(struct script *s, const struct walk_place *p)
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

		emit_char(e, '\t');
		emit_hex(e, p->offset, 16);
		emit_char(e, ' ');
		if (f->named) {
			function(e, f->name);
			emit_str(e, "+0x");
			emit_hex(e, f->offset, 0);
			emit_str(e, " (");
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

static void place(struct script *s, const struct walk_place *p)
{
	uint32_t *known = p->node == REC_NONE ? NULL : &(p->leaf ? s->leaves : s->places)[p->node];
	struct said said;

	if (known && *known) {
		say_again(s, *known);
		return;
	}
	said = say(s);
	place_lines(s, p);
	if (known)
		keep(s, said, known);
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

static void document(struct script *s)
{
	const struct recording *rec = s->report->rec;
	char line[OUTPUT_LOSS_LINE];

	emit_str(&s->emit, "# ========\n# ");
	output_loss_line(s->report, line, sizeof(line));
	emit_plain(&s->emit, line, strlen(line));
	emit_str(&s->emit, "\n# ========\n#\n");
	for (size_t row = 0; row < rec->samples.n && !s->failed; row++) {
		uint32_t count = rec->samples.count[row];

		if (rec->counts[count].event == s->report->tree_events[0] && s->tree->leaves[count] != TREE_NONE)
			sample(s, row);
	}
	emit_flush(&s->emit);
}

int script_write(FILE *to, const struct report *report)
{
	const struct recording *rec = report->rec;
	struct script *s = calloc(1, sizeof(*s));
	bool failed = true;

	if (s) {
		s->report = report;
		s->tree = &report->trees[0];
		s->origin = rec->nsegments ? (int64_t)rec->segments[0].meta.start.monotonic : 0;
		s->leaves = calloc(rec->nnodes + 1, sizeof(*s->leaves));
		s->places = calloc(rec->nnodes + 1, sizeof(*s->places));
		s->threads = calloc(rec->nthreads + 1, sizeof(*s->threads));
		intern_init(&s->texts, 1);
		emit_init(&s->emit, to);
		s->failed = !s->leaves || !s->places || !s->threads;
		if (!s->failed)
			document(s);
		failed = s->failed;
		intern_release(&s->texts);
		free(s->leaves);
		free(s->places);
		free(s->threads);
	}
	free(s);
	if (failed)
		log_error("out of memory while writing samples");
	return failed ? -1 : 0;
}
