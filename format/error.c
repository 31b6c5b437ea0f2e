/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in words.  The sentences stand in error.h, once. */
#include "error.h"
#include "fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[FOLD_E_COUNT] = {
#define X(number, name, text) [number] = text,
	FOLD_ERRORS(X)
#undef X
};

const char *fold_error_text(enum fold_error code)
{
	if ((unsigned)code >= FOLD_E_COUNT || !texts[code])
		return "unknown error";
	return texts[code];
}

/* "chunk 12 at byte 4096, section 7", as far as it is known. */
static void place_text(const struct fold_fault *fault, char *buf, size_t size)
{
	char chunk[48] = "", section[32] = "";

	if (fault->chunk >= 0)
		snprintf(chunk, sizeof(chunk), "chunk %" PRId64 " at ", fault->chunk);
	if (fault->section)
		snprintf(section, sizeof(section), ", section %d", fault->section);
	snprintf(buf, size, "%sbyte %" PRIu64 "%s", chunk, fault->offset, section);
}

/* What the number in `detail` is; "" when it adds nothing. */
static void detail_text(const struct fold_fault *fault, char *buf, size_t size)
{
	buf[0] = '\0';
	switch (fault->code) {
	case FOLD_E_VERSION:
		snprintf(buf, size, " (version %" PRIu64 ", known is %d)", fault->detail, FOLD_MAJOR);
		break;
	case FOLD_E_DRAFT:
		snprintf(buf, size, " (draft %" PRIu64 ", known is %d)", fault->detail, FOLD_DRAFT);
		break;
	case FOLD_E_CHUNK_TYPE:
	case FOLD_E_CHUNK_ORDER:
	case FOLD_E_AFTER_END:
		snprintf(buf, size, " (type 0x%04" PRIx64 ")", fault->detail);
		break;
	case FOLD_E_CHUNK_CODEC:
	case FOLD_E_CHUNK_FLAGS:
	case FOLD_E_CHUNK_SIZE:
	case FOLD_E_CHUNK_GAP:
	case FOLD_E_SECTION_UNKNOWN:
	case FOLD_E_SECTION_TWICE:
	case FOLD_E_SECTION_MISSING:
	case FOLD_E_COLUMN_UNKNOWN:
	case FOLD_E_COLUMN_LENGTH:
	case FOLD_E_COLUMN_MISSING:
	case FOLD_E_REFERENCE:
	case FOLD_E_FIRST_ID:
	case FOLD_E_SUM:
		snprintf(buf, size, " (%" PRIu64 ")", fault->detail);
		break;
	case FOLD_E_IO:
		if (fault->sys_errno)
			snprintf(buf, size, ": %s", strerror(fault->sys_errno));
		break;
	default:
		break;
	}
}

const char *fault_text(const struct fold_fault *fault, char *buf, size_t size)
{
	char place[96], detail[128], rule[32] = "";

	place_text(fault, place, sizeof(place));
	detail_text(fault, detail, sizeof(detail));
	if (fault->rule)
		snprintf(rule, sizeof(rule), " [%s]", fault->rule);
	snprintf(buf, size, "%s: %s%s%s", place, fold_error_text(fault->code), detail, rule);
	return buf;
}
