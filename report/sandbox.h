/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings and debug files are bytes that strangers chose.  Before the first of
 * them is parsed, the program gives up what it does not need: writing anywhere but
 * beside its output, other programs, networks, and files where no module can lie.
 */
#ifndef FOLD_REPORT_SANDBOX_H
#define FOLD_REPORT_SANDBOX_H

#include "rows.h"
#include "symbols/symbolize.h"

struct sandbox_needs {
	struct word_list files;                   /* recordings; "-" needs nothing */
	const char *out;                          /* file to write; NULL: standard output */
	const struct symbolizer_options *symbols; /* where files of modules are looked for; NULL: nowhere */
};

/*
 * Confine the process as far as the kernel can; what it cannot is told in the log
 * (verbose) and is no failure.  For good, and for all threads: call it once, before
 * there are any.
 *
 * Without --no-system, readable is what may hold programs: all directories of the
 * root but those of devices, configuration, state and users, of the user's home what
 * is not hidden, the working directory and those of $PATH.  --sysroot / makes
 * everything readable.
 */
void sandbox_enter(const struct sandbox_needs *needs);

#endif
