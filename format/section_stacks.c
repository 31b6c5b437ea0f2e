/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KSTACKS and USTACKS: {uv shared, uv n, uv end, n tokens}, root first.  Both
 * ways a stack is a path in a forest; only the frames that are new are visited,
 * so time and memory are linear in the tokens.
 */
#include "section.h"

/* The stack before, for what the next one shares with it. */
struct path {
	uint32_t depth;
	uint32_t node[FOLD_MAX_FRAMES];
	uint64_t last[FOLD_MAX_FRAMES]; /* the last module frame, from the root up to here; 0 none */
};

static uint64_t last_module_frame(const struct path *path, uint32_t depth)
{
	return depth ? path->last[depth - 1] : 0;
}

/* Only bit 63 tells markers from offsets; differences of offsets fit 63 bits. */
static uint64_t token_of(fold_frame frame, uint64_t last)
{
	if (frame_is_marker(frame))
		return (frame & ~FOLD_MARKER) << 1 | 1;
	return zigzag((int64_t)(frame - last)) << 1;
}

static void stack_encode(struct buf *to, const struct fold_stacks *stacks, const struct fold_stack *stack, struct path *path)
{
	uint32_t shared = stack->depth;

	for (uint32_t at = stack->leaf; shared; at = stacks->nodes[at].parent, shared--) {
		if (shared <= path->depth && path->node[shared - 1] == at)
			break;
		path->node[shared - 1] = at;
	}
	buf_uv(to, shared);
	buf_uv(to, stack->depth - shared);
	buf_uv(to, stack->end);
	for (uint32_t i = shared; i < stack->depth; i++) {
		fold_frame frame = stacks->nodes[path->node[i]].frame;
		uint64_t last = last_module_frame(path, i);

		buf_uv(to, token_of(frame, last));
		path->last[i] = frame_is_marker(frame) ? last : frame;
	}
	path->depth = stack->depth;
}

void stacks_encode(struct buf *to, const struct fold_stacks *stacks)
{
	struct path path;

	path.depth = 0;
	buf_uv(to, stacks->first_id);
	for (size_t i = 0; i < stacks->n; i++)
		stack_encode(to, stacks, &stacks->v[i], &path);
}

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

/* One frame below `last`; the new last module frame in *last. */
static fold_frame token_decode(struct decoding *d, struct span *s, uint64_t *last, size_t *near)
{
	uint64_t token = span_uv(s);

	if (token & 1) {
		if (token >> 1 > FOLD_MARK_OTHER)
			d->high_marker = true;
		return frame_marker(token >> 1 < FOLD_MARK_OTHER ? (enum fold_marker)(token >> 1) : FOLD_MARK_OTHER);
	}
	*last += (uint64_t)unzigzag(token >> 1);
	if (!s->bad && !frame_known(d, *last, near))
		decoding_fail(d, s, FOLD_E_REFERENCE, *last, "R-STK-3");
	return *last;
}

struct forest {
	struct fold_stacks *out;
	size_t near;
	struct path path;
};

/* Behind `n` numbers; they are looked at later. */
static void skip_numbers(struct span *s, uint32_t n)
{
	while (n && span_left(s))
		n -= *s->at++ < 0x80;
	if (n)
		span_fail(s, FOLD_E_SECTION);
}

/* Arrays for all stacks and new frames that the content can hold, up to the first
 * thing in it that is wrong. */
static void forest_alloc(struct decoding *d, struct span *s, struct fold_stacks *out)
{
	struct span ahead = *s;
	size_t nstacks = 0, nnodes = 0;

	for (; span_left(&ahead); nstacks++) {
		uint64_t n;

		span_uv(&ahead);
		n = span_uv(&ahead);
		span_uv(&ahead);
		if (n > FOLD_MAX_FRAMES || n > span_left(&ahead))
			span_fail(&ahead, FOLD_E_SECTION);
		else
			nnodes += n;
		skip_numbers(&ahead, (uint32_t)n);
	}
	out->v = decoding_alloc(d, s, nstacks, sizeof(*out->v));
	out->nodes = decoding_alloc(d, s, nnodes, sizeof(*out->nodes));
}

/* shared, n and end; the tokens follow.  False when they cannot be. */
static bool stack_head(struct decoding *d, struct span *s, const struct path *path, uint32_t *shared, struct fold_stack *stack)
{
	uint32_t n;

	*shared = (uint32_t)decoding_max(d, s, path->depth, FOLD_E_RANGE, "R-STK-1");
	n = (uint32_t)decoding_max(d, s, FOLD_MAX_FRAMES - *shared, FOLD_E_LIMIT, "R-STK-2");
	stack->end = span_u32(s);
	if (n > span_left(s))
		span_fail(s, FOLD_E_SECTION);
	stack->depth = *shared + n;
	d->known.nodes += n;
	if (d->known.nodes > FOLD_MAX_NODES)
		decoding_fail(d, s, FOLD_E_LIMIT, d->known.nodes, "R-STK-4");
	return !s->bad;
}

static void stack_decode(struct decoding *d, struct span *s, struct forest *forest)
{
	struct fold_stacks *out = forest->out;
	struct path *path = &forest->path;
	struct fold_stack *stack = &out->v[out->n];
	uint32_t shared;
	uint64_t last;

	if (!stack_head(d, s, path, &shared, stack))
		return;
	last = last_module_frame(path, shared);
	for (uint32_t i = shared; i < stack->depth; i++) {
		out->nodes[out->nnodes] = (struct fold_node){
			.parent = i ? path->node[i - 1] : FOLD_NO_NODE,
			.frame = token_decode(d, s, &last, &forest->near),
		};
		path->node[i] = (uint32_t)out->nnodes++;
		path->last[i] = last;
	}
	path->depth = stack->depth;
	stack->leaf = path->depth ? path->node[path->depth - 1] : FOLD_NO_NODE;
}

void stacks_decode(struct decoding *d, struct span *s, int section, struct fold_stacks *stacks)
{
	struct forest forest;

	/* Only what is used of the path is ever written. */
	forest.out = stacks;
	forest.near = 0;
	forest.path.depth = 0;
	stacks->first_id = define_first(d, s, section);
	forest_alloc(d, s, stacks);
	while (span_left(s)) {
		stack_decode(d, s, &forest);
		if (s->bad || !define_next(d, s, section))
			return;
		stacks->n++;
	}
}
