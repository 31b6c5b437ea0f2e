/* SPDX-License-Identifier: BSD-2-Clause */
/* The write functions behind the table in output.c, one per file. */
#ifndef FOLD_REPORT_FORMATS_H
#define FOLD_REPORT_FORMATS_H

#include "output.h"

int folded_write(FILE *to, const struct report *report); /* folded.c */
int svg_write(FILE *to, const struct report *report);    /* svg.c */
int html_write(FILE *to, const struct report *report);   /* html.c */
int speedscope_write(FILE *to, const struct report *report); /* speedscope.c */
int pprof_write(FILE *to, const struct report *report);  /* pprof.c */
int script_write(FILE *to, const struct report *report); /* script.c */
int firefox_write(FILE *to, const struct report *report); /* firefox.c */
int heatmap_write(FILE *to, const struct report *report); /* heatmap.c */
int heatmap_svg_write(FILE *to, const struct report *report);
int diff_write(FILE *to, const struct report *report);   /* diff.c */
int top_write(FILE *to, const struct report *report);    /* top.c */
int tree_write(FILE *to, const struct report *report);   /* tree.c */
int json_write(FILE *to, const struct report *report);   /* json.c */

#endif
