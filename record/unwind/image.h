/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an ELF file keeps its unwind information and its code.  Reads hostile
 * bytes; knows nothing of DWARF beyond the head of .eh_frame_hdr.
 */
#ifndef FOLD_UNWIND_IMAGE_H
#define FOLD_UNWIND_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_MAX_FRAMES 4    /* .eh_frame sections of one file */
#define IMAGE_MAX_SEGMENTS 64

struct image_section {        /* an .eh_frame, or another */
	const uint8_t *at;
	size_t size;
	uint64_t vaddr;
};
struct image_segment {        /* an executable PT_LOAD; clipped to the file */
	uint64_t offset, vaddr, filesz;
};
struct image {
	const uint8_t *at;    /* borrowed, as everything below */
	size_t size;
	uint16_t machine;     /* ELF e_machine */
	size_t nframes, nsegments;
	struct image_section frames[IMAGE_MAX_FRAMES];
	struct image_section go; /* the function table of a Go program; empty: none */
	uint64_t text;           /* where .text begins; 0 unknown */
	struct image_segment segments[IMAGE_MAX_SEGMENTS];
};

/*
 * Read the headers of a little-endian 64-bit executable or shared object.  False:
 * it is something else, or damaged.  An image without .eh_frame is no failure:
 * nframes is 0.
 */
bool image_open(struct image *out, const uint8_t *bytes, size_t size);

/* The executable segment that holds `vaddr`, or NULL. */
const struct image_segment *image_segment_at(const struct image *img, uint64_t vaddr);

/* Bytes of the code at `vaddr`, NULL unless all `n` are in one segment. */
const uint8_t *image_code(const struct image *img, uint64_t vaddr, size_t n);

/*
 * Whether the code at `vaddr` is what a signal handler returns to:
 *     mov $15,%rax; syscall
 * Some libraries have it without the mark that says so.
 */
bool image_is_restorer(const struct image *img, uint64_t vaddr);

#endif
