/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a mapping that an event tells of to the object behind it: finds the very file
 * in the process's own view, opens it as something hostile.
 */
#ifndef FOLD_UNWIND_RESOLVER_H
#define FOLD_UNWIND_RESOLVER_H

#include "../event.h"
#include "../table.h"
#include "../vdso.h"
#include "objects.h"

struct resolver_known {    /* a file that was found under its object's name */
	uint32_t object;
	uint8_t build_id_size, build_id[20];
};
struct resolver {
	const char *proc;
	struct objects *objects;
	struct vdso vdso;
	struct resolver_known *known;
	size_t nknown, known_room;
	struct table by_identity; /* -> index in known, + 1 */
	struct table answers;  /* to be asked for once more, when the process may be gone */
};

void resolver_init(struct resolver *r, const char *proc, struct objects *objects);
void resolver_release(struct resolver *r); /* accepts a zeroed struct */

/* What `pid` has mapped: an object, MAPPED_ANONYMOUS or MAPPED_OPAQUE.  The answer is kept for... */
uint32_t resolver_ask(struct resolver *r, uint32_t pid, const struct event_mmap *m);
/* ...the same question from who reads events later.  Once: then it is forgotten. */
uint32_t resolver_ask_again(struct resolver *r, uint32_t pid, const struct event_mmap *m);

#endif
