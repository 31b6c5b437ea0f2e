/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files to a recording: which bytes, item by item, what was damaged, and the last
 * steps that need all of it.  What the items mean is in segment_meta.c and segment_batch.c.
 */
#include <inttypes.h>
#include <string.h>

#include "../../format/reader.h"
#include "../infile.h"
#include "../log.h"
#include "../memory.h"
#include "array.h"
#include "segment.h"

struct fold_bytes recording_string(const struct recording *rec, uint32_t id)
{
	return intern_get(&rec->strings, id);
}

void recording_release(struct recording *rec)
{
	for (size_t i = 0; i < rec->nmodules; i++) {
		free(rec->modules[i].segments);
		free(rec->modules[i].syms);
	}
	for (size_t i = 0; i < rec->nsegments; i++) {
		free(rec->segments[i].notes);
		idmap_release(&rec->segments[i].modules);
	}
	for (size_t i = 0; i < rec->norigins; i++)
		free(rec->origins[i].labels);
	free(rec->modules);
	free(rec->processes);
	free(rec->threads);
	free(rec->mmaps);
	free(rec->nodes);
	free(rec->counts);
	free(rec->samples.time);
	free(rec->samples.count);
	free(rec->samples.cpu);
	free(rec->samples.times);
	free(rec->samples.weight);
	free(rec->events);
	free(rec->segments);
	free(rec->origins);
	intern_release(&rec->strings);
	*rec = (struct recording){0};
}

/* ------------------------------------------------------------------ items */

/* What to do about it, where there is something. */
static const char *fault_advice(const struct infile *in, const struct fold_fault *fault)
{
	const char *what;

	switch (fault->code) {
	case FOLD_E_MAGIC:
		what = infile_what(in);
		return what ? what : "is it what fold-record wrote?";
	case FOLD_E_MAGIC_TEXT:
		return "copy it again as binary";
	case FOLD_E_VERSION:
	case FOLD_E_DRAFT:
	case FOLD_E_CHUNK_TYPE:
	case FOLD_E_SECTION_UNKNOWN:
	case FOLD_E_COLUMN_UNKNOWN:
		return "read it with the fold-report that came with its fold-record";
	default:
		return NULL;
	}
}

static void log_fault(const struct infile *in, const struct fold_fault *fault)
{
	const char *file = strcmp(in->path, "-") ? in->path : "standard input";
	const char *advice = fault_advice(in, fault);
	char text[256];

	if (!in->size && !in->got)
		log_error("%s: nothing came through it; did what writes to it fail?", file);
	else
		log_error("%s: %s%s%s", file, fault_text(fault, text, sizeof(text)), advice ? "; " : "", advice ? advice : "");
}

static void note_damage(struct segment *s, const struct fold_item *item)
{
	struct rec_segment *record = segment_record(s);
	char text[256];

	if (!record->damages++)
		record->first_damage = item->fault;
	record->lost_bytes += item->lost_bytes;
	record->lost_chunks += item->lost_chunks;
	log_detail("%s: %s", record->file, fault_text(&item->fault, text, sizeof(text)));
}

static void measure(struct segment *s, const struct fold_item *item)
{
	struct rec_segment *record = segment_record(s);

	record->stored_bytes += item->stored_size;
	record->raw_bytes += item->raw_size;
	if (item->kind != FOLD_ITEM_BATCH)
		return;
	record->batches++;
	for (size_t i = 0; i < FOLD_SECTION_MAX; i++)
		record->section_bytes[i] += item->section_size[i];
}

/* 0, or -1 out of memory. */
static int take_item(struct segment *s, const struct fold_item *item)
{
	measure(s, item);
	switch (item->kind) {
	case FOLD_ITEM_META:
		return segment_meta(s, item->meta);
	case FOLD_ITEM_BATCH:
		return segment_batch(s, item->batch);
	case FOLD_ITEM_SYMBOLS:
		return segment_symbols(s, item->symbols);
	case FOLD_ITEM_NOTE:
		return segment_note(s, item->note);
	case FOLD_ITEM_FINISH:
		segment_end(s, item->end);
		/* Sums that do not close are seen by segment_finish(); chunks that are not
		 * those of END follow from damage, or are one that nothing else shows. */
		if (item->fault.code == FOLD_E_END_CRC && !segment_record(s)->damages)
			note_damage(s, item);
		return 0;
	case FOLD_ITEM_DAMAGE:
	case FOLD_ITEM_CUT:
		note_damage(s, item);
		return 0;
	default:
		return 0;
	}
}

/* ------------------------------------------------------------------ files */

/* A file header and no META behind it, up to byte `end`: cut just there, or what follows it is lost. */
static void note_empty(struct segment *s, uint64_t begin, uint64_t end)
{
	struct fold_item item = {
		.fault = {.code = FOLD_E_NO_META, .offset = begin, .chunk = -1, .rule = "R-ORD-1"}, .lost_bytes = end - begin,
	};

	if (!segment_record(s)->damages)
		note_damage(s, &item);
}

/* One without META is no recording: what was damaged there is told of the one before it in the file. */
static void drop_segment(struct segment *s)
{
	struct recording *rec = s->load->rec;
	struct rec_segment *record = segment_record(s), *before = record - 1;

	if (s->id && before->file == record->file && record->damages) {
		if (!before->damages)
			before->first_damage = record->first_damage;
		before->damages += record->damages;
		before->lost_bytes += record->lost_bytes;
		before->lost_chunks += record->lost_chunks;
	}
	rec->nsegments--;
}

/* A recording ended, at byte `end` of its file. */
static int end_segment(struct segment *s, uint64_t begin, uint64_t end)
{
	int err = 0;

	if (!s->load)
		return 0;
	segment_record(s)->bytes = end - begin;
	if (s->begun) {
		err = segment_finish(s);
	} else {
		note_empty(s, begin, end);
		drop_segment(s);
	}
	segment_release(s);
	return err;
}

static void show_progress(const struct reader *reader, const char *file, uint64_t size)
{
	uint64_t done = reader_bytes(reader);

	if (size)
		log_progress("reading %.60s: %u %%", file, (unsigned)(done * 100.0 / (double)size));
	else
		log_progress("reading %.60s: %" PRIu64 " MiB", file, done >> 20);
}

/*
 * All items of a file.  1: read to its end, 0: reading stopped, and the log says
 * why, -1: out of memory.
 */
static int load_items(struct load *load, struct reader *reader, const struct infile *in)
{
	const char *file = in->path;
	struct segment s = {0};
	struct fold_item item;
	uint64_t begin = 0;
	int err = 0;

	for (;;) {
		if (reader_next(reader, &item)) {
			log_fault(in, reader_fault(reader));
			err = reader_fault(reader)->code == FOLD_E_MEMORY ? -1 : 0;
			if (s.load)
				note_damage(&s, &(struct fold_item){.fault = *reader_fault(reader)});
			break;
		}
		err = item.kind == FOLD_ITEM_END_OF_FILE;
		if (err)
			break;
		show_progress(reader, file, in->size);
		if (load->keep.watch)
			memory_watch_reads(load->keep.watch, file, item.offset, FOLD_CHUNK_HEADER_SIZE + item.stored_size);
		/* Damage before the first META belongs to the recording that follows. */
		if (!s.load || (item.kind == FOLD_ITEM_SEGMENT && s.begun)) {
			err = end_segment(&s, begin, item.offset);
			begin = item.offset;
			if (!err)
				err = segment_begin(&s, load, file);
		} else if (item.kind == FOLD_ITEM_SEGMENT) {
			note_empty(&s, begin, item.offset);
		}
		if (!err)
			err = take_item(&s, &item);
		if (err)
			break;
	}
	if (end_segment(&s, begin, reader_bytes(reader)))
		err = -1;
	segment_release(&s);
	return err;
}

static int load_open(struct load *load, struct infile *in)
{
	struct reader_limits limits = {.file_size = in->size};
	struct reader *reader = NULL;
	int err = -1;

	if (!reader_new(&reader, infile_source(in), &limits))
		err = load_items(load, reader, in);
	reader_free(reader);
	return err;
}

/* 0: everything or a part of it was read; 1: nothing; -1: out of memory.  The log has said why. */
static int load_file(struct load *load, const char *file)
{
	size_t before = load->rec->nsegments;
	struct infile in;
	int done;

	if (infile_open(&in, file))
		return 1;
	done = load_open(load, &in);
	infile_close(&in);
	if (done < 0) {
		log_error("%s: out of memory", file);
		return -1;
	}
	if (load->rec->nsegments > before)
		return 0;
	if (done)
		log_error("%s: no recording in it", file);
	return 1;
}

/* ------------------------------------------------------- what needs it all */

/* A node is in when it or a caller of it lies in a module that was asked for. */
static bool *nodes_in_modules(const struct load *load)
{
	const struct recording *rec = load->rec;
	bool *module_in = calloc(rec->nmodules + 1, sizeof(*module_in));
	bool *node_in = calloc(rec->nnodes + 1, sizeof(*node_in));

	if (!module_in || !node_in) {
		free(module_in);
		free(node_in);
		return NULL;
	}
	for (size_t i = 0; i < rec->nmodules; i++) {
		struct fold_bytes name = recording_string(rec, rec->modules[i].name);
		char *path = strndup((const char *)name.at, name.size);

		module_in[i] = path && select_module(load->select, path);
		free(path);
	}
	for (size_t i = 0; i < rec->nnodes; i++) {
		const struct rec_node *node = &rec->nodes[i];

		node_in[i] = (node->kind == REC_FRAME_CODE && module_in[node->module]) ||
			     (node->parent != REC_NONE && node_in[node->parent]);
	}
	free(module_in);
	return node_in;
}

static struct rec_count make_count(const struct load *load, size_t i)
{
	const struct tally_entry *entry = &load->tally.entries[i];
	const struct stack *kernel = &load->stacks.v[entry->key.kstack];
	const struct stack *user = &load->stacks.v[entry->key.ustack];

	return (struct rec_count){
		.thread = entry->key.thread,
		.kleaf = kernel->leaf,
		.uleaf = user->leaf,
		.kend = kernel->end,
		.uend = user->end,
		.event = tally_event(entry->key.event_cpu),
		.cpu = tally_cpu(entry->key.event_cpu),
		.count = entry->count,
		.weight = load->tally.weights ? load->tally.weights[i] : 0,
	};
}

/* The counts, without those outside the selected modules; `place` receives where each went. */
static int fill_counts(struct load *load, uint32_t *place)
{
	struct recording *rec = load->rec;
	bool *node_in = NULL;

	if (load->select->nmodules && !(node_in = nodes_in_modules(load)))
		return -1;
	rec->counts = malloc((load->tally.n + 1) * sizeof(*rec->counts));
	for (size_t i = 0; rec->counts && i < load->tally.n; i++) {
		struct rec_count count = make_count(load, i);
		bool in = !node_in || (count.kleaf != REC_NONE && node_in[count.kleaf]) ||
			  (count.uleaf != REC_NONE && node_in[count.uleaf]);

		if (place)
			place[i] = in ? (uint32_t)rec->ncounts : REC_NONE;
		if (!in)
			continue;
		rec->counts[rec->ncounts++] = count;
		rec->events[count.event].selected += count.count;
	}
	free(node_in);
	return rec->counts ? 0 : -1;
}

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))
static int sample_compare(const void *a, const void *b)
{
	const struct kept_sample *x = a, *y = b;

	if (x->time != y->time)
		return COMPARE(x->time, y->time);
	if (x->cpu != y->cpu)
		return COMPARE(x->cpu, y->cpu);
	if (x->count != y->count)
		return COMPARE(x->count, y->count);
	if (x->times != y->times)
		return COMPARE(x->times, y->times);
	return COMPARE(x->weight, y->weight);
}

/* For what is nearly in order, as the samples of one recording are: false when it is not. */
static bool sort_nearby(struct kept_sample *v, size_t n)
{
	size_t moves = 0;

	for (size_t i = 1; i < n && moves <= 4 * n; i++) {
		struct kept_sample moved = v[i];
		size_t at = i;

		for (; at && moves <= 4 * n && sample_compare(&v[at - 1], &moved) > 0; at--, moves++)
			v[at] = v[at - 1];
		v[at] = moved;
	}
	return moves <= 4 * n;
}

static int fill_samples(struct load *load, const uint32_t *place)
{
	struct rec_samples *to = &load->rec->samples;
	size_t n = load->nsamples + 1;

	if (load->nsamples && !sort_nearby(load->samples, load->nsamples))
		qsort(load->samples, load->nsamples, sizeof(*load->samples), sample_compare);
	to->time = malloc(n * sizeof(*to->time));
	to->count = malloc(n * sizeof(*to->count));
	to->cpu = malloc(n * sizeof(*to->cpu));
	to->times = malloc(n * sizeof(*to->times));
	to->weight = load->weighted ? malloc(n * sizeof(*to->weight)) : NULL;
	if (!to->time || !to->count || !to->cpu || !to->times || (load->weighted && !to->weight))
		return -1;
	for (size_t i = 0; i < load->nsamples; i++) {
		const struct kept_sample *from = &load->samples[i];

		if (place[from->count] == REC_NONE)
			continue;
		to->time[to->n] = from->time;
		to->count[to->n] = place[from->count];
		to->cpu[to->n] = from->cpu;
		to->times[to->n] = from->times;
		if (to->weight)
			to->weight[to->n] = from->weight;
		to->n++;
	}
	return 0;
}

/* 0, or -1 out of memory. */
static int load_finish(struct load *load)
{
	struct recording *rec = load->rec;
	uint32_t *place = NULL;
	int err;

	if (modules_finish(&load->modules, rec))
		return -1;
	rec->nodes = load->trie.nodes;
	rec->nnodes = load->trie.n;
	load->trie.nodes = NULL;
	trie_release(&load->trie);
	stacks_rest(&load->stacks);
	tally_rest(&load->tally);
	if (load->keep.samples && !(place = malloc((load->tally.n + 1) * sizeof(*place))))
		return -1;
	err = fill_counts(load, place);
	if (!err && load->keep.samples)
		err = fill_samples(load, place);
	free(place);
	return err;
}

/* ------------------------------------------------------------------- load */

static int load_init(struct load *load, struct recording *rec, const struct select *select,
		     const struct rec_keep *keep)
{
	uint32_t empty;

	*rec = (struct recording){0};
	*load = (struct load){.rec = rec, .select = select, .keep = keep ? *keep : (struct rec_keep){0}};
	intern_init(&rec->strings, 0);
	modules_init(&load->modules);
	if (intern_add(&rec->strings, "", 0, &empty) || trie_init(&load->trie) || stacks_init(&load->stacks) ||
	    tally_init(&load->tally))
		return -1;
	if (!select->ncpus)
		return 0;
	load->cpus = calloc(FOLD_MAX_CPUS / 64, sizeof(*load->cpus));
	for (size_t i = 0; load->cpus && i < select->ncpus; i++)
		if (select->cpus[i] < FOLD_MAX_CPUS)
			load->cpus[select->cpus[i] / 64] |= UINT64_C(1) << select->cpus[i] % 64;
	return load->cpus ? 0 : -1;
}

static void load_release(struct load *load)
{
	free(load->cpus);
	free(load->samples);
	modules_release(&load->modules);
	trie_release(&load->trie);
	stacks_release(&load->stacks);
	tally_release(&load->tally);
}

/* What the selection could not do justice to. */
static void warn_aggregated(const struct load *load)
{
	const struct recording *rec = load->rec;

	for (size_t i = 0; i < rec->nsegments; i++) {
		const struct rec_segment *segment = &rec->segments[i];

		if (segment->meta.mode != FOLD_MODE_AGGREGATED || !segment->samples)
			continue;
		if (load->cpus)
			log_warning("%s: was recorded aggregated, without CPUs: --cpu selects none of it",
				    segment->file);
		if (load->select->from.kind != SELECT_TIME_NONE || load->select->to.kind != SELECT_TIME_NONE)
			log_info("%s: was recorded aggregated: intervals that begin in the selected time are taken whole",
				 segment->file);
	}
}

int recording_load(struct recording *rec, char *const *files, size_t nfiles, const struct select *select,
		   const struct rec_keep *keep)
{
	struct load load;
	int err = load_init(&load, rec, select, keep);
	bool unusable = false;

	for (size_t i = 0; !err && i < nfiles; i++) {
		int done = load_file(&load, files[i]);

		unusable |= done > 0;
		err = done < 0 ? -1 : 0;
	}
	if (!err && !unusable && load_finish(&load)) {
		log_error("out of memory for %zu distinct stacks", load.tally.n);
		err = -1;
	}
	if (!err && !unusable)
		warn_aggregated(&load);
	log_progress_end();
	if (load.keep.watch)
		memory_watch_has_read(load.keep.watch);
	load_release(&load);
	return err || unusable ? -1 : 0;
}
