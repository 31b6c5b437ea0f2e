/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling events and the program behind them: per CPU, or per thread with
 * inheritance to what the thread starts later.  Opens, enables and closes them.
 */
#ifndef FOLD_RECORD_ATTACH_H
#define FOLD_RECORD_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct attach {
	int *fds;
	size_t n, room;
	int program;
	uint32_t frequency;
};

enum attach_when {
	ATTACH_DISABLED, /* until attach_enable() */
	ATTACH_ON_EXEC,
};

struct attach_place {
	pid_t pid;    /* a thread and its later children, or -1: all that runs on `cpu` */
	int cpu;      /* or -1: wherever the thread runs */
	int ring;     /* fd of the CPU's ring, which is told of throttling; -1 none */
	enum attach_when when;
};

/* 0, or -errno; *attaching tells whether the event was there and the program was refused. */
int attach_open(struct attach *a, const struct attach_place *place, bool *attaching);
int attach_enable(const struct attach *a);
void attach_disable(const struct attach *a);
void attach_release(struct attach *a); /* accepts a zeroed struct */

#endif
