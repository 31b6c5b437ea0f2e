/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every output gets and how it is called.  One file per output, one row in
 * the table, no knowledge of formats anywhere else.
 */
#ifndef FOLD_REPORT_OUTPUT_H
#define FOLD_REPORT_OUTPUT_H

#include <stdio.h>

#include "../model/tree.h"

enum output_normalize { OUTPUT_NORMALIZE_SAMPLES = 0, OUTPUT_NORMALIZE_TIME, OUTPUT_NORMALIZE_NONE };
/* What colours of pictures mean: from HASH on nothing but the name, in all hues or
 * in those of one family, as people know them from other flame graphs. */
enum output_colors {
	OUTPUT_COLORS_KIND = 0, OUTPUT_COLORS_MODULE, OUTPUT_COLORS_HASH,
	OUTPUT_COLORS_HOT, OUTPUT_COLORS_MEM, OUTPUT_COLORS_IO, OUTPUT_COLORS_RED, OUTPUT_COLORS_GREEN, OUTPUT_COLORS_BLUE,
	OUTPUT_COLORS_AQUA, OUTPUT_COLORS_YELLOW, OUTPUT_COLORS_PURPLE, OUTPUT_COLORS_ORANGE,
};
struct output_options {
	const char *title;     /* NULL: made from the event */
	const char *notes;     /* a line for whoever looks at it; NULL none */
	uint32_t top;          /* rows of tables; 0 the format's own default */
	double min_percent;    /* branches below are left out, and said to be; < 0 the format's own default */
	bool color;            /* terminal colours are welcome */
	uint32_t columns;      /* width of the terminal, 0 unlimited */
	uint32_t width;        /* of pictures, in pixels; 0 the format's own default */
	uint32_t height;       /* of a frame in pictures, in pixels; 0 the format's own default */
	double min_width;      /* narrower frames of pictures are left out, in pixels; < 0 the format's own default */
	uint32_t colors;       /* enum output_colors */
	bool inverted;         /* the root on top */
	uint32_t normalize;    /* enum output_normalize, of comparisons */
	enum tree_by by;       /* of outputs that begin with it: the roots */
	bool reverse;          /* the same: from the leaf */
};
struct report {
	const struct recording *rec;
	const struct tree *trees;    /* one per event that has samples, at least one */
	size_t ntrees;
	const uint32_t *tree_events; /* index in rec->events of each tree */
	struct symbolizer *symbolizer; /* for outputs that show addresses */
	const char *before;          /* comparison: rec_segment.file of the side before; NULL none */
	struct output_options options;
};

enum output_flag {
	OUTPUT_ONE_EVENT = 1 << 0, /* can show one event only: the caller passes one tree */
	OUTPUT_TIME = 1 << 1,      /* wants rec->samples */
	OUTPUT_PLAIN = 1 << 2,     /* has roots and directions of its own: trees come as recorded, by none */
	OUTPUT_BINARY = 1 << 3,    /* not for terminals */
	OUTPUT_COMPARE = 1 << 5,   /* can show two recordings side by side */
	OUTPUT_ONLY_COMPARE = 1 << 6, /* and nothing else */
	OUTPUT_BEGINS = 1 << 7,    /* with OUTPUT_PLAIN: begins with the roots and the direction asked for, people can change them */
	OUTPUT_MERGE = 1 << 4,     /* for eyes: unnamed code is one frame for each module, unless asked for */
};
struct output_format {
	const char *name;      /* -f NAME */
	const char *suffix;    /* "-o x.svg" chooses by it; NULL none */
	const char *help;
	unsigned flags;        /* enum output_flag, or-ed */
	/* All to `to`; 0, or -1 when something could not be shown (said in the log).
	 * Write errors are found by the caller with ferror(). */
	int (*write)(FILE *to, const struct report *report);
};

/* Ends with a row whose name is NULL. */
extern const struct output_format output_formats[];
const struct output_format *output_by_name(const char *name);   /* NULL unknown */
const struct output_format *output_by_suffix(const char *path); /* NULL unknown */

/* What the numbers of a tree count. */
enum output_unit { OUTPUT_SAMPLES = 0, OUTPUT_COUNT, OUTPUT_NS, OUTPUT_BYTES };
enum output_unit output_unit(const struct report *report, size_t tree);

#define OUTPUT_TEXT 64
/* A number of that unit for people, "1,234 samples", "1.23 s", "4.0 MiB", into
 * `buf` of OUTPUT_TEXT bytes; returns `buf`. */
const char *output_value(enum output_unit unit, uint64_t value, char *buf);
double output_percent(uint64_t part, uint64_t whole); /* 0 of 0 is 0 */

/* "cpu-clock, 99 Hz", or what --title says. */
const char *output_title(const struct report *report, size_t tree, char *buf, size_t size);

/*
 * The line every output carries: what was taken, shown, lost and why, what was
 * damaged or is missing: "1,234 samples of cpu-clock in 3.0 s, nothing lost".
 * Always terminated; returns `buf`.
 */
#define OUTPUT_LOSS_LINE 2048
const char *output_loss_line(const struct report *report, char *buf, size_t size);

/* How far the stacks reach: "user stacks: 97.1 % reached the root, 2.2 % left all
 * mappings".  Always terminated, "" when there are no stacks; returns `buf`. */
const char *output_quality_line(const struct report *report, char *buf, size_t size);

#endif
