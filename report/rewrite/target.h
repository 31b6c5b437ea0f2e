/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The segment that is being written: what it has defined, and what waits for the
 * next batch.  Ids here are those of the file that is made.  Memory follows what
 * is distinct (strings, modules, stacks, names); processes, threads and samples
 * are forgotten once they are written.
 */
#ifndef FOLD_REPORT_TARGET_H
#define FOLD_REPORT_TARGET_H

#include "../../format/intern.h"
#include "../../format/stackset.h"
#include "../../format/writer.h"
#include "columns.h"
#include "names.h"

enum target_side { TARGET_KERNEL, TARGET_USER, TARGET_SIDES };

struct target_module { /* where it lies in the linear module space */
	uint64_t base, span;
	uint32_t kind;
	bool shared;       /* another recording's module can be this one */
};

struct target {
	struct writer *writer;    /* NULL: no segment is open */
	const struct fold_meta *meta; /* borrowed */
	const char *limit;        /* which one a failure ran into; NULL: memory, or the writer knows */
	struct intern strings;
	uint32_t strings_written;
	struct intern blobs;      /* id bytes of modules, texts of embedded names */
	struct intern notes;
	struct intern identities; /* of shared modules */
	uint32_t *by_identity;
	size_t identities_room;
	struct target_module *modules;
	size_t nmodules, modules_room;
	uint64_t space, string_bytes, procs, threads;
	uint64_t origin_end;      /* processes below it have an origin, or have none */
	struct stackset *stacks[TARGET_SIDES];
	struct names names;       /* of shared modules: KSYMS and JITSYMS, written at the end */
	struct names embedded;    /* SYMBOLS, written at the end; their texts are in `blobs` */
	/* waiting for the next batch */
	struct fold_batch batch;
	size_t new_modules_room, procs_room, mmaps_room, threads_room, account_room, ksyms_room, jitsyms_room, origins_room;
	size_t nodes_written;     /* of both sides */
	struct columns columns;
	size_t waiting;           /* about as many bytes */
	struct fold_total totals[FOLD_MAX_EVENTS];
};

/* `meta` must outlive the segment.  0, or -1: see target_fault(). */
int target_begin(struct target *t, struct fold_sink sink, const struct fold_meta *meta);
void target_release(struct target *t); /* accepts a zeroed struct */

/* Each of these defines something, or finds it: 0, or -1. */
int target_string(struct target *t, struct fold_bytes text, uint32_t *id);
/* `m->name` is an id of ours.  `share`: an equal module with an equal id is the same. */
int target_module(struct target *t, const struct fold_module *m, bool share, uint32_t *id);
int target_proc(struct target *t, const struct fold_proc *proc, uint32_t *id);
int target_thread(struct target *t, const struct fold_thread *thread, uint32_t *id);
int target_mmap(struct target *t, const struct fold_mmap *mmap);
int target_account(struct target *t, const struct fold_account_row *row);
/* A name for code.  `embedded`: added after recording; sym->name is then a blob, not a string. */
int target_name(struct target *t, const struct fold_sym *sym, bool embedded);
bool target_is_kernel(const struct target *t, uint64_t module); /* its code is named by KSYMS */
int target_blob(struct target *t, struct fold_bytes text, uint32_t *id);
int target_origin(struct target *t, const struct fold_origin *origin); /* its labels are copied */
int target_note(struct target *t, struct fold_bytes text); /* at once, and an equal one only once */

/* Samples go to t->columns, with handles of t->stacks; say how many bytes they may need. */
int target_write(struct target *t);     /* a batch of all that waits */
int target_write_full(struct target *t); /* the same when enough waits */
/* More of a recording would perhaps be beyond a limit of the format. */
bool target_half_full(const struct target *t);

/* Names, and END with `end`'s reason, clock and cost. */
int target_end(struct target *t, const struct fold_end *end);

/* What went wrong, as the end of a sentence, into `buf`, which it returns. */
const char *target_fault(const struct target *t, char *buf, size_t size);

#endif
