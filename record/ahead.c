/* SPDX-License-Identifier: BSD-2-Clause */
/* A second reader of the rings, which leaves them as they are.  See ahead.h. */
#include "ahead.h"

#include <stdlib.h>
#include <string.h>

#include "ring_read.h"

int ahead_init(struct ahead *a, const struct rings *rings, drain_sink *sink, void *state)
{
	*a = (struct ahead){ .rings = rings, .sink = sink, .state = state };
	a->v = calloc(rings->n, sizeof(*a->v));
	a->whole = malloc(RING_RECORD_MAX);
	return a->v && a->whole ? 0 : -1;
}

void ahead_release(struct ahead *a)
{
	free(a->v);
	free(a->whole);
	memset(a, 0, sizeof(*a));
}

/* Step over samples.  False: nothing else there. */
static bool skip_samples(const struct ring *ring, struct ahead_ring *r)
{
	size_t size;

	while (r->at < r->head && (size = ring_size_at(ring, r->at, r->head))) {
		if (ring_type_at(ring, r->at) != PERF_RECORD_SAMPLE)
			return true;
		r->at += size;
	}
	r->at = r->head; /* also when it makes no sense: drain will count it */
	return false;
}

static bool oldest(struct ahead *a, size_t *out)
{
	uint64_t best = UINT64_MAX;
	bool any = false;

	for (size_t i = 0; i < a->rings->n; i++) {
		const struct ring *ring = &a->rings->v[i];
		struct ahead_ring *r = &a->v[i];
		uint64_t time;

		if (!skip_samples(ring, r))
			continue;
		time = ring_time_at(ring, r->at, ring_size_at(ring, r->at, r->head));
		if (any && time >= best)
			continue;
		any = true;
		best = time;
		*out = i;
	}
	return any;
}

int ahead_look(struct ahead *a)
{
	struct event event;
	size_t i;
	int err = 0;

	for (i = 0; i < a->rings->n; i++) {
		const struct ring *ring = &a->rings->v[i];
		uint64_t tail = ring->page->data_tail;

		a->v[i].head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		if (a->v[i].at < tail)
			a->v[i].at = tail;
	}
	while (!err && oldest(a, &i)) {
		const struct ring *ring = &a->rings->v[i];
		size_t size = ring_size_at(ring, a->v[i].at, a->v[i].head);

		if (record_decode(ring_record_at(ring, a->v[i].at, size, a->whole), 0, NULL, &event) == RECORD_EVENT) {
			event.cpu = ring->cpu;
			err = a->sink(a->state, &event);
		}
		a->v[i].at += size;
	}
	return err;
}
