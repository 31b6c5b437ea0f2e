/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind table of one file, packed: rows of 4 bytes, cut into pages, with the
 * extended rules it needs.  This is what the confined builder leaves behind in
 * shared memory; indexes in it count from its own beginnings.
 */
#ifndef FOLD_UNWIND_PACK_H
#define FOLD_UNWIND_PACK_H

#include "../../bpf/unwind.h"
#include "cfi.h"
#include "image.h"

#define PACK_MAX_PAGES (1u << 16) /* 4 GiB of text */
#define PACK_MAX_ROWS (1u << 23)

enum packed_status {
	PACKED_UNFINISHED = 0,
	PACKED_OK = 1,
	PACKED_NOT_ELF = 2,    /* not an ELF file of this machine */
	PACKED_NO_FRAMES = 3,  /* no unwind information in it */
	PACKED_CAP = 4,        /* more rows, pages or functions than allowed */
};
struct packed {
	uint32_t status;       /* enum packed_status; written last */
	uint32_t nsegments;
	struct image_segment segments[IMAGE_MAX_SEGMENTS];
	uint64_t first_page;   /* ELF address >> UNWIND_PAGE_SHIFT */
	uint32_t npages, nrows, nrules;
	uint32_t pages[PACK_MAX_PAGES]; /* index of the first row of each */
	struct unwind_rule rules[UNWIND_RULES];
	uint32_t rows[PACK_MAX_ROWS];
};

/* Read `bytes`, a whole ELF file, into `out`, which is zero before. */
void pack_image(struct packed *out, const uint8_t *bytes, size_t size);

#endif
