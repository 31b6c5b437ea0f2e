/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of given processes, each once, while they go on making new ones.
 * A thread made by one that already has its event has inherited it and must not
 * get a second one: its samples would count twice.
 */
#ifndef FOLD_RECORD_THREADS_H
#define FOLD_RECORD_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "ring.h"
#include "target.h"

struct thread {
	uint32_t tid;
	uint64_t attached; /* when: its children from then on have the event */
};
struct threads {
	const struct numbers *pids;
	struct thread *v;
	size_t n, room;
	uint32_t *listed;  /* of the last look into /proc, to be gone through */
	size_t nlisted, listed_room;
	size_t found;      /* threads without the event since the first process was listed */
	size_t pid;        /* index of the process to be listed next */
};

void threads_init(struct threads *t, const struct numbers *pids);
void threads_release(struct threads *t);

/* The next thread that needs an event: 1, 0 when there is none, or -errno. */
int threads_next(struct threads *t, const struct rings *rings, uint32_t *tid);
/* It has one now. */
void threads_attached(struct threads *t, uint64_t when);

#endif
