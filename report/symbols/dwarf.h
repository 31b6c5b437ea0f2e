/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses to functions, inlined functions and source lines by the DWARF of one
 * file.  Answers are given for many addresses at once: a unit that is hit is
 * walked once, and only into what covers an address.
 */
#ifndef FOLD_REPORT_DWARF_H
#define FOLD_REPORT_DWARF_H

#include "elf.h"

struct dwarf;

struct dwarf_query {
	uint64_t address;
	uint64_t function;  /* where the symbol that covers it begins; 0 unknown.  Decides when two units claim the address */
	/* filled: frames[first .. first + n), innermost first; n = 0: nothing is known */
	uint32_t first, n;
};
struct dwarf_frame {
	const char *name;   /* linkage name where there is one; NULL: not said */
	const char *file;   /* NULL unknown */
	uint32_t line;      /* 0 unknown */
	bool function;      /* the outermost one: a function, not an inlined one.  Missing when only a line is known */
};
struct dwarf_answer {
	struct dwarf_frame *frames;
	size_t n, room;
};

/* Files that a debug file refers to.  The owner of `context` keeps them open. */
struct dwarf_finder {
	void *context;
	/* dwz's supplementary file by name and build-id; NULL not found */
	Elf *(*supplement)(void *context, const char *name, const uint8_t *id, size_t id_size);
	/* a .dwo file, or the .dwp of all of them when `path` is NULL; the unit's id is checked by the caller */
	Elf *(*split)(void *context, const char *comp_dir, const char *path);
};

/* `elf` is borrowed; `finder` may be NULL.  0, or -1: out of memory. */
int dwarf_new(struct dwarf **out, Elf *elf, const struct dwarf_finder *finder);
void dwarf_free(struct dwarf *d);

/*
 * Answer `n` queries, sorted by address.  The strings of the answer live until
 * dwarf_free(), its frames until dwarf_answer_release().  0, or -1: out of memory.
 */
int dwarf_resolve(struct dwarf *d, struct dwarf_query *queries, size_t n, struct dwarf_answer *answer);
void dwarf_answer_release(struct dwarf_answer *answer);

#endif
