/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the walker in the kernel supplied: follows processes through the same
 * events that the session sees, finds the files of their code, has tables built,
 * publishes.  Never waits for a table after the start.
 */
#ifndef FOLD_UNWIND_UNWINDER_H
#define FOLD_UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../event.h"

struct bpf_object;
struct unwinder;

struct unwinder_options {
	size_t max_bytes;    /* memory for rows of tables; 0: 64 MiB */
	uint32_t copy_bytes; /* of stacks that a CPU may send before its ring is emptied; 0 none */
	bool scoped;         /* only processes of unwinder_follow() and what they fork */
	const char *proc;    /* "/proc" */
};

/* `object`: loaded.  Forks the builder, so call it early.  0, or -errno. */
int unwinder_new(struct unwinder **out, struct bpf_object *object, const struct unwinder_options *options);
void unwinder_free(struct unwinder *u); /* accepts NULL */

/* With `scoped`: this process too.  0, or -1: out of memory. */
int unwinder_follow(struct unwinder *u, uint32_t pid);

/* An event as soon as it is in the rings, so that the walker knows of it.  0, or -1:
 * out of memory. */
int unwinder_ahead(struct unwinder *u, const struct event *event);

/*
 * The same event, or a sample, in its turn.  A sample that the walker could not
 * finish, and that brought its stack along, is finished here: its user stack is
 * replaced, with an id made with `seed` and at most `max` words, good until the next
 * call.  0, or -1: out of memory.
 */
int unwinder_event(struct unwinder *u, struct event *event, uint64_t seed, uint32_t max);

/*
 * Take finished tables, look at processes that samples did not fit, publish.
 * `drained`: all events before that time were given.  Waits at most `wait_ms`
 * for tables that are being built.
 */
void unwinder_work(struct unwinder *u, uint64_t drained, int wait_ms);

/* Tables are being built that samples in the rings may need: walks that are finished
 * later are finished better. */
bool unwinder_busy(const struct unwinder *u);

/* Readable when a table is finished, or a walk came to code that is not known:
 * time for new events and unwinder_work(). */
int unwinder_fd(const struct unwinder *u);

struct unwinder_summary {
	uint64_t objects, tables, without;   /* files; without: they have no unwind information */
	uint64_t capped, refused;            /* files: no room for their tables; broken */
	uint64_t rows, table_bytes;
	uint64_t processes, unpublished;     /* those that are; times that there was no room for one */
	uint64_t replayed, unfinished;       /* walks that the kernel's side could not finish */
	uint64_t uncopied, early;            /* of those unfinished: no stack came along; the table was still being built */
	uint64_t exec_ns[2], mapping_ns[2];  /* until the walker knew: median, and of 99 in 100 */
};
void unwinder_summary(const struct unwinder *u, struct unwinder_summary *out);

#endif
