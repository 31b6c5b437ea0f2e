/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From counts to the tree of names: grown (grow.c), thinned out by --match, laid
 * out (twigs.c), turned around for --reverse.  Owns the order of these steps and
 * that of frames.
 */
#include "tree.h"

#include <regex.h>
#include <string.h>

#include "../log.h"
#include "array.h"
#include "grow.h"
#include "reverse.h"

struct builder {
	const struct recording *rec;
	const struct tree_options *options;
	struct frames frames;
	struct twigs twigs;
	uint32_t *leaves; /* per count: twig, later node; TREE_NONE */
	uint32_t *rank;   /* per frame: its place in the order of names */
};

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
	bool *twig_in = calloc(b->twigs.n, sizeof(*twig_in));
	int err = frame_in && twig_in ? match_frames(&b->frames, pattern, frame_in) : -1;

	for (size_t i = 1; !err && i < b->twigs.n; i++) {
		struct twig *twig = &b->twigs.v[i];

		twig_in[i] = frame_in[twig->frame] || twig_in[twig->parent];
		if (!twig_in[i])
			twig->self = 0;
	}
	for (size_t i = 0; !err && i < b->rec->ncounts; i++)
		if (b->leaves[i] != TREE_NONE && !twig_in[b->leaves[i]])
			b->leaves[i] = TREE_NONE;
	free(frame_in);
	free(twig_in);
	return err;
}

/* ---------------------------------------------------------------- frames */

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

/* Frames in the order of their names; "all" stays first. */
static int sort_frames(struct builder *b, struct tree *tree)
{
	const struct frames *frames = &b->frames;
	uint32_t *order = malloc(frames->n * sizeof(*order));

	b->rank = malloc(frames->n * sizeof(*b->rank));
	tree->frames = malloc(frames->n * sizeof(*tree->frames));
	tree->nframes = frames->n;
	if (!order || !b->rank || !tree->frames) {
		free(order);
		return -1;
	}
	for (size_t i = 0; i < frames->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order + 1, frames->n - 1, sizeof(*order), frame_compare, frames->v);
	for (size_t i = 0; i < frames->n; i++) {
		b->rank[order[i]] = (uint32_t)i;
		tree->frames[i] = frames->v[order[i]];
	}
	free(order);
	return 0;
}

/* Leave out the frames of which no sample is left. */
static void drop_frames(struct builder *b, struct tree *tree)
{
	size_t kept = 0;

	for (size_t i = 0; i < tree->nframes; i++) {
		b->rank[i] = (uint32_t)kept;
		if (!i || tree->frames[i].total)
			tree->frames[kept++] = tree->frames[i];
	}
	tree->nframes = kept;
	for (size_t i = 0; i < tree->nnodes; i++)
		tree->nodes[i].frame = b->rank[tree->nodes[i].frame];
}

/* --------------------------------------------------------------- reverse */

static void follow(struct builder *b, const uint32_t *place)
{
	for (size_t i = 0; i < b->rec->ncounts; i++)
		if (b->leaves[i] != TREE_NONE)
			b->leaves[i] = place[b->leaves[i]];
}

/* Lay the twigs out, and let the counts follow. */
static int lay_out(struct builder *b, const struct twigs *twigs, struct tree *tree)
{
	uint32_t *place = malloc(twigs->n * sizeof(*place));
	int err = place ? twigs_lay_out(twigs, b->rank, place, tree) : -1;

	if (!err)
		follow(b, place);
	free(place);
	return err;
}

static int reverse(struct builder *b, struct tree *tree)
{
	uint32_t *moved = malloc(tree->nnodes * sizeof(*moved));
	int err = moved ? reverse_nodes(tree, moved) : -1;

	if (!err)
		follow(b, moved);
	free(moved);
	return err;
}

/* ------------------------------------------------------------------ build */

static int build(struct builder *b, struct symbolizer *symbolizer, struct tree *tree)
{
	const struct tree_options *options = b->options;

	if (frames_init(&b->frames, b->rec, options) || twigs_init(&b->twigs) ||
	    grow(&b->twigs, &b->frames, symbolizer, tree->weighted, b->leaves) ||
	    (options->match && apply_match(b, options->match)) || sort_frames(b, tree) ||
	    lay_out(b, &b->twigs, tree) || tree_sum_frames(tree))
		return -1;
	drop_frames(b, tree);
	if (options->reverse && reverse(b, tree))
		return -1;
	tree->text = b->frames.text; /* the names move, the frames were copied */
	b->frames.text = (struct intern){0};
	tree->leaves = b->leaves;
	b->leaves = NULL;
	return 0;
}

int tree_build(struct tree *tree, const struct recording *rec, struct symbolizer *symbolizer,
	       const struct tree_options *options)
{
	struct builder b = {.rec = rec, .options = options};
	int err;

	*tree = (struct tree){0};
	tree->weighted = options->event < rec->nevents && rec->events[options->event].weight_name;
	b.leaves = malloc((rec->ncounts + 1) * sizeof(*b.leaves));
	err = b.leaves ? build(&b, symbolizer, tree) : -1;
	frames_release(&b.frames);
	twigs_release(&b.twigs);
	free(b.leaves);
	free(b.rank);
	if (err) {
		log_error("the call tree could not be built");
		tree_release(tree);
	}
	return err;
}
