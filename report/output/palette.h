/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Colours of frames: a family for each kind of frame, for each of the heaviest
 * modules, or for names that hash alike, and in a family a shade by the name, so
 * that the same function looks the same in every picture.
 */
#ifndef FOLD_REPORT_PALETTE_H
#define FOLD_REPORT_PALETTE_H

#include "emit.h"
#include "output.h"

#define PALETTE_FAMILIES 12
#define PALETTE_SHADES 5
#define PALETTE_CLASS 8

struct palette_key {        /* a line of the legend */
	const char *name;   /* borrowed from the tree, or static */
	char class[PALETTE_CLASS];
	uint64_t self;
};
struct palette {
	const struct tree *tree;
	enum output_colors by;
	uint8_t *family;    /* by frame */
	struct palette_key keys[PALETTE_FAMILIES];
	size_t nkeys;
};

/* 0, or -1 out of memory.  `tree` is borrowed. */
int palette_init(struct palette *p, const struct tree *tree, enum output_colors by);
void palette_release(struct palette *p);

/* CSS class of a frame, into `buf` of PALETTE_CLASS bytes; returns it. */
const char *palette_class(const struct palette *p, uint32_t frame, char *buf);

/* Rules for all classes, on light and on dark paper. */
void palette_css(const struct palette *p, struct emit *e);

#endif
