/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One recording while it is read: what its ids mean, what was selected, and how
 * often each of its stacks was seen so far.  Only here do ids of a file exist;
 * what is put into struct recording has ids of its own.
 */
#ifndef FOLD_REPORT_SEGMENT_H
#define FOLD_REPORT_SEGMENT_H

#include "idmap.h"
#include "modules.h"
#include "recording.h"
#include "select.h"
#include "space.h"
#include "stacks.h"
#include "tally.h"
#include "trie.h"

struct kept_sample { /* of rec_samples, before they are sorted */
	int64_t time;
	uint64_t times, weight;
	uint32_t count, cpu;
};

struct load { /* what all files together become */
	struct recording *rec;
	const struct select *select;
	struct rec_keep keep;
	uint64_t *cpus;      /* bitmap of select's CPUs, NULL all */
	size_t processes_room, threads_room, mmaps_room, events_room, segments_room, origins_room;
	struct modules modules;
	struct trie trie;
	struct stacks stacks;
	struct tally tally;  /* by thread of the recording and numbers of `stacks` */
	struct kept_sample *samples;
	size_t nsamples, samples_room;
	bool weighted;       /* an event has a weight */
};

enum side { SIDE_KERNEL, SIDE_USER, SIDES };

struct segment {
	struct load *load;
	uint32_t id;         /* in rec->segments */
	bool begun;          /* META was read */
	struct idmap strings, modules, procs, threads;
	struct idmap stacks[SIDES]; /* numbers of load->stacks */
	struct space space;         /* by modules of the recording */
	uint32_t *nodes;     /* of the section being read: node of the trie */
	size_t nodes_room;
	uint32_t lost_process, lost_thread; /* REC_NONE until one is needed */
	uint64_t origin_end; /* of the file: origins of processes below it are known */

	uint32_t events[FOLD_MAX_EVENTS]; /* in rec->events */
	struct fold_total totals[FOLD_MAX_EVENTS]; /* ACCOUNT's taken and lost; written: what was read */
	struct fold_total ends[FOLD_MAX_EVENTS];   /* what END says */
	uint64_t wanted_events;     /* a bit each */
	bool by_thread;             /* the selection is about threads: */
	uint64_t *wanted_threads;   /* a bit each, by id of the file */
	size_t wanted_words;
	bool have_range;
	int64_t from, to;           /* ticks since META's start, of samples wanted */
	int64_t first, last;        /* ticks, of all samples */
	bool have_samples;

	struct tally tally;         /* by ids of the file */
	size_t first_kept;          /* in load->samples */
};

/* A new segment of `file`.  0, or -1 out of memory. */
int segment_begin(struct segment *s, struct load *load, const char *file);
void segment_release(struct segment *s);

/* By kind of chunk, in segment_meta.c and segment_batch.c.  0, or -1 out of memory. */
int segment_meta(struct segment *s, const struct fold_meta *meta);
int segment_batch(struct segment *s, const struct fold_batch *batch);
int segment_symbols(struct segment *s, const struct fold_symbols *symbols);
int segment_note(struct segment *s, const struct fold_note *note);
void segment_end(struct segment *s, const struct fold_end *end);
/* Put what was counted into the recording, and forget all ids: finish.c. */
int segment_finish(struct segment *s);

/* The parts of a batch, in segment_define.c, columns.c and origins.c. */
int segment_define(struct segment *s, const struct fold_batch *batch);
int segment_samples(struct segment *s, const struct fold_samples *samples);
int segment_counts(struct segment *s, const struct fold_counts *counts);
int segment_origins(struct segment *s, const struct fold_origins *origins);

/* For all of them. */
struct rec_segment *segment_record(const struct segment *s);
/* Ticks since META's start as ns on CLOCK_MONOTONIC; what is beyond its range is its end. */
int64_t segment_monotonic(const struct segment *s, int64_t ticks);
/* A string of the file by its id; "[lost]" when its definition is.  0, or -1 out of memory. */
int segment_string(struct segment *s, uint64_t id, uint32_t *out);
int segment_add_process(struct segment *s, const struct rec_process *process, uint32_t *id);
int segment_add_thread(struct segment *s, const struct rec_thread *thread, uint32_t *id);
/* A process or thread to stand for one whose definition was lost. */
int segment_lost_process(struct segment *s, uint32_t *process);
int segment_lost_thread(struct segment *s, uint32_t *thread);

#endif
