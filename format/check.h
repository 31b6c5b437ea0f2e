/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every MUST of SPEC.md as code.  Reads a recording to its end and reports each
 * violation; goes on as far as the recovery rules let it.
 */
#ifndef FOLD_FORMAT_CHECK_H
#define FOLD_FORMAT_CHECK_H

#include "error.h"
#include "source.h"

#include <stdbool.h>

struct check_result {
	uint64_t violations;
	uint64_t chunks, segments, samples, skipped;
	bool ended;  /* every segment has its END */
};
/* Called for each violation; `fault->rule` names the rule. */
typedef void check_report(void *state, const struct fold_fault *fault);

/* 0 when the file was read to its end (violations or not), -1 when reading
 * could not go on; that fault is reported too. */
int check_recording(struct fold_source source, check_report *report, void *state, struct check_result *result);

#endif
