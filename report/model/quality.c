/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass over the nodes says what lies between each and its root, one over the counts adds up. */
#include "quality.h"

#include <stdlib.h>

struct below { /* from a node down to its root */
	uint32_t depth;
	uint32_t outermost; /* module of the last frame that was reached, REC_NONE no code */
	bool unmapped, lost;
};

bool quality_complete(uint32_t end)
{
	return end == FOLD_STACK_END_ROOT || end == FOLD_STACK_END_FP_ROOT;
}

/* Whether code of the module where the walk ended is why it did. */
static bool module_ended(uint32_t end)
{
	return !quality_complete(end) && end != FOLD_STACK_END_EXITING;
}

static struct below *look_below(const struct recording *rec)
{
	struct below *v = malloc((rec->nnodes + 1) * sizeof(*v));

	for (size_t i = 0; v && i < rec->nnodes; i++) {
		const struct rec_node *node = &rec->nodes[i];
		struct below below = {.outermost = REC_NONE};

		if (node->parent != REC_NONE)
			below = v[node->parent];
		if (node->kind == REC_FRAME_CODE) {
			below.depth++;
			if (below.outermost == REC_NONE)
				below.outermost = node->module;
		}
		below.unmapped |= node->kind == REC_FRAME_MARKER && node->module == FOLD_MARK_UNMAPPED;
		below.lost |= node->kind == REC_FRAME_LOST;
		v[i] = below;
	}
	return v;
}

static void add_side(struct quality_side *side, const struct below *below, uint32_t leaf, uint32_t end, uint64_t count)
{
	if (leaf == REC_NONE && !end)
		return;
	side->samples += count;
	side->ends[end < QUALITY_ENDS ? end : QUALITY_ENDS - 1] += count;
	if (leaf == REC_NONE)
		return;
	side->frames += count * below[leaf].depth;
	side->unmapped += below[leaf].unmapped ? count : 0;
	side->lost += below[leaf].lost ? count : 0;
}

static int compare(const void *a, const void *b)
{
	const struct quality_module *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->module < y->module ? -1 : x->module > y->module;
}

static void sort_modules(struct quality *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (q->modules[i].samples)
			q->modules[q->nmodules++] = q->modules[i];
	if (q->nmodules)
		qsort(q->modules, q->nmodules, sizeof(*q->modules), compare);
}

int quality_measure(struct quality *q, const struct recording *rec, uint32_t event)
{
	struct below *below = look_below(rec);

	*q = (struct quality){.modules = calloc(rec->nmodules + 1, sizeof(*q->modules))};
	if (!below || !q->modules) {
		free(below);
		quality_release(q);
		return -1;
	}
	for (size_t i = 0; i < rec->nmodules; i++)
		q->modules[i].module = (uint32_t)i;
	for (size_t i = 0; i < rec->ncounts; i++) {
		const struct rec_count *c = &rec->counts[i];

		if (c->event != event)
			continue;
		q->samples += c->count;
		q->neither += c->kleaf == REC_NONE && c->uleaf == REC_NONE ? c->count : 0;
		add_side(&q->kernel, below, c->kleaf, c->kend, c->count);
		add_side(&q->user, below, c->uleaf, c->uend, c->count);
		if (c->uleaf != REC_NONE && module_ended(c->uend) && below[c->uleaf].outermost != REC_NONE)
			q->modules[below[c->uleaf].outermost].samples += c->count;
	}
	sort_modules(q, rec->nmodules);
	free(below);
	return 0;
}

void quality_release(struct quality *q)
{
	free(q->modules);
	*q = (struct quality){0};
}
