/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit-PID.dump files, in which runtimes write what they generated, where and when,
 * for perf inject.  A process tells of its dump by mapping it as code.  Reads names,
 * places and times; passes over the code itself, lines and unwinding tables.
 * Knows no process: who may be believed is the caller's business.
 */
#ifndef FOLD_RECORD_JITDUMP_H
#define FOLD_RECORD_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JITDUMP_MAX_NAME 4096
#define JITDUMP_WINDOW 8192 /* holds a record without its code */

/* Some code, and what it is. */
struct jitdump_code {
	uint64_t at;             /* of its record, in bytes */
	uint64_t time;           /* ns, CLOCK_MONOTONIC if the runtime keeps to the format; 0: not known */
	uint64_t start, size;
	const char *name;        /* until the next call */
};

struct jitdump {
	int fd;                  /* borrowed */
	uint64_t size;           /* of the file */
	uint64_t next;           /* where a reader goes on later */
	uint32_t records;        /* that may still be read: a hostile file has nothing else */
	uint32_t pid;            /* of the writer, as it calls itself */
	bool timed;              /* times are those of a clock that we know */
	uint64_t window_at;
	size_t window_n;
	uint8_t window[JITDUMP_WINDOW + 1];
};

/* Is this what such a file is called? */
bool jitdump_named(const char *path);

/* From byte `from` on, where a record begins; 0: the first one.  False: no dump. */
bool jitdump_begin(struct jitdump *d, int fd, uint64_t size, uint64_t from);
/* The next code that makes sense; false: none, or none that is whole yet. */
bool jitdump_next(struct jitdump *d, struct jitdump_code *out);

#endif
