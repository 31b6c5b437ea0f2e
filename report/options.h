/* SPDX-License-Identifier: BSD-2-Clause */
/* What a report was asked for on the command line. */
#ifndef FOLD_REPORT_OPTIONS_H
#define FOLD_REPORT_OPTIONS_H

#include "model/select.h"
#include "model/tree.h"
#include "output/output.h"
#include "rows.h"
#include "symbols/symbolize.h"

#define OPTIONS_UNNAMED_DEFAULT UINT32_MAX /* as the format likes it */

struct options {
	bool compare;                        /* set before parsing: two files, before and now */
	bool help, version, schema, quiet, verbose;
	const char *format_name, *out;       /* out: NULL stdout */
	const struct output_format *format;  /* never NULL after parsing */
	struct select select;
	struct tree_options tree;
	struct symbolizer_options symbols;
	struct output_options output;
	const char *from, *to, *by;
	uint64_t max_memory;                 /* 0: as memory.h says */
	uint32_t unnamed;                    /* 0 by address, 1 by module */
	struct word_list comms, modules, symbol_dirs; /* owners of what select and symbols point at */
	struct number_list pids, tids, cpus;
	struct word_list files;
};

/* 0, or -1: usage; a line in the log said what is wrong. */
int options_parse(struct options *opt, int argc, char **argv);
void options_release(struct options *opt);
void options_print_usage(FILE *out, bool compare);

#endif
