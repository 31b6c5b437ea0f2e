/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes as the walker sees them: which code is mapped where, kept from events,
 * published as sorted ranges in the store.  A fork shares its parent's range until
 * one of the two maps something.  Without a store: only kept.
 *
 * Knows objects, no files and no events.
 */
#ifndef FOLD_UNWIND_MAPPINGS_H
#define FOLD_UNWIND_MAPPINGS_H

#include <stdbool.h>

#include "../mapping.h"
#include "../table.h"
#include "delays.h"
#include "objects.h"
#include "ranges.h"
#include "store.h"

/* What is mapped when it is no file: JIT code, memory without a name. */
#define MAPPED_ANONYMOUS OBJECT_NONE
/* A file that could not be opened: it may have unwind information, so no guesses. */
#define MAPPED_OPAQUE (OBJECT_NONE - 1)

struct range;
struct unwind_task {          /* a process */
	uint32_t tgid;
	uint8_t image;        /* execs, as events told */
	bool dirty;           /* what is published is not what is known */
	bool incomplete;      /* something was left out: its table is on the way */
	bool asked;           /* somebody should look at all its mappings */
	uint64_t wait, next;  /* ns: between such looks, and when the next may be */
	uint64_t since;       /* ns: `maps` was right then, older events say nothing new */
	uint64_t began;       /* ns: an exec after which nothing is published yet; 0 none */
	uint64_t changed;     /* ns: the oldest mapping that is not published yet; 0 none */
	struct mapset *maps;
	struct range *range;  /* published; NULL: nothing */
};
struct mappings {
	struct unwind_store *store;
	struct objects *objects;
	struct ranges ranges;
	struct table by_tgid;         /* -> index in v, + 1 */
	struct unwind_task **v;
	size_t n, room;
	uint64_t versions;
	uint64_t objects_seen;        /* objects->changes at the last publication */
	size_t ndirty;
	struct delays after_exec, after_mapping; /* until all that is mapped was published */
	uint64_t unpublished;         /* times that there was no room for a process */
};

void mappings_init(struct mappings *m, struct unwind_store *store, struct objects *objects);
void mappings_release(struct mappings *m); /* accepts a zeroed struct */

struct unwind_task *mappings_find(const struct mappings *m, uint32_t tgid);
/* Finds or adds.  NULL: out of memory. */
struct unwind_task *mappings_task(struct mappings *m, uint32_t tgid);

/* `object`: an id, or one of the above.  0, or -1 out of memory. */
int mappings_map(struct mappings *m, struct unwind_task *t, uint64_t start, uint64_t end, uint64_t offset, uint32_t object);
int mappings_fork(struct mappings *m, uint32_t tgid, uint32_t parent);
/* One mapping as the walker wants it.  False: leave it out.  Code whose table is on
 * its way stays unknown: to guess there would make false frames. */
bool mapping_translate(const struct objects *objects, const struct mapping *from, struct unwind_mapping *to);
/* A new image: nothing is mapped yet. */
void mappings_exec(struct mappings *m, uint32_t tgid, uint64_t now);
void mappings_exit(struct mappings *m, uint32_t tgid, uint64_t now);
/* Forget what is mapped, and take it for image number `image`: what follows is
 * all there is. */
int mappings_begin(struct mappings *m, struct unwind_task *t, uint8_t image);

/*
 * Publish what changed.  `now`: CLOCK_MONOTONIC ns; `drained`: all events before
 * that time are known.
 */
void mappings_publish(struct mappings *m, uint64_t now, uint64_t drained);

#endif
