/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof's profile.proto, gzipped, address by address: a location is a place in a
 * module with its inline chain, a mapping is a module at an address that we make
 * up (recordings have none), so that address - memory_start is the file offset.
 * Ids count from 1 without gaps, and bytes depend on nothing but the input.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/intern.h"
#include "../log.h"
#include "emit.h"
#include "formats.h"
#include "gzip.h"
#include "walk.h"

enum { /* field numbers of profile.proto */
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14,
	TYPE_TYPE = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_STRING = 2, LABEL_NUMBER = 3,
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_FILE = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
	LINE_FUNCTION = 1, LINE_LINE = 2,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4,
};
#define FIRST_BASE UINT64_C(0x10000000)
#define PAGE UINT64_C(4096)

struct location { uint32_t module, marker; uint64_t offset; uint64_t exact; }; /* marker: string, 0 code */
struct function { uint32_t name, system_name, file, none; };
struct extent { size_t at, size; };
struct mapping { uint32_t id; uint64_t base; bool files, lines, inlines; };

struct pprof {
	const struct report *report;
	struct buf out;
	struct intern strings, locations, functions; /* keys: bytes, struct location, struct function */
	uint32_t *leaf_at, *place_at; /* by node: location of it as a leaf of its side, or not; 0 not yet */
	struct buf labels;         /* of threads, encoded */
	struct extent *label_at;   /* by thread: where in there; size 0: not yet */
	struct mapping *mappings;  /* by module; id 0: not used */
	uint32_t *order;           /* modules by id - 1 */
	uint32_t nmappings;
	uint64_t next_base;
	bool failed;
};

/* ---- wire format */

static void put(struct pprof *p, unsigned field, uint64_t v)
{
	if (!v)
		return;
	buf_uv(&p->out, field << 3);
	buf_uv(&p->out, v);
}

static size_t open_message(struct pprof *p, unsigned field)
{
	buf_uv(&p->out, field << 3 | 2);
	return buf_open(&p->out);
}

/* ---- tables */

/* Strings have to be UTF-8: made safe like every name. */
static uint32_t string_of(struct pprof *p, const char *at, size_t n)
{
	char safe[4096], *to = safe;
	uint32_t id = 0;

	for (const char *end = at + n; at < end && to < safe + sizeof(safe) - 8;) {
		struct text_char c = text_char(at, end);

		to = c.broken ? to + sprintf(to, "\\x%02x", c.code) : c.control ? stpcpy(to, " ") : mempcpy(to, at, c.size);
		at += c.size;
	}
	p->failed |= intern_add(&p->strings, safe, to - safe, &id) != 0;
	return id;
}

static uint32_t word_of(struct pprof *p, const char *s)
{
	return string_of(p, s, strlen(s));
}

static uint32_t bytes_of(struct pprof *p, struct fold_bytes b)
{
	return string_of(p, (const char *)b.at, b.size);
}

static uint32_t function_of(struct pprof *p, const char *name, const char *mangled, const char *file)
{
	struct function key = {word_of(p, name), word_of(p, mangled ? mangled : name), file ? word_of(p, file) : 0, 0};
	uint32_t id = 0;

	p->failed |= intern_add(&p->functions, &key, sizeof(key), &id) != 0;
	return id;
}

static void use_module(struct pprof *p, uint32_t module)
{
	struct mapping *m = &p->mappings[module];

	if (m->id)
		return;
	p->order[p->nmappings++] = module;
	m->id = p->nmappings;
	m->base = p->next_base;
	p->next_base += (p->report->rec->modules[module].span + 2 * PAGE - 1) / PAGE * PAGE;
}

static uint32_t location_of(struct pprof *p, const struct walk_place *place)
{
	uint32_t *known = place->node == REC_NONE ? NULL : &(place->leaf ? p->leaf_at : p->place_at)[place->node];
	struct location key;
	uint32_t id = 0;

	if (known && *known)
		return *known;
	key = (struct location){place->module, place->marker ? word_of(p, place->marker) : 0, place->offset, place->exact};
	if (!place->marker)
		use_module(p, place->module);
	p->failed |= intern_add(&p->locations, &key, sizeof(key), &id) != 0;
	if (known)
		*known = id;
	return id;
}

/* ---- values: for each event with samples its count, and its weight or time */

static bool second_value(const struct report *report, size_t tree)
{
	return report->trees[tree].weighted || (report->tree_events[tree] < report->rec->nevents &&
						report->rec->events[report->tree_events[tree]].sample_ns);
}

static void sample_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	size_t mark = open_message(p, field);

	put(p, TYPE_TYPE, word_of(p, type));
	put(p, TYPE_UNIT, word_of(p, unit));
	buf_close(&p->out, mark);
}

static const char *type_name(const struct report *report, size_t tree, char *buf, size_t size)
{
	const struct rec_event *event = &report->rec->events[report->tree_events[tree]];
	struct fold_bytes name = recording_string(report->rec, event->name);

	if (event->sample_ns && (event->kind == FOLD_EVENT_CPU_CLOCK || event->kind == FOLD_EVENT_CYCLES))
		snprintf(buf, size, "cpu");
	else
		snprintf(buf, size, "%.*s", (int)name.size, (const char *)name.at);
	return buf;
}

static void sample_types(struct pprof *p)
{
	static const char *const units[] = {"count", "count", "nanoseconds", "bytes"};
	const struct report *report = p->report;
	char name[300], count[320];

	for (size_t i = 0; i < report->ntrees; i++) {
		if (report->tree_events[i] >= report->rec->nevents) {
			sample_type(p, PROFILE_SAMPLE_TYPE, "samples", "count");
			continue;
		}
		type_name(report, i, name, sizeof(name));
		snprintf(count, sizeof(count), report->ntrees > 1 ? "%s_samples" : "samples", name);
		sample_type(p, PROFILE_SAMPLE_TYPE, count, "count");
		if (report->trees[i].weighted)
			sample_type(p, PROFILE_SAMPLE_TYPE, name, units[output_unit(report, i)]);
		else if (second_value(report, i))
			sample_type(p, PROFILE_SAMPLE_TYPE, name, "nanoseconds");
	}
	if (second_value(report, 0))
		put(p, PROFILE_DEFAULT_TYPE, word_of(p, type_name(report, 0, name, sizeof(name))));
}

static void put_values(struct pprof *p, const struct rec_count *count)
{
	const struct report *report = p->report;
	size_t mark = open_message(p, SAMPLE_VALUE);

	for (size_t i = 0; i < report->ntrees; i++) {
		bool mine = report->tree_events[i] == count->event;

		buf_uv(&p->out, mine ? count->count : 0);
		if (report->trees[i].weighted)
			buf_uv(&p->out, mine ? count->weight : 0);
		else if (second_value(report, i))
			buf_uv(&p->out, mine ? count->count * report->rec->events[count->event].sample_ns : 0);
	}
	buf_close(&p->out, mark);
}

/* ---- samples */

static void label(struct pprof *p, const char *key, uint32_t string, uint64_t number)
{
	size_t mark = open_message(p, SAMPLE_LABEL);

	put(p, LABEL_KEY, word_of(p, key));
	put(p, LABEL_STRING, string);
	put(p, LABEL_NUMBER, number);
	buf_close(&p->out, mark);
}

/* Labels of a thread are the same for all of its samples. */
static void put_thread(struct pprof *p, uint32_t index)
{
	const struct recording *rec = p->report->rec;
	const struct rec_thread *thread = &rec->threads[index];
	const struct rec_process *process = &rec->processes[thread->process];
	struct extent *known = &p->label_at[index];
	size_t begin = p->out.size;

	if (known->size) {
		buf_raw(&p->out, p->labels.at + known->at, known->size);
		return;
	}
	label(p, "comm", bytes_of(p, recording_string(rec, process->comm)), 0);
	label(p, "thread", bytes_of(p, recording_string(rec, thread->comm)), 0);
	label(p, "pid", 0, process->pid);
	label(p, "tid", 0, thread->tid);
	if (p->out.failed)
		return;
	*known = (struct extent){p->labels.size, p->out.size - begin};
	buf_raw(&p->labels, p->out.at + begin, known->size);
	p->failed |= p->labels.failed;
}

static void put_sample(struct pprof *p, const struct rec_count *count)
{
	struct walk_place place;
	struct walk walk;
	size_t sample = open_message(p, PROFILE_SAMPLE), mark = open_message(p, SAMPLE_LOCATION);

	walk_begin(&walk, p->report->rec, count);
	while (walk_next(&walk, &place))
		buf_uv(&p->out, location_of(p, &place));
	buf_close(&p->out, mark);
	put_values(p, count);
	put_thread(p, count->thread);
	if (count->cpu != REC_NONE)
		label(p, "cpu", 0, count->cpu);
	buf_close(&p->out, sample);
}

static bool wanted(const struct report *report, size_t count)
{
	for (size_t i = 0; i < report->ntrees; i++)
		if (report->tree_events[i] == report->rec->counts[count].event && report->trees[i].leaves[count] != TREE_NONE)
			return true;
	return false;
}

/* Mapping 1 is taken for the main binary: the program of the heaviest process. */
static void main_mapping_first(struct pprof *p)
{
	const struct recording *rec = p->report->rec;
	uint64_t *sums = calloc(rec->nprocesses + 1, sizeof(*sums));
	size_t best = 0;

	p->failed |= !sums;
	for (size_t i = 0; sums && i < rec->ncounts; i++)
		if (wanted(p->report, i))
			sums[rec->threads[rec->counts[i].thread].process] += rec->counts[i].count;
	for (size_t i = 1; sums && i < rec->nprocesses; i++)
		best = sums[i] > sums[best] ? i : best;
	if (rec->nprocesses && rec->processes[best].exe != REC_NONE)
		use_module(p, rec->processes[best].exe);
	free(sums);
}

/* ---- what samples refer to */

static void put_line(struct pprof *p, struct mapping *m, const char *name, const char *mangled, const char *file, uint32_t line)
{
	size_t mark = open_message(p, LOCATION_LINE);

	put(p, LINE_FUNCTION, function_of(p, name, mangled, file));
	put(p, LINE_LINE, line);
	buf_close(&p->out, mark);
	if (m) {
		m->files |= file != NULL;
		m->lines |= line != 0;
	}
}

static void put_locations(struct pprof *p)
{
	for (uint32_t i = 0; i < p->locations.n && !p->failed; i++) {
		struct location key;
		size_t mark = open_message(p, PROFILE_LOCATION);
		struct symbols symbols = {0};
		struct mapping *m = NULL;

		memcpy(&key, p->locations.v[i].at, sizeof(key));
		put(p, LOCATION_ID, i + 1);
		if (key.marker) {
			struct fold_bytes name = intern_get(&p->strings, key.marker);
			char text[64];

			snprintf(text, sizeof(text), "%.*s", (int)name.size, (const char *)name.at);
			put_line(p, NULL, text, NULL, NULL, 0);
		} else {
			m = &p->mappings[key.module];
			put(p, LOCATION_MAPPING, m->id);
			put(p, LOCATION_ADDRESS, m->base + key.offset - (key.exact || !key.offset ? 0 : 1));
			symbols = symbolize(p->report->symbolizer, key.module, key.offset, key.exact);
			m->inlines |= symbols.n > 1;
		}
		for (uint32_t k = 0; k < symbols.n; k++)
			put_line(p, m, symbols.v[k].name, symbols.v[k].mangled, symbols.v[k].file, symbols.v[k].line);
		buf_close(&p->out, mark);
	}
}

static void put_functions(struct pprof *p)
{
	for (uint32_t i = 0; i < p->functions.n; i++) {
		struct function key;
		size_t mark = open_message(p, PROFILE_FUNCTION);

		memcpy(&key, p->functions.v[i].at, sizeof(key));
		put(p, FUNCTION_ID, i + 1);
		put(p, FUNCTION_NAME, key.name);
		put(p, FUNCTION_SYSTEM_NAME, key.system_name);
		put(p, FUNCTION_FILE, key.file);
		buf_close(&p->out, mark);
	}
}

static void put_mapping(struct pprof *p, uint32_t index)
{
	const struct rec_module *module = &p->report->rec->modules[index];
	const struct mapping *m = &p->mappings[index];
	size_t mark = open_message(p, PROFILE_MAPPING);
	char hex[2 * FOLD_MAX_BUILD_ID + 1] = "";

	for (size_t i = 0; module->nids && module->ids[0].kind == FOLD_ID_GNU && i < module->ids[0].bytes.size; i++)
		sprintf(hex + 2 * i, "%02x", module->ids[0].bytes.at[i]);
	put(p, MAPPING_ID, m->id);
	put(p, MAPPING_START, m->base);
	put(p, MAPPING_LIMIT, m->base + module->span);
	put(p, MAPPING_FILE, module->kind == FOLD_MODULE_KERNEL ? word_of(p, "[kernel.kallsyms]") :
			     bytes_of(p, recording_string(p->report->rec, module->name)));
	put(p, MAPPING_BUILD_ID, word_of(p, hex));
	put(p, MAPPING_HAS_FUNCTIONS, 1); /* nothing is left to be symbolized elsewhere */
	put(p, MAPPING_HAS_FILES, m->files);
	put(p, MAPPING_HAS_LINES, m->lines);
	put(p, MAPPING_HAS_INLINES, m->inlines);
	buf_close(&p->out, mark);
}

static void put_profile(struct pprof *p)
{
	const struct recording *rec = p->report->rec;
	char line[OUTPUT_LOSS_LINE], name[300];
	uint64_t duration = 0;

	for (size_t i = 0; i < rec->nsegments; i++)
		duration += recording_duration(rec, i);
	put(p, PROFILE_TIME, rec->nsegments ? rec->segments[0].meta.start.realtime : 0);
	put(p, PROFILE_DURATION, duration);
	if (second_value(p->report, 0) && !p->report->trees[0].weighted) {
		sample_type(p, PROFILE_PERIOD_TYPE, type_name(p->report, 0, name, sizeof(name)), "nanoseconds");
		put(p, PROFILE_PERIOD, rec->events[p->report->tree_events[0]].sample_ns);
	}
	put(p, PROFILE_COMMENT, word_of(p, output_loss_line(p->report, line, sizeof(line))));
	for (uint32_t i = 0; i < p->strings.n; i++) {
		buf_uv(&p->out, PROFILE_STRING << 3 | 2);
		buf_bytes(&p->out, p->strings.v[i]);
	}
}

static int build(struct pprof *p)
{
	const struct recording *rec = p->report->rec;

	intern_init(&p->strings, 0);
	intern_init(&p->locations, 1);
	intern_init(&p->functions, 1);
	p->next_base = FIRST_BASE;
	p->mappings = calloc(rec->nmodules + 1, sizeof(*p->mappings));
	p->order = calloc(rec->nmodules + 1, sizeof(*p->order));
	p->leaf_at = calloc(rec->nnodes + 1, sizeof(*p->leaf_at));
	p->place_at = calloc(rec->nnodes + 1, sizeof(*p->place_at));
	p->label_at = calloc(rec->nthreads + 1, sizeof(*p->label_at));
	if (!p->mappings || !p->order || !p->leaf_at || !p->place_at || !p->label_at)
		return -1;
	word_of(p, ""); /* string 0 */
	main_mapping_first(p);
	sample_types(p);
	for (size_t i = 0; i < rec->ncounts && !p->failed; i++)
		if (wanted(p->report, i))
			put_sample(p, &rec->counts[i]);
	put_locations(p);
	put_functions(p);
	for (uint32_t i = 0; i < p->nmappings; i++)
		put_mapping(p, p->order[i]);
	put_profile(p);
	return p->failed || p->out.failed ? -1 : 0;
}

int pprof_write(FILE *to, const struct report *report)
{
	struct pprof p = {.report = report};
	struct buf packed = {0};
	int err = build(&p) || gzip_bytes(&packed, p.out.at, p.out.size) ? -1 : 0;

	if (!err)
		fwrite(packed.at, 1, packed.size, to);
	else
		log_error("out of memory while writing a pprof profile");
	buf_release(&packed);
	buf_release(&p.out);
	intern_release(&p.strings);
	intern_release(&p.locations);
	intern_release(&p.functions);
	buf_release(&p.labels);
	free(p.leaf_at);
	free(p.place_at);
	free(p.label_at);
	free(p.mappings);
	free(p.order);
	return err;
}
