/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an ELF file is: its build-ids, type, machine and executable segments.
 *
 * The files belong to strangers and this runs with privileges: every field is
 * compared before it is used, and only headers, notes and the first and last 64
 * KiB are read, whatever the file claims.
 */
#ifndef FOLD_RECORD_IDENTITY_H
#define FOLD_RECORD_IDENTITY_H

#include "../format/fold.h"

struct identity_id {
	uint32_t kind; /* enum fold_id_kind */
	uint32_t size;
	uint8_t bytes[FOLD_MAX_BUILD_ID];
};

struct identity {
	bool elf;
	uint32_t type, machine;  /* e_type, e_machine */
	uint64_t size;           /* of the file */
	size_t nids;
	struct identity_id ids[FOLD_MAX_IDS]; /* GNU first; never empty for a file that was read */
	size_t nsegments;
	struct fold_segment segments[FOLD_MAX_SEGMENTS];
};

/* A whole file's content: an open file, or memory. */
struct identity_image {
	int fd;              /* -1: memory */
	const uint8_t *at;
	uint64_t size;
};

/*
 * Fill `out` from `image`.  A file that is no ELF file, or a broken one, has
 * elf = false or fewer parts, and a FOLD_ID_HASH id.  0, or -1 when the file
 * could not be read at all.
 */
int identity_read(const struct identity_image *image, struct identity *out);

/* Does it have this GNU build-id? */
bool identity_has(const struct identity *id, const uint8_t *build_id, size_t size);

/*
 * The ids in the notes at `at`, added to `out` unless they are there already.
 * align: 4 or 8.  Also what /sys/kernel/notes and /sys/module/x/notes hold.
 */
void identity_notes(struct identity *out, const uint8_t *at, size_t size, size_t align, bool big_endian);

#endif
