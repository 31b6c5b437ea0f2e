/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings are opened by libbpf (perf_buffer), which also puts them into the map,
 * and read in place by drain: libbpf's own reader hands out one ring after the
 * other, but events must be merged by time.
 */
#include "ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#define MIN_BYTES (64u << 10)

static struct perf_event_attr ring_attr(size_t bytes)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = RING_SAMPLE_TYPE,
		.sample_period = 1,
		.sample_id_all = 1,
		.mmap = 1, /* executable mappings only */
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.build_id = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* A wake-up per event costs more than the event. */
		.watermark = 1,
		.wakeup_watermark = bytes / 2,
	};

	return attr;
}

/* Nobody calls it: the rings are read in place. */
static enum bpf_perf_event_ret ignore(void *state, int cpu, struct perf_event_header *header)
{
	return LIBBPF_PERF_EVENT_CONT;
}

static int open_buffer(struct rings *r, int map_fd, const uint32_t *cpus, size_t ncpus, struct perf_event_attr *attr)
{
	LIBBPF_OPTS(perf_buffer_raw_opts, opts);
	int *list = calloc(ncpus, sizeof(*list));
	int err = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < ncpus; i++)
		list[i] = (int)cpus[i];
	opts.cpu_cnt = (int)ncpus;
	opts.cpus = list;
	opts.map_keys = list;
	r->buffer = perf_buffer__new_raw(map_fd, r->bytes / (size_t)sysconf(_SC_PAGESIZE), attr, ignore, NULL, &opts);
	if (!r->buffer)
		err = -errno;
	free(list);
	return err;
}

/* Leave out what an older kernel does not know, ask for less memory than it
 * refuses, and try again. */
static int open_best(struct rings *r, int map_fd, const uint32_t *cpus, size_t ncpus)
{
	struct perf_event_attr attr = ring_attr(r->bytes);

	for (;;) {
		int err = open_buffer(r, map_fd, cpus, ncpus, &attr);

		if (err == -EINVAL && attr.build_id) {
			attr.build_id = 0;
		} else if (err == -EINVAL && attr.ksymbol) {
			attr.ksymbol = 0;
		} else if ((err == -EPERM || err == -ENOMEM) && r->bytes > MIN_BYTES) {
			r->bytes /= 2;
			attr.wakeup_watermark = r->bytes / 2;
		} else {
			r->build_ids = attr.build_id;
			return err;
		}
	}
}

int rings_open(struct rings *r, int map_fd, const uint32_t *cpus, size_t ncpus, size_t bytes)
{
	int err;

	memset(r, 0, sizeof(*r));
	r->bytes = bytes;
	r->v = calloc(ncpus, sizeof(*r->v));
	if (!r->v)
		return -ENOMEM;
	err = open_best(r, map_fd, cpus, ncpus);
	for (size_t i = 0; !err && i < ncpus; i++) {
		struct ring *ring = &r->v[i];
		void *base;
		size_t size;

		err = perf_buffer__buffer(r->buffer, (int)i, &base, &size);
		if (err)
			break;
		ring->page = base;
		ring->data = (const uint8_t *)base + ring->page->data_offset;
		ring->size = ring->page->data_size;
		ring->cpu = cpus[i];
		ring->fd = perf_buffer__buffer_fd(r->buffer, i);
		r->n = i + 1;
	}
	if (err)
		rings_close(r);
	return err;
}

void rings_close(struct rings *r)
{
	perf_buffer__free(r->buffer);
	free(r->v);
	memset(r, 0, sizeof(*r));
}

int rings_fd(const struct rings *r)
{
	return perf_buffer__epoll_fd(r->buffer);
}

void rings_awake(const struct rings *r)
{
	struct epoll_event ready[64];

	epoll_wait(rings_fd(r), ready, 64, 0);
}
