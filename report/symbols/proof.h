/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a file the build that was recorded?  The same build-id (or what stands in for
 * it), the same machine, and executable segments where the recorded ones were:
 * tools that rewrite code, such as BOLT, keep the build-id.
 */
#ifndef FOLD_REPORT_PROOF_H
#define FOLD_REPORT_PROOF_H

#include "../model/recording.h"
#include "debuglink.h"
#include "elf.h"
#include "symbolize.h"

/* The best of the recorded ids: GNU, then Go, then size and hash; NULL when there
 * is none, and nothing can prove a file. */
const struct fold_module_id *proof_id(const struct rec_module *m);

/*
 * TRY_TAKEN, TRY_OTHER_BUILD or TRY_OTHER_LAYOUT.  `link`: `file` was found by this
 * debug link of a proven file; NULL else.
 */
enum module_try_result proof_judge(const struct rec_module *m, const struct fold_module_id *id,
				   const struct debuglink *link, const struct elf_file *file);

#endif
