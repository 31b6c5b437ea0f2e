/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues of samples, one per CPU (bpf/event.h): makes their memory, gives it to the
 * BPF programs, and finds records in it.  What is in them is drain's business.
 */
#ifndef FOLD_RECORD_QUEUE_H
#define FOLD_RECORD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../bpf/event.h"

struct bpf_object;
struct ring_buffer;

struct queue {
	struct event_queue *shared;
	uint64_t size;
	uint64_t margin; /* behind it */
	uint32_t cpu;
};

struct queues {
	struct queue *v;
	size_t n;
	uint64_t size, margin; /* of each, as it came out */
	int *fds;              /* of the maps, until the programs have them */
	struct ring_buffer *wakes;
};

/*
 * Memory for a queue of `size` bytes (a power of two; less when the kernel has not that
 * much, but at least `least`) for each of `cpus`.  `copies`: samples may bring copies of
 * stack memory.  0, or -errno.
 */
int queues_make(struct queues *q, const uint32_t *cpus, size_t ncpus, size_t size, size_t least, bool copies);
/* An object that will use them, not yet loaded; `cpus` of them are possible.  0, or -errno. */
int queues_prepare(struct queues *q, struct bpf_object *object, size_t cpus);
/* It is loaded: the programs find their queues.  0, or -errno. */
int queues_give(struct queues *q, struct bpf_object *object);
void queues_release(struct queues *q); /* accepts a zeroed struct */

/* Kernel memory of one. */
size_t queues_bytes(const struct queues *q);

/* Readable when a queue is half full. */
int queues_fd(const struct queues *q);
/* Take note of the wake-ups so far, so that queues_fd() waits again. */
void queues_awake(const struct queues *q);

/* What heads were seen lead to records that can be read. */
void queues_settle(void);

/* The record at `at`, and where the next one begins.  NULL: none that makes sense. */
const struct event_raw_sample *queue_at(const struct queue *q, uint64_t at, uint64_t head, uint64_t *next);

#endif
