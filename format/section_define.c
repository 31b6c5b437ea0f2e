/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections made of records: what other sections refer to, and what is told of
 * them; processes are in section_process.c.  Each encoder stands above its decoder.
 */
#include "records.h"

#include <stdlib.h>
#include <string.h>

/* ---- STRINGS: no records, only bytes */

void strings_encode(struct buf *to, const struct fold_strings *strings)
{
	buf_uv(to, strings->first_id);
	for (size_t i = 0; i < strings->n; i++)
		buf_bytes(to, strings->v[i]);
}

void strings_decode(struct decoding *d, struct span *s, struct fold_strings *strings)
{
	strings->first_id = define_first(d, s, FOLD_STRINGS);
	strings->v = RECORDS(d, s, strings->v);
	while (span_left(s)) {
		struct fold_bytes string = span_bytes(s);

		if (string.size > FOLD_MAX_STRING)
			decoding_fail(d, s, FOLD_E_LIMIT, string.size, "R-STR-1");
		d->known.string_bytes += string.size;
		if (d->known.string_bytes > FOLD_MAX_STRINGS_BYTES)
			decoding_fail(d, s, FOLD_E_LIMIT, d->known.string_bytes, "R-STR-2");
		if (s->bad || !define_next(d, s, FOLD_STRINGS))
			return;
		strings->v[strings->n++] = string;
	}
}

/* ---- MODULES */

static uint64_t module_aligned(uint64_t at)
{
	return (at + FOLD_MODULE_ALIGN - 1) & ~(uint64_t)(FOLD_MODULE_ALIGN - 1);
}

static void ids_encode(struct buf *to, const struct fold_module *m)
{
	buf_uv(to, m->nids);
	for (size_t i = 0; i < m->nids; i++) {
		buf_uv(to, m->ids[i].kind);
		buf_bytes(to, m->ids[i].bytes);
	}
}

static bool all_zero(struct fold_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		if (bytes.at[i])
			return false;
	return true;
}

static void ids_decode(struct decoding *d, struct span *s, struct fold_module *m)
{
	size_t n = decoding_max(d, s, FOLD_MAX_IDS, FOLD_E_LIMIT, "R-MOD-2");

	for (size_t i = 0; i < n; i++) {
		struct fold_module_id *id = &m->ids[i];

		id->kind = span_u32(s);
		id->bytes = span_bytes(s);
		if (id->bytes.size > FOLD_MAX_BUILD_ID)
			decoding_fail(d, s, FOLD_E_LIMIT, id->bytes.size, "R-MOD-2");
		else if (all_zero(id->bytes))
			decoding_fail(d, s, FOLD_E_RANGE, id->bytes.size, "R-MOD-2");
	}
	m->nids = n;
}

static void segments_encode(struct buf *to, const struct fold_module *m)
{
	buf_uv(to, m->nsegments);
	for (size_t i = 0; i < m->nsegments; i++) {
		buf_uv(to, m->segments[i].offset);
		buf_uv(to, m->segments[i].vaddr);
		buf_uv(to, m->segments[i].filesz);
		buf_uv(to, m->segments[i].align);
	}
}

static void segments_decode(struct decoding *d, struct span *s, struct fold_module *m)
{
	size_t n = decoding_max(d, s, FOLD_MAX_SEGMENTS, FOLD_E_LIMIT, "R-MOD-3");

	if (n > span_left(s) / 4) /* four numbers each */
		span_fail(s, FOLD_E_SECTION);
	if (s->bad || !n)
		return;
	m->segments = decoding_alloc(d, s, n, sizeof(*m->segments));
	if (!m->segments)
		return;
	for (size_t i = 0; i < n; i++) {
		m->segments[i].offset = span_uv(s);
		m->segments[i].vaddr = span_uv(s);
		m->segments[i].filesz = span_uv(s);
		m->segments[i].align = span_uv(s);
	}
	m->nsegments = n;
}

void modules_encode(struct buf *to, const struct fold_modules *modules)
{
	buf_uv(to, modules->first_id);
	buf_uv(to, modules->first_base);
	for (size_t i = 0; i < modules->n; i++) {
		const struct fold_module *m = &modules->v[i];
		size_t mark = buf_open(to);

		buf_uv(to, m->kind);
		buf_uv(to, m->name);
		buf_uv(to, m->span);
		buf_uv(to, m->flags);
		buf_uv(to, m->elf_type);
		buf_uv(to, m->machine);
		ids_encode(to, m);
		segments_encode(to, m);
		buf_close(to, mark);
	}
}

void module_ranges_release(struct module_ranges *ranges)
{
	free(ranges->v);
	*ranges = (struct module_ranges){0};
}

static bool module_ranges_set(struct module_ranges *ranges, size_t i, struct module_range range)
{
	if (i >= ranges->room) {
		size_t room = ranges->room ? ranges->room * 2 : 64;
		struct module_range *v = realloc(ranges->v, room * sizeof(*v));

		if (!v)
			return false;
		*ranges = (struct module_ranges){.v = v, .room = room};
	}
	ranges->v[i] = range;
	return true;
}

/* Put a module at `base` of the linear space. */
static bool place_module(struct decoding *d, struct span *s, uint64_t base, uint64_t span)
{
	if (span > FOLD_MAX_SPACE || base > FOLD_MAX_SPACE - span) {
		decoding_fail(d, s, FOLD_E_LIMIT, span, "R-MOD-4");
		return false;
	}
	if (!module_ranges_set(d->known.ranges, d->known.nranges, (struct module_range){.base = base, .span = span})) {
		span_fail(s, FOLD_E_MEMORY);
		return false;
	}
	d->known.nranges++;
	d->known.space = base + span;
	return true;
}

static void base_decode(struct decoding *d, struct span *s, struct fold_modules *modules)
{
	uint64_t base = span_uv(s), expected = module_aligned(d->known.space);
	bool torn = d->known.torn & 1u << FOLD_MODULES;

	if (base < expected || base % FOLD_MODULE_ALIGN || base > FOLD_MAX_SPACE || (base > expected && !torn))
		decoding_fail(d, s, FOLD_E_FIRST_ID, base, "R-MOD-1");
	else
		d->known.space = base;
	modules->first_base = base;
}

void modules_decode(struct decoding *d, struct span *s, struct fold_modules *modules)
{
	modules->first_id = define_first(d, s, FOLD_MODULES);
	base_decode(d, s, modules);
	modules->v = RECORDS(d, s, modules->v);
	while (span_left(s)) {
		struct span record = record_next(s);
		struct fold_module *m = &modules->v[modules->n];

		*m = (struct fold_module){0};
		m->kind = span_u32(&record);
		m->name = decoding_refer(d, &record, FOLD_STRINGS, NULL);
		m->span = span_uv(&record);
		m->flags = span_u32(&record);
		m->elf_type = span_u32(&record);
		m->machine = span_u32(&record);
		ids_decode(d, &record, m);
		segments_decode(d, &record, m);
		record_done(s, &record);
		if (s->bad || !define_next(d, s, FOLD_MODULES) || !place_module(d, s, module_aligned(d->known.space), m->span))
			return;
		modules->n++;
	}
}

/* ---- ACCOUNT */

void account_encode(struct buf *to, const struct fold_account *account)
{
	for (size_t i = 0; i < account->n; i++) {
		const struct fold_account_row *row = &account->v[i];
		size_t mark = buf_open(to);

		buf_uv(to, row->event);
		buf_uv(to, row->cause);
		buf_uv(to, row->cpu);
		buf_uv(to, row->count);
		buf_close(to, mark);
	}
}

void account_decode(struct decoding *d, struct span *s, struct fold_account *account)
{
	account->v = RECORDS(d, s, account->v);
	while (span_left(s)) {
		struct span record = record_next(s);
		struct fold_account_row *row = &account->v[account->n];

		row->event = span_u32(&record);
		if (row->event >= d->known.nevents)
			decoding_fail(d, &record, FOLD_E_REFERENCE, row->event, "R-ACC-1");
		row->cause = span_u32(&record);
		row->cpu = (uint32_t)decoding_max(d, &record, FOLD_MAX_CPUS, FOLD_E_RANGE, NULL);
		row->count = span_uv(&record);
		record_done(s, &record);
		if (s->bad)
			return;
		account->n++;
	}
}

/* ---- ORIGINS */

static void origin_encode(struct buf *to, const struct fold_origin *o)
{
	buf_uv(to, o->first);
	buf_uv(to, o->nprocs);
	buf_raw(to, o->id, sizeof(o->id));
	buf_uv(to, o->realtime);
	buf_uv(to, o->duration);
	buf_uv(to, o->reason);
	buf_uv(to, o->state);
	buf_uv(to, o->flags);
	buf_uv(to, o->cpus_online);
	buf_uv(to, o->kernel_release);
	buf_uv(to, o->recorder);
	buf_uv(to, o->version);
	buf_uv(to, o->nlabels);
	for (size_t i = 0; i < o->nlabels; i++) {
		buf_uv(to, o->labels[i].key);
		buf_uv(to, o->labels[i].value);
	}
}

void origins_encode(struct buf *to, const struct fold_origins *origins)
{
	for (size_t i = 0; i < origins->n; i++) {
		size_t mark = buf_open(to);

		origin_encode(to, &origins->v[i]);
		buf_close(to, mark);
	}
}

static void origin_procs_decode(struct decoding *d, struct span *s, struct fold_origin *o)
{
	uint64_t bound = decoding_bound(d, FOLD_PROCS);

	o->first = span_u32(s);
	o->nprocs = span_u32(s);
	if (o->first > bound || o->nprocs > bound - o->first)
		decoding_fail(d, s, FOLD_E_REFERENCE, o->first + o->nprocs, "R-ORG-1");
}

static void origin_labels_decode(struct decoding *d, struct span *s, struct fold_origin *o)
{
	uint64_t n = decoding_max(d, s, FOLD_MAX_LABELS, FOLD_E_LIMIT, "R-ORG-2");

	if (!n || s->bad)
		return;
	o->labels = decoding_alloc(d, s, n, sizeof(*o->labels));
	for (; o->labels && o->nlabels < n; o->nlabels++) {
		o->labels[o->nlabels].key = decoding_refer(d, s, FOLD_STRINGS, NULL);
		o->labels[o->nlabels].value = decoding_refer(d, s, FOLD_STRINGS, NULL);
	}
}

static void origin_decode(struct decoding *d, struct span *s, struct fold_origin *o)
{
	const uint8_t *id;

	origin_procs_decode(d, s, o);
	id = span_take(s, sizeof(o->id));
	if (id)
		memcpy(o->id, id, sizeof(o->id));
	o->realtime = span_uv(s);
	o->duration = span_uv(s);
	o->reason = span_u32(s);
	o->state = span_u32(s);
	o->flags = span_u32(s);
	o->cpus_online = span_u32(s);
	o->kernel_release = decoding_refer(d, s, FOLD_STRINGS, NULL);
	o->recorder = decoding_refer(d, s, FOLD_STRINGS, NULL);
	o->version = decoding_refer(d, s, FOLD_STRINGS, NULL);
	origin_labels_decode(d, s, o);
}

/* The least that a record can have: its length, the id, and a byte for each number. */
#define ORIGIN_MIN_BYTES 29

void origins_decode(struct decoding *d, struct span *s, struct fold_origins *origins)
{
	origins->v = decoding_alloc(d, s, span_left(s) / ORIGIN_MIN_BYTES + 1, sizeof(*origins->v));
	while (span_left(s)) {
		struct span record = record_next(s);
		struct fold_origin origin = {0};

		origin_decode(d, &record, &origin);
		record_done(s, &record);
		if (s->bad)
			return;
		origins->v[origins->n++] = origin;
	}
}

/* ---- KSYMS, JITSYMS, SYMS */

void syms_encode(struct buf *to, const struct fold_syms *syms)
{
	for (size_t i = 0; i < syms->n; i++) {
		const struct fold_sym *sym = &syms->v[i];
		size_t mark = buf_open(to);

		buf_uv(to, sym->module);
		buf_uv(to, sym->offset);
		buf_uv(to, sym->size);
		buf_uv(to, sym->name);
		buf_close(to, mark);
	}
}

void syms_decode(struct decoding *d, struct span *s, struct fold_syms *syms, const char *name_rule)
{
	syms->v = RECORDS(d, s, syms->v);
	while (span_left(s)) {
		struct span record = record_next(s);
		struct fold_sym *sym = &syms->v[syms->n];

		sym->module = decoding_refer(d, &record, FOLD_MODULES, NULL);
		sym->offset = decoding_max(d, &record, FOLD_MAX_SPACE, FOLD_E_RANGE, NULL);
		sym->size = decoding_max(d, &record, FOLD_MAX_SPACE, FOLD_E_RANGE, NULL);
		sym->name = decoding_refer(d, &record, FOLD_STRINGS, name_rule);
		record_done(s, &record);
		if (s->bad)
			return;
		syms->n++;
	}
}
