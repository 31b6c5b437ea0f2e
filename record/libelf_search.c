/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Five functions that libelf.a of elfutils 0.192 calls but no archive of that
 * release holds (they sit in its private libeu.a), so that a static link fails.
 * Weak: an archive that brings its own wins.  Shapes as in that release's
 * search-tree interface: a tree begins with its root pointer.
 */
#include <search.h>
#include <stddef.h>

struct eu_search_tree {
	void *root;
};

void eu_search_tree_init(struct eu_search_tree *tree);
void eu_search_tree_fini(struct eu_search_tree *tree, void (*free_node)(void *));
void *eu_tsearch(const void *key, struct eu_search_tree *tree, int (*compare)(const void *, const void *));
void *eu_tfind(const void *key, struct eu_search_tree *tree, int (*compare)(const void *, const void *));
void *eu_tdelete(const void *key, struct eu_search_tree *tree, int (*compare)(const void *, const void *));

__attribute__((weak)) void eu_search_tree_init(struct eu_search_tree *tree)
{
	tree->root = NULL;
}

__attribute__((weak)) void eu_search_tree_fini(struct eu_search_tree *tree, void (*free_node)(void *))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}

__attribute__((weak)) void *eu_tsearch(const void *key, struct eu_search_tree *tree,
				       int (*compare)(const void *, const void *))
{
	return tsearch(key, &tree->root, compare);
}

__attribute__((weak)) void *eu_tfind(const void *key, struct eu_search_tree *tree,
				     int (*compare)(const void *, const void *))
{
	return tfind(key, &tree->root, compare);
}

__attribute__((weak)) void *eu_tdelete(const void *key, struct eu_search_tree *tree,
				       int (*compare)(const void *, const void *))
{
	return tdelete(key, &tree->root, compare);
}
