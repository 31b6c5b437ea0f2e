/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording as a stream of items.  Reads forward only, holds one chunk at a
 * time, and gets over damage: what cannot be read is an item of its own, and
 * reading goes on behind it.  Never prints, never exits.
 *
 * Memory: the stored bytes of the largest chunk (up to four times, in the input
 * buffer), its payload, and at most 18 times that for what is decoded from it;
 * with chunks of 1 MiB, the most that writers make, below 24 MiB.
 */
#ifndef FOLD_FORMAT_READER_H
#define FOLD_FORMAT_READER_H

#include "error.h"
#include "fold.h"
#include "source.h"

enum fold_item_kind {
	FOLD_ITEM_END_OF_FILE = 0, /* clean: a chunk border */
	FOLD_ITEM_SEGMENT, /* a file header, even a damaged or lost one: ids start afresh; META follows, unless it is lost */
	FOLD_ITEM_META,
	FOLD_ITEM_BATCH,
	FOLD_ITEM_FINISH,  /* the END chunk */
	FOLD_ITEM_NOTE,
	FOLD_ITEM_SYMBOLS,
	FOLD_ITEM_SKIPPED, /* an ancillary chunk of unknown type, codec or flags, passed over; `fault` says which */
	FOLD_ITEM_DAMAGE,  /* something was lost here; `fault` says what; reading goes on */
	FOLD_ITEM_CUT,     /* the file stops early; all before is good; END_OF_FILE follows */
};

struct fold_item {
	enum fold_item_kind kind;
	uint64_t offset;      /* of the chunk (or file header) in the file */
	uint32_t seq, type;   /* chunk header fields, 0 for SEGMENT */
	uint32_t stored_size, raw_size;
	uint64_t lost_bytes;  /* DAMAGE, CUT: bytes passed over */
	uint32_t lost_chunks; /* DAMAGE: chunks known to be missing, by seq */
	/* DAMAGE, CUT, SKIPPED.  FINISH: END_CRC when END was written for other chunks than
	 * those before it, SUM when its totals are not what was read or do not add up. */
	struct fold_fault fault;
	uint32_t section_size[FOLD_SECTION_MAX]; /* BATCH: raw bytes of each section */
	uint64_t passed;      /* unknown ancillary sections and columns in it, passed over */
	bool high_marker;     /* BATCH: markers above FOLD_MARK_OTHER were read as that */
	union {                /* by kind; borrowed until the next call */
		const struct fold_meta *meta;
		const struct fold_batch *batch;
		const struct fold_end *end;
		const struct fold_note *note;
		const struct fold_symbols *symbols;
	};
};

struct reader_limits {
	uint64_t file_size;  /* 0 unknown (pipe) */
	/* Bytes decompressed, and bytes of payloads whose checksum was computed in vain,
	 * in total; 0: max(1 GiB, 100 x the bytes of the file). */
	uint64_t max_raw;
};

struct reader;

/* `source` is copied.  `limits` may be NULL.  0, or -1 out of memory. */
int reader_new(struct reader **out, struct fold_source source, const struct reader_limits *limits);
void reader_free(struct reader *r);

/*
 * The next item.  0 when `item` is filled (END_OF_FILE again and again at the
 * end); -1 when reading cannot go on, and `reader_fault` says why: not a
 * recording, unknown version or draft, unknown critical content, I/O, memory,
 * budget.
 *
 * References in a BATCH (thread -> proc, stack -> module space, ...) are checked
 * against everything defined so far in the segment.  Once chunks of the segment
 * are lost (reader_lossy), a reference can lead to a lost definition: it is below
 * its limit, and that is all.  Definitions keep their ids.  A process's parent
 * always has a smaller id.
 */
int reader_next(struct reader *r, struct fold_item *item);
const struct fold_fault *reader_fault(const struct reader *r);

/* Chunks of the current segment are lost. */
bool reader_lossy(const struct reader *r);

/* The bytes of the chunk given last as they stand in the file, header and
 * payload; none for other items.  Until the next call. */
struct fold_bytes reader_chunk(const struct reader *r);

/* Bytes taken from the source so far. */
uint64_t reader_bytes(const struct reader *r);

#endif
