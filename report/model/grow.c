/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts are taken in the order of (root, user stack, kernel stack).  So all that
 * grows on the same twig comes in one go, and one remembered twig per node of
 * the trie is enough to grow no path twice: no table to search.
 */
#include "grow.h"

#include <string.h>

#include "array.h"
#include "order.h"

#define AHEAD 16 /* counts that memory is asked for before they are grown */

struct stem { /* what grew for a node, and on which twig its stack stands */
	uint32_t base, twig;
};
struct side { /* the last stack of a side, on which twig it stands, and where it ended */
	uint32_t base, leaf, end, twig;
	uint32_t cut_base, cut_twig; /* "[truncated]" on a base */
};
struct grower {
	const struct recording *rec;
	const struct tree_options *options;
	bool weighted;
	struct frames *frames;
	struct chains chains;
	struct twigs *twigs;
	uint32_t *leaf_chain, *inner_chain; /* per node: chains, REC_NONE not used */
	struct stem *stems;                 /* per node that is no leaf */
	uint32_t *roots;                    /* twig per thread or CPU, TREE_NONE not there yet */
	size_t nroots;
	struct ordered *planned;            /* counts to be grown; as many again to sort them */
	size_t nplanned;
	struct side user, kernel;
	uint32_t truncated, unknown;        /* frames */
	uint32_t *climb;                    /* nodes still to be grown */
	size_t climb_room;
};

static uint64_t value(const struct grower *g, const struct rec_count *count)
{
	return g->weighted ? count->weight : count->count;
}

/* --------------------------------------------------------- mark and name */

/* Its caller is marked here, and what lies below that in want_inner(). */
static int want_leaf(struct grower *g, uint32_t leaf)
{
	const struct rec_node *node;

	if (leaf == REC_NONE || g->leaf_chain[leaf] != REC_NONE)
		return 0;
	node = &g->rec->nodes[leaf];
	if (node->parent != REC_NONE)
		g->inner_chain[node->parent] = 0;
	return chains_want(&g->chains, node, true, &g->leaf_chain[leaf]);
}

/* Where roots[] remembers the root of this count. */
static uint32_t *known_root(const struct grower *g, const struct rec_count *count)
{
	if (g->options->by == TREE_BY_NONE)
		return &g->roots[0];
	if (g->options->by != TREE_BY_CPU)
		return &g->roots[count->thread];
	return &g->roots[count->cpu < g->nroots ? count->cpu : g->nroots - 1];
}

/* The twig that --by puts below the stack. */
static int plan_root(struct grower *g, const struct rec_count *count)
{
	uint32_t *known = known_root(g, count), frame;

	if (*known != TREE_NONE)
		return 0;
	if (g->options->by == TREE_BY_NONE) {
		*known = 0;
		return 0;
	}
	return frames_root(g->frames, count, &frame) || twigs_add(g->twigs, 0, frame, known) ? -1 : 0;
}

/* By root, then by user stack, then by kernel stack. */
static void sort_planned(struct grower *g)
{
	struct ordered *v = g->planned, *scratch = g->planned + g->rec->ncounts;

	order_sort(v, scratch, g->nplanned);
	for (size_t i = 0; i < g->nplanned; i++)
		v[i].key = v[i].more;
	order_sort(v, scratch, g->nplanned);
}

/* The callers of all leaves: those of a node stand before it. */
static int want_inner(struct grower *g)
{
	const struct rec_node *nodes = g->rec->nodes;

	for (size_t i = g->rec->nnodes; i-- > 0;)
		if (g->inner_chain[i] != REC_NONE && nodes[i].parent != REC_NONE)
			g->inner_chain[nodes[i].parent] = 0;
	for (size_t i = 0; i < g->rec->nnodes; i++)
		if (g->inner_chain[i] != REC_NONE && chains_want(&g->chains, &nodes[i], nodes[i].exact, &g->inner_chain[i]))
			return -1;
	return 0;
}

/* User stack, then kernel stack.  That none is 0 leaves the upper digits without a difference. */
static uint64_t sort_key(const struct rec_count *count)
{
	return (uint64_t)(uint32_t)(count->uleaf + 1) << 32 | (uint32_t)(count->kleaf + 1);
}

static int plan(struct grower *g)
{
	for (size_t i = 0; i < g->rec->ncounts; i++) {
		const struct rec_count *count = &g->rec->counts[i];

		if (count->event != g->options->event || !value(g, count))
			continue;
		if (want_leaf(g, count->uleaf) || want_leaf(g, count->kleaf) || plan_root(g, count))
			return -1;
		g->planned[g->nplanned++] = (struct ordered){
			.key = sort_key(count), .index = (uint32_t)i, .more = *known_root(g, count),
		};
	}
	if (want_inner(g))
		return -1;
	sort_planned(g);
	return chains_resolve(&g->chains);
}

/* ------------------------------------------------------------------ grow */

/* The frames of a chain on top of *twig.  Frames without a name stay one, however many follow each other. */
static int grow_chain(struct grower *g, uint32_t *twig, uint32_t chain)
{
	const struct address *a = &g->chains.v[chain];

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t frame = g->chains.pool[a->first + i];

		if (frame == g->unknown && *twig && g->twigs->v[*twig].frame == frame)
			continue;
		if (twigs_add(g->twigs, *twig, frame, twig))
			return -1;
	}
	return 0;
}

/* The callers of `node` and itself, as no leaf, on top of `base`. */
static int grow_inner(struct grower *g, uint32_t base, uint32_t node, uint32_t *twig)
{
	uint32_t at = node;
	size_t n = 0;

	for (; at != REC_NONE && g->stems[at].base != base; at = g->rec->nodes[at].parent) {
		if (array_room(g->climb, g->climb_room, n + 1))
			return -1;
		g->climb[n++] = at;
	}
	*twig = at == REC_NONE ? base : g->stems[at].twig;
	while (n-- > 0) {
		if (grow_chain(g, twig, g->inner_chain[g->climb[n]]))
			return -1;
		g->stems[g->climb[n]] = (struct stem){base, *twig};
	}
	return 0;
}

static int grow_cut(struct grower *g, struct side *side, uint32_t *base)
{
	if (side->cut_base != *base && twigs_add(g->twigs, *base, g->truncated, &side->cut_twig))
		return -1;
	side->cut_base = *base;
	*base = side->cut_twig;
	return 0;
}

/* A stack on top of *twig, and *twig at its leaf. */
static int grow_stack(struct grower *g, struct side *side, uint32_t *twig, uint32_t leaf, uint32_t end)
{
	uint32_t base = *twig, caller;

	if (leaf == REC_NONE)
		return 0;
	if (side->base == base && side->leaf == leaf && side->end == end) {
		*twig = side->twig;
		return 0;
	}
	side->base = base;
	side->leaf = leaf;
	side->end = end;
	caller = g->rec->nodes[leaf].parent;
	if (end == FOLD_STACK_END_DEPTH && grow_cut(g, side, &base))
		return -1;
	*twig = base;
	if (caller != REC_NONE && grow_inner(g, base, caller, twig))
		return -1;
	if (grow_chain(g, twig, g->leaf_chain[leaf]))
		return -1;
	side->twig = *twig;
	return 0;
}

static int grow_nothing(struct grower *g, const struct rec_count *count, uint32_t *twig)
{
	uint32_t frame;

	return frames_marker(g->frames, recording_no_stack(g->rec, count), &frame) || twigs_add(g->twigs, *twig, frame, twig) ? -1 : 0;
}

static int grow_count(struct grower *g, const struct rec_count *count, uint32_t *twig)
{
	*twig = *known_root(g, count);
	if (grow_stack(g, &g->user, twig, count->uleaf, count->uend) ||
	    grow_stack(g, &g->kernel, twig, count->kleaf, count->kend))
		return -1;
	if (count->uleaf == REC_NONE && count->kleaf == REC_NONE && grow_nothing(g, count, twig))
		return -1;
	g->twigs->v[*twig].self += value(g, count);
	return 0;
}

/* ------------------------------------------------------------------ setup */

static void *none_array(size_t n, size_t size)
{
	void *v = malloc((n + 1) * size);

	return v ? memset(v, 0xff, (n + 1) * size) : NULL;
}

static int grower_init(struct grower *g, struct symbolizer *symbolizer)
{
	const struct recording *rec = g->rec;

	g->user = g->kernel = (struct side){.base = TREE_NONE, .cut_base = TREE_NONE};
	g->nroots = (rec->nthreads > FOLD_MAX_CPUS ? rec->nthreads : FOLD_MAX_CPUS) + 1; /* the last: no CPU */
	g->roots = none_array(g->nroots, sizeof(*g->roots));
	g->leaf_chain = none_array(rec->nnodes, sizeof(*g->leaf_chain));
	g->inner_chain = none_array(rec->nnodes, sizeof(*g->inner_chain));
	g->stems = none_array(rec->nnodes, sizeof(*g->stems));
	g->planned = malloc((rec->ncounts + 1) * 2 * sizeof(*g->planned));
	if (!g->roots || !g->leaf_chain || !g->inner_chain || !g->stems || !g->planned ||
	    chains_init(&g->chains, g->frames, symbolizer))
		return -1;
	return frames_marker(g->frames, "[unknown]", &g->unknown) ||
	       frames_marker(g->frames, "[truncated]", &g->truncated) ? -1 : 0;
}

static void grower_release(struct grower *g)
{
	chains_release(&g->chains);
	free(g->leaf_chain);
	free(g->inner_chain);
	free(g->stems);
	free(g->roots);
	free(g->planned);
	free(g->climb);
}

int grow(struct twigs *twigs, struct frames *frames, struct symbolizer *symbolizer, bool weighted, uint32_t *leaves)
{
	struct grower g = {
		.rec = frames->rec, .options = frames->options, .weighted = weighted, .frames = frames, .twigs = twigs,
	};
	int err = grower_init(&g, symbolizer) || plan(&g) ? -1 : 0;

	memset(leaves, 0xff, g.rec->ncounts * sizeof(*leaves));
	for (size_t i = 0; !err && i < g.nplanned; i++) {
		if (i + AHEAD < g.nplanned) {
			__builtin_prefetch(&g.rec->counts[g.planned[i + AHEAD].index]);
			__builtin_prefetch(&leaves[g.planned[i + AHEAD].index], 1);
		}
		err = grow_count(&g, &g.rec->counts[g.planned[i].index], &leaves[g.planned[i].index]);
	}
	grower_release(&g);
	return err;
}
