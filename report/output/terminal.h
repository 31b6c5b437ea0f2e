/* SPDX-License-Identifier: BSD-2-Clause */
/* What tables on a terminal share: columns of percent, names cut to a width, colours. */
#ifndef FOLD_REPORT_TERMINAL_H
#define FOLD_REPORT_TERMINAL_H

#include "emit.h"
#include "output.h"

/* v right-aligned, with room for "100". */
void terminal_percent(struct emit *e, double v, unsigned decimals);

/* A name in at most `width` columns (0: all of it), filled up with blanks if `fill`. */
void terminal_name(struct emit *e, const char *name, size_t width, bool fill);

/* The escape sequence that frames of this kind begin with; "" without colours. */
const char *terminal_color(const struct report *report, enum frame_kind kind);
#define TERMINAL_PLAIN "\033[0m"

#endif
