/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns by frame, as the tree has them by node: frames are joined by name and
 * module, so that builds can differ.  Every number comes with the standard
 * errors that lie in its difference: below "sure" it may be chance.
 */
#include <math.h>

#include "json_compare.h"

/* Where there is nothing on both sides, there is no error either. */
static void number(struct emit *e, double v)
{
	if (!isfinite(v))
		v = 0;
	if (v < 0)
		emit_char(e, '-');
	emit_fixed(e, v < 0 ? -v : v, 3);
}

/* What is taken of the sides of a frame. */
enum part { BEFORE, NOW, SIGMA };

static void column(struct emit *e, const char *name, const struct compare *c, const struct compare_sides *sides, enum part part)
{
	emit_str(e, name);
	for (size_t i = 0; i < c->tree->nframes; i++) {
		struct compare_sides s = sides[i];

		if (i)
			emit_char(e, ',');
		number(e, part == BEFORE ? s.before : part == NOW ? s.now : compare_sigma(c, s));
	}
	emit_char(e, ']');
}

int json_difference(struct emit *e, const struct report *report, size_t index)
{
	static const char *const normalize[] = {"samples", "time", "none"};
	struct compare c;

	if (compare_init(&c, report, index))
		return -1;
	emit_printf(e, ",\n\"difference\":{\"normalize\":\"%s\",\"scale\":", normalize[report->options.normalize]);
	emit_fixed(e, c.scale, 6);
	emit_str(e, ",\"before\":");
	number(e, c.whole.before / c.scale);
	emit_str(e, ",\"now\":");
	number(e, c.whole.now);
	emit_str(e, ",\"sure\":");
	number(e, COMPARE_SURE);
	column(e, ",\n\"self_before\":[", &c, c.frame_self, BEFORE);
	column(e, ",\n\"self_now\":[", &c, c.frame_self, NOW);
	column(e, ",\n\"self_sigma\":[", &c, c.frame_self, SIGMA);
	column(e, ",\n\"total_before\":[", &c, c.frame_total, BEFORE);
	column(e, ",\n\"total_now\":[", &c, c.frame_total, NOW);
	column(e, ",\n\"total_sigma\":[", &c, c.frame_total, SIGMA);
	emit_char(e, '}');
	compare_release(&c);
	return 0;
}
