/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of a ring or a queue are in time order but for a few microseconds: one
 * record can interrupt the writing of another.  Such a record is given the time
 * of the one before it; nothing that was sampled in between can depend on it.
 */
#include "drain.h"
#include "clock.h"
#include "ring_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUTURE_NS (3600 * NS_PER_SECOND) /* longer than a recorder is ever stopped */

int drain_init(struct drain *d, const struct rings *rings, const struct queues *queues, uint32_t max_frames, drain_sink *sink, void *state)
{
	memset(d, 0, sizeof(*d));
	d->rings = rings;
	d->queues = queues;
	d->max_frames = max_frames;
	d->sink = sink;
	d->state = state;
	d->n = (uint32_t)(rings->n + queues->n);
	d->v = calloc(d->n, sizeof(*d->v));
	d->heap = calloc(d->n, sizeof(*d->heap));
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

/* Source `i` is a queue; NULL: a ring. */
static const struct queue *queue_of(const struct drain *d, uint32_t i)
{
	return i < d->rings->n ? NULL : &d->queues->v[i - d->rings->n];
}

void drain_count(const struct drain *d, uint32_t cpu, uint64_t *samples, uint64_t *malformed)
{
	*samples = *malformed = 0;
	for (uint32_t i = 0; i < d->n; i++) {
		const struct queue *q = queue_of(d, i);

		if ((q ? q->cpu : d->rings->v[i].cpu) != cpu)
			continue;
		*samples += d->v[i].samples;
		*malformed += d->v[i].malformed;
	}
}

/* ---- a heap of sources by the time of their oldest record.  Where times are equal,
 * what a ring tells comes before samples. */

static bool older(const struct drain *d, uint32_t a, uint32_t b)
{
	const struct drain_source *x = &d->v[a], *y = &d->v[b];

	return x->time != y->time ? x->time < y->time : a < b;
}

static void sift_down(struct drain *d, uint32_t i)
{
	uint32_t source = d->heap[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= d->nheap)
			break;
		if (child + 1 < d->nheap && older(d, d->heap[child + 1], d->heap[child]))
			child++;
		if (!older(d, d->heap[child], source))
			break;
		d->heap[i] = d->heap[child];
		i = child;
	}
	d->heap[i] = source;
}

static uint64_t head_of(const struct drain *d, uint32_t i)
{
	const struct queue *q = queue_of(d, i);

	return q ? __atomic_load_n(&q->shared->head, __ATOMIC_ACQUIRE) : __atomic_load_n(&d->rings->v[i].page->data_head, __ATOMIC_ACQUIRE);
}

/* What is before `tail` may be written over. */
static void release_to(struct drain *d, uint32_t i, uint64_t tail)
{
	const struct queue *q = queue_of(d, i);

	d->v[i].tail = tail;
	if (q)
		__atomic_store_n(&q->shared->tail, tail, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&d->rings->v[i].page->data_tail, tail, __ATOMIC_RELEASE);
}

/* The time of the record at tail.  False: it makes no sense. */
static bool time_at_tail(struct drain *d, uint32_t i)
{
	struct drain_source *s = &d->v[i];
	const struct queue *q = queue_of(d, i);

	if (q) {
		uint64_t next;
		const struct event_raw_sample *raw = queue_at(q, s->tail, s->head, &next);

		s->time = raw ? raw->time : 0;
		return raw;
	} else {
		const struct ring *ring = &d->rings->v[i];
		size_t size = ring_size_at(ring, s->tail, s->head);

		s->time = size ? ring_time_at(ring, s->tail, size) : 0;
		return size;
	}
}

/* Look at the record at tail.  False: none up to `until`. */
static bool look(struct drain *d, uint32_t i, uint64_t until)
{
	struct drain_source *s = &d->v[i];

	if (s->tail == s->head)
		return false;
	if (!time_at_tail(d, i)) { /* not the kernel's doing: begin again behind it */
		s->malformed++;
		release_to(d, i, s->head);
		return false;
	}
	/* A time from nowhere must not hold up all that is behind it. */
	if (s->time > until && s->time - until > FUTURE_NS)
		s->time = d->last;
	return s->time <= until;
}

static void fill_heap(struct drain *d, uint64_t until)
{
	d->nheap = 0;
	for (uint32_t i = 0; i < d->n; i++)
		d->v[i].head = head_of(d, i);
	queues_settle();
	for (uint32_t i = 0; i < d->n; i++)
		if (look(d, i, until))
			d->heap[d->nheap++] = i;
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

static enum record_result decode_ring(struct drain *d, uint32_t i, struct event *event, uint64_t *next)
{
	const struct ring *ring = &d->rings->v[i];
	struct drain_source *s = &d->v[i];
	size_t size = ring_size_at(ring, s->tail, s->head);
	const struct perf_event_header *header = ring_record_at(ring, s->tail, size, d->whole);
	enum record_result result = record_decode(header, d->max_frames, &d->frames, event);

	event->cpu = ring->cpu;
	*next = s->tail + size;
	if (result == RECORD_MALFORMED && header->type != PERF_RECORD_SAMPLE) {
		d->other_malformed++;
		return RECORD_IGNORED;
	}
	return result;
}

static enum record_result decode_queue(struct drain *d, uint32_t i, struct event *event, uint64_t *next)
{
	const struct queue *q = queue_of(d, i);
	enum record_result result = record_sample(queue_at(q, d->v[i].tail, d->v[i].head, next), d->max_frames, event);

	event->cpu = q->cpu;
	return result;
}

/* The oldest record of all, then off with it. */
static int give_record(struct drain *d, uint64_t until)
{
	uint32_t i = d->heap[0];
	struct drain_source *s = &d->v[i];
	struct event event;
	uint64_t next;
	int err = 0;

	switch (queue_of(d, i) ? decode_queue(d, i, &event, &next) : decode_ring(d, i, &event, &next)) {
	case RECORD_EVENT:
		event.time = s->time;
		s->samples += event.kind == EVENT_SAMPLE;
		err = give(d, &event);
		break;
	case RECORD_MALFORMED:
		s->malformed++;
		break;
	case RECORD_IGNORED:
		break;
	}
	release_to(d, i, next);
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
		if (nextra && (!d->nheap || extra->time < d->v[d->heap[0]].time)) {
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
