/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk again, in user space, over a copied stack: for samples that met code
 * that the walker in the kernel did not know yet.  Same tables, same step.
 */
#ifndef FOLD_UNWIND_REPLAY_H
#define FOLD_UNWIND_REPLAY_H

#include "../../bpf/event.h"
#include "mappings.h"

struct replay {
	const struct unwind_store *store;
	const struct objects *objects;
	uint64_t words[EVENT_MAX_FRAMES];
	uint32_t n, end;      /* enum fold_stack_end */
	bool cut;             /* it went on where nothing was copied */
};

/* Walk `copy` in the mappings `maps`, at most `max` words into r->words. */
void replay_walk(struct replay *r, const struct mapset *maps, const struct event_raw_copy *copy, uint32_t max);

#endif
