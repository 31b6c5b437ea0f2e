/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `fold-report VERB ...` calls.  argv[0] is the verb; each reads its own
 * options.  The result is the program's exit status.
 */
#ifndef FOLD_REPORT_VERBS_H
#define FOLD_REPORT_VERBS_H

enum verb_status { VERB_DONE = 0, VERB_FAILED = 1, VERB_USAGE = 2, VERB_NOTHING = 3 /* nothing matched */ };

struct verb {
	const char *name;
	const char *usage; /* "info FILE..." */
	const char *help;
	int (*run)(int argc, char **argv);
};
/* Ends with a row whose name is NULL. */
extern const struct verb verbs[];
const struct verb *verb_by_name(const char *name); /* NULL: no verb */

int verb_report(int argc, char **argv);  /* without a verb: argv[0] is the program */
int verb_diff(int argc, char **argv);    /* the same of two recordings side by side */
int verb_merge(int argc, char **argv);   /* many recordings as one */
int verb_redact(int argc, char **argv);  /* the same without what is not to be given away */
int verb_embed(int argc, char **argv);   /* names into a copy, for machines without debug files */
int verb_info(int argc, char **argv);    /* what was recorded, how well, what it cost */
int verb_check(int argc, char **argv);   /* every violation of the format; 1 if there is one */
int verb_dump(int argc, char **argv);    /* every item of the file as lines of JSON */
int verb_explain(int argc, char **argv); /* one address, step by step */
int verb_missing(int argc, char **argv); /* which debug files would bring which names */

#endif
