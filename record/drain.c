/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring's records are in time order but for a few microseconds: a sample can
 * interrupt the writing of a mapping's record.  Such a record is given the time
 * of the one before it; nothing that was sampled in between can depend on it.
 */
#include "drain.h"
#include "clock.h"
#include "ring_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUTURE_NS (3600 * NS_PER_SECOND) /* longer than a recorder is ever stopped */

int drain_init(struct drain *d, const struct rings *rings, uint32_t max_frames, drain_sink *sink, void *state)
{
	memset(d, 0, sizeof(*d));
	d->rings = rings;
	d->max_frames = max_frames;
	d->sink = sink;
	d->state = state;
	d->v = calloc(rings->n, sizeof(*d->v));
	d->heap = calloc(rings->n, sizeof(*d->heap));
	d->whole = malloc(RING_RECORD_MAX);
	return d->v && d->heap && d->whole ? 0 : -1;
}

void drain_release(struct drain *d)
{
	free(d->v);
	free(d->heap);
	free(d->whole);
	memset(d, 0, sizeof(*d));
}

/* ---- a heap of rings by the time of their oldest record */

static bool older(const struct drain *d, uint32_t a, uint32_t b)
{
	const struct drain_ring *x = &d->v[a], *y = &d->v[b];

	return x->next != y->next ? x->next < y->next : a < b;
}

static void sift_down(struct drain *d, uint32_t i)
{
	uint32_t ring = d->heap[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= d->nheap)
			break;
		if (child + 1 < d->nheap && older(d, d->heap[child + 1], d->heap[child]))
			child++;
		if (!older(d, d->heap[child], ring))
			break;
		d->heap[i] = d->heap[child];
		i = child;
	}
	d->heap[i] = ring;
}

static void release_to(const struct ring *ring, uint64_t tail)
{
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* Look at the record at tail.  False: none up to `until`. */
static bool look(struct drain *d, uint32_t i, uint64_t until)
{
	const struct ring *ring = &d->rings->v[i];
	struct drain_ring *r = &d->v[i];
	size_t size;

	if (r->tail == r->head)
		return false;
	size = ring_size_at(ring, r->tail, r->head);
	if (!size) { /* not the kernel's doing: begin again behind it */
		r->malformed++;
		r->tail = r->head;
		release_to(ring, r->tail);
		return false;
	}
	r->next = ring_time_at(ring, r->tail, size);
	/* A time from nowhere must not hold up all that is behind it. */
	if (r->next > until && r->next - until > FUTURE_NS)
		r->next = d->last;
	return r->next <= until;
}

static void fill_heap(struct drain *d, uint64_t until)
{
	d->nheap = 0;
	for (uint32_t i = 0; i < d->rings->n; i++) {
		d->v[i].head = __atomic_load_n(&d->rings->v[i].page->data_head, __ATOMIC_ACQUIRE);
		if (look(d, i, until))
			d->heap[d->nheap++] = i;
	}
	for (uint32_t i = d->nheap / 2; i-- > 0;)
		sift_down(d, i);
}

/* ---- giving out */

static int give(struct drain *d, struct event *event)
{
	if (event->time < d->last)
		event->time = d->last;
	d->last = event->time;
	return d->sink(d->state, event);
}

/* The oldest record of all, then off with it. */
static int give_record(struct drain *d, uint64_t until)
{
	uint32_t i = d->heap[0];
	const struct ring *ring = &d->rings->v[i];
	struct drain_ring *r = &d->v[i];
	size_t size = ring_size_at(ring, r->tail, r->head);
	const struct perf_event_header *header = ring_record_at(ring, r->tail, size, d->whole);
	struct event event;
	int err = 0;

	switch (record_decode(header, d->max_frames, &d->frames, &event)) {
	case RECORD_EVENT:
		event.cpu = ring->cpu;
		event.time = r->next;
		if (event.kind == EVENT_SAMPLE)
			r->samples++;
		if (event.kind == EVENT_LOST)
			r->lost += event.lost.records;
		err = give(d, &event);
		break;
	case RECORD_MALFORMED:
		if (header->type == PERF_RECORD_SAMPLE)
			r->malformed++;
		else
			d->other_malformed++;
		break;
	case RECORD_IGNORED:
		break;
	}
	r->tail += size;
	release_to(ring, r->tail);
	if (!look(d, i, until))
		d->heap[0] = d->heap[--d->nheap];
	if (d->nheap)
		sift_down(d, 0);
	return err;
}

int drain_until(struct drain *d, uint64_t until, const struct event *extra, size_t nextra)
{
	int err = 0;

	fill_heap(d, until);
	while (!err && (d->nheap || nextra)) {
		if (nextra && (!d->nheap || extra->time < d->v[d->heap[0]].next)) {
			struct event event = *extra;

			err = give(d, &event);
			extra++;
			nextra--;
		} else {
			err = give_record(d, until);
		}
	}
	return err;
}

bool drain_find_fork(const struct rings *rings, uint32_t tid, uint32_t *parent, uint64_t *time)
{
	uint8_t whole[RECORD_FORK_MAX];
	struct event event;

	for (size_t i = 0; i < rings->n; i++) {
		const struct ring *ring = &rings->v[i];
		uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

		for (uint64_t at = ring->page->data_tail, size; at < head && (size = ring_size_at(ring, at, head)); at += size) {
			if (ring_type_at(ring, at) != PERF_RECORD_FORK || size > sizeof(whole) || record_decode(ring_record_at(ring, at, size, whole), 0, NULL, &event) != RECORD_EVENT)
				continue;
			if (event.tid != tid)
				continue;
			*parent = event.fork.ptid;
			*time = event.time;
			return true;
		}
	}
	return false;
}
