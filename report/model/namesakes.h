/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that are called like another one of another host, so that a root by
 * process or thread would add up what does not belong together.
 */
#ifndef FOLD_REPORT_NAMESAKES_H
#define FOLD_REPORT_NAMESAKES_H

#include "recording.h"

struct namesakes { /* zeroed: nobody has one */
	bool *has;        /* by process */
	bool *file_twice; /* by segment: another one's file is called the same */
};

/* Threads are told apart by their process's number alone.  0, or -1 out of memory. */
int namesakes_init(struct namesakes *n, const struct recording *rec, bool threads);
void namesakes_release(struct namesakes *n);

/* What to put behind the name of a process, "" for most: "@HOST"; where it has no label "@FILE", and
 * "#2" for the second recording in it.  At most `size` bytes with the terminator; how many without. */
size_t namesakes_tail(const struct namesakes *n, const struct recording *rec, uint32_t process, char *to, size_t size);

#endif
