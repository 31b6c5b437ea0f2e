/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is hidden when a recording is given away, and what stands in its place:
 * the same for the same thing all over a file, so that stacks still add up.
 */
#ifndef FOLD_REPORT_VEIL_H
#define FOLD_REPORT_VEIL_H

#include "../../format/intern.h"

enum veil_part {
	VEIL_COMMS = 1u << 0,     /* names of threads and processes */
	VEIL_PATHS = 1u << 1,     /* names of files that do not lie below system directories */
	VEIL_PIDS = 1u << 2,      /* pids and tids */
	VEIL_LABELS = 1u << 3,
	VEIL_NOTES = 1u << 4,
	VEIL_CODE = 1u << 5,      /* names of generated code */
	VEIL_SYMBOLS = 1u << 6,   /* names added by embed, for files that do not lie below system directories */
	VEIL_ADDRESSES = 1u << 7, /* where things were mapped */
	VEIL_IDS = 1u << 8,       /* build-ids and layout of files that do not lie below system directories */
	VEIL_KERNEL = 1u << 9,    /* the kernel's release and names of its functions */
	VEIL_TIMES = 1u << 10,    /* wall-clock time, and time since boot */
};

struct veil {
	uint32_t parts;
	struct intern comms, paths, code;
	uint32_t *pids, npids;    /* open addressing: pid, number in its place */
	uint32_t pid_slots;
	uint64_t hidden[11];      /* by bit: how many things */
};

void veil_init(struct veil *v, uint32_t parts);
void veil_release(struct veil *v); /* accepts a zeroed struct */

#define VEIL_TEXT 64
/*
 * `text`, or what stands in its place, in `buf`.  `v` may be NULL: nothing is hidden.
 * 0, or -1 out of memory.
 */
int veil_comm(struct veil *v, struct fold_bytes *text, char buf[VEIL_TEXT]);
/* `own` becomes true when the file is one of the user's own. */
int veil_path(struct veil *v, uint32_t module_kind, struct fold_bytes *text, char buf[VEIL_TEXT], bool *own);
int veil_code(struct veil *v, struct fold_bytes *text, char buf[VEIL_TEXT]);
int veil_pid(struct veil *v, uint32_t *pid);
/* Is this to be left out?  Counts it, if so. */
bool veil_hides(struct veil *v, enum veil_part part);

#endif
