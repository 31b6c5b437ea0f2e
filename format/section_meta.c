/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections of META.  Each encoder stands above its decoder. */
#include "section.h"

#include <string.h>

static struct fold_bytes name_decode(struct decoding *d, struct span *s)
{
	struct fold_bytes name = span_bytes(s);

	if (name.size > FOLD_MAX_STRING)
		decoding_fail(d, s, FOLD_E_LIMIT, name.size, "R-LIM-1");
	return name;
}

static void recorder_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	buf_bytes(to, m->recorder);
	buf_bytes(to, m->version);
	buf_uv(to, m->draft);
}

/* The draft decides whether anything else can be read. */
static void recorder_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;

	m->recorder = name_decode(d, s);
	m->version = name_decode(d, s);
	m->draft = span_u32(s);
	if (m->draft != FOLD_DRAFT)
		decoding_fail(d, s, FOLD_E_DRAFT, m->draft, "R-META-2");
}

static void id_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	buf_raw(to, m->id, sizeof(m->id));
}

static void id_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;
	const uint8_t *id = span_take(s, sizeof(m->id));

	if (id)
		memcpy(m->id, id, sizeof(m->id));
}

static void clock_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	buf_uv(to, m->start.monotonic);
	buf_uv(to, m->start.realtime);
	buf_uv(to, m->start.boottime);
	buf_uv(to, m->tick_ns);
}

static void clock_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;

	m->start.monotonic = span_uv(s);
	m->start.realtime = span_uv(s);
	m->start.boottime = span_uv(s);
	m->tick_ns = span_uv(s);
	if (!m->tick_ns || m->tick_ns > 1000000000)
		decoding_fail(d, s, FOLD_E_RANGE, m->tick_ns, "R-META-4");
}

static void target_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	buf_uv(to, m->machine);
	buf_uv(to, m->word_bytes);
	buf_uv(to, m->big_endian);
	buf_uv(to, m->page_size);
	buf_uv(to, m->cpus_online);
	buf_uv(to, m->cpus_possible);
	buf_bytes(to, m->kernel_release);
}

static void target_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;

	m->machine = span_u32(s);
	m->word_bytes = span_u32(s);
	if (m->word_bytes != 4 && m->word_bytes != 8)
		decoding_fail(d, s, FOLD_E_RANGE, m->word_bytes, "R-META-5");
	m->big_endian = decoding_max(d, s, 1, FOLD_E_RANGE, "R-META-5");
	m->page_size = span_u32(s);
	m->cpus_online = span_u32(s);
	m->cpus_possible = span_u32(s);
	m->kernel_release = name_decode(d, s);
}

static void mode_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	buf_uv(to, m->mode);
	buf_uv(to, m->interval_ns);
	buf_uv(to, m->sides);
	buf_uv(to, m->max_depth);
	buf_uv(to, m->unwinder);
	buf_uv(to, m->flags);
}

static void mode_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;

	m->mode = span_u32(s);
	m->interval_ns = span_uv(s);
	m->sides = span_u32(s);
	m->max_depth = span_u32(s);
	m->unwinder = span_u32(s);
	m->flags = span_u32(s);
}

static void event_encode(struct buf *to, const struct fold_event *e)
{
	buf_uv(to, e->kind);
	buf_bytes(to, e->name);
	buf_uv(to, e->period_unit);
	buf_uv(to, e->period);
	buf_uv(to, e->sample_ns);
	buf_uv(to, e->nweights);
	for (size_t i = 0; i < e->nweights; i++) {
		buf_bytes(to, e->weights[i].name);
		buf_uv(to, e->weights[i].unit);
	}
}

static void event_decode(struct decoding *d, struct span *s, struct fold_event *e)
{
	e->kind = span_u32(s);
	e->name = name_decode(d, s);
	e->period_unit = span_u32(s);
	e->period = span_uv(s);
	e->sample_ns = span_uv(s);
	e->nweights = decoding_max(d, s, FOLD_MAX_WEIGHTS, FOLD_E_LIMIT, "R-META-7");
	for (size_t i = 0; i < e->nweights; i++) {
		e->weights[i].name = name_decode(d, s);
		e->weights[i].unit = span_u32(s);
	}
}

static void events_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	for (size_t i = 0; i < m->nevents; i++) {
		size_t mark = buf_open(to);

		event_encode(to, &m->events[i]);
		buf_close(to, mark);
	}
}

static void events_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;

	while (span_left(s)) {
		struct span record = span_cut(s, span_uv(s));

		if (m->nevents == FOLD_MAX_EVENTS) {
			decoding_fail(d, s, FOLD_E_LIMIT, m->nevents, "R-META-7");
			return;
		}
		event_decode(d, &record, &m->events[m->nevents++]);
		if (record.bad)
			span_fail(s, record.bad);
	}
	if (!m->nevents)
		decoding_fail(d, s, FOLD_E_LIMIT, 0, "R-META-7");
}

static void scope_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	buf_uv(to, m->scope);
	buf_uv(to, m->scope_count);
}

static void scope_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;

	m->scope = span_u32(s);
	m->scope_count = span_uv(s);
}

static void labels_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	const struct fold_meta *m = chunk;

	for (size_t i = 0; i < m->nlabels; i++) {
		size_t mark = buf_open(to);

		buf_bytes(to, m->labels[i].key);
		buf_bytes(to, m->labels[i].value);
		buf_close(to, mark);
	}
}

static void labels_decode(struct decoding *d, struct span *s, void *chunk)
{
	struct fold_meta *m = chunk;

	while (span_left(s)) {
		struct span record = span_cut(s, span_uv(s));
		struct fold_label label = {span_bytes(&record), {0}};

		label.value = span_bytes(&record);
		if (!record.bad && (!label.key.size || label.key.size > FOLD_MAX_LABEL_KEY))
			decoding_fail(d, &record, FOLD_E_LIMIT, label.key.size, "R-LBL-1");
		if (label.value.size > FOLD_MAX_LABEL_VALUE)
			decoding_fail(d, &record, FOLD_E_LIMIT, label.value.size, "R-LBL-1");
		if (!record.bad && m->nlabels == FOLD_MAX_LABELS)
			decoding_fail(d, &record, FOLD_E_LIMIT, m->nlabels, "R-LBL-1");
		if (record.bad) {
			span_fail(s, record.bad);
			return;
		}
		m->labels[m->nlabels++] = label;
	}
}

static const struct section sections[] = {
	{FOLD_META_RECORDER, true, recorder_encode, recorder_decode},
	{FOLD_META_ID, true, id_encode, id_decode},
	{FOLD_META_CLOCK, true, clock_encode, clock_decode},
	{FOLD_META_TARGET, true, target_encode, target_decode},
	{FOLD_META_MODE, true, mode_encode, mode_decode},
	{FOLD_META_EVENTS, true, events_encode, events_decode},
	{FOLD_META_SCOPE, true, scope_encode, scope_decode},
	{FOLD_META_LABELS, false, labels_encode, labels_decode},
};
const struct section_table meta_sections = {sections, sizeof(sections) / sizeof(*sections)};
