/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The explorer's axis of time.  Recordings that lie far apart would leave nothing
 * but a gap to be seen: the time between them is left out.
 */
#ifndef FOLD_REPORT_AXIS_H
#define FOLD_REPORT_AXIS_H

#include "../model/recording.h"

struct axis {
	int64_t *shift;    /* by segment, ns: added to the time of its samples */
	uint32_t *pieces;  /* segments that begin a piece, in order of time */
	size_t npieces;
};

/* Which segment a row of rec->samples is from. */
uint32_t axis_segment(const struct recording *rec, size_t row);

int axis_init(struct axis *axis, const struct recording *rec); /* 0, or -1 out of memory */
void axis_release(struct axis *axis);

#endif
