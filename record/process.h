/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes and threads as events make them.  A process here is one image of one
 * life of a pid: exec makes a new one, and so does a pid that is used again.
 *
 * What ended is kept until processes_trim(), because samples of a dying thread
 * and counts of the last interval still refer to it.
 */
#ifndef FOLD_RECORD_PROCESS_H
#define FOLD_RECORD_PROCESS_H

#include "mapping.h"
#include "table.h"

#define PROCESS_COMM 16
#define PROCESS_NO_EXE UINT32_MAX

struct process;

struct thread {
	struct process *process;
	struct thread *next, *prev; /* of the process */
	uint32_t tid;
	uint32_t id;                /* in the file + 1, for this comm; 0: none yet */
	uint64_t exited;            /* ns, 0: lives */
	uint8_t comm[PROCESS_COMM]; /* zero-filled */
};

struct mapset_past {
	uint64_t until;
	struct mapset *set;
};

struct process {
	uint32_t pid, ppid;
	uint64_t serial, parent_serial; /* unique in a session; parent 0: unknown */
	uint64_t since, end;        /* ns that this image lived; end 0: lives */
	int64_t start;              /* ns, CLOCK_MONOTONIC; before the recording for what ran already */
	bool unknown;               /* nobody told what it is */
	bool asked;                 /* /proc was asked in vain */
	uint64_t checked;           /* when events or /proc last told all of it; ns */
	uint8_t comm[PROCESS_COMM]; /* of the leading thread */
	struct mapset *maps;
	struct mapset_past *past;   /* ascending; only when history is kept */
	size_t npast, past_room;
	uint32_t exe;               /* mapped id, PROCESS_NO_EXE */
	struct thread *threads;
	size_t live;
	struct process *older;      /* the image before this one under the same pid */

	/* session's: what of it is in the file */
	uint32_t id;                /* + 1, 0: not yet */
	struct mapset *written;     /* mappings that are, NULL: none */
	bool touched;               /* by a sample of this batch */
};

struct process_gone { /* waits to be forgotten */
	uint64_t time, serial;
	uint32_t id;  /* pid or tid */
};
struct process_queue {
	struct process_gone *v;
	size_t head, n, room;
};

struct processes {
	struct table by_pid, by_tid;
	struct process_queue ended, exited;
	uint64_t serials, versions;
	bool history;  /* keep past mappings: counts come late */
	size_t count;
};

void processes_init(struct processes *ps, bool history);
void processes_release(struct processes *ps); /* accepts a zeroed struct */

/* The newest image of `pid`, dead or alive; NULL: never heard of, or forgotten. */
struct process *process_find(const struct processes *ps, uint32_t pid);
/* The image that `pid` was at `time`, or the one nearest to that. */
struct process *process_at(const struct processes *ps, uint32_t pid, uint64_t time);
/* The image with this serial, or NULL. */
struct process *process_serial(const struct processes *ps, uint32_t pid, uint64_t serial);
/* Its mappings at `time`. */
struct mapset *process_maps_at(const struct process *p, uint64_t time);

/* What events do.  `comm` is terminated or PROCESS_COMM bytes.  NULL: out of memory. */
struct process *process_add(struct processes *ps, uint32_t pid, uint64_t since);
struct process *process_fork(struct processes *ps, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t ptid);
struct process *process_exec(struct processes *ps, uint64_t time, uint32_t pid);
struct thread *process_thread(struct processes *ps, struct process *p, uint32_t tid);
/* The same for a thread that was just made by `ptid`: it lives, and has that one's name. */
struct thread *process_clone(struct processes *ps, struct process *p, uint32_t tid, uint32_t ptid);
void thread_comm(struct thread *t, const void *comm);
/* -1: out of memory. */
int process_exit(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid);
/* Map; as mapset_insert(). */
int process_map(struct processes *ps, struct process *p, const struct mapping *m);

/* Forget what ended, and which mappings were replaced, before `time`. */
void processes_trim(struct processes *ps, uint64_t time);

/* Copies up to PROCESS_COMM bytes of `from`, zero-fills the rest. */
void comm_copy(uint8_t to[PROCESS_COMM], const void *from);
size_t comm_length(const uint8_t comm[PROCESS_COMM]);

#endif
