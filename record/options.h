/* SPDX-License-Identifier: BSD-2-Clause */
/* What the user asked for.  Built once, then only read. */
#ifndef FOLD_RECORD_OPTIONS_H
#define FOLD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../format/label.h"
#include "log.h"
#include "session.h"
#include "target.h"

#define OPTIONS_DEFAULT_OUTPUT "fold.foldrec"

enum options_unwind {
	OPTIONS_UNWIND_AUTO, /* by unwind tables where the host lets us */
	OPTIONS_UNWIND_FP,   /* by frame pointers */
};

struct options {
	uint32_t frequency;
	uint64_t duration;   /* ns, 0: until it is stopped */
	const char *output;  /* "-": stdout */
	bool overwrite;
	struct numbers pids, cpus;
	char **command;      /* NULL: none */
	bool kernel_only, user_only;
	enum options_unwind unwind;
	uint32_t max_depth;  /* 0: as deep as the host allows */
	bool aggregate;
	enum session_paths paths;
	bool raw_addresses, no_kernel_symbols;
	const char *note;
	uint64_t max_memory; /* bytes for what grows, 0: no limit but the parts' own */
	struct label_list labels;
	uint32_t ring_kib;   /* 0: by frequency */
	uint32_t table_size; /* 0: by frequency and CPUs */
	uint32_t stack_memory; /* bytes, 0: the session's own limit */
	bool inherit;        /* as where the kernel cannot pick out processes */
	bool quiet, verbose, check, help, version;
};

enum options_result {
	OPTIONS_RUN,
	OPTIONS_DONE,  /* --help, --version: nothing more to do */
	OPTIONS_WRONG, /* a line in the log says what */
};

enum options_result options_parse(struct options *options, int argc, char **argv);
void options_release(struct options *options); /* accepts a zeroed struct */

#endif
