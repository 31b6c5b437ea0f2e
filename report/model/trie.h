/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All stacks of a recording as one forest of (parent, module, offset) nodes:
 * equal stacks, whatever file they come from, end in the same node.
 */
#ifndef FOLD_REPORT_TRIE_H
#define FOLD_REPORT_TRIE_H

#include "hash.h"
#include "recording.h"

struct trie {
	struct rec_node *nodes; /* parents before their children */
	size_t n, room;
	uint32_t *slots;        /* open addressing, index + 1 */
	size_t nslots;          /* power of two */
	struct hash_seed seed;
};

int trie_init(struct trie *trie); /* 0, or -1 out of memory */
void trie_release(struct trie *trie);

/* The node equal to `node`, new or old.  0, or -1 out of memory or ids. */
int trie_add(struct trie *trie, const struct rec_node *node, uint32_t *id);

#endif
