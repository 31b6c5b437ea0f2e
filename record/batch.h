/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What waits to be written: definitions and rows, as one BATCH or, when that
 * would be too big, as several.  Gives out ids of strings, processes, threads.
 */
#ifndef FOLD_RECORD_BATCH_H
#define FOLD_RECORD_BATCH_H

#include "../format/intern.h"
#include "../format/stackset.h"
#include "../format/writer.h"
#include "account.h"
#include "module.h"

#define BATCH_NO_STACK UINT32_MAX

/* A sample, or `count` of them; stacks are handles. */
struct batch_row {
	int64_t time;      /* ticks; counts: unused */
	uint64_t count;
	uint32_t cpu, thread, event;
	uint32_t kernel, user; /* BATCH_NO_STACK: none; ids + 1 while being written */
};

/* A growing list of which a part may be written already. */
#define BATCH_LIST(type) struct { type *v; size_t n, room, at; }

struct batch {
	struct writer *writer;   /* borrowed */
	struct modules *modules; /* borrowed */
	struct account *account; /* borrowed */
	struct intern strings;
	struct stackset *kernel, *user;

	/* done so far: also the id of the first one pending */
	uint32_t strings_done;
	uint64_t modules_done, procs_done, threads_done;
	BATCH_LIST(struct fold_proc) procs;
	BATCH_LIST(struct fold_thread) threads;
	BATCH_LIST(struct fold_mmap) mmaps;
	BATCH_LIST(struct fold_sym) ksyms;
	BATCH_LIST(struct fold_sym) jitsyms;
	BATCH_LIST(struct batch_row) samples;
	BATCH_LIST(struct batch_row) counts;
	size_t bytes;            /* estimate of all that is pending, raw */
	uint64_t written;        /* batches */
	uint64_t stacks;         /* distinct ones so far */
};

int batch_init(struct batch *b, struct writer *writer, struct modules *modules, struct account *account); /* 0, -1 */
void batch_release(struct batch *b); /* accepts a zeroed struct */

/* 0, or -1 out of memory or of ids. */
int batch_string(struct batch *b, const void *at, size_t size, uint64_t *id);
int batch_proc(struct batch *b, const struct fold_proc *proc, uint32_t *id);
/* A process that is not written yet, to add to; NULL: it is. */
struct fold_proc *batch_pending_proc(struct batch *b, uint32_t id);
int batch_thread(struct batch *b, const struct fold_thread *thread, uint32_t *id);
int batch_mmap(struct batch *b, const struct fold_mmap *mmap);
int batch_sym(struct batch *b, bool jit, const struct fold_sym *sym);
int batch_row(struct batch *b, bool count, const struct batch_row *row);
/* Frames root first; the handle is valid until batch_forget_stacks(). */
int batch_stack(struct batch *b, bool user, const fold_frame *frames, size_t n, uint32_t end, uint32_t *handle);

/*
 * Write everything; counts only with `counts`, as those of [from, to) in ticks.
 * 0, or -1: writing failed or out of memory.
 */
int batch_write(struct batch *b, bool counts, int64_t from, int64_t to);

/* Of what is pending, the bytes that need not wait for an interval to end. */
size_t batch_ready_bytes(const struct batch *b);

/* Right after batch_write() with nothing pending: all handles are void. */
void batch_forget_stacks(struct batch *b);
size_t batch_stack_bytes(const struct batch *b);

#endif
