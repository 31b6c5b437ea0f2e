/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings that can become one segment: of the same kernel, machine and mode,
 * at most 64 events in all.  What META says of all of them together.
 */
#ifndef FOLD_REPORT_GROUP_H
#define FOLD_REPORT_GROUP_H

#include "../../format/intern.h"
#include "../../format/label.h"

struct group_part { uint32_t file, segment; }; /* by their places on the command line, and in the file */

struct group {
	struct fold_meta meta;  /* bytes are owned by `text` */
	struct intern text;
	size_t nparts, parts_room;
	struct group_part *parts; /* ascending */
};

bool event_equal(const struct fold_event *a, const struct fold_event *b);

/* A group of one.  0, or -1 out of memory. */
int group_init(struct group *g, const struct fold_meta *meta);
void group_release(struct group *g); /* accepts a zeroed struct */

/* Take in another: 1 done, 0 it does not go with the others, -1 out of memory. */
int group_add(struct group *g, const struct fold_meta *meta);
/* Could `meta` be written into a segment that was begun for the group as it is? */
bool group_fits(const struct group *g, const struct fold_meta *meta);

/* What remains once all are in: the order of events, and labels, which are borrowed. */
void group_settle(struct group *g, const struct label_list *labels);
/* By what all in a group have in common; for qsort. */
int group_compare(const void *a, const void *b);

/* A random UUID of version 4. */
void group_new_id(uint8_t id[16]);

#endif
