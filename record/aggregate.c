/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two CPUs that put different stacks into the same empty place of a stack map at
 * the same moment both get its number, and one of them a stack that is not its
 * own.  The instruction in the key gives that away: it is the leaf of its side.
 */
#include "aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "../bpf/hash.h"
#include "../format/fold.h"

#define BATCH 256 /* more than a bucket of the counts map ever holds */

int aggregate_init(struct aggregate *a, const struct probe *probe)
{
	memset(a, 0, sizeof(*a));
	/* the kernel rounds a stack map up to a power of two */
	for (a->nstacks = 1; a->nstacks < probe_table_size(probe);)
		a->nstacks *= 2;
	a->stacks = calloc(a->nstacks, sizeof(*a->stacks));
	return a->stacks ? 0 : -1;
}

void aggregate_release(struct aggregate *a)
{
	free(a->events);
	free(a->stacks);
	free(a->words);
	memset(a, 0, sizeof(*a));
}

/* ---- counts */

static void make_event(struct event *event, const struct event_count_key *key, const struct event_count *count)
{
	memset(event, 0, sizeof(*event));
	event->kind = EVENT_COUNT;
	event->time = count->last;
	event->pid = key->pid;
	event->tid = key->tid;
	event->sample.ip = key->ip;
	event->sample.flags = key->flags;
	event->sample.event = key->event;
	event->sample.count = count->count;
	event->sample.first = count->first;
	event->sample.last = count->last;
	memcpy(event->sample.comm, key->comm, sizeof(key->comm));
	/* the map's number for now; add_stacks() makes it the identity */
	event->sample.kernel.err = key->kstack;
	event->sample.user.err = key->ustack;
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
		for (uint32_t i = 0; i < n; i++)
			make_event(&a->events[a->n++], &keys[i], &values[i]);
		from = &position;
	}
	return 0;
}

/* ---- stacks */

static int read_stack(struct aggregate *a, const struct probe *probe, int fd, uint32_t id)
{
	uint32_t n = probe_max_frames(probe);
	uint64_t *words;

	if (a->words_room - a->nwords < n) {
		size_t room = a->words_room ? a->words_room * 2 : 64 * EVENT_MAX_FRAMES;

		words = realloc(a->words, room * sizeof(*words));
		if (!words)
			return -ENOMEM;
		a->words = words;
		a->words_room = room;
	}
	words = a->words + a->nwords;
	if (bpf_map_lookup_elem(fd, &id, words))
		return 0;
	while (n && !words[n - 1]) /* zero words may stand in the middle */
		n--;
	a->stacks[id] = (struct aggregate_stack){ .first = a->nwords, .n = n };
	a->nwords += n;
	return 0;
}

/* All of them, not just those that a count refers to: a place that is not
 * emptied is lost for good.  The kernel looks for the next one from the last one
 * on, so that must still be there. */
static int read_stacks(struct aggregate *a, const struct probe *probe, int fd)
{
	uint32_t id, next;
	bool more;
	int err = 0;

	a->nwords = 0;
	memset(a->stacks, 0, a->nstacks * sizeof(*a->stacks));
	more = !bpf_map_get_next_key(fd, NULL, &id);
	while (!err && more && id < a->nstacks) {
		err = read_stack(a, probe, fd, id);
		more = !bpf_map_get_next_key(fd, &id, &next);
		bpf_map_delete_elem(fd, &id);
		id = next;
	}
	return err;
}

static uint64_t identity(const uint64_t *words, uint32_t n, uint64_t seed, enum event_side side)
{
	uint64_t h = stack_hash_start(seed, side, n, 0);

	for (uint32_t i = 0; i < n; i++)
		h = stack_hash_step(h, words[i]);
	return stack_hash_finish(h);
}

/* The stack that stack->err is the map's number of. */
static void add_stack(const struct aggregate *a, const struct probe *probe, struct event_stack *stack, enum event_side side)
{
	int32_t id = stack->err;
	const struct aggregate_stack *there;

	if (id < 0) {
		stack->err = id == EVENT_NO_STACK ? 0 : id;
		return;
	}
	there = (size_t)id < a->nstacks ? &a->stacks[id] : NULL;
	if (!there || !there->n) {
		stack->err = -ENOENT;
		return;
	}
	stack->err = 0;
	stack->words = a->words + there->first;
	stack->n = there->n;
	stack->id = identity(stack->words, stack->n, probe_seed(probe), side);
	stack->end = stack->n == probe_max_frames(probe) ? FOLD_STACK_END_DEPTH : FOLD_STACK_END_UNKNOWN;
}

static void drop(struct event_stack *stack)
{
	memset(stack, 0, sizeof(*stack));
	stack->err = -ESTALE;
}

static void check_leaf(struct aggregate *a, struct event_sample *sample)
{
	struct event_stack *leaf = sample->flags & EVENT_USER_MODE ? &sample->user : &sample->kernel;

	if (!leaf->n || leaf->words[0] == sample->ip)
		return;
	drop(leaf);
	sample->flags |= EVENT_MISMATCH;
	a->mismatches += sample->count;
}

static int by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;

	return a->time < b->time ? -1 : a->time > b->time;
}

int aggregate_collect(struct aggregate *a, struct probe *probe, uint64_t *until)
{
	uint32_t half;
	int err = probe_flip(probe, &half, until);

	if (!err)
		err = read_counts(a, probe_counts_fd(probe, half));
	if (!err)
		err = read_stacks(a, probe, probe_stacks_fd(probe, half));
	for (size_t i = 0; !err && i < a->n; i++) {
		struct event_sample *sample = &a->events[i].sample;

		add_stack(a, probe, &sample->kernel, EVENT_SIDE_KERNEL);
		add_stack(a, probe, &sample->user, EVENT_SIDE_USER);
		check_leaf(a, sample);
		a->samples += sample->count;
	}
	if (!err)
		qsort(a->events, a->n, sizeof(*a->events), by_time);
	return err;
}
