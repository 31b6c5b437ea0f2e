/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that code is mapped from, and whether they have an unwind table yet.  A
 * file is what stat says it is; all processes share its table.  Tables are built
 * one after the other, the smallest file first, without waiting.
 */
#ifndef FOLD_UNWIND_OBJECTS_H
#define FOLD_UNWIND_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "../table.h"
#include "builder.h"
#include "tables.h"

enum object_state {
	OBJECT_WAITING,   /* for its turn */
	OBJECT_BUILDING,
	OBJECT_TABLE,
	OBJECT_NO_TABLE,  /* there will be none */
};
enum object_why {     /* no table */
	OBJECT_FINE = 0,
	OBJECT_NOT_ELF,
	OBJECT_NO_FRAMES, /* has no unwind information */
	OBJECT_CAP,       /* too big, or no memory left for it */
	OBJECT_BROKEN,    /* its bytes could not be read or were refused */
};

struct object {
	enum object_state state;
	enum object_why why;
	uint64_t size;      /* of the file */
	int fd;             /* while it waits; -1 */
	struct table_place table;
	uint32_t nsegments;
	struct image_segment *segments;
	char *name;         /* a path, for messages */
};

struct objects {
	struct tables *tables;
	struct builder *builder;
	struct object **v;  /* ids are indexes */
	size_t n, room, waiting;
	struct table by_file;
	struct object *building;
	uint64_t changes;   /* counts states that were decided */
};

#define OBJECT_NONE UINT32_MAX

void objects_init(struct objects *o, struct tables *tables, struct builder *builder);
void objects_release(struct objects *o); /* accepts a zeroed struct */

/* The object of an open file, OBJECT_NONE out of memory.  Takes `fd` over. */
uint32_t objects_add(struct objects *o, int fd, const struct stat *st, const char *name);
/* The object of a file seen before, or OBJECT_NONE. */
uint32_t objects_find(const struct objects *o, const struct stat *st);
/* An image in memory (the vdso), by a key of its own. */
uint32_t objects_add_image(struct objects *o, const uint8_t *at, size_t size, const char *name);

/* Take what is built, begin what waits; wait at most `timeout_ms` for it.  True:
 * nothing waits any more. */
bool objects_work(struct objects *o, int timeout_ms);

/* The ELF address of the byte at `offset` of the file.  False: not code. */
bool object_vaddr(const struct object *obj, uint64_t offset, uint64_t *vaddr);

#endif
