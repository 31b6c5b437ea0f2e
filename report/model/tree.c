/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts and the trie of offsets to the tree of names, in five steps: mark what
 * the counts use, name each address once, grow branches along the stacks (a path
 * that was grown is remembered, so that work follows what is distinct), turn or
 * thin them out as asked, and lay the result out in a fixed order.
 */
#include "tree.h"

#include <regex.h>
#include <string.h>

#include "../log.h"
#include "array.h"
#include "branches.h"
#include "chains.h"

#define NO_ROOT UINT32_MAX

struct tree_private {
	struct intern text; /* of the frames */
};
struct builder {
	const struct recording *rec;
	const struct tree_options *options;
	bool weighted;
	struct frames frames;
	struct chains chains;
	struct branches branches;
	uint32_t *leaf_chain, *inner_chain; /* per node: chains, REC_NONE not used */
	struct pairmap paths;               /* (branch below, node) -> branch */
	uint32_t *roots;                    /* branch per thread or CPU, NO_ROOT */
	size_t nroots;
	uint32_t truncated, unknown;        /* frames */
	uint32_t *climb;                    /* nodes still to be grown */
	size_t climb_room;
	uint32_t *leaves;                   /* per count: branch, TREE_NONE */
};

static bool count_used(const struct builder *b, const struct rec_count *count)
{
	return count->event == b->options->event && (b->weighted ? count->weight : count->count);
}

/* --------------------------------------------------------- mark and name */

static int mark_stack(struct builder *b, uint32_t leaf)
{
	const struct rec_node *nodes = b->rec->nodes;

	if (leaf == REC_NONE)
		return 0;
	if (b->leaf_chain[leaf] == REC_NONE && chains_want(&b->chains, &nodes[leaf], true, &b->leaf_chain[leaf]))
		return -1;
	for (uint32_t at = nodes[leaf].parent; at != REC_NONE && b->inner_chain[at] == REC_NONE; at = nodes[at].parent)
		if (chains_want(&b->chains, &nodes[at], nodes[at].exact, &b->inner_chain[at]))
			return -1;
	return 0;
}

static int mark_counts(struct builder *b)
{
	for (size_t i = 0; i < b->rec->ncounts; i++) {
		const struct rec_count *count = &b->rec->counts[i];

		if (count_used(b, count) && (mark_stack(b, count->uleaf) || mark_stack(b, count->kleaf)))
			return -1;
	}
	return chains_resolve(&b->chains);
}

/* ------------------------------------------------------------------ grow */

/* The frames of a chain on top of *branch.  Frames without a name stay one, however many follow each other. */
static int grow_chain(struct builder *b, uint32_t *branch, uint32_t chain)
{
	const struct address *a = &b->chains.v[chain];

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t frame = b->chains.pool[a->first + i];

		if (frame == b->unknown && *branch && b->branches.v[*branch].frame == frame)
			continue;
		if (branches_child(&b->branches, *branch, frame, branch))
			return -1;
	}
	return 0;
}

/* The callers of `node` and itself, as no leaf, on top of `below`. */
static int grow_inner(struct builder *b, uint32_t below, uint32_t node, uint32_t *branch)
{
	uint32_t at = node, known = below;
	size_t n = 0;

	for (; at != REC_NONE; at = b->rec->nodes[at].parent) {
		known = pairmap_get(&b->paths, below, at);
		if (known != UINT32_MAX)
			break;
		if (array_room(b->climb, b->climb_room, n + 1))
			return -1;
		b->climb[n++] = at;
	}
	*branch = at == REC_NONE ? below : known;
	while (n-- > 0) {
		if (grow_chain(b, branch, b->inner_chain[b->climb[n]]) ||
		    pairmap_add(&b->paths, below, b->climb[n], *branch, &known) < 0)
			return -1;
	}
	return 0;
}

static int grow_stack(struct builder *b, uint32_t *branch, uint32_t leaf, uint32_t end)
{
	if (leaf == REC_NONE)
		return 0;
	if (end == FOLD_STACK_END_DEPTH && branches_child(&b->branches, *branch, b->truncated, branch))
		return -1;
	if (b->rec->nodes[leaf].parent != REC_NONE && grow_inner(b, *branch, b->rec->nodes[leaf].parent, branch))
		return -1;
	return grow_chain(b, branch, b->leaf_chain[leaf]);
}

/* Where roots[] remembers the root of this count. */
static size_t root_place(const struct builder *b, const struct rec_count *count)
{
	if (b->options->by != TREE_BY_CPU)
		return count->thread;
	return count->cpu < b->nroots ? count->cpu : b->nroots - 1;
}

/* The branch that --by puts below the stack. */
static int grow_root(struct builder *b, const struct rec_count *count, uint32_t *branch)
{
	uint32_t *known = &b->roots[root_place(b, count)];
	uint32_t frame;

	*branch = 0;
	if (b->options->by == TREE_BY_NONE)
		return 0;
	if (*known == NO_ROOT &&
	    (frames_root(&b->frames, count, &frame) || branches_child(&b->branches, 0, frame, known)))
		return -1;
	*branch = *known;
	return 0;
}

static int grow_count(struct builder *b, size_t i)
{
	const struct rec_count *count = &b->rec->counts[i];
	uint32_t branch;

	if (grow_root(b, count, &branch) || grow_stack(b, &branch, count->uleaf, count->uend) ||
	    grow_stack(b, &branch, count->kleaf, count->kend))
		return -1;
	if (count->uleaf == REC_NONE && count->kleaf == REC_NONE &&
	    branches_child(&b->branches, branch, b->unknown, &branch))
		return -1;
	b->branches.v[branch].self += b->weighted ? count->weight : count->count;
	b->leaves[i] = branch;
	return 0;
}

static int grow_all(struct builder *b)
{
	for (size_t i = 0; i < b->rec->ncounts; i++) {
		b->leaves[i] = TREE_NONE;
		if (count_used(b, &b->rec->counts[i]) && grow_count(b, i))
			return -1;
	}
	return 0;
}

/* ----------------------------------------------------------------- match */

static int match_frames(const struct frames *frames, const char *pattern, bool *matched)
{
	regex_t regex;
	int err = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (err) {
		char text[128];

		regerror(err, &regex, text, sizeof(text));
		log_error("--match '%s': %s", pattern, text);
		return -1;
	}
	for (size_t i = 0; i < frames->n; i++)
		matched[i] = frames->v[i].kind != FRAME_ROOT && !regexec(&regex, frames->v[i].name, 0, NULL, 0);
	regfree(&regex);
	return 0;
}

/* Take away the samples of stacks in which no frame matches. */
static int apply_match(struct builder *b, const char *pattern)
{
	bool *frame_in = calloc(b->frames.n, sizeof(*frame_in));
	bool *branch_in = calloc(b->branches.n, sizeof(*branch_in));
	int err = frame_in && branch_in ? match_frames(&b->frames, pattern, frame_in) : -1;

	for (size_t i = 1; !err && i < b->branches.n; i++) {
		struct branch *branch = &b->branches.v[i];

		branch_in[i] = frame_in[branch->frame] || branch_in[branch->parent];
		if (!branch_in[i])
			branch->self = 0;
	}
	for (size_t i = 0; !err && i < b->rec->ncounts; i++)
		if (b->leaves[i] != TREE_NONE && !branch_in[b->leaves[i]])
			b->leaves[i] = TREE_NONE;
	free(frame_in);
	free(branch_in);
	return err;
}

/* ------------------------------------------------------ totals of frames */

struct layout { /* children of all branches, beside each other, and the order of a walk */
	uint32_t *first, *children; /* children[first[i] .. first[i + 1]) */
	uint32_t *place;            /* branch -> node, TREE_NONE left out */
	uint32_t *walk;             /* branches still to be visited */
};

static void layout_release(struct layout *l)
{
	free(l->first);
	free(l->children);
	free(l->place);
	free(l->walk);
}

static int branch_compare(const void *a, const void *b, void *state)
{
	const struct branch *v = state;
	uint32_t x = v[*(const uint32_t *)a].frame, y = v[*(const uint32_t *)b].frame;

	return x < y ? -1 : x > y;
}

/* Children that hold samples, sorted by frame. */
static int layout_init(struct layout *l, const struct branches *branches)
{
	size_t n = branches->n;
	uint32_t *next;

	*l = (struct layout){
		.first = calloc(n + 2, sizeof(*l->first)),
		.children = malloc((n + 1) * sizeof(*l->children)),
		.place = malloc((n + 1) * sizeof(*l->place)),
		.walk = malloc((n + 1) * sizeof(*l->walk)),
	};
	if (!l->first || !l->children || !l->place || !l->walk)
		return -1;
	next = l->place; /* used as a cursor here, filled later */
	for (size_t i = 1; i < n; i++)
		l->first[branches->v[i].parent + 1] += branches->v[i].total != 0;
	for (size_t i = 0; i < n; i++) {
		l->first[i + 1] += l->first[i];
		next[i] = l->first[i];
	}
	for (size_t i = 1; i < n; i++)
		if (branches->v[i].total)
			l->children[next[branches->v[i].parent]++] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		if (l->first[i + 1] - l->first[i] > 1)
			qsort_r(&l->children[l->first[i]], l->first[i + 1] - l->first[i], sizeof(*l->children),
				branch_compare, branches->v);
	memset(l->place, 0xff, (n + 1) * sizeof(*l->place));
	return 0;
}

/*
 * self and total of frames.  A frame that calls itself counts once: only the
 * outermost of its branches adds its total.
 */
static int sum_frames(struct frames *frames, const struct branches *branches)
{
	uint32_t *open = calloc(frames->n, sizeof(*open)); /* how often it is on the path */
	struct layout l;
	size_t n = 0;
	int err = layout_init(&l, branches) || !open ? -1 : 0;

	if (!err)
		l.walk[n++] = 0;
	while (n) {
		uint32_t at = l.walk[n - 1];
		const struct branch *branch = &branches->v[at];

		if (l.place[at] == 0) { /* leaving: its children are done */
			open[branch->frame]--;
			n--;
			continue;
		}
		l.place[at] = 0;
		frames->v[branch->frame].self += branch->self;
		if (!open[branch->frame]++)
			frames->v[branch->frame].total += branch->total;
		for (uint32_t i = l.first[at]; i < l.first[at + 1]; i++)
			l.walk[n++] = l.children[i];
	}
	layout_release(&l);
	free(open);
	return err;
}

/* --------------------------------------------------------------- reverse */

/* Each stack from its leaf on; `moved` receives where the samples of a branch went. */
static int reverse_branches(const struct branches *from, struct branches *to, uint32_t *moved)
{
	for (size_t i = 0; i < from->n; i++) {
		uint32_t branch = 0;

		moved[i] = TREE_NONE;
		if (!from->v[i].self)
			continue;
		for (uint32_t at = (uint32_t)i; at; at = from->v[at].parent)
			if (branches_child(to, branch, from->v[at].frame, &branch))
				return -1;
		to->v[branch].self += from->v[i].self;
		moved[i] = branch;
	}
	branches_sum(to);
	return 0;
}

static int reverse(struct builder *b)
{
	struct branches reversed;
	uint32_t *moved = malloc(b->branches.n * sizeof(*moved));
	int err = branches_init(&reversed) || !moved ? -1 : reverse_branches(&b->branches, &reversed, moved);

	for (size_t i = 0; !err && i < b->rec->ncounts; i++)
		if (b->leaves[i] != TREE_NONE)
			b->leaves[i] = moved[b->leaves[i]];
	free(moved);
	branches_release(&b->branches);
	b->branches = reversed;
	return err;
}

/* --------------------------------------------------------------- lay out */

static int text_compare(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int frame_compare(const void *a, const void *b, void *state)
{
	const struct frame *v = state;
	const struct frame *x = &v[*(const uint32_t *)a], *y = &v[*(const uint32_t *)b];
	int order = text_compare(x->name, y->name);

	if (!order)
		order = text_compare(x->module, y->module);
	if (!order)
		order = (int)x->kind - (int)y->kind;
	if (!order)
		order = text_compare(x->file, y->file);
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Frames in order of their names, those without samples left out; branches follow. */
static int sort_frames(struct builder *b, struct tree *tree)
{
	struct frames *frames = &b->frames;
	uint32_t *order = malloc(frames->n * sizeof(*order)), *rank = malloc(frames->n * sizeof(*rank));

	tree->frames = malloc(frames->n * sizeof(*tree->frames));
	if (!order || !rank || !tree->frames) {
		free(order);
		free(rank);
		return -1;
	}
	for (size_t i = 0; i < frames->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order + 1, frames->n - 1, sizeof(*order), frame_compare, frames->v);
	for (size_t i = 0; i < frames->n; i++) {
		rank[order[i]] = (uint32_t)tree->nframes;
		if (!order[i] || frames->v[order[i]].total)
			tree->frames[tree->nframes++] = frames->v[order[i]];
	}
	for (size_t i = 0; i < b->branches.n; i++)
		b->branches.v[i].frame = rank[b->branches.v[i].frame];
	free(order);
	free(rank);
	return 0;
}

/* Nodes in the order of a walk: parents first, siblings by frame. */
static void place_nodes(const struct branches *branches, struct layout *l, struct tree *tree)
{
	size_t n = 0;

	l->walk[n++] = 0;
	while (n) {
		uint32_t at = l->walk[--n], id = (uint32_t)tree->nnodes++;
		const struct branch *branch = &branches->v[at];
		struct tree_node *node = &tree->nodes[id];

		l->place[at] = id;
		*node = (struct tree_node){
			.parent = at ? l->place[branch->parent] : TREE_NONE,
			.child = TREE_NONE,
			.next = TREE_NONE,
			.frame = branch->frame,
			.self = branch->self,
			.total = branch->total,
		};
		for (uint32_t i = l->first[at + 1]; i-- > l->first[at];)
			l->walk[n++] = l->children[i];
	}
	for (size_t i = tree->nnodes; i-- > 1;) { /* backwards: each goes before its younger siblings */
		struct tree_node *parent = &tree->nodes[tree->nodes[i].parent];

		tree->nodes[i].next = parent->child;
		parent->child = (uint32_t)i;
	}
}

static int lay_out(struct builder *b, struct tree *tree)
{
	struct layout l = {0};
	int err = sort_frames(b, tree) || layout_init(&l, &b->branches) ? -1 : 0;

	if (!err) {
		tree->nodes = malloc(b->branches.n * sizeof(*tree->nodes));
		err = tree->nodes ? 0 : -1;
	}
	if (!err) {
		place_nodes(&b->branches, &l, tree);
		for (size_t i = 0; i < b->rec->ncounts; i++)
			if (b->leaves[i] != TREE_NONE)
				b->leaves[i] = l.place[b->leaves[i]];
		tree->leaves = b->leaves;
		b->leaves = NULL;
		tree->total = b->branches.v[0].total;
		tree->weighted = b->weighted;
	}
	layout_release(&l);
	return err;
}

/* ------------------------------------------------------------------ build */

static uint32_t *none_array(size_t n)
{
	uint32_t *v = malloc((n + 1) * sizeof(*v));

	if (v)
		memset(v, 0xff, (n + 1) * sizeof(*v));
	return v;
}

static int builder_init(struct builder *b, const struct recording *rec, struct symbolizer *symbolizer,
			const struct tree_options *options)
{
	size_t n = rec->nnodes;

	*b = (struct builder){.rec = rec, .options = options};
	b->weighted = options->event < rec->nevents && rec->events[options->event].weight_name;
	b->nroots = (rec->nthreads > FOLD_MAX_CPUS ? rec->nthreads : FOLD_MAX_CPUS) + 1; /* the last: no CPU */
	b->roots = none_array(b->nroots);
	b->leaf_chain = none_array(n);
	b->inner_chain = none_array(n);
	b->leaves = none_array(rec->ncounts);
	if (!b->roots || !b->leaf_chain || !b->inner_chain || !b->leaves ||
	    frames_init(&b->frames, rec, options) || chains_init(&b->chains, &b->frames, symbolizer) ||
	    branches_init(&b->branches) || pairmap_init(&b->paths))
		return -1;
	return frames_marker(&b->frames, "[unknown]", &b->unknown) ||
	       frames_marker(&b->frames, "[truncated]", &b->truncated) ? -1 : 0;
}

static void builder_release(struct builder *b)
{
	frames_release(&b->frames);
	chains_release(&b->chains);
	branches_release(&b->branches);
	pairmap_release(&b->paths);
	free(b->leaf_chain);
	free(b->inner_chain);
	free(b->roots);
	free(b->climb);
	free(b->leaves);
}

static int build(struct builder *b, struct tree *tree)
{
	const struct tree_options *options = b->options;

	if (mark_counts(b) || grow_all(b) || (options->match && apply_match(b, options->match)))
		return -1;
	branches_sum(&b->branches);
	if (sum_frames(&b->frames, &b->branches) || (options->reverse && reverse(b)) || lay_out(b, tree))
		return -1;
	tree->private->text = b->frames.text; /* the names move, the frames were copied */
	b->frames.text = (struct intern){0};
	return 0;
}

int tree_build(struct tree *tree, const struct recording *rec, struct symbolizer *symbolizer,
	       const struct tree_options *options)
{
	struct builder b;
	int err;

	*tree = (struct tree){0};
	tree->private = calloc(1, sizeof(*tree->private));
	err = builder_init(&b, rec, symbolizer, options) || !tree->private ? -1 : build(&b, tree);
	builder_release(&b);
	if (err) {
		log_error("the call tree could not be built");
		tree_release(tree);
	}
	return err;
}

void tree_release(struct tree *tree)
{
	if (tree->private)
		intern_release(&tree->private->text);
	free(tree->private);
	free(tree->nodes);
	free(tree->frames);
	free(tree->leaves);
	*tree = (struct tree){0};
}
