/* SPDX-License-Identifier: BSD-2-Clause */
/* Many recordings as one: which files go together, and their way into segments. */
#ifndef FOLD_REPORT_MERGE_H
#define FOLD_REPORT_MERGE_H

#include "../../format/label.h"
#include "../../format/source.h"
#include "../memory.h"

struct merge_options {
	struct label_list labels; /* of the merged recording */
	struct memory_watch *watch;
	const char *file_label;   /* key that gets each file's name, where it has no such label; NULL none */
};
struct merge_result {
	uint64_t recordings, segments, samples, damaged, unfinished, bytes;
};

/* "-" is standard input.  0, or -1: the log has said why. */
int merge_files(const char *const *files, size_t nfiles, const struct merge_options *options, struct fold_sink sink,
		struct merge_result *result);

#endif
