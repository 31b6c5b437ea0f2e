/* SPDX-License-Identifier: BSD-2-Clause */
/* What page.c and page_json.c share: the page that is being made. */
#ifndef FOLD_REPORT_PAGE_JSON_H
#define FOLD_REPORT_PAGE_JSON_H

#include "../../format/buf.h"
#include "axis.h"
#include "emit.h"
#include "overview.h"

struct page {
	struct buf *out;
	const struct report *report;
	struct emit emit;   /* of the JSON */
	uint32_t *number;   /* by segment: which of the recordings that can be compared */
	uint8_t *sides;     /* by segment: see overview.h */
	struct overview overview;
	struct axis axis;
	uint32_t **order, **rank; /* by tree: its frames sorted by name, and the place of each in there */
	uint32_t *place;    /* by node of the current tree: its number, depth first */
};

/* Whether a row of rec->samples belongs to a tree. */
bool page_has(const struct page *p, size_t tree, size_t row);

/* The JSON of both parts, into p->emit.  0, or -1 out of memory. */
int page_json_first(struct page *p);
int page_json_rest(struct page *p);

#endif
