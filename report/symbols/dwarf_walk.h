/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk through one unit: which functions, and which inlined ones in them,
 * cover the addresses that are asked for.  Makes a chain for each address and
 * resolves no names.
 */
#ifndef FOLD_REPORT_DWARF_WALK_H
#define FOLD_REPORT_DWARF_WALK_H

#include "dwarf_file.h"

#define WALK_NONE UINT32_MAX

/* An entry that covers an address.  The chain of an address leads outwards. */
struct walk_node {
	uint32_t outer;       /* node or WALK_NONE */
	bool function;        /* not inlined: the end of the chain */
	uint64_t die;         /* offset of the entry in .debug_info */
	uint64_t low;         /* of its first range */
	uint64_t call_file;
	uint32_t call_line;
};
struct walk_nodes {
	struct walk_node *v;
	size_t n, room;
};
/* An address that the unit may cover. */
struct walk_claim {
	uint64_t address;
	uint32_t node;        /* innermost; WALK_NONE before the walk, and when there is none */
};

/* Fill the nodes of `claims`, sorted by address.  0, or -1: out of memory; a broken
 * unit gives what stands before the damage. */
int dwarf_walk(struct dwarf_unit *u, struct walk_claim *claims, size_t n, struct walk_nodes *nodes);

#endif
