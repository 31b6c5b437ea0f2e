/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a batch: which rows were asked for, and how often each (thread,
 * stacks, event) is among them.  Nothing here knows what an id means, and nothing
 * else is done per sample.
 */
#include "segment.h"

#include <string.h>

#include "array.h"

/* Rows looked at together. */
#define BLOCK 512

/* Samples and counts alike. */
struct rows {
	size_t n;
	const int64_t *time;    /* NULL: all at `from` */
	int64_t from;
	const uint32_t *cpu;    /* NULL: aggregated, no row has a CPU */
	const uint32_t *thread, *kstack, *ustack, *event;
	const uint64_t *count;  /* NULL: 1 each */
	const uint64_t *weight; /* NULL: none */
	bool one_event;
	bool in_range;          /* all of them are within --from and --to */
};

/* What a block leaves to be counted. */
struct picked {
	size_t n;
	uint32_t row[BLOCK];
	struct tally_key key[BLOCK];
	uint64_t count[BLOCK], weight[BLOCK];
	uint32_t index[BLOCK];
};

static uint64_t row_count(const struct rows *rows, size_t row)
{
	return rows->count ? rows->count[row] : 1;
}

/* ------------------------------------------------------------- selection */

static bool row_wanted(const struct segment *s, const struct rows *rows, size_t row)
{
	uint32_t thread = rows->thread[row];

	if (!rows->in_range && (rows->time[row] < s->from || rows->time[row] >= s->to))
		return false;
	if (!(s->wanted_events >> rows->event[row] & 1))
		return false;
	if (s->by_thread &&
	    (thread / 64 >= s->wanted_words || !(s->wanted_threads[thread / 64] >> thread % 64 & 1)))
		return false;
	if (!s->load->cpus)
		return true;
	return rows->cpu && rows->cpu[row] < FOLD_MAX_CPUS && s->load->cpus[rows->cpu[row] / 64] >> rows->cpu[row] % 64 & 1;
}

/* The rows of [low, high) that are wanted, into picked->row. */
static void pick_rows(const struct segment *s, const struct rows *rows, size_t low, size_t high, struct picked *picked)
{
	uint32_t nevents = segment_record(s)->meta.nevents;
	uint64_t all = nevents < 64 ? (UINT64_C(1) << nevents) - 1 : UINT64_MAX;

	picked->n = 0;
	if (rows->in_range && !s->by_thread && !s->load->cpus && s->wanted_events == all) {
		for (size_t row = low; row < high; row++)
			picked->row[picked->n++] = (uint32_t)row;
		return;
	}
	for (size_t row = low; row < high; row++) {
		picked->row[picked->n] = (uint32_t)row;
		picked->n += row_wanted(s, rows, row);
	}
}

/* ns to the first tick at or after them. */
static int64_t ticks_up(int64_t ns, int64_t tick)
{
	return ns / tick + (ns % tick > 0);
}

/* What --from and --to mean is known with the first sample. */
static void set_range(struct segment *s)
{
	const struct rec_meta *meta = &segment_record(s)->meta;
	const struct select *select = s->load->select;
	int64_t tick = (int64_t)meta->tick_ns, first = s->first * tick;

	s->from = INT64_MIN;
	s->to = INT64_MAX;
	if (select->from.kind != SELECT_TIME_NONE)
		s->from = ticks_up(select_instant(&select->from, &meta->start, first), tick);
	if (select->to.kind != SELECT_TIME_NONE)
		s->to = ticks_up(select_instant(&select->to, &meta->start, first), tick);
	s->have_range = true;
}

static void saw_time(struct segment *s, int64_t first, int64_t last)
{
	if (!s->have_samples || first < s->first)
		s->first = first;
	if (!s->have_samples || last > s->last)
		s->last = last;
	s->have_samples = true;
	if (!s->have_range)
		set_range(s);
}

/* -------------------------------------------------------------- counting */

static void make_keys(const struct segment *s, const struct rows *rows, struct picked *picked)
{
	bool cpus = s->load->keep.cpus && rows->cpu;

	for (size_t i = 0; i < picked->n; i++) {
		size_t row = picked->row[i];

		picked->key[i] = (struct tally_key){
			.thread = rows->thread[row],
			.kstack = rows->kstack[row],
			.ustack = rows->ustack[row],
			.event_cpu = tally_event_cpu(rows->event[row], cpus ? rows->cpu[row] : TALLY_NO_CPU),
		};
	}
	for (size_t i = 0; rows->count && i < picked->n; i++)
		picked->count[i] = rows->count[picked->row[i]];
	for (size_t i = 0; rows->weight && i < picked->n; i++)
		picked->weight[i] = rows->weight[picked->row[i]];
}

/* Where META's start lies, seen from the first recording's. */
static int64_t start_offset(const struct segment *s)
{
	const struct rec_segment *first = &s->load->rec->segments[0];

	return (int64_t)(segment_record(s)->meta.start.realtime - first->meta.start.realtime);
}

/* Of rec_samples; clocks in files can say anything. */
static int64_t kept_time(int64_t start, int64_t ns)
{
	int64_t time;

	if (__builtin_add_overflow(start, ns, &time))
		time = ns < 0 ? INT64_MIN : INT64_MAX;
	return time < -REC_TIME_MAX ? -REC_TIME_MAX : time > REC_TIME_MAX ? REC_TIME_MAX : time;
}

static int keep_samples(struct segment *s, const struct rows *rows, const struct picked *picked)
{
	struct load *load = s->load;
	int64_t tick = (int64_t)segment_record(s)->meta.tick_ns, start = start_offset(s);

	if (array_room(load->samples, load->samples_room, load->nsamples + picked->n))
		return -1;
	for (size_t i = 0; i < picked->n; i++) {
		size_t row = picked->row[i];
		int64_t time = rows->time ? rows->time[row] : rows->from;

		load->samples[load->nsamples++] = (struct kept_sample){
			.time = kept_time(start, time * tick),
			.weight = rows->weight ? rows->weight[row] : 0,
			.count = picked->index[i],
			.cpu = rows->cpu ? rows->cpu[row] : REC_NONE,
			.times = row_count(rows, row),
		};
	}
	return 0;
}

static int count_rows(struct segment *s, const struct rows *rows)
{
	bool keep = s->load->keep.samples;
	struct picked picked;

	for (size_t low = 0; low < rows->n; low += BLOCK) {
		pick_rows(s, rows, low, rows->n - low < BLOCK ? rows->n : low + BLOCK, &picked);
		make_keys(s, rows, &picked);
		if (tally_add(&s->tally, picked.key, picked.n, rows->count ? picked.count : NULL,
			      rows->weight ? picked.weight : NULL, keep ? picked.index : NULL))
			return -1;
		if (keep && keep_samples(s, rows, &picked))
			return -1;
	}
	return 0;
}

static void account_rows(struct segment *s, const struct rows *rows)
{
	uint64_t all = 0;

	if (!rows->count && rows->one_event) {
		s->totals[0].written += rows->n;
		segment_record(s)->samples += rows->n;
		return;
	}
	for (size_t row = 0; row < rows->n; row++) {
		uint64_t count = row_count(rows, row);

		s->totals[rows->event[row]].written += count;
		all += count;
	}
	segment_record(s)->samples += all;
}

int segment_samples(struct segment *s, const struct fold_samples *samples)
{
	struct rows rows = {
		.n = samples->n,
		.time = samples->time,
		.cpu = samples->cpu,
		.thread = samples->thread,
		.kstack = samples->kstack,
		.ustack = samples->ustack,
		.event = samples->event,
		.weight = samples->nweights ? samples->weight[0] : NULL,
		.one_event = segment_record(s)->meta.nevents == 1,
	};
	int64_t first, last;

	if (!rows.n)
		return 0;
	/* In order of threads, not of time. */
	first = last = rows.time[0];
	for (size_t i = 1; i < rows.n; i++) {
		first = rows.time[i] < first ? rows.time[i] : first;
		last = rows.time[i] > last ? rows.time[i] : last;
	}
	saw_time(s, first, last);
	account_rows(s, &rows);
	rows.in_range = first >= s->from && last < s->to;
	return last < s->from || first >= s->to ? 0 : count_rows(s, &rows);
}

int segment_counts(struct segment *s, const struct fold_counts *counts)
{
	struct rows rows = {
		.n = counts->n,
		.from = counts->from,
		.thread = counts->thread,
		.kstack = counts->kstack,
		.ustack = counts->ustack,
		.event = counts->event,
		.count = counts->count,
		.weight = counts->nweights ? counts->weight[0] : NULL,
		.in_range = true,
	};

	if (!rows.n)
		return 0;
	saw_time(s, counts->from, counts->to);
	account_rows(s, &rows);
	if (counts->from < s->from || counts->from >= s->to)
		return 0;
	return count_rows(s, &rows);
}
