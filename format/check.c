/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writers' rules of SPEC.md.  What makes a payload malformed the reader has
 * found already; here is what a reader forgives.  At most one violation of a
 * rule is told per section, so that one mistake in a loop is one line.
 */
#include "check.h"
#include "chunk.h"
#include "label.h"
#include "reader.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_META_FLAGS 63u
#define KNOWN_SIDES 3u
#define KNOWN_MODULE_FLAGS 31u

/* Valid in the segment of that number only: nothing to clear when a new one begins. */
struct kind {
	uint64_t segment;
	uint32_t kind;
};

struct check {
	check_report *report;
	void *state;
	struct check_result *result;
	const struct fold_item *item; /* being checked */
	bool in_segment, meta_seen, end_seen;
	bool all_ended;
	/* of META */
	uint32_t mode;
	bool merged;
	uint64_t origin_end;         /* processes below it have an origin, or will have none */
	size_t nevents, nweights[FOLD_MAX_EVENTS];
	struct kind *kinds;          /* of modules, by id */
	size_t nkinds;
	bool no_memory;
};

static void tell(struct check *c, const struct fold_fault *fault)
{
	c->result->violations++;
	c->report(c->state, fault);
}

static void violation(struct check *c, int section, enum fold_error code, uint64_t detail, const char *rule)
{
	struct fold_fault fault = {
		.code = code, .offset = c->item->offset, .chunk = c->item->seq, .section = section, .detail = detail, .rule = rule,
	};

	tell(c, &fault);
}

/* ---- segments */

static void finish_segment(struct check *c)
{
	struct fold_fault fault = {.code = FOLD_E_NO_META, .offset = c->item->offset, .chunk = -1, .rule = "R-ORD-1"};

	if (!c->in_segment)
		return;
	if (!c->meta_seen)
		tell(c, &fault);
	if (!c->end_seen)
		c->all_ended = false;
}

static void start_segment(struct check *c)
{
	finish_segment(c);
	c->in_segment = true;
	c->meta_seen = c->end_seen = false;
	c->result->segments++;
}

/* ---- containers */

/*
 * The window a frame asks for is in its header: byte 4 the descriptor, whose bit
 * 5 says that the content is the window, byte 5 exponent and mantissa.
 */
static bool window_allowed(const uint8_t *frame, size_t size)
{
	unsigned exponent;
	uint64_t base;

	if (size < 6 || frame[4] & 1u << 5)
		return true;
	exponent = frame[5] >> 3;
	base = UINT64_C(1) << (10 + exponent);
	return base + base / 8 * (frame[5] & 7) <= UINT64_C(1) << FOLD_MAX_WINDOW_LOG;
}

static void check_container(struct check *c, struct fold_bytes chunk)
{
	struct chunk_header header;

	c->result->chunks++;
	if (chunk.size < FOLD_CHUNK_HEADER_SIZE || !chunk_header_get(chunk.at, &header))
		return;
	if (header.flags)
		violation(c, 0, FOLD_E_CHUNK_FLAGS, header.flags, "R-CHK-1");
	if (header.codec == FOLD_ZSTD && !window_allowed(chunk.at + FOLD_CHUNK_HEADER_SIZE, chunk.size - FOLD_CHUNK_HEADER_SIZE))
		violation(c, 0, FOLD_E_CHUNK_ZSTD, 0, "R-CHK-6");
}

/* ---- META */

static void check_labels(struct check *c, const struct fold_meta *meta)
{
	for (size_t i = 0; i < meta->nlabels; i++) {
		if (!label_key_valid(meta->labels[i].key))
			violation(c, FOLD_META_LABELS, FOLD_E_RANGE, i, "R-LBL-2");
		else if (i && label_key_compare(meta->labels[i - 1].key, meta->labels[i].key) >= 0)
			violation(c, FOLD_META_LABELS, FOLD_E_ORDER, i, "R-LBL-3");
		else
			continue;
		return;
	}
}

static void check_meta(struct check *c, const struct fold_meta *meta)
{
	c->meta_seen = true;
	c->mode = meta->mode;
	c->merged = meta->flags & FOLD_FLAG_MERGED;
	c->origin_end = 0;
	check_labels(c, meta);
	c->nevents = meta->nevents;
	for (size_t i = 0; i < meta->nevents; i++)
		c->nweights[i] = meta->events[i].nweights;
	if (meta->id[6] >> 4 != 4 || meta->id[8] >> 6 != 2)
		violation(c, FOLD_META_ID, FOLD_E_RANGE, meta->id[6] >> 4, "R-META-3");
	if (meta->flags & ~KNOWN_META_FLAGS)
		violation(c, FOLD_META_MODE, FOLD_E_RANGE, meta->flags, "R-VER-1");
	if (meta->sides & ~KNOWN_SIDES)
		violation(c, FOLD_META_MODE, FOLD_E_RANGE, meta->sides, "R-VER-1");
}

/* ---- BATCH */

static void check_mode(struct check *c, const struct fold_batch *batch)
{
	if (c->mode == FOLD_MODE_EVENTS && batch->have & 1u << FOLD_COUNTS)
		violation(c, FOLD_COUNTS, FOLD_E_CHUNK_ORDER, FOLD_COUNTS, "R-META-6");
	if (c->mode == FOLD_MODE_AGGREGATED && batch->have & 1u << FOLD_SAMPLES)
		violation(c, FOLD_SAMPLES, FOLD_E_CHUNK_ORDER, FOLD_SAMPLES, "R-META-6");
}

static void check_strings(struct check *c, const struct fold_strings *strings)
{
	for (size_t i = 0; i < strings->n; i++) {
		if (strings->v[i].size)
			continue;
		violation(c, FOLD_STRINGS, FOLD_E_RANGE, strings->first_id + i, "R-STR-3");
		return;
	}
}

static void reserve_kinds(struct check *c, size_t n)
{
	size_t more = c->nkinds ? c->nkinds : 64;
	struct kind *kinds;

	while (more < n)
		more *= 2;
	if (more == c->nkinds)
		return;
	kinds = realloc(c->kinds, more * sizeof(*kinds));
	if (!kinds) {
		c->no_memory = true;
		return;
	}
	memset(kinds + c->nkinds, 0, (more - c->nkinds) * sizeof(*kinds));
	c->kinds = kinds;
	c->nkinds = more;
}

static void check_modules(struct check *c, const struct fold_modules *modules)
{
	bool kernel = false, flags = false;

	reserve_kinds(c, modules->first_id + modules->n);
	if (c->no_memory)
		return;
	for (size_t i = 0; i < modules->n; i++) {
		const struct fold_module *m = &modules->v[i];

		c->kinds[modules->first_id + i] = (struct kind){.segment = c->result->segments, .kind = m->kind};
		if (m->kind == FOLD_MODULE_KERNEL && modules->first_id + i && !c->merged && !kernel) {
			violation(c, FOLD_MODULES, FOLD_E_RANGE, modules->first_id + i, "R-MOD-5");
			kernel = true;
		}
		if (m->flags & ~KNOWN_MODULE_FLAGS && !flags) {
			violation(c, FOLD_MODULES, FOLD_E_RANGE, m->flags, "R-VER-1");
			flags = true;
		}
	}
}

static fold_frame frame_above(const struct fold_stacks *stacks, size_t node)
{
	uint32_t parent = stacks->nodes[node].parent;

	return parent == FOLD_NO_NODE ? 0 : stacks->nodes[parent].frame;
}

/* Nodes stand for all stacks that share them, so each pair of neighbours is looked at once. */
static void check_stacks(struct check *c, int section, const struct fold_stacks *stacks)
{
	const fold_frame unmapped = frame_marker(FOLD_MARK_UNMAPPED), exact = frame_marker(FOLD_MARK_EXACT);
	bool run = false, dangling = false;

	for (size_t i = 0; i < stacks->nnodes; i++) {
		fold_frame frame = stacks->nodes[i].frame, above = frame_above(stacks, i);

		run |= frame == unmapped && above == unmapped;
		dangling |= above == exact && frame_is_marker(frame);
	}
	for (size_t i = 0; i < stacks->n; i++)
		dangling |= stacks->v[i].depth && stacks->nodes[stacks->v[i].leaf].frame == exact;
	if (run)
		violation(c, section, FOLD_E_ORDER, FOLD_MARK_UNMAPPED, "R-STK-5");
	if (dangling)
		violation(c, section, FOLD_E_ORDER, FOLD_MARK_EXACT, "R-STK-7");
}

static void check_weights(struct check *c, int section, const uint32_t *event, uint64_t *const *weight, size_t nweights, size_t n)
{
	for (size_t w = 0; w < nweights; w++) {
		for (size_t i = 0; i < n; i++) {
			if (!weight[w][i] || w < c->nweights[event[i]])
				continue;
			violation(c, section, FOLD_E_RANGE, weight[w][i], "R-SMP-3");
			return;
		}
	}
}

static bool is_kernel_kind(uint32_t kind)
{
	return kind == FOLD_MODULE_KERNEL || kind == FOLD_MODULE_KO || kind == FOLD_MODULE_BPF;
}

static void check_syms(struct check *c, int section, const struct fold_syms *syms)
{
	for (size_t i = 0; i < syms->n; i++) {
		const struct kind *kind = syms->v[i].module < c->nkinds ? &c->kinds[syms->v[i].module] : NULL;

		/* The definition may be lost. */
		if (!kind || kind->segment != c->result->segments || is_kernel_kind(kind->kind) == (section == FOLD_KSYMS))
			continue;
		violation(c, section, FOLD_E_RANGE, syms->v[i].module, "R-SYM-1");
		return;
	}
}

static void check_origins(struct check *c, const struct fold_origins *origins)
{
	for (size_t i = 0; i < origins->n; i++) {
		const struct fold_origin *o = &origins->v[i];

		if (!c->merged)
			violation(c, FOLD_ORIGINS, FOLD_E_CHUNK_ORDER, i, "R-ORG-4");
		else if (o->first < c->origin_end)
			violation(c, FOLD_ORIGINS, FOLD_E_ORDER, o->first, "R-ORG-3");
		else if (o->state & ~(uint32_t)(FOLD_ORIGIN_ENDED | FOLD_ORIGIN_DAMAGED) || o->flags & ~KNOWN_META_FLAGS)
			violation(c, FOLD_ORIGINS, FOLD_E_RANGE, o->state, "R-VER-1");
		else {
			c->origin_end = o->first + o->nprocs;
			continue;
		}
		return;
	}
}

static void count_samples(struct check *c, const struct fold_batch *batch)
{
	c->result->samples += batch->samples.n;
	for (size_t i = 0; i < batch->counts.n; i++)
		c->result->samples += batch->counts.count[i];
}

static void check_batch(struct check *c, const struct fold_batch *batch)
{
	const struct fold_samples *samples = &batch->samples;
	const struct fold_counts *counts = &batch->counts;

	count_samples(c, batch);
	check_mode(c, batch);
	check_strings(c, &batch->strings);
	check_modules(c, &batch->modules);
	if (c->item->high_marker)
		violation(c, 0, FOLD_E_RANGE, FOLD_MARK_OTHER, "R-STK-6");
	check_stacks(c, FOLD_KSTACKS, &batch->kstacks);
	check_stacks(c, FOLD_USTACKS, &batch->ustacks);
	check_weights(c, FOLD_SAMPLES, samples->event, samples->weight, samples->nweights, samples->n);
	check_weights(c, FOLD_COUNTS, counts->event, counts->weight, counts->nweights, counts->n);
	check_syms(c, FOLD_KSYMS, &batch->ksyms);
	check_syms(c, FOLD_JITSYMS, &batch->jitsyms);
	check_origins(c, &batch->origins);
}

/* ---- the walk */

static void check_item(struct check *c, struct fold_bytes chunk)
{
	const struct fold_item *item = c->item;

	switch (item->kind) {
	case FOLD_ITEM_END_OF_FILE:
		finish_segment(c);
		return;
	case FOLD_ITEM_SEGMENT:
		start_segment(c);
		return;
	case FOLD_ITEM_SKIPPED:
		c->result->skipped++;
		return;
	case FOLD_ITEM_DAMAGE:
	case FOLD_ITEM_CUT:
		tell(c, &item->fault);
		return;
	case FOLD_ITEM_META:
		check_meta(c, item->meta);
		break;
	case FOLD_ITEM_BATCH:
		check_batch(c, item->batch);
		break;
	case FOLD_ITEM_FINISH:
		c->end_seen = true;
		break;
	case FOLD_ITEM_SYMBOLS:
		check_strings(c, &item->symbols->strings);
		break;
	case FOLD_ITEM_NOTE:
		break;
	}
	c->result->skipped += item->passed;
	if (item->fault.code)
		tell(c, &item->fault);
	check_container(c, chunk);
}

static int stop(struct check *c, const struct fold_fault *fault)
{
	tell(c, fault);
	return -1;
}

static int walk(struct check *c, struct reader *r)
{
	const struct fold_fault memory = {.code = FOLD_E_MEMORY, .chunk = -1};
	struct fold_item item;

	do {
		if (reader_next(r, &item))
			return stop(c, reader_fault(r));
		c->item = &item;
		check_item(c, reader_chunk(r));
		if (c->no_memory)
			return stop(c, &memory);
	} while (item.kind != FOLD_ITEM_END_OF_FILE);
	c->result->ended = c->all_ended;
	return 0;
}

int check_recording(struct fold_source source, check_report *report, void *state, struct check_result *result)
{
	const struct fold_fault memory = {.code = FOLD_E_MEMORY, .chunk = -1};
	struct check c = {.report = report, .state = state, .result = result, .all_ended = true};
	struct reader *r;
	int err;

	*result = (struct check_result){0};
	if (reader_new(&r, source, NULL))
		return stop(&c, &memory);
	err = walk(&c, r);
	reader_free(r);
	free(c.kinds);
	return err;
}
