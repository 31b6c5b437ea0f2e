/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of bpf/count.bpf.h, read a bucket and more at a time. */
#include "aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#define BATCH 256 /* more than a bucket of the table ever holds */

void aggregate_release(struct aggregate *a)
{
	free(a->events);
	memset(a, 0, sizeof(*a));
}

static void make_event(struct event *event, const struct event_count_key *key, const struct event_count *count)
{
	memset(event, 0, sizeof(*event));
	event->kind = EVENT_COUNT;
	event->time = count->last;
	event->pid = key->pid;
	event->tid = key->tid;
	event->sample.kernel = (struct event_stack){ .id = key->kstack, .err = key->kerr };
	event->sample.user = (struct event_stack){ .id = key->ustack, .err = key->uerr };
	event->sample.ip = key->ip;
	event->sample.flags = key->flags;
	event->sample.event = key->event;
	event->sample.count = count->count;
	event->sample.first = count->first;
	event->sample.last = count->last;
	memcpy(event->sample.comm, key->comm, sizeof(key->comm));
}

static int room_for(struct aggregate *a, size_t more)
{
	size_t room = a->room ? a->room : 1024;
	struct event *events;

	while (room < a->n + more)
		room *= 2;
	if (room == a->room)
		return 0;
	events = realloc(a->events, room * sizeof(*events));
	if (!events)
		return -ENOMEM;
	a->events = events;
	a->room = room;
	return 0;
}

/* One call for many entries; ENOENT is the end. */
static int read_counts(struct aggregate *a, int fd)
{
	struct event_count_key keys[BATCH];
	struct event_count values[BATCH];
	uint32_t position, n;
	void *from = NULL;
	int err = 0;

	a->n = 0;
	while (!err) {
		n = BATCH;
		if (bpf_map_lookup_and_delete_batch(fd, from, &position, keys, values, &n, NULL))
			err = errno;
		if (err && err != ENOENT)
			return -err;
		if (room_for(a, n))
			return -ENOMEM;
		for (uint32_t i = 0; i < n; i++) {
			make_event(&a->events[a->n++], &keys[i], &values[i]);
			a->samples += values[i].count;
		}
		from = &position;
	}
	return 0;
}

static int by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;

	return a->time < b->time ? -1 : a->time > b->time;
}

int aggregate_collect(struct aggregate *a, struct probe *probe, uint64_t *until)
{
	uint32_t half;
	int err;

	probe_flip(probe, &half, until);
	err = read_counts(a, probe_counts_fd(probe, half));
	if (!err)
		qsort(a->events, a->n, sizeof(*a->events), by_time);
	return err;
}
