/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk goes into namespaces, into functions that cover an address, and there
 * into blocks and inlined functions that do.  Code can stand elsewhere (methods
 * of local types, functions nested in functions whose own code is not theirs):
 * addresses that no function has claimed then get a second walk through everything.
 */
#include "dwarf_walk.h"

#include <dwarf.h>

#include "../model/array.h"

#define MAX_DEPTH 512

struct walk {
	struct dwarf_unit *unit;
	struct walk_claim *claims;
	size_t n;
	struct walk_nodes *nodes;
	bool everywhere, failed;
};

static size_t first_at(const struct walk *w, uint64_t address)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->claims[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t add_node(struct walk *w, const struct walk_node *node)
{
	struct walk_nodes *nodes = w->nodes;

	if (nodes->n >= WALK_NONE || array_room(nodes->v, nodes->room, nodes->n + 1)) {
		w->failed = true;
		return WALK_NONE;
	}
	nodes->v[nodes->n] = *node;
	return (uint32_t)nodes->n++;
}

/*
 * Give every address that `die` covers and that so far is `outer`'s to a new node
 * for it (`node`, made at the first such address), or, without `node`, just look
 * whether there is one.
 */
static bool cover(struct walk *w, const struct dwarf_die *die, uint32_t outer, struct walk_node *node, uint32_t *id)
{
	struct dwarf_ranges ranges;
	uint64_t low, high;
	bool first = true, covered = false;

	dwarf_ranges_begin(&ranges, w->unit, die);
	while (dwarf_ranges_next(&ranges, &low, &high)) {
		if (node && first)
			node->low = low;
		first = false;
		for (size_t i = first_at(w, low); i < w->n && w->claims[i].address < high; i++) {
			if (!dwarf_spend(w->unit, 1))
				return covered;
			if (w->claims[i].node != outer)
				continue;
			if (!node)
				return true;
			if (!covered)
				*id = add_node(w, node);
			if (*id == WALK_NONE)
				return false;
			covered = true;
			w->claims[i].node = *id;
		}
	}
	return covered;
}

static void walk_children(struct walk *w, struct dwarf_cursor *c, uint32_t outer, unsigned depth);

/* Behind the attributes of an entry with children: go in, or pass over. */
static void enter(struct walk *w, struct dwarf_cursor *c, uint64_t sibling, bool in, uint32_t outer, unsigned depth)
{
	if (in && depth < MAX_DEPTH)
		walk_children(w, c, outer, depth + 1);
	else if (sibling > dwarf_offset(w->unit, c) && sibling <= w->unit->end)
		c->at = w->unit->file->sections[DWARF_INFO].at + sibling;
	else
		dwarf_children_skip(w->unit, c);
}

/* A function, inlined or not. */
static void visit_function(struct walk *w, struct dwarf_cursor *c, const struct dwarf_abbrev *abbrev, uint64_t offset,
			   uint32_t outer, unsigned depth)
{
	bool function = abbrev->tag == DW_TAG_subprogram, covered;
	struct walk_node node = {.outer = function ? WALK_NONE : outer, .function = function, .die = offset};
	uint32_t id = WALK_NONE;
	struct dwarf_die die;

	if (!dwarf_die_read(w->unit, c, abbrev, &die)) {
		cursor_fail(c);
		return;
	}
	node.call_file = die.call_file.u;
	node.call_line = die.call_line.u > UINT32_MAX ? 0 : (uint32_t)die.call_line.u;
	covered = (function || outer != WALK_NONE) && cover(w, &die, function ? WALK_NONE : outer, &node, &id);
	if (!abbrev->children)
		return;
	if (w->everywhere && !covered)
		enter(w, c, die.sibling, true, outer, depth);
	else
		enter(w, c, die.sibling, covered, id, depth);
}

/* A block has no name: what is in it belongs to the function around it. */
static void visit_block(struct walk *w, struct dwarf_cursor *c, const struct dwarf_abbrev *abbrev, uint32_t outer, unsigned depth)
{
	struct dwarf_die die;
	bool in;

	if (!dwarf_die_read(w->unit, c, abbrev, &die)) {
		cursor_fail(c);
		return;
	}
	if (!abbrev->children)
		return;
	in = w->everywhere || (!die.ranges.form && !die.low.form) || cover(w, &die, outer, NULL, NULL);
	enter(w, c, die.sibling, in, outer, depth);
}

static void visit_other(struct walk *w, struct dwarf_cursor *c, const struct dwarf_abbrev *abbrev, uint32_t outer, unsigned depth)
{
	bool in = w->everywhere || abbrev->tag == DW_TAG_namespace || abbrev->tag == DW_TAG_module ||
		  abbrev->tag == DW_TAG_compile_unit || abbrev->tag == DW_TAG_partial_unit;
	uint64_t sibling;

	dwarf_die_skip(w->unit, c, abbrev, &sibling);
	if (abbrev->children)
		enter(w, c, sibling, in, outer, depth);
}

/* Entries up to the one that ends a list of siblings. */
static void walk_children(struct walk *w, struct dwarf_cursor *c, uint32_t outer, unsigned depth)
{
	while (!c->bad && !w->failed) {
		uint64_t offset = dwarf_offset(w->unit, c), code = cursor_uleb(c);
		const struct dwarf_abbrev *abbrev = code ? dwarf_abbrev(w->unit->abbrevs, code) : NULL;

		if (!code)
			return;
		if (!abbrev) {
			cursor_fail(c);
			return;
		}
		switch (abbrev->tag) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
			visit_function(w, c, abbrev, offset, outer, depth);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			visit_block(w, c, abbrev, outer, depth);
			break;
		default:
			visit_other(w, c, abbrev, outer, depth);
		}
	}
}

static void walk_unit(struct walk *w)
{
	struct dwarf_cursor c = dwarf_unit_cursor(w->unit, w->unit->die);

	if (!dwarf_spend(w->unit, w->unit->end - w->unit->die))
		return;
	walk_children(w, &c, WALK_NONE, 0);
}

int dwarf_walk(struct dwarf_unit *u, struct walk_claim *claims, size_t n, struct walk_nodes *nodes)
{
	struct walk w = {.unit = u, .claims = claims, .n = n, .nodes = nodes};
	bool unclaimed = false;

	if (!dwarf_unit_abbrevs(u))
		return -1;
	walk_unit(&w);
	for (size_t i = 0; i < n; i++)
		unclaimed = unclaimed || claims[i].node == WALK_NONE;
	w.everywhere = unclaimed;
	if (unclaimed && !w.failed)
		walk_unit(&w);
	return w.failed ? -1 : 0;
}
