/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of one recorded stack: see walk.h. */
#include <string.h>

#include "walk.h"

static void begin_side(struct walk *w, int side)
{
	w->side = side;
	w->at = side == 0 ? w->count->kleaf : side == 1 ? w->count->uleaf : REC_NONE;
	w->leaf = true;
	w->end = w->at != REC_NONE && (side == 0 ? w->count->kend : w->count->uend) == FOLD_STACK_END_DEPTH;
}

void walk_begin(struct walk *w, const struct recording *rec, const struct rec_count *count)
{
	*w = (struct walk){.rec = rec, .count = count};
	begin_side(w, 0);
}

static const char *marker_name(const struct rec_node *node)
{
	if (node->kind == REC_FRAME_LOST)
		return "[lost]";
	return node->module == FOLD_MARK_REDACTED ? "[redacted]" : "[unknown]";
}

static void node_place(struct walk *w, struct walk_place *place)
{
	const struct rec_node *node = &w->rec->nodes[w->at];

	*place = (struct walk_place){.leaf = w->leaf, .node = w->at};
	if (node->kind == REC_FRAME_CODE) {
		place->module = node->module;
		place->offset = node->offset;
		place->exact = w->leaf || node->exact;
	} else {
		place->marker = marker_name(node);
	}
	w->leaf = false;
	w->at = node->parent;
}

bool walk_next(struct walk *w, struct walk_place *place)
{
	while (w->side < 2) {
		if (w->at != REC_NONE) {
			node_place(w, place);
		} else if (w->end) {
			*place = (struct walk_place){.marker = "[truncated]", .node = REC_NONE};
			w->end = false;
		} else {
			begin_side(w, w->side + 1);
			if (w->side == 2 && !w->any)
				*place = (struct walk_place){.marker = recording_no_stack(w->rec, w->count), .node = REC_NONE};
			else
				continue;
		}
		if (place->marker && w->last == place->marker)
			continue;
		w->last = place->marker;
		w->any = true;
		return true;
	}
	return false;
}

struct fold_bytes walk_module_name(const struct recording *rec, uint32_t module)
{
	struct fold_bytes path = recording_string(rec, rec->modules[module].name);
	const uint8_t *slash = path.size ? memrchr(path.at, '/', path.size) : NULL;

	if (!slash || slash + 1 == path.at + path.size)
		return path;
	return (struct fold_bytes){slash + 1, path.size - (size_t)(slash + 1 - path.at)};
}
