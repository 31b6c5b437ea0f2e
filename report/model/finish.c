/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording leaves behind when it was read to its end: its counts by ids
 * of ours, and whether its sums close.
 */
#include "segment.h"

#include "array.h"

#define BLOCK 512

/* The number of stack `id` + 1 of the file. */
static int stack_number(struct segment *s, enum side side, uint32_t id_plus_1, uint32_t *number)
{
	struct rec_node lost = {.parent = REC_NONE, .kind = REC_FRAME_LOST};
	uint32_t node;

	*number = id_plus_1 ? idmap_get(&s->stacks[side], id_plus_1 - 1) : 0;
	if (*number != IDMAP_LOST)
		return 0;
	if (trie_add(&s->load->trie, &lost, &node))
		return -1;
	return stacks_add(&s->load->stacks, node, FOLD_STACK_END_UNKNOWN, number);
}

static int translate(struct segment *s, const struct tally_key *from, struct tally_key *to)
{
	to->thread = idmap_get(&s->threads, from->thread);
	if (to->thread == REC_NONE && segment_lost_thread(s, &to->thread))
		return -1;
	to->event_cpu = tally_event_cpu(s->events[tally_event(from->event_cpu)], tally_cpu(from->event_cpu));
	return stack_number(s, SIDE_KERNEL, from->kstack, &to->kstack) ||
	       stack_number(s, SIDE_USER, from->ustack, &to->ustack) ? -1 : 0;
}

/* Do different ids of the file mean different things of ours?  They do, but in odd or damaged recordings. */
static bool all_differ(const struct segment *s)
{
	const struct rec_segment *record = segment_record(s);

	for (uint32_t i = 0; i < record->meta.nevents; i++)
		for (uint32_t k = 0; k < i; k++)
			if (s->events[i] == s->events[k])
				return false;
	/* Each thread has an entry of its own unless its definition was lost. */
	return !record->damages && s->load->stacks.n == 1 + s->stacks[SIDE_KERNEL].n + s->stacks[SIDE_USER].n;
}

/* As hand_over(), for the first recording: nothing is there that its counts could meet. */
static int hand_over_all(struct segment *s, uint32_t *index)
{
	for (size_t i = 0; i < s->tally.n; i++) {
		struct tally_key *key = &s->tally.entries[i].key;

		if (translate(s, key, key))
			return -1;
		if (index)
			index[i] = (uint32_t)i;
	}
	tally_adopt(&s->load->tally, &s->tally);
	return 0;
}

/* Into the counts of all recordings; `index` receives where each went. */
static int hand_over(struct segment *s, uint32_t *index)
{
	struct tally *from = &s->tally;

	for (size_t at = 0; at < from->n; at += BLOCK) {
		size_t n = from->n - at < BLOCK ? from->n - at : BLOCK;
		struct tally_key keys[BLOCK];
		uint64_t times[BLOCK];

		for (size_t i = 0; i < n; i++) {
			if (translate(s, &from->entries[at + i].key, &keys[i]))
				return -1;
			times[i] = from->entries[at + i].count;
		}
		if (tally_add(&s->load->tally, keys, n, times, from->weights ? from->weights + at : NULL,
			      index ? index + at : NULL))
			return -1;
	}
	return 0;
}

static int finish_counts(struct segment *s)
{
	struct load *load = s->load;
	uint32_t *index = NULL;
	int err;

	if (load->keep.samples && s->tally.n) {
		index = malloc(s->tally.n * sizeof(*index));
		if (!index)
			return -1;
	}
	tally_rest(&s->tally);
	err = !load->tally.n && all_differ(s) ? hand_over_all(s, index) : hand_over(s, index);
	for (size_t i = s->first_kept; !err && i < load->nsamples; i++)
		load->samples[i].count = index[load->samples[i].count];
	free(index);
	return err;
}

/*
 * END says what was taken, if it is there; else what was read of ACCOUNT does.
 * `written` is what the recorder wrote, not what was found.
 */
static bool finish_event(struct segment *s, uint32_t i)
{
	const struct rec_segment *record = segment_record(s);
	const struct fold_total *read = &s->totals[i], *end = &s->ends[i];
	struct rec_event *event = &s->load->rec->events[s->events[i]];
	const struct fold_total *best = record->ended ? end : read;

	event->taken += best->taken;
	event->lost += best->lost;
	event->written += record->ended ? end->written : read->taken - read->lost;
	event->read += read->written;
	return record->ended && end->taken == read->taken && end->written == read->written &&
	       end->lost == read->lost && read->taken - read->lost == read->written;
}

int segment_finish(struct segment *s)
{
	struct rec_segment *record = segment_record(s);

	if (!s->begun)
		return 0;
	record->sum_closes = record->ended;
	for (uint32_t i = 0; i < record->meta.nevents; i++)
		record->sum_closes &= finish_event(s, i);
	if (s->have_samples) {
		record->first = segment_monotonic(s, s->first);
		record->last = segment_monotonic(s, s->last);
	}
	record->modules = s->modules;
	s->modules = (struct idmap){0};
	return finish_counts(s);
}
