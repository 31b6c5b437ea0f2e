/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which recordings become one segment, known from the METAs of all files before
 * anything is written.
 */
#ifndef FOLD_REPORT_PLAN_H
#define FOLD_REPORT_PLAN_H

#include "group.h"
#include "merge.h"

struct plan {
	const char *const *files;
	const char *file_label;  /* as in merge_options */
	struct group *groups;
	size_t ngroups, groups_room;
	uint32_t *planned;       /* by file: of its segments, how many are in groups */
	uint32_t *later;         /* files that can be read only once: in no group */
	size_t nlater;
	size_t passes;           /* over files, until all is merged */
};

/* 0, or -1: the log has said why. */
int plan_init(struct plan *p, const char *const *files, size_t nfiles, const struct merge_options *options);
void plan_release(struct plan *p); /* accepts a zeroed struct, or what a failure left */

#endif
