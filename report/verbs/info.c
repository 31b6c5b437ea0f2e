/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording is: what was recorded, how, and what it cost; where the
 * samples went and where others were lost; how good the stacks are; what the
 * bytes of the file are spent on.  For people, readable at 80 columns.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../log.h"
#include "../memory.h"
#include "../model/quality.h"
#include "../model/words.h"
#include "../output/emit.h"
#include "../output/output.h"
#include "../rows.h"
#include "../sandbox.h"
#include "strings.h"
#include "verbs.h"

struct options {
	bool strings, help, quiet, verbose;
	uint32_t top;
	uint64_t max_memory;
	struct word_list files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{0, "strings", NULL, "print every string in the file and nothing else", ROW_FLAG, AT(strings)},
	{0, "top", "N", "how many processes to list; default 10", ROW_COUNT, AT(top)},
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{'q', "quiet", NULL, "only failures on standard error", ROW_FLAG, AT(quiet)},
	{'v', "verbose", NULL, "tell of every damage", ROW_FLAG, AT(verbose)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0},
};

struct info {
	struct emit emit;
	const struct options *opt;
	const struct recording *rec;
};

/* ---------------------------------------------------------------- pieces */

static void heading(struct info *info, const char *text)
{
	emit_printf(&info->emit, "\n%s\n", text);
}

/* "  label         " */
static void label(struct info *info, const char *text)
{
	emit_printf(&info->emit, "  %-15s ", text);
}

/* "     12,345  12.3 %  " */
static void share(struct info *info, uint64_t part, uint64_t whole)
{
	char count[27];

	text_count(count, part);
	emit_printf(&info->emit, "  %14s  %5.1f %%  ", count, output_percent(part, whole));
}

/* Of something else, in the same column. */
static void count(struct info *info, uint64_t n)
{
	char text[27];

	text_count(text, n);
	emit_printf(&info->emit, "  %14s           ", text);
}

static void size_text(struct info *info, uint64_t bytes)
{
	char buf[OUTPUT_TEXT];

	emit_str(&info->emit, output_value(OUTPUT_BYTES, bytes, buf));
}

static void utc(struct info *info, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	char buf[64] = "?";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S", &tm);
	emit_str(&info->emit, buf);
}

static void bytes(struct info *info, struct fold_bytes b)
{
	emit_visible(&info->emit, (const char *)b.at, b.size);
}

static void string(struct info *info, uint32_t id)
{
	bytes(info, recording_string(info->rec, id));
}

static double seconds_of(const struct info *info, const struct rec_segment *s)
{
	return (double)recording_duration(info->rec, (size_t)(s - info->rec->segments)) / 1e9;
}

/* ------------------------------------------------------------- recording */

static void show_time(struct info *info, const struct rec_segment *s)
{
	label(info, "recorded");
	utc(info, s->meta.start.realtime);
	emit_printf(&info->emit, " UTC, %.1f s%s\n", seconds_of(info, s), s->meta.flags & FOLD_FLAG_MERGED ? " in all" : "");
	label(info, "by");
	bytes(info, s->meta.recorder);
	emit_char(&info->emit, ' ');
	bytes(info, s->meta.version);
	emit_printf(&info->emit, "; %s\n", s->ended ? reason_word(s->end.reason) : "why it ended is not known");
}

static void show_target(struct info *info, const struct rec_meta *m)
{
	struct emit *e = &info->emit;

	label(info, "machine");
	emit_printf(e, "%s, %" PRIu32 " of %" PRIu32 " CPUs", machine_word(m->machine), m->cpus_online, m->cpus_possible);
	if (m->kernel_release.size) {
		emit_str(e, ", Linux ");
		bytes(info, m->kernel_release);
	}
	emit_char(e, '\n');
	label(info, "scope");
	emit_str(e, scope_word(m->scope));
	if (m->scope_count && m->scope != FOLD_SCOPE_COMMAND)
		emit_printf(e, " (%" PRIu64 " given)", m->scope_count);
	emit_char(e, '\n');
}

static const char *sides_text(uint32_t sides)
{
	switch (sides & 3) {
	case FOLD_SIDE_KERNEL:
		return "kernel only";
	case FOLD_SIDE_USER:
		return "user only";
	case FOLD_SIDE_KERNEL | FOLD_SIDE_USER:
		return "kernel and user";
	default:
		return "none";
	}
}

static void show_mode(struct info *info, const struct rec_meta *m)
{
	struct emit *e = &info->emit;
	bool aggregated = m->mode == FOLD_MODE_AGGREGATED;

	label(info, "mode");
	emit_printf(e, aggregated ? "counts every %.3g s\n" : "single samples, written every %.3g s\n",
		    (double)m->interval_ns / 1e9);
	label(info, "stacks");
	emit_printf(e, "%s, at most %" PRIu32 " frames; user: %s\n", sides_text(m->sides), m->max_depth,
		    unwinder_word(m->unwinder));
	label(info, "paths");
	emit_str(e, m->flags & FOLD_FLAG_PATHS_FULL ? "complete" : m->flags & FOLD_FLAG_PATHS_BASE ? "base names" :
		    "complete below system directories, else base names");
	if (m->flags & FOLD_FLAG_RAW_ADDRESSES)
		emit_str(e, "; ADDRESSES OF MAPPINGS");
	if (m->flags & FOLD_FLAG_REDACTED)
		emit_str(e, "; redacted");
	emit_char(e, '\n');
	if (m->flags & FOLD_FLAG_KERNEL_ANCHORED) {
		label(info, "kernel");
		emit_str(e, "its base was hidden: offsets count from an unknown anchor\n");
	}
}

static void show_cost(struct info *info, const struct rec_segment *s)
{
	struct emit *e = &info->emit;
	double seconds = seconds_of(info, s);

	if (!s->ended || !(s->end.self_cpu_ns || s->end.self_peak_bytes || s->end.bpf_ns))
		return;
	label(info, "recorder's cost");
	if (s->end.self_cpu_ns && seconds > 0)
		emit_printf(e, "%.3f s of CPU (%.2f %% of one), ", (double)s->end.self_cpu_ns / 1e9,
			    (double)s->end.self_cpu_ns / 1e7 / seconds);
	size_text(info, s->end.self_peak_bytes);
	emit_str(e, " at most\n");
	if (!s->end.bpf_ns)
		return;
	label(info, "");
	emit_printf(e, "%.3f s in the kernel, %.1f us a sample\n", (double)s->end.bpf_ns / 1e9,
		    s->samples ? (double)s->end.bpf_ns / 1e3 / (double)s->samples : 0);
}

/* "host=web1 site=north" */
static void show_labels(struct info *info, const struct fold_label *v, size_t n)
{
	if (!n)
		return;
	label(info, "labels");
	for (size_t i = 0; i < n; i++) {
		emit_str(&info->emit, i ? "  " : "");
		bytes(info, v[i].key);
		emit_char(&info->emit, '=');
		bytes(info, v[i].value);
	}
	emit_char(&info->emit, '\n');
}

static void show_origin(struct info *info, const struct rec_origin *o)
{
	struct emit *e = &info->emit;

	emit_str(e, "\n  recorded        ");
	utc(info, o->realtime);
	emit_printf(e, " UTC, %.1f s, on %" PRIu32 " CPUs%s", (double)o->duration / 1e9, o->cpus_online, o->kernel_release.size ? ", Linux " : "");
	bytes(info, o->kernel_release);
	emit_char(e, '\n');
	show_labels(info, o->labels, o->nlabels);
	if (o->state == FOLD_ORIGIN_ENDED)
		return;
	label(info, "state");
	emit_str(e, o->state & FOLD_ORIGIN_ENDED ? "a part of it was damaged\n" :
		 o->state & FOLD_ORIGIN_DAMAGED ? "NOT COMPLETE, and a part of it was damaged\n" : "NOT COMPLETE: it had no end\n");
}

/* What a merged recording was made of. */
static void show_origins(struct info *info, size_t segment)
{
	const struct recording *rec = info->rec;
	size_t n = 0, shown = 0, top = info->opt->top ? info->opt->top : 10;
	char count[27];

	for (size_t i = 0; i < rec->norigins; i++)
		n += rec->origins[i].segment == segment;
	if (!n)
		return;
	text_count(count, n);
	label(info, "merged");
	emit_printf(&info->emit, "from %s %s\n", count, n == 1 ? "recording" : "recordings");
	for (size_t i = 0; i < rec->norigins && shown < top; i++)
		if (rec->origins[i].segment == segment && ++shown)
			show_origin(info, &rec->origins[i]);
	if (n > shown)
		emit_printf(&info->emit, "\n  and %zu more (--top N shows more)\n", n - shown);
}

static void show_state(struct info *info, const struct rec_segment *s)
{
	struct emit *e = &info->emit;
	char text[256];

	label(info, "state");
	if (!s->ended)
		emit_str(e, "NOT COMPLETE: the recorder was killed or the file was cut\n");
	else if (s->sum_closes)
		emit_str(e, "complete: samples taken = samples here + samples lost\n");
	else
		emit_str(e, "the totals at the end are not what was found\n");
	if (!s->damages)
		return;
	label(info, "damage");
	emit_printf(e, "%" PRIu32 " %s, ", s->damages, s->damages == 1 ? "place" : "places");
	size_text(info, s->lost_bytes);
	emit_printf(e, " passed over, at least %" PRIu64 " %s lost\n", s->lost_chunks,
		    s->lost_chunks == 1 ? "chunk" : "chunks");
	label(info, "");
	emit_printf(e, "first: %s\n", fault_text(&s->first_damage, text, sizeof(text)));
}

static void show_segment(struct info *info, size_t i)
{
	const struct rec_segment *s = &info->rec->segments[i];
	struct emit *e = &info->emit;

	if (i)
		emit_char(e, '\n');
	emit_plain(e, s->file, strlen(s->file));
	emit_char(e, '\n');
	show_time(info, s);
	show_target(info, &s->meta);
	show_mode(info, &s->meta);
	show_cost(info, s);
	show_labels(info, s->meta.labels, s->meta.nlabels);
	label(info, "id");
	for (size_t k = 0; k < sizeof(s->meta.id); k++)
		emit_printf(e, "%s%02x", k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", s->meta.id[k]);
	emit_char(e, '\n');
	for (uint32_t k = 0; k < s->nnotes; k++) {
		label(info, "note");
		bytes(info, s->notes[k]);
		emit_char(e, '\n');
	}
	show_state(info, s);
	show_origins(info, i);
}

/* ---------------------------------------------------------------- events */

static void show_causes(struct info *info, const struct rec_event *event, uint32_t from, uint32_t to)
{
	for (uint32_t cause = from; cause < to; cause++) {
		if (!event->causes[cause])
			continue;
		if (cause_of_samples(cause))
			share(info, event->causes[cause], event->taken);
		else
			count(info, event->causes[cause]);
		emit_printf(&info->emit, "  %s\n", cause_word(cause));
	}
}

static void show_account(struct info *info, const struct rec_event *event)
{
	uint64_t damaged = event->written > event->read ? event->written - event->read : 0;
	bool notes = false;

	share(info, event->taken, event->taken);
	emit_str(&info->emit, "taken\n");
	share(info, event->read, event->taken);
	emit_str(&info->emit, "in the file\n");
	share(info, event->lost, event->taken);
	emit_str(&info->emit, event->lost ? "lost:\n" : "lost\n");
	show_causes(info, event, FOLD_TAKEN + 1, FOLD_CAUSE_NOTE);
	if (damaged) {
		share(info, damaged, event->taken);
		emit_str(&info->emit, "in damaged parts of the file\n");
	}
	for (uint32_t cause = FOLD_CAUSE_NOTE; cause <= FOLD_NOTE_OTHER; cause++)
		notes |= event->causes[cause] != 0;
	if (!notes)
		return;
	emit_str(&info->emit, "  no loss, but worth knowing:\n");
	show_causes(info, event, FOLD_CAUSE_NOTE, FOLD_NOTE_OTHER + 1);
}

static void show_side(struct info *info, const char *name, const struct quality_side *side, uint64_t all)
{
	share(info, side->samples, all);
	emit_printf(&info->emit, "with a %s stack", name);
	if (side->samples)
		emit_printf(&info->emit, ", %.1f frames deep", (double)side->frames / (double)side->samples);
	emit_char(&info->emit, '\n');
	for (uint32_t end = 0; end < QUALITY_ENDS; end++) {
		if (!side->ends[end] || side->ends[FOLD_STACK_END_UNKNOWN] == side->samples)
			continue; /* nothing known of any: no news */
		share(info, side->ends[end], all);
		emit_printf(&info->emit, "  %s\n", stack_end_word(end));
	}
	if (side->unmapped) {
		share(info, side->unmapped, all);
		emit_str(&info->emit, "  with words that lie in no mapping\n");
	}
	if (side->lost) {
		share(info, side->lost, all);
		emit_str(&info->emit, "  with frames whose definition was lost\n");
	}
}

#define STOPPERS 5
static void show_stoppers(struct info *info, const struct quality *q)
{
	if (!q->nmodules)
		return;
	emit_str(&info->emit, "  user stacks that are not known to reach their root ended in:\n");
	for (size_t i = 0; i < q->nmodules && i < STOPPERS; i++) {
		share(info, q->modules[i].samples, q->samples);
		emit_str(&info->emit, "  ");
		string(info, info->rec->modules[q->modules[i].module].name);
		emit_char(&info->emit, '\n');
	}
	if (q->nmodules > STOPPERS)
		emit_printf(&info->emit, "  %16s  and %zu more modules\n", "", q->nmodules - STOPPERS);
}

static int show_quality(struct info *info, uint32_t event)
{
	struct quality q;

	if (quality_measure(&q, info->rec, event))
		return -1;
	heading(info, "Stacks");
	show_side(info, "user", &q.user, q.samples);
	show_stoppers(info, &q);
	show_side(info, "kernel", &q.kernel, q.samples);
	if (q.neither) {
		share(info, q.neither, q.samples);
		emit_str(&info->emit, "with neither\n");
	}
	quality_release(&q);
	return 0;
}

/* ------------------------------------------------------------- processes */

struct place_taken { /* by all processes of one name */
	uint32_t comm, processes;
	uint64_t samples;
};

static int most_samples(const void *a, const void *b)
{
	const struct place_taken *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->comm < y->comm ? -1 : x->comm > y->comm;
}

/* Samples per name: by_comm[string]. */
static void sum_names(const struct recording *rec, uint32_t event, struct place_taken *by_comm, bool *seen)
{
	for (size_t i = 0; i < rec->ncounts; i++) {
		const struct rec_count *c = &rec->counts[i];
		uint32_t process = rec->threads[c->thread].process;
		struct place_taken *taken = &by_comm[rec->processes[process].comm];

		if (c->event != event)
			continue;
		taken->comm = rec->processes[process].comm;
		taken->samples += c->count;
		taken->processes += !seen[process];
		seen[process] = true;
	}
}

static void list_names(struct info *info, struct place_taken *v, size_t n, uint64_t all)
{
	size_t top = info->opt->top ? info->opt->top : 10, used = 0;
	uint64_t rest = 0;

	if (n)
		qsort(v, n, sizeof(*v), most_samples);
	for (; used < n && v[used].samples; used++) {
		if (used >= top) {
			rest += v[used].samples;
			continue;
		}
		share(info, v[used].samples, all);
		if (recording_string(info->rec, v[used].comm).size)
			string(info, v[used].comm);
		else
			emit_str(&info->emit, "[unknown]");
		if (v[used].processes > 1)
			emit_printf(&info->emit, " (%" PRIu32 " processes)", v[used].processes);
		emit_char(&info->emit, '\n');
	}
	if (rest) {
		share(info, rest, all);
		emit_printf(&info->emit, "in processes of %zu more names\n", used - top);
	}
}

static int show_processes(struct info *info, uint32_t event)
{
	const struct recording *rec = info->rec;
	struct place_taken *by_comm = calloc((size_t)rec->strings.n + 1, sizeof(*by_comm));
	bool *seen = calloc(rec->nprocesses + 1, sizeof(*seen));
	int err = by_comm && seen ? 0 : -1;

	if (!err) {
		heading(info, "Where the samples went");
		sum_names(rec, event, by_comm, seen);
		list_names(info, by_comm, rec->strings.n, rec->events[event].read);
	}
	free(by_comm);
	free(seen);
	return err;
}

static int show_event(struct info *info, uint32_t i)
{
	const struct rec_event *event = &info->rec->events[i];
	struct emit *e = &info->emit;

	emit_str(e, "\nEvent ");
	string(info, event->name);
	if (event->period_unit == FOLD_PERIOD_HZ)
		emit_printf(e, ", %" PRIu64 " Hz", event->period);
	else if (event->period_unit == FOLD_PERIOD_COUNT && event->period > 1)
		emit_printf(e, ", every %" PRIu64, event->period);
	else if (event->period_unit == FOLD_PERIOD_NS)
		emit_printf(e, ", every %" PRIu64 " ns", event->period);
	emit_char(e, '\n');
	show_account(info, event);
	if (!event->read)
		return 0;
	return show_processes(info, i) || show_quality(info, i) ? -1 : 0;
}

/* ------------------------------------------------------------------ file */

static void show_file(struct info *info)
{
	const struct recording *rec = info->rec;
	uint64_t stored = 0, raw = 0, samples = 0, sections[FOLD_SECTION_MAX] = {0};
	char count[27];

	for (size_t i = 0; i < rec->nsegments; i++) {
		const struct rec_segment *s = &rec->segments[i];

		stored += s->bytes;
		raw += s->raw_bytes;
		samples += s->samples;
		for (size_t k = 0; k < FOLD_SECTION_MAX; k++)
			sections[k] += s->section_bytes[k];
	}
	heading(info, "Bytes");
	share(info, stored, stored);
	emit_str(&info->emit, "in the file");
	if (samples)
		emit_printf(&info->emit, ", %.2f a sample", (double)stored / (double)samples);
	text_count(count, raw);
	emit_printf(&info->emit, "\n  %14s  x %4.1f    before compression, of these\n", count,
		    stored ? (double)raw / (double)stored : 0);
	for (uint32_t k = 1; k < FOLD_SECTION_MAX; k++) {
		if (!sections[k])
			continue;
		share(info, sections[k], raw);
		emit_printf(&info->emit, "  %s\n", section_word(k));
	}
}

static void show_contents(struct info *info)
{
	const struct recording *rec = info->rec;
	char modules[27], processes[27], threads[27], stacks[27], nodes[27];

	text_count(modules, rec->nmodules);
	text_count(processes, rec->nprocesses);
	text_count(threads, rec->nthreads);
	text_count(stacks, rec->ncounts);
	text_count(nodes, rec->nnodes);
	emit_printf(&info->emit, "\n%s modules, %s processes, %s threads, %s distinct samples on %s nodes\n", modules,
		    processes, threads, stacks, nodes);
}

static int show(struct info *info)
{
	for (size_t i = 0; i < info->rec->nsegments; i++)
		show_segment(info, i);
	for (uint32_t i = 0; i < info->rec->nevents; i++)
		if (show_event(info, i))
			return -1;
	show_file(info);
	show_contents(info);
	emit_flush(&info->emit);
	return 0;
}

static int show_files(const struct options *opt, struct memory_watch *watch)
{
	struct rec_keep keep = {.watch = watch};
	struct select all = {0};
	struct recording rec;
	struct info info = {.opt = opt, .rec = &rec};
	int err = recording_load(&rec, (char *const *)opt->files.v, opt->files.n, &all, &keep);

	emit_init(&info.emit, stdout);
	if (!err && (err = show(&info)))
		log_error("out of memory");
	recording_release(&rec);
	return err;
}

static int run(const struct options *opt)
{
	struct memory_watch watch;
	int err = memory_watch_open(&watch, opt->max_memory);

	if (err)
		return err;
	sandbox_enter(&(struct sandbox_needs){.files = opt->files});
	err = memory_watch_start(&watch);
	if (!err)
		err = opt->strings ? strings_print(stdout, &opt->files, &watch) : show_files(opt, &watch);
	memory_watch_release(&watch);
	return err;
}

static void usage(FILE *to)
{
	fputs("fold-report info [OPTION...] FILE...\n", to);
	rows_print(to, rows);
}

int verb_info(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE, err = 0;

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		log_set_level(opt.quiet ? LOG_QUIET : opt.verbose ? LOG_VERBOSE : LOG_NORMAL);
		if (opt.help)
			usage(stdout);
		else if (!opt.files.n)
			log_error("info: no recording given; \"-\" reads one from standard input");
		else
			err = run(&opt);
		if (opt.help || opt.files.n)
			status = fflush(stdout) || ferror(stdout) || err ? VERB_FAILED : VERB_DONE;
	}
	word_list_release(&opt.files);
	return status;
}
