/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Works on the trie: what passes through a node is known from the counts above
 * it, and a sample counts for a module at the outermost of its unnamed frames.
 */
#include "unnamed.h"

#include <stdlib.h>

struct passing { /* samples of a node */
	uint64_t leaf, inner;         /* that end there; that go on */
	bool leaf_bad, inner_bad;     /* the address has no name as pc; as return address */
	bool below_bad;               /* so has one of its callers */
};

/* Both sides of a sample count apart here; affected samples are counted once in count_affected(). */
static void add_counts(struct passing *v, const struct recording *rec)
{
	for (size_t i = 0; i < rec->ncounts; i++) {
		const struct rec_count *c = &rec->counts[i];

		if (c->uleaf != REC_NONE)
			v[c->uleaf].leaf += c->count;
		if (c->kleaf != REC_NONE)
			v[c->kleaf].leaf += c->count;
	}
	for (size_t i = rec->nnodes; i-- > 0;)
		if (rec->nodes[i].parent != REC_NONE)
			v[rec->nodes[i].parent].inner += v[i].leaf + v[i].inner;
}

static bool unnamed(struct symbolizer *symbolizer, const struct rec_node *node, bool exact)
{
	struct symbols symbols = symbolize(symbolizer, node->module, node->offset, exact);

	return !symbols.n || !symbols.v[0].named;
}

static void name_nodes(struct passing *v, const struct recording *rec, struct symbolizer *symbolizer)
{
	for (size_t i = 0; i < rec->nnodes; i++) {
		const struct rec_node *node = &rec->nodes[i];
		struct passing *p = &v[i];

		if (node->kind == REC_FRAME_CODE) {
			p->leaf_bad = p->leaf && unnamed(symbolizer, node, true);
			p->inner_bad = p->inner && unnamed(symbolizer, node, node->exact);
		}
		if (node->parent != REC_NONE)
			p->below_bad = v[node->parent].below_bad || v[node->parent].inner_bad;
	}
}

/* Is there an unnamed caller in the same module?  Then the sample was counted there. */
static bool counted_below(const struct passing *v, const struct recording *rec, size_t node)
{
	uint32_t module = rec->nodes[node].module;

	if (!v[node].below_bad)
		return false;
	for (uint32_t at = rec->nodes[node].parent; at != REC_NONE; at = rec->nodes[at].parent)
		if (v[at].inner_bad && rec->nodes[at].module == module)
			return true;
	return false;
}

static void sum_modules(struct unnamed *u, const struct passing *v, const struct recording *rec)
{
	for (size_t i = 0; i < rec->nnodes; i++) {
		struct unnamed_module *m = &u->v[rec->nodes[i].module];
		uint64_t samples = (v[i].leaf_bad ? v[i].leaf : 0) + (v[i].inner_bad ? v[i].inner : 0);

		if (!samples)
			continue;
		m->selves += v[i].leaf_bad ? v[i].leaf : 0;
		m->samples += counted_below(v, rec, i) ? 0 : samples;
	}
}

static bool stack_bad(const struct passing *v, uint32_t leaf)
{
	return leaf != REC_NONE && (v[leaf].leaf_bad || v[leaf].below_bad);
}

static void count_affected(struct unnamed *u, const struct passing *v, const struct recording *rec)
{
	for (size_t i = 0; i < rec->ncounts; i++) {
		const struct rec_count *c = &rec->counts[i];

		u->samples += c->count;
		u->affected += stack_bad(v, c->uleaf) || stack_bad(v, c->kleaf) ? c->count : 0;
	}
}

static int compare(const void *a, const void *b)
{
	const struct unnamed_module *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->module < y->module ? -1 : x->module > y->module;
}

int unnamed_measure(struct unnamed *u, const struct recording *rec, struct symbolizer *symbolizer)
{
	struct passing *v = calloc(rec->nnodes + 1, sizeof(*v));

	*u = (struct unnamed){.v = calloc(rec->nmodules + 1, sizeof(*u->v))};
	if (!v || !u->v) {
		free(v);
		unnamed_release(u);
		return -1;
	}
	for (size_t i = 0; i < rec->nmodules; i++)
		u->v[i].module = (uint32_t)i;
	add_counts(v, rec);
	name_nodes(v, rec, symbolizer);
	sum_modules(u, v, rec);
	count_affected(u, v, rec);
	free(v);
	for (size_t i = 0; i < rec->nmodules; i++)
		if (u->v[i].samples)
			u->v[u->n++] = u->v[i];
	if (u->n)
		qsort(u->v, u->n, sizeof(*u->v), compare);
	return 0;
}

void unnamed_release(struct unnamed *u)
{
	free(u->v);
	*u = (struct unnamed){0};
}
