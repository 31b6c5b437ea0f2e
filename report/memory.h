/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bound on memory: a thread that looks at how much the program uses, and ends it
 * with a clear word.  A limit of the kernel would make single allocations fail, and
 * what a library makes of that is a worse report, not none.
 *
 * Without --max-memory the bound follows what was read, so that a small file cannot
 * ask for much: 1 GiB, 256 bytes for each byte of the recordings, and 4 for each byte
 * of debug files in memory, which grow when they are unpacked; never more than three
 * quarters of the machine's memory.
 */
#ifndef FOLD_REPORT_MEMORY_H
#define FOLD_REPORT_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the option that every verb has; its default is in the manual. */
#define MEMORY_HELP "give up when more memory is needed: 500M, 2G"

#define MEMORY_BASE (UINT64_C(1) << 30)
#define MEMORY_PER_BYTE 256
#define MEMORY_PER_MAPPED 4

struct memory_watch {
	uint64_t max;           /* of --max-memory; 0: the bound above */
	uint64_t machine;       /* three quarters of the machine's */
	_Atomic uint64_t read;  /* bytes of recordings */
	_Atomic uint64_t at;    /* in `file` */
	const char *_Atomic file; /* being read; NULL: none any more */
	void (*leave)(void);    /* called before the program ends; NULL: nothing to do.  Set before the start */
	int statm;              /* -1: not there */
	bool opened;            /* statm is ours to close */
	atomic_bool stop;
	bool runs;
	pthread_t thread;
};

/* Open what the watch needs; before the sandbox.  0, or -1 and a line in the log. */
int memory_watch_open(struct memory_watch *w, uint64_t max); /* 0: the bound that follows what is read */

/*
 * Watch from here on: the program ends with status 1 when more than the bound of
 * anonymous memory is resident; mapped files do not count.  It looks a hundred times
 * a second, so what is allocated between two looks can go beyond.  0, or -1 and a
 * line in the log.
 */
int memory_watch_start(struct memory_watch *w);
void memory_watch_release(struct memory_watch *w); /* accepts a zeroed struct */

/* `n` more bytes of `file` were read, of a chunk at byte `at`. */
void memory_watch_reads(struct memory_watch *w, const char *file, uint64_t at, uint64_t n);
/* All files were read: what needs memory from here on is names and pictures. */
void memory_watch_has_read(struct memory_watch *w);

#endif
