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

struct profile { /* rows [first, first + n) of `rows` */
	size_t tree;
	uint32_t thread;
	size_t first, n;
	uint64_t weight;
};
struct speedscope {
	struct emit emit;
	const struct report *report;
	size_t *rows;       /* samples by profile, in order of time */
	struct profile *profiles;
	size_t nprofiles;
	uint32_t *first_frame; /* by tree */
	uint32_t *path;
};

static void string(struct emit *e, const char *key, const char *at, size_t n)
{
	emit_str(e, key);
	emit_char(e, '"');
	emit_json(e, at, n);
	emit_char(e, '"');
}

static uint64_t weight_of(const struct speedscope *s, size_t tree, size_t row)
{
	const struct rec_samples *samples = &s->report->rec->samples;

	return s->report->trees[tree].weighted ? samples->weight[row] : samples->times[row];
}

/* Which tree a sample belongs to; ntrees when to none. */
static size_t tree_of(const struct report *report, size_t row)
{
	uint32_t count = report->rec->samples.count[row];
	size_t tree = 0;

	while (tree < report->ntrees && report->tree_events[tree] != report->rec->counts[count].event)
		tree++;
	return tree < report->ntrees && report->trees[tree].leaves[count] != TREE_NONE ? tree : report->ntrees;
}

static int by_weight(const void *a, const void *b)
{
	const struct profile *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Samples by (tree, thread): counted, then placed. */
static int divide(struct speedscope *s)
{
	const struct recording *rec = s->report->rec;
	size_t n = s->report->ntrees * rec->nthreads, at = 0;
	struct profile *all = calloc(n + 1, sizeof(*all));

	s->rows = malloc((rec->samples.n + 1) * sizeof(*s->rows));
	s->profiles = all;
	if (!all || !s->rows)
		return -1;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t row = 0; row < rec->samples.n; row++) {
			size_t tree = tree_of(s->report, row);
			struct profile *p;

			if (tree == s->report->ntrees)
				continue;
			p = &all[tree * rec->nthreads + rec->counts[rec->samples.count[row]].thread];
			if (pass)
				s->rows[p->first + p->n] = row;
			else
				p->weight += weight_of(s, tree, row);
			p->n++;
		}
		for (size_t i = 0; !pass && i < n; i++) {
			all[i].tree = i / rec->nthreads;
			all[i].thread = i % rec->nthreads;
			all[i].first = at;
			at += all[i].n;
			all[i].n = 0;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].n)
			all[s->nprofiles++] = all[i];
	qsort(all, s->nprofiles, sizeof(*all), by_weight);
	return 0;
}

static int frames(struct speedscope *s)
{
	struct emit *e = &s->emit;
	uint32_t n = 0;

	s->first_frame = malloc(s->report->ntrees * sizeof(*s->first_frame));
	if (!s->first_frame)
		return -1;
	for (size_t t = 0; t < s->report->ntrees; t++) {
		const struct tree *tree = &s->report->trees[t];

		s->first_frame[t] = n;
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

static void stack(struct speedscope *s, const struct profile *p, uint32_t node)
{
	const struct tree_node *nodes = s->report->trees[p->tree].nodes;
	size_t n = 0;

	for (; node; node = nodes[node].parent)
		s->path[n++] = s->first_frame[p->tree] + nodes[node].frame;
	emit_char(&s->emit, '[');
	while (n--) {
		emit_u64(&s->emit, s->path[n]);
		if (n)
			emit_char(&s->emit, ',');
	}
	emit_char(&s->emit, ']');
}

/* The node of sample `i` of a profile. */
static uint32_t node_of(const struct speedscope *s, const struct profile *p, size_t i)
{
	return s->report->trees[p->tree].leaves[s->report->rec->samples.count[s->rows[p->first + i]]];
}

static void samples(struct speedscope *s, const struct profile *p)
{
	struct emit *e = &s->emit;
	uint64_t sum = 0;

	emit_str(e, ",\"samples\":[");
	for (size_t i = 0; i < p->n; i++) {
		if (i && node_of(s, p, i) == node_of(s, p, i - 1))
			continue;
		emit_str(e, i ? ",\n" : "\n");
		stack(s, p, node_of(s, p, i));
	}
	emit_str(e, "],\"weights\":[");
	for (size_t i = 0; i < p->n; i++) {
		sum += weight_of(s, p->tree, s->rows[p->first + i]);
		if (i + 1 < p->n && node_of(s, p, i + 1) == node_of(s, p, i))
			continue;
		emit_u64(e, sum);
		sum = 0;
		if (i + 1 < p->n)
			emit_char(e, ',');
	}
	emit_char(e, ']');
}

static void profile(struct speedscope *s, const struct profile *p)
{
	static const char *const units[] = {"none", "none", "nanoseconds", "bytes"};
	const struct recording *rec = s->report->rec;
	const struct rec_thread *thread = &rec->threads[p->thread];
	struct fold_bytes comm = recording_string(rec, thread->comm);
	struct fold_bytes event = recording_string(rec, rec->events[s->report->tree_events[p->tree]].name);
	struct emit *e = &s->emit;

	emit_str(e, "{\"type\":\"sampled\",\"name\":\"");
	emit_json(e, (const char *)comm.at, comm.size);
	emit_printf(e, "-%" PRIu32 "/%" PRIu32, rec->processes[thread->process].pid, thread->tid);
	if (s->report->ntrees > 1) {
		emit_str(e, " ");
		emit_json(e, (const char *)event.at, event.size);
	}
	emit_printf(e, "\",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64, units[output_unit(s->report, p->tree)], p->weight);
	samples(s, p);
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
	for (size_t i = 0; i < s->nprofiles; i++) {
		emit_str(e, i ? ",\n" : "\n");
		profile(s, &s->profiles[i]);
	}
	if (!s->nprofiles) /* an empty list is refused */
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
		err = !s->path || divide(s) || document(s) ? -1 : 0;
		emit_flush(&s->emit);
		free(s->path);
		free(s->rows);
		free(s->profiles);
		free(s->first_frame);
	}
	free(s);
	if (err)
		log_error("out of memory while writing for speedscope");
	return err;
}
