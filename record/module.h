/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules: what addresses are relative to in the file.  Two steps, because the
 * second one opens files and most mappings are never hit:
 *   mapped  what the kernel said about a mapping (path and build-id or inode)
 *   module  what that turned out to be, with its id and base in the file
 */
#ifndef FOLD_RECORD_MODULE_H
#define FOLD_RECORD_MODULE_H

#include "../format/fold.h"
#include "../format/intern.h"
#include "backing.h"
#include "event.h"
#include "mapping.h"
#include "session.h"
#include "vdso.h"

enum mapped_kind {
	MAPPED_FILE,
	MAPPED_MEMFD,  /* a file that never had a name: an ELF file or memory */
	MAPPED_MEMORY, /* no file: generated code */
	MAPPED_VDSO,
	MAPPED_SPECIAL, /* "[uprobes]" and the like */
};

struct mapped {
	enum mapped_kind kind;
	bool deleted;            /* " (deleted)" stands behind its path */
	const char *path;        /* as the kernel spells it, terminated */
	uint8_t build_id_size;
	uint8_t build_id[20];
	uint32_t major, minor;
	uint64_t inode;
	/* What it turned out to be, or MAPPING_NO_MODULE; without a build-id that is
	 * true of mappings between these times only: inodes are used again. */
	uint32_t module;
	uint64_t from, to;       /* ns, CLOCK_MONOTONIC */
};

/* Of a module, what the file does not hold. */
struct module_place {
	uint64_t base;           /* in the linear module space */
	uint64_t region;         /* JIT: address of offset 0 */
};

struct modules {
	enum session_paths paths;
	int64_t realtime;        /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	struct intern *strings;  /* of the file; borrowed */
	struct backings backings;
	struct vdso vdso;

	struct intern mapped_keys, module_keys;
	struct mapped *mapped;   /* by mapped id */
	size_t mapped_room;
	uint32_t *by_key;        /* module key -> module id */
	size_t by_key_room;

	struct fold_module *v;   /* by module id */
	struct module_place *place;
	size_t n, room, place_room;
	uint64_t next_base;
};

void modules_init(struct modules *ms, const struct session_options *options, const struct fold_clock *start,
		  struct intern *strings);
void modules_release(struct modules *ms); /* accepts a zeroed struct */

/* The mapped id of what `e` says.  0, or -1 out of memory. */
int mapped_add(struct modules *ms, const struct event_mmap *e, uint32_t *id);
/* Can both be the same thing, one told with more detail than the other? */
bool mapped_same(const struct modules *ms, uint32_t a, uint32_t b);

/*
 * A module of this definition (ids and segments are copied).  0, or -1 when out
 * of memory or of ids.
 */
int module_add(struct modules *ms, const struct fold_module *def, uint64_t region, uint32_t *id);

/*
 * Find out what `m`, a mapping of `set` in process `pid`, is: fills module and
 * bias.  Never fails for want of a file: the module is UNREAD then.  0 or -1 as above.
 */
int module_resolve(struct modules *ms, uint32_t pid, const struct mapset *set, struct mapping *m);

/* `m` is about to be mapped into `set`: what it takes from the mappings in whose
 * place it comes, when it is memory. */
void module_succeed(const struct modules *ms, const struct mapset *set, struct mapping *m);

/* The frame for an address in a resolved mapping; false: beyond the module's span. */
bool module_frame(const struct modules *ms, const struct mapping *m, uint64_t address, fold_frame *out);

#endif
