/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything a report knows, by fold-report.schema.json: recordings, events with
 * their losses, and for each event its frames and its call tree in columns.
 * Same input, same bytes; names as emit.h makes them safe.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../log.h"
#include "../model/words.h"
#include "emit.h"
#include "formats.h"
#include "json_compare.h"

static void string(struct emit *e, const char *at, size_t n)
{
	emit_char(e, '"');
	emit_json(e, at, n);
	emit_char(e, '"');
}

static void bytes(struct emit *e, struct fold_bytes b)
{
	string(e, (const char *)b.at, b.size);
}

static void text(struct emit *e, const char *s)
{
	string(e, s, strlen(s));
}

/* RFC 3339, milliseconds: "2026-11-29T14:02:10.123Z". */
static void utc(struct emit *e, uint64_t realtime)
{
	time_t t = realtime / 1000000000;
	char buf[40] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%S", &tm);
	emit_printf(e, "\"%s.%03uZ\"", buf, (unsigned)(realtime / 1000000 % 1000));
}

static void labels(struct emit *e, const struct fold_label *v, size_t n)
{
	emit_str(e, ",\"labels\":{");
	for (size_t i = 0; i < n; i++) {
		emit_str(e, i ? "," : "");
		bytes(e, v[i].key);
		emit_char(e, ':');
		bytes(e, v[i].value);
	}
	emit_char(e, '}');
}

/* The recordings that this one was merged from. */
static void origins(struct emit *e, const struct recording *rec, size_t segment)
{
	bool first = true;

	emit_str(e, ",\"origins\":[");
	for (size_t i = 0; i < rec->norigins; i++) {
		const struct rec_origin *o = &rec->origins[i];

		if (o->segment != segment)
			continue;
		emit_str(e, first ? "{\"id\":\"" : ",\n{\"id\":\"");
		first = false;
		for (size_t k = 0; k < sizeof(o->id); k++)
			emit_printf(e, "%02x", o->id[k]);
		emit_str(e, "\",\"start\":");
		utc(e, o->realtime);
		emit_str(e, ",\"seconds\":");
		emit_fixed(e, (double)o->duration / 1e9, 3);
		emit_printf(e, ",\"ended\":%s,\"damaged\":%s,\"cpus\":%" PRIu32 ",\"kernel\":",
			    o->state & FOLD_ORIGIN_ENDED ? "true" : "false", o->state & FOLD_ORIGIN_DAMAGED ? "true" : "false", o->cpus_online);
		bytes(e, o->kernel_release);
		labels(e, o->labels, o->nlabels);
		emit_char(e, '}');
	}
	emit_char(e, ']');
}

static void recording(struct emit *e, const struct recording *rec, size_t segment)
{
	const struct rec_segment *g = &rec->segments[segment];

	emit_str(e, "{\"file\":");
	text(e, g->file);
	emit_str(e, ",\"id\":\"");
	for (size_t i = 0; i < sizeof(g->meta.id); i++)
		emit_printf(e, "%02x", g->meta.id[i]);
	emit_str(e, "\",\"start\":");
	utc(e, g->meta.start.realtime);
	emit_str(e, ",\"seconds\":");
	emit_fixed(e, (double)recording_duration(rec, segment) / 1e9, 3);
	emit_printf(e, ",\"ended\":%s,\"reason\":", g->ended ? "true" : "false");
	if (g->ended)
		text(e, reason_word(g->end.reason));
	else
		emit_str(e, "null");
	emit_str(e, ",\"recorder\":");
	bytes(e, g->meta.recorder);
	emit_str(e, ",\"recorder_version\":");
	bytes(e, g->meta.version);
	emit_str(e, ",\"kernel\":");
	bytes(e, g->meta.kernel_release);
	emit_str(e, ",\"machine\":");
	text(e, machine_word(g->meta.machine));
	emit_printf(e, ",\"cpus\":%" PRIu32 ",\"samples\":%" PRIu64 ",\"damages\":%" PRIu32 ",\"lost_bytes\":%" PRIu64
		    ",\"lost_chunks\":%" PRIu64 ",\"sum_closes\":%s",
		    g->meta.cpus_online, g->samples, g->damages, g->lost_bytes, g->lost_chunks,
		    g->sum_closes ? "true" : "false");
	labels(e, g->meta.labels, g->meta.nlabels);
	if (g->meta.flags & FOLD_FLAG_MERGED)
		origins(e, rec, segment);
	emit_char(e, '}');
}

static const char *unit_name(enum output_unit unit)
{
	static const char *const names[] = {"samples", "count", "nanoseconds", "bytes"};

	return names[unit];
}

static void event(struct emit *e, const struct recording *rec, const struct rec_event *event)
{
	static const char *const period_units[] = {"none", "hz", "count", "nanoseconds"};
	bool first = true;

	emit_str(e, "{\"name\":");
	bytes(e, recording_string(rec, event->name));
	emit_str(e, ",\"kind\":");
	text(e, event_kind_word(event->kind));
	emit_printf(e, ",\"period\":%" PRIu64 ",\"period_unit\":\"%s\",\"sample_ns\":%" PRIu64, event->period,
		    event->period_unit <= FOLD_PERIOD_NS ? period_units[event->period_unit] : "none", event->sample_ns);
	emit_printf(e, ",\"taken\":%" PRIu64 ",\"written\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"read\":%" PRIu64
		    ",\"selected\":%" PRIu64 ",\"causes\":{",
		    event->taken, event->written, event->lost, event->read, event->selected);
	for (uint32_t cause = FOLD_TAKEN + 1; cause <= FOLD_NOTE_OTHER; cause++) {
		if (!event->causes[cause])
			continue;
		emit_printf(e, "%s\"%" PRIu32 "\":{\"count\":%" PRIu64 ",\"lost\":%s,\"text\":", first ? "" : ",", cause,
			    event->causes[cause], cause < FOLD_CAUSE_NOTE ? "true" : "false");
		text(e, cause_word(cause));
		emit_char(e, '}');
		first = false;
	}
	emit_str(e, "}}");
}

static void frame(struct emit *e, const struct frame *f)
{
	static const char *const kinds[] = {"root", "user", "kernel", "jit", "inlined", "unknown"};

	emit_str(e, "{\"name\":");
	text(e, f->name);
	emit_str(e, ",\"module\":");
	text(e, f->module);
	emit_printf(e, ",\"kind\":\"%s\"", kinds[f->kind]);
	if (f->file) {
		emit_str(e, ",\"file\":");
		text(e, f->file);
		emit_printf(e, ",\"line\":%" PRIu32, f->line);
	}
	emit_str(e, ",\"self\":");
	emit_u64(e, f->self);
	emit_str(e, ",\"total\":");
	emit_u64(e, f->total);
	emit_char(e, '}');
}

static int tree(struct emit *e, const struct report *report, size_t index)
{
	const struct tree *t = &report->trees[index];

	emit_printf(e, "{\"event\":%" PRIu32 ",\"unit\":\"%s\",\"total\":%" PRIu64 ",\n\"frames\":[", report->tree_events[index],
		    unit_name(output_unit(report, index)), t->total);
	for (size_t i = 0; i < t->nframes; i++) {
		emit_str(e, i ? ",\n" : "\n");
		frame(e, &t->frames[i]);
	}
	emit_str(e, "],\n\"nodes\":{\"parent\":[-1");
	for (size_t i = 1; i < t->nnodes; i++) {
		emit_char(e, ',');
		emit_u64(e, t->nodes[i].parent);
	}
#define COLUMN(name, field) \
	emit_str(e, "],\n\"" name "\":["); \
	for (size_t i = 0; i < t->nnodes; i++) { \
		if (i) \
			emit_char(e, ','); \
		emit_u64(e, t->nodes[i].field); \
	}
	COLUMN("frame", frame)
	COLUMN("self", self)
	COLUMN("total", total)
#undef COLUMN
	emit_str(e, "]}");
	if (report->before && json_difference(e, report, index))
		return -1;
	emit_char(e, '}');
	return 0;
}

static int document(struct emit *e, const struct report *report)
{
	const struct recording *rec = report->rec;
	char line[OUTPUT_LOSS_LINE];

	emit_str(e, "{\"format\":\"fold-report\",\"version\":1,\"generator\":\"fold-report " FOLD_VERSION "\",\n\"summary\":");
	text(e, output_loss_line(report, line, sizeof(line)));
	emit_str(e, ",\n\"recordings\":[");
	for (size_t i = 0; i < rec->nsegments; i++) {
		emit_str(e, i ? ",\n" : "\n");
		recording(e, rec, i);
	}
	emit_str(e, "],\n\"events\":[");
	for (size_t i = 0; i < rec->nevents; i++) {
		emit_str(e, i ? ",\n" : "\n");
		event(e, rec, &rec->events[i]);
	}
	emit_str(e, "],\n\"trees\":[");
	for (size_t i = 0; i < report->ntrees; i++) {
		emit_str(e, i ? ",\n" : "\n");
		if (tree(e, report, i))
			return -1;
	}
	emit_str(e, "]}\n");
	return 0;
}

int json_write(FILE *to, const struct report *report)
{
	struct emit *e = malloc(sizeof(*e));
	int err = -1;

	if (e) {
		emit_init(e, to);
		err = document(e, report);
		emit_flush(e);
	}
	if (err)
		log_error("out of memory while writing JSON");
	free(e);
	return err;
}
