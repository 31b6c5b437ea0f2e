/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug files from debuginfod servers, only when the user asked for it: asking
 * tells a server what runs on the recorded machine.  What comes back is proven
 * like any other file.
 */
#ifndef FOLD_REPORT_DEBUGINFOD_H
#define FOLD_REPORT_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfod;

#define DEBUGINFOD_BUDGET 300 /* seconds for all requests of a report */

/*
 * `urls` as in DEBUGINFOD_URLS: separated by blanks.  0; or -1 without memory or
 * libdebuginfod, said in the log.
 */
int debuginfod_new(struct debuginfod **out, const char *urls, unsigned budget_seconds);
void debuginfod_free(struct debuginfod *d);

/*
 * The debug file (or the file itself) with this build-id, from the servers or
 * from the cache of the user.  `what` is shown while it takes long.  A server that
 * fails is not asked again.  *path is the caller's.  0, or a negative errno:
 * -ENOENT no server has it, -ETIME the budget was spent before.
 */
int debuginfod_fetch(struct debuginfod *d, const uint8_t *id, size_t size, bool executable, const char *what, char **path);

#endif
