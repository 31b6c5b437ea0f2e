/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every way in which format/ can fail: one number, one sentence, and the place
 * in the file.  Nothing in format/ prints; a tool turns a fault into words with
 * fault_text().
 */
#ifndef FOLD_FORMAT_ERROR_H
#define FOLD_FORMAT_ERROR_H

#include <stddef.h>
#include <stdint.h>

/* number, name, sentence.  Numbers are never reused: golden files name them. */
#define FOLD_ERRORS(X) \
	X(0, OK, "no error") \
	X(1, IO, "reading or writing failed") \
	X(2, MEMORY, "out of memory") \
	X(3, MAGIC, "this is not a fold recording") \
	X(4, MAGIC_TEXT, "this was a fold recording, damaged by a text-mode transfer") \
	X(5, HEADER_CRC, "the file header's checksum does not match") \
	X(6, VERSION, "written in a format version that this reader does not know") \
	X(7, DRAFT, "written in another draft of the format") \
	X(8, CUT, "the file stops early") \
	X(9, CHUNK_HEADER, "bytes that are no chunk header") \
	X(10, CHUNK_CRC, "the chunk's checksum does not match") \
	X(11, CHUNK_TYPE, "a critical chunk of unknown type") \
	X(12, CHUNK_CODEC, "unknown codec") \
	X(13, CHUNK_FLAGS, "unknown chunk flags") \
	X(14, CHUNK_SIZE, "the chunk is larger than the format allows") \
	X(15, CHUNK_ZSTD, "the payload does not decompress to its stated size") \
	X(16, CHUNK_GAP, "chunks are missing here") \
	X(17, CHUNK_ORDER, "a chunk where none of its type may be") \
	X(18, NO_META, "a segment without META") \
	X(19, SECTION, "the section does not parse") \
	X(20, SECTION_UNKNOWN, "a critical section of unknown id") \
	X(21, SECTION_TWICE, "a section stands twice or out of order") \
	X(22, SECTION_MISSING, "a required section is missing") \
	X(23, COLUMN_UNKNOWN, "a critical column of unknown id") \
	X(24, COLUMN_LENGTH, "a column has more or fewer rows than the others") \
	X(25, COLUMN_MISSING, "a required column is missing") \
	X(26, LEB128, "a number is not in its shortest form, or too large") \
	X(27, LIMIT, "a count or size is beyond the format's limit") \
	X(28, REFERENCE, "a reference to something that was not defined before") \
	X(29, FIRST_ID, "definitions do not continue where the last ones ended") \
	X(30, RANGE, "a value is outside its range") \
	X(31, ORDER, "rows are not sorted") \
	X(32, SUM, "samples taken are not samples written plus samples lost") \
	X(33, END_CRC, "the chunks are not those that END was written for") \
	X(34, BUDGET, "the file asks for more work than its size allows") \
	X(35, AFTER_END, "data after END") \
	X(36, RESERVED, "reserved bytes that are not 0") \
	X(37, COLUMN_TWICE, "a column stands twice or out of order") \
	X(38, CHUNK_REPEATED, "a chunk that was there before")

enum fold_error {
#define X(number, name, text) FOLD_E_##name = number,
	FOLD_ERRORS(X)
#undef X
	FOLD_E_COUNT
};

struct fold_fault {
	enum fold_error code;
	int sys_errno;     /* with IO: errno, else 0 */
	uint64_t offset;   /* in the file: of the chunk header, or of the byte meant */
	int64_t chunk;     /* seq of the chunk, -1 when there is none */
	int section;       /* section id in that chunk, 0 none */
	uint64_t detail;   /* the offending number where there is one: type, id, draft */
	const char *rule;  /* SPEC.md rule, "R-STK-3"; NULL when none is meant */
};

/* The sentence for `code`; a static string. */
const char *fold_error_text(enum fold_error code);

/* One line: "chunk 12 at byte 4096, section 7: the section does not parse".
 * Always terminated; returns `buf`. */
const char *fault_text(const struct fold_fault *fault, char *buf, size_t size);

#endif
