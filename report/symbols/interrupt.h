/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel code that was interrupted rather than called from: the frame outside
 * the entry of an interrupt or exception.  Its address is exact, although it is no
 * leaf; taken for a return address it would be named after the function before,
 * or get the line of the instruction before.
 */
#ifndef FOLD_REPORT_INTERRUPT_H
#define FOLD_REPORT_INTERRUPT_H

#include "../model/recording.h"

#define INTERRUPT_MAX_ENTRIES 512

struct interrupt_entries { /* offsets in one kernel, sorted and disjoint */
	size_t n;
	struct interrupt_entry { uint64_t start, end; } v[INTERRUPT_MAX_ENTRIES];
};

/* Is the function of this name where the kernel is entered by an interrupt or
 * exception?  Others of their kind are called: those are not meant. */
bool interrupt_is_entry(const char *name, size_t size);

/* What comes after the last one; more than fit are left out. */
void interrupt_add(struct interrupt_entries *entries, uint64_t start, uint64_t end);

/* Make the frames outside of entries exact; `entries` has one for each module, NULL
 * where there are none.  A frame that something else was called from at the same
 * address stays a return address.  0, or -1: out of memory. */
int interrupt_mark(struct recording *rec, struct interrupt_entries *const *entries);

#endif
