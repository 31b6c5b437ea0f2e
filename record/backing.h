/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file behind a mapping: finds it, proves that it is the one, reads its
 * identity.  A path means something only in the process's own mount namespace,
 * and may name another file by now, or a fifo that someone put there.
 */
#ifndef FOLD_RECORD_BACKING_H
#define FOLD_RECORD_BACKING_H

#include "identity.h"
#include "table.h"

#include <sys/stat.h>

struct backing_request {
	uint32_t pid;
	uint64_t start, end;         /* of the mapping */
	const char *path;            /* without " (deleted)" */
	uint32_t major, minor;
	uint64_t inode;              /* 0 unknown */
	const uint8_t *build_id;     /* what the kernel read from the mapping */
	size_t build_id_size;        /* 0 unknown */
	int64_t mapped;              /* CLOCK_REALTIME ns, when it was there at the latest */
};

struct backing_result {
	bool read;                   /* false: no file was proven to be it */
	bool foreign;                /* the path means something else, or nothing, to us */
	const struct identity *identity; /* borrowed until the next call */
	int64_t changed;             /* CLOCK_REALTIME ns: the file has been this inode since then */
};

/* Identities read so far, by file. */
struct backings {
	const char *proc;
	struct table files;          /* of stat -> index + 1 */
	struct identity *v;
	size_t n, room;
	uint64_t mount_ns;           /* our own */
	uint32_t asked_pid;          /* whose namespace was asked for last */
	bool asked_foreign;
};

void backings_init(struct backings *b, const char *proc);
void backings_release(struct backings *b); /* accepts a zeroed struct */

/*
 * In this order: /proc/PID/map_files, the path below /proc/PID/root, the path
 * itself.  A build-id must agree when one was given; else, for a path, device
 * and inode must, and the file must not have changed since.  0 with `out`
 * filled, -1 out of memory.
 */
int backing_find(struct backings *b, const struct backing_request *request, struct backing_result *out);

/* That file itself, for reading, when its inode is the one that is mapped; else -1.
 * Unlike its identity, its content may have changed since. */
int backing_open_mapped(struct backings *b, const struct backing_request *request, struct stat *st);

/*
 * A regular file for reading, or -1.  `path` is looked up below `root` (NULL:
 * as it is), without following links in its last part.  Never blocks, never
 * opens anything that is not a regular file.
 */
int backing_open(const char *root, const char *path, struct stat *st);

/* Is the process in another mount namespace?  False when that cannot be told. */
bool backing_foreign(struct backings *b, uint32_t pid);

#endif
