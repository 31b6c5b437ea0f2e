/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk over the sections of a payload, the same for every kind of chunk,
 * and what decoders of all sections share.  What is inside a section is for
 * section_*.c.
 */
#include "section.h"

/* ---- what is known while decoding */

static const uint64_t limits[FOLD_SECTION_MAX] = {
	[FOLD_STRINGS] = FOLD_MAX_STRINGS + 1, /* counted from 1 */
	[FOLD_MODULES] = FOLD_MAX_MODULES,
	[FOLD_PROCS] = FOLD_MAX_PROCS,
	[FOLD_THREADS] = FOLD_MAX_THREADS,
	[FOLD_KSTACKS] = FOLD_MAX_STACKS,
	[FOLD_USTACKS] = FOLD_MAX_STACKS,
};
static const char *const limit_rules[FOLD_SECTION_MAX] = {
	[FOLD_STRINGS] = "R-STR-2", [FOLD_MODULES] = "R-MOD-4", [FOLD_PROCS] = "R-PRC-2",
	[FOLD_THREADS] = "R-THR-2", [FOLD_KSTACKS] = "R-STK-4", [FOLD_USTACKS] = "R-STK-4",
};

void defined_init(struct defined *known, const struct fold_meta *meta, struct module_ranges *ranges)
{
	*known = (struct defined){
		.next[FOLD_STRINGS] = 1,
		.ranges = ranges,
		.nevents = (uint32_t)meta->nevents,
		.flags = meta->flags,
		.tick_ns = meta->tick_ns,
	};
	for (size_t i = 0; i < meta->nevents; i++)
		if (known->nweights < meta->events[i].nweights)
			known->nweights = (uint32_t)meta->events[i].nweights;
}

void defined_tear(struct defined *known)
{
	known->torn = UINT32_MAX;
}

/* ---- for decoders */

void decoding_fail(struct decoding *d, struct span *s, enum fold_error why, uint64_t detail, const char *rule)
{
	if (!s->bad) {
		d->detail = detail;
		d->rule = rule;
	}
	span_fail(s, why);
}

uint64_t decoding_max(struct decoding *d, struct span *s, uint64_t max, enum fold_error why, const char *rule)
{
	uint64_t v = span_uv(s);

	if (v <= max)
		return v;
	decoding_fail(d, s, why, v, rule);
	return 0;
}

void *decoding_alloc(struct decoding *d, struct span *s, size_t n, size_t size)
{
	void *p = arena_alloc(d->arena, n, size);

	if (!p)
		span_fail(s, FOLD_E_MEMORY);
	return p;
}

uint64_t decoding_bound(const struct decoding *d, int section)
{
	return d->known.torn & 1u << section ? limits[section] : d->known.next[section];
}

const char *decoding_bound_rule(const struct decoding *d, int section)
{
	return d->known.torn & 1u << section ? "R-LIM-2" : "R-DEF-2";
}

uint64_t decoding_refer(struct decoding *d, struct span *s, int section, const char *rule)
{
	uint64_t id = span_u32(s);

	if (id < decoding_bound(d, section))
		return id;
	decoding_fail(d, s, FOLD_E_REFERENCE, id, rule ? rule : decoding_bound_rule(d, section));
	return 0;
}

void decoding_defined(struct decoding *d, struct span *s, uint64_t id, int section)
{
	if (id >= decoding_bound(d, section))
		decoding_fail(d, s, FOLD_E_REFERENCE, id, decoding_bound_rule(d, section));
}

uint64_t decoding_refer_plus(struct decoding *d, struct span *s, int section)
{
	uint64_t plus = span_u32(s);

	if (plus <= decoding_bound(d, section))
		return plus;
	decoding_fail(d, s, FOLD_E_REFERENCE, plus - 1, decoding_bound_rule(d, section));
	return 0;
}

uint64_t define_first(struct decoding *d, struct span *s, int section)
{
	uint64_t first = span_uv(s), next = d->known.next[section];

	if (first < next)
		decoding_fail(d, s, FOLD_E_FIRST_ID, first, d->known.torn ? "R-DEF-4" : "R-DEF-1");
	else if (first > next && !(d->known.torn & 1u << section))
		decoding_fail(d, s, FOLD_E_FIRST_ID, first, "R-DEF-1");
	else if (first > limits[section])
		decoding_fail(d, s, FOLD_E_LIMIT, first, limit_rules[section]);
	else
		d->known.next[section] = first;
	return first;
}

bool define_next(struct decoding *d, struct span *s, int section)
{
	if (d->known.next[section] >= limits[section]) {
		decoding_fail(d, s, FOLD_E_LIMIT, d->known.next[section], limit_rules[section]);
		return false;
	}
	d->known.next[section]++;
	return true;
}

/* ---- the walk */

void sections_encode(const struct section_table *table, const void *chunk, uint64_t have, uint32_t meta_flags, struct buf *to)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct section *section = &table->v[i];
		size_t mark;

		if (!(have & FOLD_HAVE(section->id)))
			continue;
		buf_uv(to, (uint64_t)section->id);
		mark = buf_open(to);
		section->encode(to, chunk, meta_flags);
		buf_close(to, mark);
	}
}

static const struct section *find(const struct section_table *table, uint64_t id)
{
	for (size_t i = 0; i < table->n; i++)
		if ((uint64_t)table->v[i].id == id)
			return &table->v[i];
	return NULL;
}

static enum fold_error find_missing(const struct section_table *table, struct decoding *d, uint64_t have)
{
	for (size_t i = 0; i < table->n; i++) {
		if (!table->v[i].required || have & FOLD_HAVE(table->v[i].id))
			continue;
		d->section = table->v[i].id;
		d->detail = (uint64_t)table->v[i].id;
		return FOLD_E_SECTION_MISSING;
	}
	return FOLD_E_OK;
}

/* The next section.  What comes first in the bytes decides: an id in disorder,
 * an unknown critical one, a length beyond the payload, what is inside. */
static enum fold_error decode_one(const struct section_table *table, struct span *s, struct decoding *d, void *chunk, uint64_t *have, uint32_t *last)
{
	uint32_t id = span_u32(s);
	const struct section *section = find(table, id);
	struct span content;

	if (s->bad)
		return s->bad;
	d->detail = id;
	if (id <= *last)
		return FOLD_E_SECTION_TWICE;
	*last = id;
	d->section = id <= INT32_MAX ? (int)id : INT32_MAX;
	if (!section && id < FOLD_CRITICAL_IDS)
		return FOLD_E_SECTION_UNKNOWN;
	content = span_cut(s, span_uv(s));
	if (s->bad)
		return s->bad;
	if (!section) {
		d->passed++;
		return FOLD_E_OK;
	}
	*have |= FOLD_HAVE(section->id);
	if (id < FOLD_SECTION_MAX)
		d->size[id] = (uint32_t)span_left(&content);
	d->detail = 0;
	section->decode(d, &content, chunk);
	return content.bad;
}

static enum fold_error walk(const struct section_table *table, struct span s, struct decoding *d, void *chunk, uint64_t *have)
{
	uint32_t last = 0;

	for (int n = 0; span_left(&s); n++) {
		enum fold_error bad;

		d->section = 0;
		if (n == FOLD_MAX_SECTIONS) {
			d->rule = "R-PAY-3";
			return FOLD_E_LIMIT;
		}
		bad = decode_one(table, &s, d, chunk, have, &last);
		if (bad)
			return bad;
	}
	return find_missing(table, d, *have);
}

/* The rule that an error breaks wherever it happens. */
static const char *general_rule(enum fold_error why)
{
	switch (why) {
	case FOLD_E_LEB128: return "R-INT-1";
	case FOLD_E_RANGE: return "R-INT-2";
	case FOLD_E_SECTION: return "R-PAY-2";
	case FOLD_E_SECTION_TWICE: return "R-PAY-1";
	case FOLD_E_SECTION_MISSING: return "R-PAY-4";
	case FOLD_E_SECTION_UNKNOWN: return "R-PAY-5";
	case FOLD_E_COLUMN_TWICE: return "R-COL-1";
	case FOLD_E_COLUMN_LENGTH: return "R-COL-2";
	case FOLD_E_COLUMN_MISSING: return "R-COL-3";
	case FOLD_E_COLUMN_UNKNOWN: return "R-COL-5";
	case FOLD_E_REFERENCE: return "R-DEF-2";
	default: return NULL;
	}
}

enum fold_error sections_decode(const struct section_table *table, struct fold_bytes payload, struct decoding *d, void *chunk, uint64_t *have)
{
	enum fold_error bad;

	*have = 0;
	d->detail = 0;
	d->rule = NULL;
	bad = walk(table, span_of(payload.at, payload.size), d, chunk, have);
	if (bad && !d->rule)
		d->rule = general_rule(bad);
	return bad;
}
