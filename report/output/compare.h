/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two recordings side by side in one tree.  The side before is scaled to the side
 * now, by all samples or by time; a difference counts only beyond the error of
 * counting, so that 0 -> 1 is no alarm.
 */
#ifndef FOLD_REPORT_COMPARE_H
#define FOLD_REPORT_COMPARE_H

#include "emit.h"
#include "output.h"

struct compare_sides { double before, now; }; /* before: scaled */
struct compare {
	const struct tree *tree;
	double scale;      /* what `before` was multiplied with */
	bool shares;       /* that made both sides equal: only shares can differ */
	double unit;       /* weight of one sample: what counting errors are measured in */
	struct compare_sides whole, *self, *total; /* by node */
	struct compare_sides *frame_self, *frame_total; /* by frame; total counts a stack once */
};

/* Of tree `index`.  0, or -1 out of memory. */
int compare_init(struct compare *c, const struct report *report, size_t index);
void compare_release(struct compare *c);

/* What the side before has to be multiplied with for --normalize time and none. */
double compare_scale(const struct report *report);

/* now - before in standard errors; beyond 3 it is hardly chance. */
double compare_sigma(const struct compare *c, struct compare_sides s);
#define COMPARE_SURE 3.0

/* Share of each side in percent, and the difference in points. */
struct compare_sides compare_percent(const struct compare *c, struct compare_sides s);

bool compare_sure(const struct compare *c, struct compare_sides s);
/* What a node's colour tells: what it and all below it came to; where that is no sure
 * difference, what ended in it, of which what it calls may have made up. */
struct compare_sides compare_told(const struct compare *c, uint32_t node);

/* CSS class for SVG: red is more, blue is less, grey may be chance; into `buf`,
 * which it returns.  The rules, and a legend for a head of 100 px. */
const char *compare_class(const struct compare *c, struct compare_sides s, char *buf);
extern const char COMPARE_CSS[], COMPARE_LEGEND[];

/* "1.20 % before, 1.85 % now: +0.65 points" */
#define COMPARE_TEXT 128
const char *compare_text(const struct compare *c, struct compare_sides s, char *buf);

#endif
