/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One or more recordings in memory, as far as reports need them: modules,
 * processes, threads, distinct stacks as a trie of (module, offset), and how
 * often each (thread, kernel stack, user stack, event) was seen.
 *
 * Memory is bounded by what is distinct, not by samples.  Ids here are dense
 * over all segments and files; file ids do not leave load.c.
 */
#ifndef FOLD_REPORT_RECORDING_H
#define FOLD_REPORT_RECORDING_H

#include "../../format/fold.h"
#include "../../format/error.h"
#include "../../format/intern.h"
#include "idmap.h"

#define REC_NONE UINT32_MAX

struct rec_module {
	uint32_t kind;        /* enum fold_module_kind */
	uint32_t name;        /* string */
	uint32_t flags, elf_type, machine;
	uint64_t span;
	size_t nids;
	struct fold_module_id ids[FOLD_MAX_IDS]; /* bytes owned by the recording */
	size_t nsegments;
	struct fold_segment *segments;
	uint32_t segment;     /* the recording it came from: index in segments[] */
	uint32_t nsyms;       /* names that the file itself brings, sorted by offset */
	struct rec_sym *syms;
};
struct rec_sym {          /* of one module they do not overlap: where they did, the later one won */
	uint64_t offset, size;
	uint32_t name;
	bool embedded;        /* added after recording (SYMBOLS), not seen by the recorder */
};

struct rec_process {
	uint32_t pid;
	uint32_t comm;        /* string */
	uint32_t exe;         /* module or REC_NONE */
	uint32_t parent;      /* process or REC_NONE */
	uint32_t segment;
	uint32_t origin;      /* in origins[]; REC_NONE: the segment was not merged */
	int64_t start;        /* CLOCK_MONOTONIC ns, 0 unknown */
};
struct rec_thread {
	uint32_t process, tid, comm;
};
struct rec_mmap {
	uint32_t process, module;
	uint64_t offset, length, start;
};

/* What a frame is, before it has a name. */
enum rec_frame_kind { REC_FRAME_CODE = 0, REC_FRAME_MARKER = 1, REC_FRAME_LOST = 2 /* its definition was damaged */ };
struct rec_node {
	uint32_t parent;      /* node or REC_NONE */
	uint32_t module;      /* CODE: module; MARKER: enum fold_marker */
	uint64_t offset;      /* CODE: in the module */
	uint8_t kind;         /* enum rec_frame_kind */
	bool exact;           /* an exact pc although not a leaf: found after a signal frame */
};

/* One distinct (thread, kernel stack, user stack, event[, cpu]). */
struct rec_count {
	uint32_t thread;
	uint32_t kleaf, uleaf; /* nodes or REC_NONE: no stack on this side */
	uint32_t event;
	uint32_t cpu;          /* REC_NONE unless CPUs are kept apart, or aggregated */
	uint8_t kend, uend;    /* enum fold_stack_end */
	uint64_t count;
	uint64_t weight;       /* sum of weight 0, 0 when the event has none */
};

/*
 * Every selected sample in order of time: only when asked for, for outputs that
 * show time.  What its stack is, says counts[].  Aggregated recordings have one
 * row per count and interval, at the interval's start.
 */
#define REC_TIME_MAX (INT64_MAX / 4) /* 73 years: what lies between two times is a number, too */
struct rec_samples {
	size_t n;
	int64_t *time;         /* ns since the first segment's start, by CLOCK_REALTIME between segments; within
				* REC_TIME_MAX before and behind it */
	uint32_t *count;       /* index in counts[] */
	uint32_t *cpu;         /* REC_NONE: aggregated */
	uint64_t *times;       /* how many samples this row is: 1 unless aggregated */
	uint64_t *weight;      /* as in rec_count; NULL when no event has a weight */
};
struct memory_watch;
struct rec_keep {
	bool cpus;             /* counts are distinct by CPU too */
	bool samples;          /* fill recording.samples */
	struct memory_watch *watch; /* is told what is read, and bounds it; NULL none */
};

/* One distinct event over all recordings: same kind, name and period. */
struct rec_event {
	uint32_t kind;
	uint32_t name;
	uint32_t period_unit;
	uint64_t period, sample_ns;
	uint32_t weight_name, weight_unit; /* of weight 0; 0 none */
	/* All of the files, before selection.  taken = written + lost by the recorder's
	 * own account; written - read is what damage took. */
	uint64_t taken, written, lost;
	uint64_t causes[1024]; /* by enum fold_cause; larger numbers under FOLD_NOTE_OTHER */
	uint64_t read;         /* samples found in the files */
	uint64_t selected;     /* samples that passed the selection */
};

/* META without its events, which are rec_event; strings live as long as the recording. */
struct rec_meta {
	struct fold_bytes recorder, version, kernel_release;
	uint8_t id[16];
	struct fold_clock start;
	uint64_t tick_ns;
	uint32_t machine, word_bytes, page_size, cpus_online, cpus_possible;
	bool big_endian;
	uint32_t mode, sides, max_depth, unwinder, flags;
	uint64_t interval_ns;
	uint32_t nevents;
	uint32_t scope;
	uint64_t scope_count;
	size_t nlabels;
	struct fold_label labels[FOLD_MAX_LABELS];
};
struct rec_end { /* END without its totals, which are in rec_event and sum_closes */
	uint32_t reason;
	struct fold_clock stop;
	uint64_t self_cpu_ns, self_peak_bytes, bpf_ns;
};
struct rec_segment { /* one recording: META to END */
	const char *file;      /* as given on the command line, "-" for stdin */
	struct rec_meta meta;
	bool ended;            /* END was there */
	struct rec_end end;
	bool sum_closes;       /* END was there and its totals are what was read */
	uint32_t damages;      /* damaged places passed over */
	uint64_t lost_bytes, lost_chunks;
	struct fold_fault first_damage;
	int64_t first, last;   /* ns, CLOCK_MONOTONIC, of the first and last sample; 0 none */
	uint64_t samples, batches, bytes;
	uint64_t stored_bytes, raw_bytes;
	uint64_t section_bytes[FOLD_SECTION_MAX]; /* raw */
	uint32_t nnotes;
	struct fold_bytes *notes;
	struct idmap modules;  /* what the file's module ids are here */
};

/* One of the recordings that a segment was merged from. */
struct rec_origin {
	uint32_t segment;
	uint8_t id[16];
	uint64_t realtime, duration; /* when it began; ns */
	uint32_t reason, state, flags, cpus_online; /* state: enum fold_origin_state */
	struct fold_bytes kernel_release, recorder, version;
	size_t nlabels;
	struct fold_label *labels;
};

/* Zeroed is empty.  Nodes stand behind their parents. */
struct recording {
	struct intern strings; /* 0 is "" */
	size_t nmodules; struct rec_module *modules;
	size_t nprocesses; struct rec_process *processes;
	size_t nthreads; struct rec_thread *threads;
	size_t nmmaps; struct rec_mmap *mmaps;
	size_t nnodes; struct rec_node *nodes;   /* both sides in one forest */
	size_t ncounts; struct rec_count *counts;
	struct rec_samples samples;
	size_t nevents; struct rec_event *events;
	size_t nsegments; struct rec_segment *segments;
	size_t norigins; struct rec_origin *origins;
};

struct select;

/*
 * Read `files` ("-": stdin), keeping the samples that `select` wants.  0 when
 * something could be read, however damaged: the segments say how much.  -1 when
 * a file is unusable; a line in the log has said why.  `keep` may be NULL.
 */
int recording_load(struct recording *rec, char *const *files, size_t nfiles, const struct select *select,
		   const struct rec_keep *keep);
void recording_release(struct recording *rec);

struct fold_bytes recording_string(const struct recording *rec, uint32_t id);

/* How long was recorded in a segment, ns: from its start to its END, or to the last
 * sample; of what was merged, the sum of its origins, which often ran side by side. */
uint64_t recording_duration(const struct recording *rec, size_t segment);
/* How many recordings there are, each that was merged counted. */
size_t recording_count(const struct recording *rec);

/* What stands for a stack that is not there: the code of a side that was not to be
 * recorded, where only one was, else nothing known. */
const char *recording_no_stack(const struct recording *rec, const struct rec_count *count);

/* The label that holds for a process: of its origin, else of its segment; `at` NULL: none. */
struct fold_bytes recording_label(const struct recording *rec, uint32_t process, const char *key);

#endif
