/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modules of all recordings.  One that two recordings both saw is one here,
 * if an id proves it: then their stacks meet.  Without an id, or where offsets
 * count from something that the file does not say, equal names prove nothing.
 */
#ifndef FOLD_REPORT_MODULES_H
#define FOLD_REPORT_MODULES_H

#include "recording.h"
#include "syms.h"

struct modules {
	struct rec_module *v;
	struct syms *syms;     /* collected names of each, beside v */
	size_t n, room, syms_room;
	struct intern identities;
	uint32_t *by_identity; /* module of each identity */
	size_t identities_room;
};

void modules_init(struct modules *modules);
void modules_release(struct modules *modules);

/*
 * The module equal to `module`, new or old.  `name` is in `strings`, which also
 * keep the id bytes; `anchored`: its offsets count from a hidden anchor.
 * 0, or -1 out of memory.
 */
int modules_add(struct modules *modules, struct intern *strings, const struct fold_module *module, uint32_t name,
		uint32_t segment, bool anchored, uint32_t *id);

/* Settle the names and hand all to `rec`.  0, or -1 out of memory. */
int modules_finish(struct modules *modules, struct recording *rec);

#endif
