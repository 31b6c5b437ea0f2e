/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The distinct frames of a tree: what a symbol looks like to people, as the
 * options want it, and the frames that are no code: roots, markers, "all".
 */
#ifndef FOLD_REPORT_FRAMES_H
#define FOLD_REPORT_FRAMES_H

#include "hash.h"
#include "namesakes.h"
#include "tree.h"

struct frames {
	const struct recording *rec;
	const struct tree_options *options;
	struct frame *v;
	size_t n, room;
	uint32_t *slots; /* index + 1 */
	size_t nslots;
	struct hash_seed seed;
	struct intern text; /* terminators are part of the bytes: equal text, equal pointer */
	uint32_t module;    /* the last one asked for, and its base name */
	const char *module_name;
	struct symbol last; /* the last one in it, and its frame; name NULL: none yet */
	uint32_t last_id;
	struct namesakes namesakes; /* of processes, when they are roots */
};

/* Frame 0 is "all".  0, or -1 out of memory. */
int frames_init(struct frames *frames, const struct recording *rec, const struct tree_options *options);
void frames_release(struct frames *frames);

/* Each: the frame, new or old.  0, or -1 out of memory. */
int frames_symbol(struct frames *frames, uint32_t module, const struct symbol *symbol, uint32_t *id);
int frames_marker(struct frames *frames, const char *name, uint32_t *id); /* "[unknown]" */
int frames_root(struct frames *frames, const struct rec_count *count, uint32_t *id); /* by options->by, not NONE */

#endif
