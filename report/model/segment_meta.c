/* SPDX-License-Identifier: BSD-2-Clause */
/* META, END and NOTE: what is said of a recording as a whole. */
#include "segment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../log.h"
#include "array.h"

/* Each costs an account of every cause. */
#define EVENTS_MAX 1024
_Static_assert(EVENTS_MAX <= TALLY_EVENTS, "events fit into a key");

static int keep_bytes(struct load *load, struct fold_bytes from, struct fold_bytes *to, uint32_t *id)
{
	if (intern_add(&load->rec->strings, from.size ? from.at : (const uint8_t *)"", from.size, id))
		return -1;
	*to = intern_get(&load->rec->strings, *id);
	return 0;
}

static uint32_t event_find(const struct recording *rec, const struct rec_event *event)
{
	for (size_t i = 0; i < rec->nevents; i++) {
		const struct rec_event *e = &rec->events[i];

		if (e->kind == event->kind && e->name == event->name && e->period_unit == event->period_unit &&
		    e->period == event->period && e->sample_ns == event->sample_ns &&
		    e->weight_name == event->weight_name && e->weight_unit == event->weight_unit)
			return (uint32_t)i;
	}
	return REC_NONE;
}

/* --event NAME, or NAME@PERIOD where recordings of different rates stand together. */
static bool event_wanted(const struct select *select, const struct fold_event *event)
{
	char period[24];
	size_t n = event->name.size;

	if (!select->event)
		return true;
	if (strlen(select->event) < n || memcmp(select->event, event->name.at, n))
		return false;
	snprintf(period, sizeof(period), "@%" PRIu64, event->period);
	return !select->event[n] || !strcmp(select->event + n, period);
}

static int define_event(struct segment *s, uint32_t i, const struct fold_event *event)
{
	struct load *load = s->load;
	struct recording *rec = load->rec;
	struct fold_bytes kept;
	struct rec_event new = {
		.kind = event->kind,
		.period_unit = event->period_unit,
		.period = event->period,
		.sample_ns = event->sample_ns,
	};

	if (keep_bytes(load, event->name, &kept, &new.name))
		return -1;
	if (event->nweights) {
		if (keep_bytes(load, event->weights[0].name, &kept, &new.weight_name))
			return -1;
		new.weight_unit = event->weights[0].unit;
		load->weighted = true;
	}
	if (event_wanted(load->select, event))
		s->wanted_events |= UINT64_C(1) << i;
	s->events[i] = event_find(rec, &new);
	if (s->events[i] != REC_NONE)
		return 0;
	if (rec->nevents >= EVENTS_MAX) {
		log_error("%s: more than %d different events in all", segment_record(s)->file, EVENTS_MAX);
		return -1;
	}
	if (array_room(rec->events, load->events_room, rec->nevents + 1))
		return -1;
	s->events[i] = (uint32_t)rec->nevents;
	rec->events[rec->nevents++] = new;
	return 0;
}

static int keep_labels(struct load *load, const struct fold_meta *from, struct rec_meta *to)
{
	uint32_t id;

	for (; to->nlabels < from->nlabels; to->nlabels++) {
		const struct fold_label *label = &from->labels[to->nlabels];

		if (keep_bytes(load, label->key, &to->labels[to->nlabels].key, &id) ||
		    keep_bytes(load, label->value, &to->labels[to->nlabels].value, &id))
			return -1;
	}
	return 0;
}

int segment_meta(struct segment *s, const struct fold_meta *meta)
{
	const struct select *select = s->load->select;
	struct rec_meta *kept = &segment_record(s)->meta;
	uint32_t id;

	*kept = (struct rec_meta){
		.start = meta->start,
		.tick_ns = meta->tick_ns,
		.machine = meta->machine,
		.word_bytes = meta->word_bytes,
		.page_size = meta->page_size,
		.cpus_online = meta->cpus_online,
		.cpus_possible = meta->cpus_possible,
		.big_endian = meta->big_endian,
		.mode = meta->mode,
		.sides = meta->sides,
		.max_depth = meta->max_depth,
		.unwinder = meta->unwinder,
		.flags = meta->flags,
		.interval_ns = meta->interval_ns,
		.nevents = (uint32_t)meta->nevents,
		.scope = meta->scope,
		.scope_count = meta->scope_count,
	};
	memcpy(kept->id, meta->id, sizeof(kept->id));
	if (keep_bytes(s->load, meta->recorder, &kept->recorder, &id) ||
	    keep_bytes(s->load, meta->version, &kept->version, &id) ||
	    keep_bytes(s->load, meta->kernel_release, &kept->kernel_release, &id))
		return -1;
	for (uint32_t i = 0; i < meta->nevents; i++)
		if (define_event(s, i, &meta->events[i]))
			return -1;
	if (keep_labels(s->load, meta, kept))
		return -1;
	s->by_thread = select->npids || select->ntids || select->ncomms;
	s->begun = true;
	return 0;
}

void segment_end(struct segment *s, const struct fold_end *end)
{
	struct rec_segment *record = segment_record(s);

	record->ended = true;
	record->end = (struct rec_end){end->reason, end->stop, end->self_cpu_ns, end->self_peak_bytes, end->bpf_ns};
	memcpy(s->ends, end->totals, sizeof(s->ends));
}

int segment_note(struct segment *s, const struct fold_note *note)
{
	struct rec_segment *record = segment_record(s);
	struct fold_bytes text, *grown;
	uint32_t id;

	if (keep_bytes(s->load, note->text, &text, &id))
		return -1;
	grown = realloc(record->notes, (record->nnotes + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	record->notes = grown;
	record->notes[record->nnotes++] = text;
	return 0;
}
