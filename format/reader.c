/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks to items, and the recovery rules of SPEC.md (R-REC-*).  Keeps what a
 * segment has defined so far, but none of the definitions: those are for the
 * caller.  A chunk is decoded into an arena and is valid until the next call.
 */
#include "reader.h"
#include "chunk.h"
#include "input.h"
#include "ledger.h"
#include "place.h"
#include "section.h"

#include <stdlib.h>
#include <string.h>

#define MIN_BUDGET (UINT64_C(1) << 30)
#define BUDGET_RATIO 100

struct segment {
	uint64_t expected;     /* seq of the next chunk */
	bool meta_known, ended;
	bool lossy;            /* chunks were lost */
	struct defined known;
	struct ledger ledger;
};

struct reader {
	struct input in;
	struct reader_limits limits;
	struct unpacker *unpacker;
	struct arena arena;
	struct module_ranges ranges;
	struct segment segment;
	struct buf meta_payload; /* of the segment's META: copies are equal */
	uint64_t spent;          /* of the budget */
	size_t taken;            /* bytes of the item given last */
	bool started, header_damaged, stopped;
	struct fold_fault fault;
	union {
		struct fold_meta meta;
		struct fold_batch batch;
		struct fold_end end;
		struct fold_note note;
		struct fold_symbols symbols;
	} decoded;
};

enum { GIVEN = 0, STOPPED = -1, PASSED = 1 };

int reader_new(struct reader **out, struct fold_source source, const struct reader_limits *limits)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (!r)
		return -1;
	if (unpacker_new(&r->unpacker)) {
		free(r);
		return -1;
	}
	input_init(&r->in, source);
	if (limits)
		r->limits = *limits;
	*out = r;
	return 0;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	input_release(&r->in);
	unpacker_free(r->unpacker);
	arena_release(&r->arena);
	module_ranges_release(&r->ranges);
	buf_release(&r->meta_payload);
	free(r);
}

const struct fold_fault *reader_fault(const struct reader *r)
{
	return &r->fault;
}

uint64_t reader_bytes(const struct reader *r)
{
	return r->in.offset + input_held(&r->in);
}

bool reader_lossy(const struct reader *r)
{
	return r->segment.lossy;
}

struct fold_bytes reader_chunk(const struct reader *r)
{
	return r->taken < FOLD_CHUNK_HEADER_SIZE ? (struct fold_bytes){0} : (struct fold_bytes){.at = input_at(&r->in), .size = r->taken};
}

/* ---- ways to end a step */

static int stop(struct reader *r, const struct fold_fault *fault)
{
	r->fault = *fault;
	r->stopped = true;
	return STOPPED;
}

static struct fold_fault fault_here(const struct reader *r, enum fold_error code)
{
	return (struct fold_fault){.code = code, .offset = r->in.offset, .chunk = -1};
}

static int stop_reading(struct reader *r)
{
	struct fold_fault fault = fault_here(r, FOLD_E_IO);

	fault.sys_errno = r->in.err;
	return stop(r, &fault);
}

static struct fold_fault fault_of(const struct fold_item *item, enum fold_error code, uint64_t detail, const char *rule)
{
	return (struct fold_fault){.code = code, .offset = item->offset, .chunk = item->seq, .detail = detail, .rule = rule};
}

static int damage(struct reader *r, struct fold_item *item, uint64_t bytes, uint64_t chunks)
{
	item->kind = FOLD_ITEM_DAMAGE;
	item->lost_bytes = bytes;
	item->lost_chunks = (uint32_t)chunks;
	if (chunks) {
		r->segment.lossy = true;
		defined_tear(&r->segment.known);
	}
	return GIVEN;
}

static int cut(struct reader *r, struct fold_item *item, uint64_t bytes)
{
	item->kind = FOLD_ITEM_CUT;
	item->lost_bytes = bytes;
	return GIVEN;
}

static size_t chunk_size(const struct chunk_header *header)
{
	return FOLD_CHUNK_HEADER_SIZE + (size_t)header->stored_size;
}

/* A chunk that is whole but of no use. */
static int drop(struct reader *r, struct fold_item *item, const struct chunk_header *header, const struct fold_fault *fault, uint64_t chunks)
{
	item->fault = *fault;
	r->taken = chunk_size(header);
	return damage(r, item, r->taken, chunks);
}

/* ---- segments */

static int begin_segment(struct reader *r, struct fold_item *item, size_t header)
{
	r->segment = (struct segment){0};
	buf_reset(&r->meta_payload);
	r->taken = header;
	item->kind = FOLD_ITEM_SEGMENT;
	return GIVEN;
}

static int take_file_header(struct reader *r, struct fold_item *item)
{
	struct fold_fault fault = fault_here(r, FOLD_E_OK);

	fault.code = file_header_get(input_at(&r->in), &fault.detail);
	if (!fault.code)
		return begin_segment(r, item, FOLD_HEADER_SIZE);
	fault.rule = "R-HDR-2";
	return stop(r, &fault);
}

/* What the first bytes of a file are when they are no file header. */
static enum fold_error not_a_recording(const uint8_t *at, size_t n, uint64_t *detail)
{
	uint8_t first[FOLD_HEADER_SIZE] = {0};
	size_t magic = n < 8 ? n : 8;

	if (n)
		memcpy(first, at, n < sizeof(first) ? n : sizeof(first));
	if (n && n < sizeof(first) && !memcmp(first, FOLD_MAGIC, magic))
		return FOLD_E_CUT;
	return file_header_get(first, detail);
}

/* Only here a lost file header is looked for at one place, so that what is no
 * recording is not searched for one. */
static int take_start(struct reader *r, struct fold_item *item)
{
	struct fold_fault fault = fault_here(r, FOLD_E_OK);
	struct chunk_header header;

	if (place_at(&r->in, 0, &header) == PLACE_FILE_HEADER)
		return take_file_header(r, item);
	if (place_at(&r->in, FOLD_HEADER_SIZE, &header) == PLACE_CHUNK && header.type == FOLD_META && !header.seq) {
		r->header_damaged = true;
		return begin_segment(r, item, 0);
	}
	fault.code = not_a_recording(input_at(&r->in), input_want(&r->in, FOLD_HEADER_SIZE), &fault.detail);
	fault.rule = "R-REC-1";
	return r->in.err ? stop_reading(r) : stop(r, &fault);
}

static int take_damaged_header(struct reader *r, struct fold_item *item)
{
	r->header_damaged = false;
	item->fault = fault_here(r, FOLD_E_HEADER_CRC);
	item->fault.rule = "R-HDR-1";
	r->taken = FOLD_HEADER_SIZE;
	return damage(r, item, FOLD_HEADER_SIZE, 0);
}

/* ---- damage at a border */

static int take_tail(struct reader *r, struct fold_item *item)
{
	item->fault = fault_here(r, FOLD_E_CUT);
	r->taken = input_held(&r->in);
	return cut(r, item, r->taken);
}

static int take_garbage(struct reader *r, struct fold_item *item)
{
	item->fault = fault_here(r, FOLD_E_CHUNK_HEADER);
	item->fault.rule = "R-CHK-1";
	input_skip(&r->in, 1);
	place_search(&r->in);
	return damage(r, item, r->in.offset - item->offset, 0);
}

/*
 * A valid header whose payload is not what it says (R-REC-6).  The next header is
 * looked for from the start of the payload on: after bytes were lost it can be
 * before the place that the length leads to.
 */
static int take_damaged(struct reader *r, struct fold_item *item, const struct chunk_header *header, uint64_t chunks)
{
	input_skip(&r->in, FOLD_CHUNK_HEADER_SIZE);
	if (!place_search(&r->in) && item->offset + chunk_size(header) > r->in.offset) {
		item->fault.code = FOLD_E_CUT;
		item->fault.rule = NULL;
		return cut(r, item, r->in.offset - item->offset);
	}
	return damage(r, item, r->in.offset - item->offset, chunks);
}

/* ---- payloads */

static bool payload_whole(struct reader *r, const struct chunk_header *header)
{
	size_t size = chunk_size(header);

	if (header->stored_size > FOLD_MAX_STORED || input_want(&r->in, size) < size)
		return false;
	if (chunk_payload_matches(header, input_at(&r->in) + FOLD_CHUNK_HEADER_SIZE))
		return true;
	r->spent += header->stored_size;
	return false;
}

/* Both decompressing and checksums in vain cost more than the file is long: a
 * small frame can hold much, and headers can overlap each other's payloads. */
static bool within_budget(struct reader *r, uint64_t bytes)
{
	uint64_t size = reader_bytes(r) > r->limits.file_size ? reader_bytes(r) : r->limits.file_size;
	uint64_t budget = r->limits.max_raw;

	if (!budget)
		budget = size > MIN_BUDGET / BUDGET_RATIO ? size * BUDGET_RATIO : MIN_BUDGET;
	r->spent += bytes;
	return r->spent <= budget;
}

static enum fold_error unpack(struct reader *r, const struct chunk_header *header, struct fold_bytes *raw)
{
	if (!within_budget(r, header->raw_size))
		return FOLD_E_BUDGET;
	return unpacker_get(r->unpacker, header, input_at(&r->in) + FOLD_CHUNK_HEADER_SIZE, raw);
}

static bool is_meta_payload(const struct reader *r, struct fold_bytes raw)
{
	return r->meta_payload.size == raw.size && (!raw.size || !memcmp(r->meta_payload.at, raw.at, raw.size));
}

/* Where the table of a kind of chunk decodes to. */
struct target {
	enum fold_item_kind kind;
	const struct section_table *table;
	void *chunk;
	size_t size;
};

static struct target target_of(struct reader *r, uint16_t type)
{
	switch (type) {
	case FOLD_META: return (struct target){FOLD_ITEM_META, &meta_sections, &r->decoded.meta, sizeof(r->decoded.meta)};
	case FOLD_BATCH: return (struct target){FOLD_ITEM_BATCH, &batch_sections, &r->decoded.batch, sizeof(r->decoded.batch)};
	case FOLD_END: return (struct target){FOLD_ITEM_FINISH, &end_sections, &r->decoded.end, sizeof(r->decoded.end)};
	case FOLD_NOTE: return (struct target){FOLD_ITEM_NOTE, &note_sections, &r->decoded.note, sizeof(r->decoded.note)};
	default: return (struct target){FOLD_ITEM_SYMBOLS, &symbols_sections, &r->decoded.symbols, sizeof(r->decoded.symbols)};
	}
}

static enum fold_error decode(struct reader *r, const struct target *target, struct fold_bytes raw, struct decoding *d, uint64_t *have)
{
	*d = (struct decoding){.arena = &r->arena, .known = r->segment.known};
	arena_reset(&r->arena);
	memset(target->chunk, 0, target->size);
	return sections_decode(target->table, raw, d, target->chunk, have);
}

/* ---- what an accepted chunk means for the segment */

static int accept_meta(struct reader *r, struct fold_bytes raw)
{
	struct segment *segment = &r->segment;

	buf_reset(&r->meta_payload);
	buf_raw(&r->meta_payload, raw.at, raw.size);
	if (r->meta_payload.failed)
		return -1;
	segment->meta_known = true;
	defined_init(&segment->known, &r->decoded.meta, &r->ranges);
	if (segment->lossy)
		defined_tear(&segment->known);
	return 0;
}

/* Fill the item with what was decoded. */
static int give(struct reader *r, struct fold_item *item, const struct target *target, const struct decoding *d, uint64_t have)
{
	struct fold_fault contradiction = fault_of(item, FOLD_E_OK, 0, NULL);

	item->kind = target->kind;
	item->passed = d->passed;
	item->high_marker = d->high_marker;
	switch (target->kind) {
	case FOLD_ITEM_META:
		item->meta = &r->decoded.meta;
		break;
	case FOLD_ITEM_BATCH:
		r->decoded.batch.have = have;
		r->segment.known = d->known;
		memcpy(item->section_size, d->size, sizeof(item->section_size));
		ledger_add_batch(&r->segment.ledger, &r->decoded.batch);
		item->batch = &r->decoded.batch;
		break;
	case FOLD_ITEM_FINISH:
		r->segment.ended = true;
		item->end = &r->decoded.end;
		contradiction.code = ledger_check(&r->segment.ledger, item->end, &contradiction.detail, &contradiction.rule);
		if (contradiction.code)
			item->fault = contradiction;
		break;
	case FOLD_ITEM_NOTE:
		item->note = &r->decoded.note;
		break;
	default:
		item->symbols = &r->decoded.symbols;
		break;
	}
	return GIVEN;
}

/* ---- chunks */

/* Reasons to stop instead of dropping the chunk: it is not damage. */
static bool stops(enum fold_error code)
{
	return code == FOLD_E_DRAFT || code == FOLD_E_SECTION_UNKNOWN || code == FOLD_E_COLUMN_UNKNOWN || code == FOLD_E_MEMORY ||
	       code == FOLD_E_BUDGET;
}

static int refuse(struct reader *r, struct fold_item *item, const struct chunk_header *header, const struct fold_fault *fault)
{
	return stops(fault->code) ? stop(r, fault) : drop(r, item, header, fault, 1);
}

/* May a chunk of this type stand here?  (R-REC-7) */
static struct fold_fault check_order(const struct reader *r, const struct fold_item *item)
{
	const struct segment *segment = &r->segment;

	if (item->type != FOLD_META && !segment->meta_known)
		return fault_of(item, FOLD_E_NO_META, item->type, "R-ORD-1");
	if (item->type != FOLD_META && segment->ended && !(item->type & FOLD_ANCILLARY))
		return fault_of(item, FOLD_E_AFTER_END, item->type, "R-ORD-3");
	return fault_of(item, FOLD_E_OK, 0, NULL);
}

static const char *unpack_rule(enum fold_error code, const struct chunk_header *header)
{
	if (code == FOLD_E_CHUNK_SIZE)
		return header->raw_size > FOLD_MAX_RAW ? "R-CHK-3" : "R-CHK-4";
	return code == FOLD_E_CHUNK_ZSTD ? "R-CHK-5" : NULL;
}

/* A chunk whose header and stored bytes are good. */
static int take_payload(struct reader *r, struct fold_item *item, const struct chunk_header *header)
{
	struct fold_fault fault = check_order(r, item);
	struct target target = target_of(r, header->type);
	struct fold_bytes raw;
	struct decoding d;
	uint64_t have;

	if (fault.code)
		return refuse(r, item, header, &fault);
	fault.code = unpack(r, header, &raw);
	fault.rule = unpack_rule(fault.code, header);
	fault.detail = header->raw_size;
	if (fault.code)
		return refuse(r, item, header, &fault);
	r->taken = chunk_size(header);
	if (header->type == FOLD_META && r->segment.meta_known) {
		if (is_meta_payload(r, raw))
			return PASSED;
		fault = fault_of(item, FOLD_E_CHUNK_ORDER, header->type, "R-ORD-2");
		return refuse(r, item, header, &fault);
	}
	fault.code = decode(r, &target, raw, &d, &have);
	if (!fault.code && header->type == FOLD_META && accept_meta(r, raw))
		fault.code = FOLD_E_MEMORY;
	if (fault.code) {
		fault.section = d.section;
		fault.detail = d.detail;
		fault.rule = d.rule;
		return refuse(r, item, header, &fault);
	}
	return give(r, item, &target, &d, have);
}

/* META with seq 0 in the middle of a segment: the file header before it may be
 * lost (R-REC-4). */
static bool is_other_meta(struct reader *r, const struct chunk_header *header)
{
	struct target target = target_of(r, FOLD_META);
	struct fold_bytes raw;
	struct decoding d;
	uint64_t have;

	if (chunk_header_check(header, &have) || unpack(r, header, &raw))
		return false;
	if (r->segment.meta_known && is_meta_payload(r, raw))
		return false;
	return !decode(r, &target, raw, &d, &have);
}

static void accept_header(struct reader *r, const struct chunk_header *header)
{
	r->segment.expected = (uint64_t)header->seq + 1;
	ledger_add_header(&r->segment.ledger, header->header_crc);
}

static int take_repeated(struct reader *r, struct fold_item *item, const struct chunk_header *header, bool whole)
{
	struct fold_fault fault = fault_of(item, FOLD_E_CHUNK_REPEATED, 0, "R-CHK-2");

	if (whole)
		return drop(r, item, header, &fault, 0);
	item->fault = fault;
	return take_damaged(r, item, header, 0);
}

/* Chunks are missing before this one, which stays where it is. */
static int take_gap(struct reader *r, struct fold_item *item)
{
	uint64_t missing = item->seq - r->segment.expected;

	item->fault = fault_of(item, FOLD_E_CHUNK_GAP, missing, "R-CHK-2");
	r->segment.expected = item->seq;
	return damage(r, item, 0, missing);
}

static int take_accepted(struct reader *r, struct fold_item *item, const struct chunk_header *header, bool whole)
{
	struct fold_fault fault = fault_of(item, FOLD_E_OK, 0, "R-CHK-8");

	fault.code = chunk_header_check(header, &fault.detail);
	if (fault.code && !(header->type & FOLD_ANCILLARY))
		return stop(r, &fault);
	accept_header(r, header);
	if (!whole) {
		if (header->stored_size > FOLD_MAX_STORED)
			item->fault = fault_of(item, FOLD_E_CHUNK_SIZE, header->stored_size, "R-CHK-3");
		else
			item->fault = fault_of(item, FOLD_E_CHUNK_CRC, 0, "R-CHK-1");
		return take_damaged(r, item, header, 1);
	}
	if (fault.code) {
		item->kind = FOLD_ITEM_SKIPPED;
		item->fault = fault;
		r->taken = chunk_size(header);
		return GIVEN;
	}
	return take_payload(r, item, header);
}

static int take_chunk(struct reader *r, struct fold_item *item, const struct chunk_header *header)
{
	bool whole = payload_whole(r, header);
	struct fold_fault budget;

	item->seq = header->seq;
	item->type = header->type;
	item->stored_size = header->stored_size;
	item->raw_size = header->raw_size;
	budget = fault_of(item, FOLD_E_BUDGET, 0, "R-CHK-10");
	if (!whole && !within_budget(r, 0))
		return stop(r, &budget);
	if (header->type == FOLD_META && !header->seq && r->segment.ledger.headers.chunks && whole && is_other_meta(r, header)) {
		*item = (struct fold_item){.offset = item->offset};
		return begin_segment(r, item, 0);
	}
	if (header->seq < r->segment.expected)
		return take_repeated(r, item, header, whole);
	if (header->seq > r->segment.expected)
		return take_gap(r, item);
	return take_accepted(r, item, header, whole);
}

static int take(struct reader *r, struct fold_item *item)
{
	struct chunk_header header;

	switch (place_at(&r->in, 0, &header)) {
	case PLACE_END:
		item->kind = FOLD_ITEM_END_OF_FILE;
		return GIVEN;
	case PLACE_FILE_HEADER:
		return take_file_header(r, item);
	case PLACE_CHUNK:
		return take_chunk(r, item, &header);
	case PLACE_TAIL:
		return take_tail(r, item);
	default:
		return take_garbage(r, item);
	}
}

int reader_next(struct reader *r, struct fold_item *item)
{
	int got;

	if (r->stopped)
		return STOPPED;
	do {
		input_skip(&r->in, r->taken);
		r->taken = 0;
		*item = (struct fold_item){.offset = r->in.offset};
		if (r->header_damaged)
			got = take_damaged_header(r, item);
		else
			got = r->started ? take(r, item) : take_start(r, item);
		r->started = true;
		/* What a failed read left undone is not damage. */
		if (r->in.err && !r->stopped)
			return stop_reading(r);
	} while (got == PASSED);
	return got;
}
