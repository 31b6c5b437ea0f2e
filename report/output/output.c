/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of formats, and the words that all of them share: titles, numbers
 * with units, and the line that says what was lost.  Knows no format's insides.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "../model/words.h"
#include "emit.h"
#include "formats.h"
#include "output.h"

const struct output_format output_formats[] = {
	{"folded", ".folded", "stacks and counts, as flamegraph.pl reads them", OUTPUT_ONE_EVENT | OUTPUT_COMPARE, folded_write},
	{"svg", ".svg", "interactive flame graph, one file", OUTPUT_ONE_EVENT | OUTPUT_MERGE | OUTPUT_COMPARE, svg_write},
	{"html", ".html", "explorer: graph, timeline, tables, in one file",
	 OUTPUT_TIME | OUTPUT_PLAIN | OUTPUT_BEGINS | OUTPUT_MERGE | OUTPUT_COMPARE, html_write},
	{"top", NULL, "table of functions: self and total", OUTPUT_MERGE, top_write},
	{"tree", NULL, "call tree as text", OUTPUT_MERGE, tree_write},
	{"diff", NULL, "table of what changed between two recordings", OUTPUT_MERGE | OUTPUT_COMPARE | OUTPUT_ONLY_COMPARE, diff_write},
	{"heatmap", NULL, "when it was busy, as text", OUTPUT_ONE_EVENT | OUTPUT_TIME, heatmap_write},
	{"heatmap-svg", ".heatmap.svg", "the same as a picture", OUTPUT_ONE_EVENT | OUTPUT_TIME, heatmap_svg_write},
	{"json", ".json", "everything, by the schema that --schema prints", OUTPUT_COMPARE, json_write},
	{"pprof", ".pb.gz", "for pprof and what reads its profiles", OUTPUT_BINARY | OUTPUT_PLAIN, pprof_write},
	{"speedscope", ".speedscope.json", "for speedscope.app: a profile for each thread",
	 OUTPUT_TIME | OUTPUT_PLAIN, speedscope_write},
	{"firefox", ".firefox.json", "for profiler.firefox.com: threads over time", OUTPUT_TIME | OUTPUT_PLAIN, firefox_write},
	{"script", ".perf.txt", "what perf script prints, for tools that read it", OUTPUT_ONE_EVENT | OUTPUT_TIME | OUTPUT_PLAIN, script_write},
	{NULL, NULL, NULL, 0, NULL},
};

const struct output_format *output_by_name(const char *name)
{
	for (const struct output_format *f = output_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* The longest suffix wins: ".speedscope.json" before ".json". */
const struct output_format *output_by_suffix(const char *path)
{
	const struct output_format *best = NULL;
	size_t len = strlen(path), longest = 0;

	for (const struct output_format *f = output_formats; f->name; f++) {
		size_t n = f->suffix ? strlen(f->suffix) : 0;

		if (n > longest && n < len && !strcmp(path + len - n, f->suffix)) {
			best = f;
			longest = n;
		}
	}
	return best;
}

enum output_unit output_unit(const struct report *report, size_t tree)
{
	if (!report->trees[tree].weighted)
		return OUTPUT_SAMPLES;
	switch (report->rec->events[report->tree_events[tree]].weight_unit) {
	case FOLD_UNIT_NS:
		return OUTPUT_NS;
	case FOLD_UNIT_BYTES:
		return OUTPUT_BYTES;
	default:
		return OUTPUT_COUNT;
	}
}

double output_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* value as a number of the largest unit in which it is at least 1. */
static const char *scaled(uint64_t value, const char *const *units, const double *sizes, char *buf)
{
	int i = 0;

	while (units[i + 1] && value < sizes[i])
		i++;
	snprintf(buf, OUTPUT_TEXT, "%.*f %s", !units[i + 1] ? 0 : value < 10 * sizes[i] ? 2 : 1, value / sizes[i], units[i]);
	return buf;
}

const char *output_value(enum output_unit unit, uint64_t value, char *buf)
{
	static const char *const times[] = {"s", "ms", "µs", "ns", NULL};
	static const double time_sizes[] = {1e9, 1e6, 1e3, 1};
	static const char *const sizes[] = {"GiB", "MiB", "KiB", "B", NULL};
	static const double size_sizes[] = {1 << 30, 1 << 20, 1 << 10, 1};
	size_t n;

	if (unit == OUTPUT_NS)
		return scaled(value, times, time_sizes, buf);
	if (unit == OUTPUT_BYTES)
		return scaled(value, sizes, size_sizes, buf);
	n = text_count(buf, value);
	if (unit == OUTPUT_SAMPLES)
		strcpy(buf + n, value == 1 ? " sample" : " samples");
	return buf;
}

/* ---- sentences, cut at the end of the buffer */

struct sentence { char *at; size_t size, n; };

__attribute__((format(printf, 2, 3)))
static void say(struct sentence *s, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(s->at + s->n, s->size - s->n, format, args);
	va_end(args);
	if (n > 0)
		s->n += (size_t)n < s->size - s->n ? (size_t)n : s->size - s->n - 1;
}

static void say_count(struct sentence *s, uint64_t v)
{
	char buf[27];

	text_count(buf, v);
	say(s, "%s", buf);
}

static void say_string(struct sentence *s, const struct recording *rec, uint32_t id)
{
	struct fold_bytes name = recording_string(rec, id);

	say(s, "%.*s", (int)name.size, (const char *)name.at);
}

static void say_event(struct sentence *s, const struct recording *rec, const struct rec_event *event)
{
	say_string(s, rec, event->name);
	if (event->period_unit == FOLD_PERIOD_HZ)
		say(s, ", %" PRIu64 " Hz", event->period);
	else if (event->period_unit == FOLD_PERIOD_COUNT && event->period > 1)
		say(s, ", every %" PRIu64, event->period);
}

const char *output_title(const struct report *report, size_t tree, char *buf, size_t size)
{
	struct sentence s = {buf, size, 0};
	const struct recording *rec = report->rec;

	buf[0] = 0;
	if (report->options.title)
		say(&s, "%s", report->options.title);
	else if (report->tree_events[tree] < rec->nevents)
		say_event(&s, rec, &rec->events[report->tree_events[tree]]);
	else
		say(&s, "no samples");
	return buf;
}

/* "3.0 s": of every recording, added up. */
static void say_duration(struct sentence *s, const struct recording *rec)
{
	double seconds = 0;

	for (size_t i = 0; i < rec->nsegments; i++)
		seconds += (double)recording_duration(rec, i) / 1e9;
	say(s, " in %.1f s", seconds);
	if (recording_count(rec) > 1)
		say(s, " of %zu recordings", recording_count(rec));
}

static void say_losses(struct sentence *s, const struct rec_event *event)
{
	bool first = true;
	uint64_t damaged = event->written > event->read ? event->written - event->read : 0;
	double share;

	if (!event->lost && !damaged) {
		say(s, ", nothing lost");
		return;
	}
	say(s, ", ");
	say_count(s, event->lost + damaged);
	share = output_percent(event->lost + damaged, event->read + event->lost + damaged);
	if (share < 0.01)
		say(s, " lost (less than 0.01 %%: ");
	else
		say(s, " lost (%.*f %%: ", share < 1 ? 2 : 1, share);
	for (uint32_t cause = FOLD_TAKEN + 1; cause < FOLD_CAUSE_NOTE; cause++) {
		if (!event->causes[cause])
			continue;
		say(s, "%s%s: ", first ? "" : ", ", cause_word(cause));
		say_count(s, event->causes[cause]);
		first = false;
	}
	if (damaged) {
		say(s, "%sin damaged parts of the file: ", first ? "" : ", ");
		say_count(s, damaged);
	}
	say(s, ")");
}

static void say_utc(struct sentence *s, int64_t realtime)
{
	time_t t = realtime / 1000000000;
	struct tm tm;
	char buf[32] = "?";

	if (gmtime_r(&t, &tm))
		strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S", &tm);
	say(s, "%s.%03d UTC", buf, (int)(realtime / 1000000 % 1000));
}

static void say_damage(struct sentence *s, const struct recording *rec)
{
	for (size_t i = 0; i < rec->nsegments; i++) {
		const struct rec_segment *g = &rec->segments[i];

		if (!g->ended) {
			say(s, "; the end of %s is missing: recorded until ", rec->nsegments > 1 ? g->file : "the recording");
			say_utc(s, (int64_t)(g->meta.start.realtime + (g->last ? (uint64_t)g->last - g->meta.start.monotonic : 0)));
		}
		if (g->damages) {
			say(s, "; %s%s%" PRIu32 " damaged place%s, ", rec->nsegments > 1 ? g->file : "",
			    rec->nsegments > 1 ? ": " : "", g->damages, g->damages == 1 ? "" : "s");
			say_count(s, g->lost_bytes);
			say(s, " bytes, passed over");
		} else if (g->ended && !g->sum_closes) {
			say(s, "; the sum does not close: the recorder counted other samples than it wrote");
		}
	}
}

static void say_samples(struct sentence *s, const struct report *report, size_t i)
{
	const struct recording *rec = report->rec;
	const struct tree *tree = &report->trees[i];
	const struct rec_event *event;
	uint64_t shown;

	if (report->tree_events[i] >= rec->nevents) {
		say(s, "no samples");
		return;
	}
	event = &rec->events[report->tree_events[i]];
	shown = tree->weighted ? event->selected : tree->total; /* a --match shows fewer than were selected */
	say_count(s, shown);
	if (shown != event->read) {
		say(s, " of ");
		say_count(s, event->read);
	}
	say(s, " sample%s of ", event->read == 1 ? "" : "s");
	say_string(s, rec, event->name);
	if (!i)
		say_duration(s, rec);
	say_losses(s, event);
}

const char *output_loss_line(const struct report *report, char *buf, size_t size)
{
	struct sentence s = {buf, size, 0};
	const struct recording *rec = report->rec;

	buf[0] = 0;
	for (size_t i = 0; i < report->ntrees; i++) {
		say(&s, "%s", i ? "; " : "");
		say_samples(&s, report, i);
	}
	say_damage(&s, rec);
	return buf;
}

/* Most frequent first: a handful of numbers, sorted by looking for the largest. */
const char *output_quality_line(const struct report *report, char *buf, size_t size)
{
	const struct recording *rec = report->rec;
	uint64_t ends[FOLD_STACK_END_EXITING + 1] = {0}, all = 0;
	struct sentence s = {buf, size, 0};

	buf[0] = 0;
	for (size_t i = 0; i < rec->ncounts; i++) {
		const struct rec_count *c = &rec->counts[i];

		if (c->uleaf == REC_NONE)
			continue;
		ends[c->uend <= FOLD_STACK_END_EXITING ? c->uend : FOLD_STACK_END_UNKNOWN] += c->count;
		all += c->count;
	}
	for (bool first = true; all; first = false) {
		uint32_t most = 0;

		for (uint32_t end = 1; end <= FOLD_STACK_END_EXITING; end++)
			most = ends[end] > ends[most] ? end : most;
		if (!first && output_percent(ends[most], all) < 0.05)
			break;
		say(&s, "%s%.1f %% %s", first ? "user stacks: " : ", ", output_percent(ends[most], all), stack_end_word(most));
		ends[most] = 0;
	}
	return buf;
}
