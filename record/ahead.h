/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A look at what the rings hold beyond what drain has given out: records of
 * mappings and processes as soon as they are there, without samples and without
 * waiting for their order to be certain.  Consumes nothing.
 */
#ifndef FOLD_RECORD_AHEAD_H
#define FOLD_RECORD_AHEAD_H

#include "drain.h"

struct ahead {
	const struct rings *rings;
	drain_sink *sink;
	void *state;
	struct ahead_ring { uint64_t at, head; } *v; /* as rings->v */
	uint8_t *whole;
};

int ahead_init(struct ahead *a, const struct rings *rings, drain_sink *sink, void *state); /* 0, or -1 */
void ahead_release(struct ahead *a); /* accepts a zeroed struct */

/*
 * Give out what is new, each record once, by time.  An event that is caused by
 * another on a different CPU may still come before it, by microseconds.
 * Call it before drain consumes.  0, or what the sink returned.
 */
int ahead_look(struct ahead *a);

#endif
