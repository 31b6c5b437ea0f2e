/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another unwinder's word on a sample: libdwfl, fed with the sample's registers and
 * its copy of the stack.  Where the two differ, the judge says who is right only if
 * the code and the stack prove it.
 */
#ifndef FOLD_TESTS_JUDGE_H
#define FOLD_TESTS_JUDGE_H

#include <stdbool.h>
#include <sys/types.h>

#include <elfutils/libdwfl.h>

#include "oracle.h"

enum verdict {
	SAME,
	THEY_STOP,      /* the same frames, and ours go on */
	WE_STOP,
	THEY_SKIP,      /* they have no rule for a function and go by rbp, past its callers, which calls prove */
	THEY_MISS,      /* they have no rule behind a signal's restorer, or a wrong one; ours is what the kernel will return to */
	THEY_MISTAKE,   /* they take the return address from the stack where their own rule has it in a register */
	THEY_STAY,      /* they go on where Go's runtime took another stack; ours are calls that lead to it: symbols are needed */
	DIFFER,
	VERDICTS,
};

struct judge {
	pid_t pid;
	Dwfl *dwfl;
	const struct oracle_sample *current;
	uint64_t frames[EVENT_MAX_FRAMES]; /* theirs */
	uint32_t n, same, max;             /* how many are the same */
};

/* The process must be stopped, and stay.  0, or -1: dwfl_errmsg() says why. */
int judge_open(struct judge *j, pid_t pid, uint32_t max);
/* The words of `s` without marks. */
enum verdict judge_sample(struct judge *j, const struct oracle_sample *s);
const char *verdict_name(enum verdict v);
const char *judge_name(const struct judge *j, uint64_t pc); /* of a function, or its file */

#endif
