/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes stand in an array in order of arrival; a table of indexes finds equal ones. */
#include "trie.h"

#include "array.h"

static uint64_t node_hash(const struct trie *trie, const struct rec_node *node)
{
	uint64_t where = (uint64_t)node->parent << 32 | node->module;
	uint64_t what = node->offset << 3 ^ (uint64_t)node->kind << 1 ^ node->exact ^ node->offset >> 61;

	return hash_pair(&trie->seed, where, what);
}

static bool node_equal(const struct rec_node *a, const struct rec_node *b)
{
	return a->parent == b->parent && a->module == b->module && a->offset == b->offset && a->kind == b->kind &&
	       a->exact == b->exact;
}

static int trie_rehash(struct trie *trie, size_t nslots)
{
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < trie->n; i++) {
		size_t at = node_hash(trie, &trie->nodes[i]) & (nslots - 1);

		while (slots[at])
			at = (at + 1) & (nslots - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(trie->slots);
	trie->slots = slots;
	trie->nslots = nslots;
	return 0;
}

int trie_init(struct trie *trie)
{
	*trie = (struct trie){0};
	hash_seed_init(&trie->seed);
	return trie_rehash(trie, 1024);
}

void trie_release(struct trie *trie)
{
	free(trie->nodes);
	free(trie->slots);
	*trie = (struct trie){0};
}

int trie_add(struct trie *trie, const struct rec_node *node, uint32_t *id)
{
	size_t at;

	if (trie->n >= trie->nslots / 2 && trie_rehash(trie, trie->nslots * 2))
		return -1;
	for (at = node_hash(trie, node) & (trie->nslots - 1); trie->slots[at]; at = (at + 1) & (trie->nslots - 1)) {
		if (node_equal(&trie->nodes[trie->slots[at] - 1], node)) {
			*id = trie->slots[at] - 1;
			return 0;
		}
	}
	if (trie->n >= REC_NONE - 1 || array_room(trie->nodes, trie->room, trie->n + 1))
		return -1;
	*id = (uint32_t)trie->n;
	trie->nodes[trie->n++] = *node;
	trie->slots[at] = *id + 1;
	return 0;
}
