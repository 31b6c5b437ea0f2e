/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speedscope's own file format: a sampled profile for each thread and event, the
 * heaviest first, its samples in order of time, so that both of its views mean
 * something.  Frames are shared and told apart by index.  Neighbours with the
 * same stack become one sample.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "threads.h"

struct speedscope {
	struct emit emit;
	const struct report *report;
	struct threads threads;
	uint32_t *first_frame; /* by tree */
	struct digits *digits; /* by frame of the page: its number, then a comma */
	uint32_t *path;
};
struct digits { uint8_t n; char text[15]; };

static void string(struct emit *e, const char *key, const char *at, size_t n)
{
	emit_str(e, key);
	emit_char(e, '"');
	emit_json(e, at, n);
	emit_char(e, '"');
}

static int number_frames(struct speedscope *s)
{
	size_t n = 0;

	s->first_frame = malloc(s->report->ntrees * sizeof(*s->first_frame));
	if (!s->first_frame)
		return -1;
	for (size_t t = 0; t < s->report->ntrees; t++) {
		s->first_frame[t] = n;
		n += s->report->trees[t].nframes;
	}
	s->digits = malloc((n + 1) * sizeof(*s->digits));
	for (size_t i = 0; s->digits && i < n; i++)
		s->digits[i].n = sprintf(s->digits[i].text, "%" PRIu32 ",", (uint32_t)i);
	return s->digits ? 0 : -1;
}

static int frames(struct speedscope *s)
{
	struct emit *e = &s->emit;
	uint32_t n = 0;

	if (number_frames(s))
		return -1;
	for (size_t t = 0; t < s->report->ntrees; t++) {
		const struct tree *tree = &s->report->trees[t];

		for (size_t i = 0; i < tree->nframes; i++, n++) {
			const struct frame *f = &tree->frames[i];
			const char *file = f->file ? f->file : f->module;

			string(e, n ? ",\n{\"name\":" : "\n{\"name\":", f->name, strlen(f->name));
			if (*file)
				string(e, ",\"file\":", file, strlen(file));
			if (f->file && f->line)
				emit_printf(e, ",\"line\":%" PRIu32, f->line);
			emit_char(e, '}');
		}
	}
	return 0;
}

static void stack(struct speedscope *s, const struct thread_rows *t, uint32_t node)
{
	const struct tree_node *nodes = s->report->trees[t->tree].nodes;
	size_t n = 0;

	for (; node; node = nodes[node].parent)
		s->path[n++] = s->first_frame[t->tree] + nodes[node].frame;
	emit_char(&s->emit, '[');
	while (n--) {
		const struct digits *digits = &s->digits[s->path[n]];

		emit_bytes(&s->emit, digits->text, n ? digits->n : digits->n - 1u);
	}
	emit_char(&s->emit, ']');
}

static void samples(struct speedscope *s, const struct thread_rows *t)
{
	struct emit *e = &s->emit;
	uint64_t sum = 0;

	emit_str(e, ",\"samples\":[");
	for (size_t i = 0; i < t->n; i++) {
		if (i && t->nodes[i] == t->nodes[i - 1])
			continue;
		emit_str(e, i ? ",\n" : "\n");
		stack(s, t, t->nodes[i]);
	}
	emit_str(e, "],\"weights\":[");
	for (size_t i = 0; i < t->n; i++) {
		sum += threads_weight(s->report, t->tree, t->rows[i]);
		if (i + 1 < t->n && t->nodes[i + 1] == t->nodes[i])
			continue;
		emit_u64(e, sum);
		sum = 0;
		if (i + 1 < t->n)
			emit_char(e, ',');
	}
	emit_char(e, ']');
}

static void profile(struct speedscope *s, const struct thread_rows *t)
{
	static const char *const units[] = {"none", "none", "nanoseconds", "bytes"};
	const struct recording *rec = s->report->rec;
	const struct rec_thread *thread = &rec->threads[t->thread];
	struct fold_bytes comm = recording_string(rec, thread->comm);
	struct fold_bytes event = recording_string(rec, rec->events[s->report->tree_events[t->tree]].name);
	struct emit *e = &s->emit;

	emit_str(e, "{\"type\":\"sampled\",\"name\":\"");
	emit_json(e, (const char *)comm.at, comm.size);
	emit_printf(e, "-%" PRIu32 "/%" PRIu32, rec->processes[thread->process].pid, thread->tid);
	if (s->report->ntrees > 1) {
		emit_str(e, " ");
		emit_json(e, (const char *)event.at, event.size);
	}
	emit_printf(e, "\",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64, units[output_unit(s->report, t->tree)], t->weight);
	samples(s, t);
	emit_char(e, '}');
}

static int document(struct speedscope *s)
{
	struct emit *e = &s->emit;
	char title[256], line[OUTPUT_LOSS_LINE];

	output_title(s->report, 0, title, sizeof(title));
	emit_str(e, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"fold-report@" FOLD_VERSION "\"");
	emit_str(e, ",\"name\":\"");
	emit_json(e, title, strlen(title));
	emit_str(e, ": ");
	output_loss_line(s->report, line, sizeof(line));
	emit_json(e, line, strlen(line));
	emit_str(e, "\",\"shared\":{\"frames\":[");
	if (frames(s))
		return -1;
	emit_str(e, "]},\"profiles\":[");
	for (size_t i = 0; i < s->threads.n; i++) {
		emit_str(e, i ? ",\n" : "\n");
		profile(s, &s->threads.v[i]);
	}
	if (!s->threads.n) /* an empty list is refused */
		emit_str(e, "{\"type\":\"sampled\",\"name\":\"no samples\",\"unit\":\"none\",\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}");
	emit_str(e, "]}\n");
	return 0;
}

static size_t largest(const struct report *report)
{
	size_t most = 0;

	for (size_t t = 0; t < report->ntrees; t++)
		most = report->trees[t].nnodes > most ? report->trees[t].nnodes : most;
	return most;
}

int speedscope_write(FILE *to, const struct report *report)
{
	struct speedscope *s = calloc(1, sizeof(*s));
	int err = -1;

	if (s) {
		s->report = report;
		emit_init(&s->emit, to);
		s->path = malloc((largest(report) + 1) * sizeof(*s->path));
		err = !s->path || threads_init(&s->threads, report) || document(s) ? -1 : 0;
		emit_flush(&s->emit);
		free(s->path);
		threads_release(&s->threads);
		free(s->first_frame);
		free(s->digits);
	}
	free(s);
	if (err)
		log_error("out of memory while writing for speedscope");
	return err;
}
