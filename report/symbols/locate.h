/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which files of this machine belong to a recorded module.  Every candidate is
 * proven by its build-id; a path proves nothing.  Candidates are asked in a fixed
 * order and kept for what they add, so a stripped file never hides a full one.
 *
 * Order: each --symbols DIR (build-id tree, base name, everything below it by
 * build-id), --sysroot (the recorded path, its debug trees), this machine (for a
 * bare name also the working directory and $PATH) and the copies that perf keeps.  A debug link is followed where it is found.
 */
#ifndef FOLD_REPORT_LOCATE_H
#define FOLD_REPORT_LOCATE_H

#include "../model/recording.h"
#include "elf.h"
#include "tries.h"

struct locator_options {
	const char *const *dirs; /* --symbols */
	size_t ndirs;
	const char *sysroot;     /* NULL none */
	bool no_system;
	bool want_dwarf;         /* go on until a file with DWARF is found */
	struct debuginfod *servers; /* NULL: ask none.  Borrowed */
};
struct locator;

#define LOCATED_MAX 6 /* after the first, each file adds at least one enum elf_offer */
struct located {
	size_t n;
	struct elf_file files[LOCATED_MAX]; /* in the order found */
	struct tries tries; /* all places, in order */
	bool weak;        /* proven by FOLD_ID_HASH only: the recorded file has no build-id */
	char *refused;    /* a file where this module should be, of another build; NULL none */
	char *unreadable; /* a file where this module should be, that may not be read */
};

/* The strings of `options` are borrowed.  0, or -1: out of memory. */
int locator_new(struct locator **out, const struct locator_options *options);
void locator_free(struct locator *l);

/*
 * Files of `m`, whose recorded name is `path`.  `release` is that of the kernel
 * (uname -r), "" unknown.  Finding none is ordinary.  The result is released by
 * the caller.  0, or -1: out of memory.
 */
int locate(struct locator *l, const struct rec_module *m, const char *path, const char *release, struct located *out);
void located_release(struct located *found); /* accepts a zeroed struct */

/* A file with this GNU build-id, wherever trees of debug files are searched by
 * it.  0, or a negative errno. */
int locate_by_id(struct locator *l, const uint8_t *id, size_t size, struct elf_file *out);

const struct locator_options *locator_options(const struct locator *l);

/* The first file with `offer`; NULL none. */
const struct elf_file *located_with(const struct located *found, enum elf_offer offer);

#endif
