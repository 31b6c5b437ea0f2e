/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `fold-report VERB ...` calls.  argv[0] is the verb; each reads its own
 * options.  The result is the program's exit status: 0 done, 1 failure or
 * unusable input, 2 usage, 3 nothing matched.
 */
#ifndef FOLD_REPORT_VERBS_H
#define FOLD_REPORT_VERBS_H

int verb_info(int argc, char **argv);    /* what was recorded, how well, what it cost */
int verb_check(int argc, char **argv);   /* every violation of the format; 1 if there is one */
int verb_missing(int argc, char **argv); /* which debug files would bring which names */

#endif
