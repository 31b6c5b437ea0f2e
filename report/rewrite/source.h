/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording that is being read, on its way into a target: what its ids are
 * called there.  Only here do ids of the file exist that is read.
 */
#ifndef FOLD_REPORT_SOURCE_H
#define FOLD_REPORT_SOURCE_H

#include "../../format/reader.h"
#include "../model/idmap.h"
#include "../model/space.h"
#include "../model/syms.h"
#include "target.h"
#include "veil.h"

struct source_module {
	uint32_t id;       /* of the target */
	bool own;          /* a file of the user's own, to be hidden */
};

struct source {
	struct target *t;
	struct veil *veil;       /* NULL: nothing is hidden */
	bool merged;             /* the target is one of several recordings: tell the origin */
	uint32_t flags;          /* of META */
	int64_t ratio, shift;    /* of ticks of the file to those of the target */
	uint32_t events[FOLD_MAX_EVENTS];
	size_t nevents;
	uint64_t tick_ns, start;

	struct intern text;      /* strings of the file */
	struct idmap strings, modules, procs, threads, stacks[TARGET_SIDES];
	struct source_module *known; /* what `modules` and `space` tell the index of */
	size_t nknown, known_room;
	struct space space;
	struct syms *names;      /* by module of the target */
	size_t nnames;
	uint32_t *nodes;         /* of the section being read */
	size_t nodes_room;
	uint32_t lost_proc, lost_thread; /* IDMAP_LOST until one is needed */

	struct fold_origin origin; /* of the whole recording */
	struct fold_origin_label labels[FOLD_MAX_LABELS];
	struct fold_label more;  /* to be given to each origin that has none of its key; borrowed */
	bool no_room;            /* why there was a failure: an origin has as many labels as it can have, without `more` */
	uint64_t labels_left;    /* of the whole recording, that found no room at one of its origins */
	char label_left[FOLD_MAX_LABEL_KEY + 1]; /* the key of the first of them */
	bool nested;             /* it has origins of its own */
	bool ended, damaged;
	struct fold_end end;
	bool trust_end;          /* its totals are what was read, or damage explains the rest */
	int64_t last;            /* ns from the start to the last sample */
	struct fold_total totals[FOLD_MAX_EVENTS]; /* of what was read, by events of the file */
};

/*
 * `meta`: all its events are the target's, its ticks multiples of the target's.
 * Without `merged` the target's are the same, one by one.
 * `more`: a label that the recording has unless it has one of its key, or all its
 * origins; where there is no room for it, no_room is set, and it fails.  0, or -1.
 */
int source_begin(struct source *s, struct target *t, const struct fold_meta *meta, struct veil *veil, bool merged,
		 const struct fold_label *more);
/* BATCH, NOTE, SYMBOLS, END, damage.  0, or -1. */
int source_item(struct source *s, const struct fold_item *item, bool lossy);
/* What is left to say once all was read: losses, the origin.  0, or -1. */
int source_end(struct source *s);
void source_release(struct source *s); /* accepts a zeroed struct */

/* source_define.c: definitions of a batch; source_names.c: names; source_rows.c: samples and accounts. */
int source_define(struct source *s, const struct fold_batch *batch);
int source_names(struct source *s, const struct fold_batch *batch);
int source_symbols(struct source *s, const struct fold_symbols *symbols);
int source_names_end(struct source *s);
int source_rows(struct source *s, const struct fold_batch *batch);

/* For the parts of it. */
struct fold_bytes source_text(const struct source *s, uint64_t string); /* "[lost]" when it is */
int source_string(struct source *s, uint64_t string, uint32_t *id);     /* as it is */
int source_thread(struct source *s, uint64_t thread, uint32_t *id);     /* one to stand for a lost one */
int64_t source_time(const struct source *s, int64_t ticks);

#endif
