/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KSTACKS and USTACKS: how many frames each stack shares with the one before, how
 * many are new, how it ended, and a token for each new frame, root first.  Both
 * ways a stack is a path in a forest; only the frames that are new are visited,
 * so time and memory are linear in the tokens.
 */
#include "column.h"

#include <string.h>

/* The stack before, for what the next one shares with it. */
struct path {
	uint32_t depth;
	uint32_t node[FOLD_MAX_FRAMES];
	fold_frame frame[FOLD_MAX_FRAMES];
	uint64_t last[FOLD_MAX_FRAMES]; /* the last module frame, from the root up to here; 0 none */
};

static uint64_t last_module_frame(const struct path *path, uint32_t depth)
{
	return depth ? path->last[depth - 1] : 0;
}

/*
 * What a caller called last, by a hash of the caller: a frame is written as its
 * difference to that.  A slot is whoever's came last, so the table is small, needs
 * no keys, and nobody can make it slow.
 */
#define GUESS_SLOTS_LOG 13
#define GUESS_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define BEFORE_ROOT UINT64_MAX

struct guesses {
	struct guess { fold_frame before, after; } slot[1 << GUESS_SLOTS_LOG];
};

static struct guess *guess_slot(struct guesses *g, const struct path *path, uint32_t depth, fold_frame *before)
{
	*before = depth ? path->frame[depth - 1] : BEFORE_ROOT;
	return &g->slot[*before * GUESS_FACTOR >> (64 - GUESS_SLOTS_LOG)];
}

/* The frame at `depth` of the path is this one. */
static void path_put(struct path *path, uint32_t depth, fold_frame frame)
{
	path->last[depth] = frame_is_marker(frame) ? last_module_frame(path, depth) : frame;
	path->frame[depth] = frame;
}

/* ---- encoding */

/* How many frames of `stack` the one before has, too; puts the others into the path. */
static uint32_t stack_shared(const struct fold_stacks *stacks, const struct fold_stack *stack, struct path *path)
{
	uint32_t shared = stack->depth;

	for (uint32_t at = stack->leaf; shared; at = stacks->nodes[at].parent, shared--) {
		if (shared <= path->depth && path->node[shared - 1] == at)
			break;
		path->node[shared - 1] = at;
	}
	path->depth = stack->depth;
	return shared;
}

/* Only bit 0 tells markers from offsets; differences of offsets fit 63 bits. */
static void token_encode(struct buf *to, struct guesses *guesses, const struct path *path, uint32_t depth, fold_frame frame)
{
	fold_frame before;
	struct guess *guess = guess_slot(guesses, path, depth, &before);

	if (frame_is_marker(frame)) {
		buf_uv(to, (frame & ~FOLD_MARKER) << 1 | 1);
		return;
	}
	buf_uv(to, zigzag((int64_t)(frame - (guess->before == before ? guess->after : last_module_frame(path, depth)))) << 1);
	*guess = (struct guess){.before = before, .after = frame};
}

/* One of the columns that have a number for each stack; not needed when all are 0. */
static void numbers_encode(struct buf *to, int id, const struct fold_stacks *stacks)
{
	size_t start = to->size, mark;
	struct path path;
	bool any = id == FOLD_COL_FRESH;

	path.depth = 0;
	buf_uv(to, (uint64_t)id);
	mark = buf_open(to);
	for (size_t i = 0; i < stacks->n; i++) {
		const struct fold_stack *stack = &stacks->v[i];
		uint32_t shared = stack_shared(stacks, stack, &path);
		uint32_t number = id == FOLD_COL_SHARED ? shared : id == FOLD_COL_FRESH ? stack->depth - shared : stack->end;

		buf_uv(to, number);
		any |= number != 0;
	}
	buf_close(to, mark);
	if (!any)
		to->size = start;
}

static void tokens_encode(struct buf *to, const struct fold_stacks *stacks)
{
	struct guesses guesses = {0};
	struct path path;
	size_t mark;

	path.depth = 0;
	buf_uv(to, FOLD_COL_TOKENS);
	mark = buf_open(to);
	for (size_t i = 0; i < stacks->n; i++) {
		const struct fold_stack *stack = &stacks->v[i];

		for (uint32_t at = stack_shared(stacks, stack, &path); at < stack->depth; at++) {
			fold_frame frame = stacks->nodes[path.node[at]].frame;

			token_encode(to, &guesses, &path, at, frame);
			path_put(&path, at, frame);
		}
	}
	buf_close(to, mark);
}

void stacks_encode(struct buf *to, const struct fold_stacks *stacks)
{
	buf_uv(to, stacks->first_id);
	buf_uv(to, stacks->n);
	numbers_encode(to, FOLD_COL_SHARED, stacks);
	numbers_encode(to, FOLD_COL_FRESH, stacks);
	numbers_encode(to, FOLD_COL_END, stacks);
	tokens_encode(to, stacks);
}

/* ---- decoding */

/* Frames of the same module follow each other: `near` is where the last one was. */
static bool frame_known(const struct decoding *d, uint64_t frame, size_t *near)
{
	const struct module_range *v = d->known.ranges->v;
	size_t low = 0, high = d->known.nranges;

	if (*near < high && frame - v[*near].base < v[*near].span)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (v[middle].base <= frame)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || frame - v[low - 1].base >= v[low - 1].span)
		return d->known.torn & 1u << FOLD_MODULES && frame < FOLD_MAX_SPACE;
	*near = low - 1;
	return true;
}


/* What the columns give, and what comes of them. */
struct forest {
	int section;
	uint32_t *shared, *fresh, *end;
	struct fold_stacks *out;
	size_t near;
	struct guesses guesses;
	struct path path;
};

static fold_frame token_decode(struct decoding *d, struct span *s, struct forest *forest, uint32_t depth)
{
	uint64_t token = span_uv(s), frame;
	fold_frame before;
	struct guess *guess = guess_slot(&forest->guesses, &forest->path, depth, &before);

	if (token & 1) {
		if (token >> 1 > FOLD_MARK_OTHER)
			d->high_marker = true;
		return frame_marker(token >> 1 < FOLD_MARK_OTHER ? (enum fold_marker)(token >> 1) : FOLD_MARK_OTHER);
	}
	frame = guess->before == before ? guess->after : last_module_frame(&forest->path, depth);
	frame += (uint64_t)unzigzag(token >> 1);
	if (!s->bad && !frame_known(d, frame, &forest->near))
		decoding_fail(d, s, FOLD_E_REFERENCE, frame, "R-STK-3");
	*guess = (struct guess){.before = before, .after = frame};
	return frame;
}

static void stack_decode(struct decoding *d, struct span *s, struct forest *forest, size_t i)
{
	struct fold_stacks *out = forest->out;
	struct path *path = &forest->path;
	struct fold_stack *stack = &out->v[i];
	uint32_t shared = forest->shared ? forest->shared[i] : 0;

	stack->depth = shared + forest->fresh[i];
	stack->end = forest->end ? forest->end[i] : 0;
	for (uint32_t at = shared; at < stack->depth; at++) {
		fold_frame frame = token_decode(d, s, forest, at);

		out->nodes[out->nnodes] = (struct fold_node){.parent = at ? path->node[at - 1] : FOLD_NO_NODE, .frame = frame};
		path->node[at] = (uint32_t)out->nnodes++;
		path_put(path, at, frame);
	}
	path->depth = stack->depth;
	stack->leaf = path->depth ? path->node[path->depth - 1] : FOLD_NO_NODE;
}

/* How many new frames there are, when the numbers of all stacks are possible. */
static uint64_t frames_count(struct decoding *d, struct span *s, const struct forest *forest, size_t n)
{
	uint64_t sum = 0;
	uint32_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t shared = forest->shared ? forest->shared[i] : 0, fresh = forest->fresh[i];

		if (shared > depth)
			decoding_fail(d, s, FOLD_E_RANGE, shared, "R-STK-1");
		if (fresh > FOLD_MAX_FRAMES - shared)
			decoding_fail(d, s, FOLD_E_LIMIT, fresh, "R-STK-2");
		depth = shared + fresh;
		sum += fresh;
	}
	d->known.nodes += sum;
	if (d->known.nodes > FOLD_MAX_NODES)
		decoding_fail(d, s, FOLD_E_LIMIT, d->known.nodes, "R-STK-4");
	return sum;
}

static void tokens_decode(struct decoding *d, struct span *s, size_t n, struct forest *forest)
{
	uint64_t nframes = frames_count(d, s, forest, n);
	struct fold_stacks *out = forest->out;

	if (nframes > span_left(s)) /* each token takes a byte at least */
		decoding_fail(d, s, FOLD_E_COLUMN_LENGTH, nframes, NULL);
	if (s->bad)
		return;
	out->v = decoding_alloc(d, s, n, sizeof(*out->v));
	out->nodes = decoding_alloc(d, s, nframes, sizeof(*out->nodes));
	/* Only what is used of the path is ever written. */
	forest->path.depth = 0;
	memset(&forest->guesses, 0, sizeof(forest->guesses));
	while (out->n < n && !s->bad) {
		stack_decode(d, s, forest, out->n);
		if (s->bad || !define_next(d, s, forest->section))
			return;
		out->n++;
	}
}

static void stacks_column(struct decoding *d, struct span *s, size_t n, uint32_t id, void *section)
{
	struct forest *forest = section;

	switch (id) {
	case FOLD_COL_SHARED:
		forest->shared = column_u32_decode(d, s, n, FOLD_MAX_FRAMES + 1, FOLD_E_RANGE, "R-STK-1");
		return;
	case FOLD_COL_FRESH:
		forest->fresh = column_u32_decode(d, s, n, FOLD_MAX_FRAMES + 1, FOLD_E_LIMIT, "R-STK-2");
		return;
	case FOLD_COL_END:
		forest->end = column_u32_decode(d, s, n, UINT64_MAX, FOLD_E_RANGE, NULL);
		return;
	}
	if (forest->fresh)
		tokens_decode(d, s, n, forest);
	else
		s->at = s->end; /* the missing column is told of in the end */
}

static const struct column_set stacks_columns = {
	.known = COLUMN(FOLD_COL_SHARED) | COLUMN(FOLD_COL_FRESH) | COLUMN(FOLD_COL_END) | COLUMN(FOLD_COL_TOKENS),
	.required = COLUMN(FOLD_COL_FRESH) | COLUMN(FOLD_COL_TOKENS),
	.decode = stacks_column,
};

void stacks_decode(struct decoding *d, struct span *s, int section, struct fold_stacks *stacks)
{
	struct forest forest;

	forest.section = section;
	forest.shared = forest.fresh = forest.end = NULL;
	forest.out = stacks;
	forest.near = 0;
	stacks->first_id = define_first(d, s, section);
	columns_decode(d, s, &stacks_columns, &forest);
}
