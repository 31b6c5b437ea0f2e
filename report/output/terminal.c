/* SPDX-License-Identifier: BSD-2-Clause */
/* See terminal.h. */
#include <string.h>

#include "terminal.h"

void terminal_percent(struct emit *e, double v, unsigned decimals)
{
	double half = decimals == 2 ? 0.005 : 0.05;

	emit_repeat(e, ' ', v + half >= 100 ? 0 : v + half >= 10 ? 1 : 2);
	emit_fixed(e, v, decimals);
}

void terminal_name(struct emit *e, const char *name, size_t width, bool fill)
{
	size_t n = strlen(name), columns = text_columns(name, n);

	if (width && columns > width) {
		n = text_fit(name, n, width - 1);
		columns = text_columns(name, n) + 1;
		emit_plain(e, name, n);
		emit_str(e, "…");
	} else {
		emit_plain(e, name, n);
	}
	if (fill && columns < width)
		emit_repeat(e, ' ', width - columns);
}

const char *terminal_color(const struct report *report, enum frame_kind kind)
{
	if (!report->options.color)
		return "";
	switch (kind) {
	case FRAME_ROOT:
		return "\033[1m";
	case FRAME_KERNEL:
		return "\033[34m";
	case FRAME_JIT:
		return "\033[32m";
	case FRAME_UNKNOWN:
		return "\033[2m";
	default:
		return "";
	}
}
