/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One ring per CPU, written by the kernel in time order: its own records about
 * mappings, names, forks and exits, and the few samples that cannot go through a
 * queue.  Opens and closes them; what is in them is drain's business.
 */
#ifndef FOLD_RECORD_RING_H
#define FOLD_RECORD_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

/* Fields behind every record that is no sample; samples begin with the same. */
#define RING_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)

struct ring {
	struct perf_event_mmap_page *page; /* head and tail */
	const uint8_t *data;
	uint64_t size;                     /* of data, a power of two */
	uint32_t cpu;
	int fd;
};

struct rings {
	struct perf_buffer *buffer;
	struct ring *v;
	size_t n;
	size_t bytes;   /* of each, as it came out */
	bool build_ids; /* the kernel reads build-ids of what is mapped (5.12) */
};

/*
 * Open a ring of `bytes` (a power of two; less when the kernel's limit on locked
 * memory says so) on each of `cpus` and put it into the map `map_fd`.
 * 0, or -errno as perf_event_open or mmap gave it.
 */
int rings_open(struct rings *r, int map_fd, const uint32_t *cpus, size_t ncpus, size_t bytes);
void rings_close(struct rings *r); /* accepts a zeroed struct */

/* Readable when a ring is half full. */
int rings_fd(const struct rings *r);
/* Take note of the wake-ups so far, so that rings_fd() waits again. */
void rings_awake(const struct rings *r);

#endif
