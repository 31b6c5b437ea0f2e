/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinct stacks as paths of a trie: a node is (caller's node, frame), a stack
 * is (leaf node, how it ended).  Two tables find nodes and stacks; the order of
 * a flush comes from comparing paths where they part, so no stack is ever
 * copied out.
 */
#include "stackset.h"
#include "hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct node {
	fold_frame frame;
	uint32_t parent; /* FOLD_NO_NODE at the root */
	uint32_t depth;  /* 1 at the root */
};
struct stack {
	uint32_t leaf, end;
	uint32_t id; /* once flushed */
};
struct slots { /* open addressing, index + 1, at most half full */
	uint32_t *v, n;
};

struct stackset {
	struct node *nodes;
	struct stack *stacks;
	size_t nnodes, node_room, nstacks, stack_room;
	struct slots by_node, by_stack;
	size_t flushed;    /* stacks[flushed..nstacks) are pending */
	uint64_t next_id;
	struct hash_key key;
	/* what the last flush lent out */
	struct fold_stack *out_stacks;
	struct fold_node *out_nodes;
	size_t out_stack_room, out_node_room;
};

int stackset_new(struct stackset **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -1;
	hash_key_init(&(*out)->key);
	return 0;
}

static void release(struct stackset *set)
{
	free(set->nodes);
	free(set->stacks);
	free(set->by_node.v);
	free(set->by_stack.v);
	free(set->out_stacks);
	free(set->out_nodes);
}

void stackset_free(struct stackset *set)
{
	if (!set)
		return;
	release(set);
	free(set);
}

void stackset_forget(struct stackset *set)
{
	assert(!stackset_pending(set));
	release(set);
	*set = (struct stackset){.next_id = set->next_id, .key = set->key};
}

static int reserve(void **v, size_t *room, size_t n, size_t size)
{
	size_t more = *room ? *room : 64;
	void *p;

	if (n <= *room)
		return 0;
	while (more < n)
		more *= 2;
	p = realloc(*v, more * size);
	if (!p)
		return -1;
	*v = p;
	*room = more;
	return 0;
}

/* ---- the two tables; a key is two numbers */

static uint32_t hash_pair(const struct stackset *set, uint64_t a, uint64_t b)
{
	uint64_t key[2] = {a, b};

	return (uint32_t)hash_bytes(&set->key, key, sizeof(key));
}

static uint32_t *node_slot(const struct stackset *set, uint32_t parent, fold_frame frame)
{
	uint32_t mask = set->by_node.n - 1;
	uint32_t i = hash_pair(set, parent, frame) & mask;

	for (;; i = (i + 1) & mask) {
		uint32_t *slot = &set->by_node.v[i];

		if (!*slot || (set->nodes[*slot - 1].frame == frame && set->nodes[*slot - 1].parent == parent))
			return slot;
	}
}

static uint32_t *stack_slot(const struct stackset *set, uint32_t leaf, uint32_t end)
{
	uint32_t mask = set->by_stack.n - 1;
	uint32_t i = hash_pair(set, leaf, end) & mask;

	for (;; i = (i + 1) & mask) {
		uint32_t *slot = &set->by_stack.v[i];

		if (!*slot || (set->stacks[*slot - 1].leaf == leaf && set->stacks[*slot - 1].end == end))
			return slot;
	}
}

/* A larger, empty table in place of `slots`; the caller fills it. */
static int slots_grow(struct slots *slots)
{
	uint32_t n = slots->n ? slots->n * 2 : 128;
	uint32_t *v = calloc(n, sizeof(*v));

	if (!v)
		return -1;
	free(slots->v);
	*slots = (struct slots){.v = v, .n = n};
	return 0;
}

int stackset_node(struct stackset *set, uint32_t parent, fold_frame frame, uint32_t *node)
{
	uint32_t *slot;

	if (set->nnodes >= set->by_node.n / 2) {
		if (slots_grow(&set->by_node))
			return -1;
		for (uint32_t i = 0; i < set->nnodes; i++)
			*node_slot(set, set->nodes[i].parent, set->nodes[i].frame) = i + 1;
	}
	slot = node_slot(set, parent, frame);
	if (!*slot) {
		if (set->nnodes >= FOLD_MAX_NODES || reserve((void **)&set->nodes, &set->node_room, set->nnodes + 1, sizeof(*set->nodes)))
			return -1;
		set->nodes[set->nnodes] = (struct node){
			.frame = frame,
			.parent = parent,
			.depth = parent == FOLD_NO_NODE ? 1 : set->nodes[parent].depth + 1,
		};
		*slot = (uint32_t)++set->nnodes;
	}
	*node = *slot - 1;
	return 0;
}

int stackset_close(struct stackset *set, uint32_t leaf, uint32_t end, uint32_t *handle)
{
	uint32_t *slot;

	if (set->nstacks >= set->by_stack.n / 2) {
		if (slots_grow(&set->by_stack))
			return -1;
		for (uint32_t i = 0; i < set->nstacks; i++)
			*stack_slot(set, set->stacks[i].leaf, set->stacks[i].end) = i + 1;
	}
	slot = stack_slot(set, leaf, end);
	if (!*slot) {
		if (set->next_id + stackset_pending(set) >= FOLD_MAX_STACKS ||
		    reserve((void **)&set->stacks, &set->stack_room, set->nstacks + 1, sizeof(*set->stacks)))
			return -1;
		set->stacks[set->nstacks] = (struct stack){.leaf = leaf, .end = end};
		*slot = (uint32_t)++set->nstacks;
	}
	*handle = *slot - 1;
	return 0;
}

int stackset_add(struct stackset *set, const fold_frame *frames, size_t n, uint32_t end, uint32_t *handle)
{
	uint32_t leaf = FOLD_NO_NODE;

	if (n > FOLD_MAX_FRAMES)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (stackset_node(set, leaf, frames[i], &leaf))
			return -1;
	return stackset_close(set, leaf, end, handle);
}

/* ---- flush */

static uint32_t depth_of(const struct stackset *set, uint32_t leaf)
{
	return leaf == FOLD_NO_NODE ? 0 : set->nodes[leaf].depth;
}

static uint32_t ancestor(const struct stackset *set, uint32_t node, uint32_t depth)
{
	while (depth_of(set, node) > depth)
		node = set->nodes[node].parent;
	return node;
}

/* Root first, a prefix before what continues it, markers after code. */
static int compare_stacks(const void *left, const void *right, void *state)
{
	const struct stackset *set = state;
	const struct stack *l = &set->stacks[*(const uint32_t *)left], *r = &set->stacks[*(const uint32_t *)right];
	uint32_t ldepth = depth_of(set, l->leaf), rdepth = depth_of(set, r->leaf);
	uint32_t a = ancestor(set, l->leaf, rdepth), b = ancestor(set, r->leaf, ldepth);

	if (a == b) {
		if (ldepth != rdepth)
			return ldepth < rdepth ? -1 : 1;
		return l->end < r->end ? -1 : l->end > r->end;
	}
	while (set->nodes[a].parent != set->nodes[b].parent) {
		a = set->nodes[a].parent;
		b = set->nodes[b].parent;
	}
	return set->nodes[a].frame < set->nodes[b].frame ? -1 : 1;
}

/* The stack being put out, as it lies in the trie and in the section. */
struct path {
	uint32_t depth;
	uint32_t node[FOLD_MAX_FRAMES], out[FOLD_MAX_FRAMES];
};

/* Put out one stack: nodes of its own below what it shares with the one before. */
static int put_stack(struct stackset *set, struct path *path, const struct stack *stack, struct fold_stacks *out)
{
	uint32_t depth = depth_of(set, stack->leaf), shared = depth;

	for (uint32_t at = stack->leaf; shared; at = set->nodes[at].parent, shared--) {
		if (shared <= path->depth && path->node[shared - 1] == at)
			break;
		path->node[shared - 1] = at;
	}
	if (reserve((void **)&set->out_nodes, &set->out_node_room, out->nnodes + depth - shared, sizeof(*set->out_nodes)))
		return -1;
	for (uint32_t i = shared; i < depth; i++) {
		path->out[i] = (uint32_t)out->nnodes;
		set->out_nodes[out->nnodes++] = (struct fold_node){
			.parent = i ? path->out[i - 1] : FOLD_NO_NODE,
			.frame = set->nodes[path->node[i]].frame,
		};
	}
	path->depth = depth;
	set->out_stacks[out->n++] = (struct fold_stack){
		.leaf = depth ? path->out[depth - 1] : FOLD_NO_NODE,
		.depth = depth,
		.end = stack->end,
	};
	return 0;
}

int stackset_flush(struct stackset *set, struct fold_stacks *out)
{
	size_t n = stackset_pending(set);
	uint32_t *order = malloc((n ? n : 1) * sizeof(*order));
	struct path path = {0};
	int err = order ? reserve((void **)&set->out_stacks, &set->out_stack_room, n, sizeof(*set->out_stacks)) : -1;

	*out = (struct fold_stacks){.first_id = set->next_id};
	if (!err) {
		for (size_t i = 0; i < n; i++)
			order[i] = (uint32_t)(set->flushed + i);
		qsort_r(order, n, sizeof(*order), compare_stacks, set);
	}
	for (size_t i = 0; !err && i < n; i++)
		err = put_stack(set, &path, &set->stacks[order[i]], out);
	if (!err) {
		for (size_t i = 0; i < n; i++)
			set->stacks[order[i]].id = (uint32_t)(set->next_id + i);
		set->next_id += n;
		set->flushed = set->nstacks;
		out->v = set->out_stacks;
		out->nodes = set->out_nodes;
	}
	free(order);
	return err;
}

uint32_t stackset_id(const struct stackset *set, uint32_t handle)
{
	assert(handle < set->flushed);
	return set->stacks[handle].id;
}

size_t stackset_pending(const struct stackset *set)
{
	return set->nstacks - set->flushed;
}

size_t stackset_nodes(const struct stackset *set)
{
	return set->nnodes;
}

size_t stackset_bytes(const struct stackset *set)
{
	return set->node_room * sizeof(*set->nodes) + set->stack_room * sizeof(*set->stacks) +
	       (set->by_node.n + (size_t)set->by_stack.n) * sizeof(uint32_t) +
	       set->out_stack_room * sizeof(*set->out_stacks) + set->out_node_room * sizeof(*set->out_nodes);
}
