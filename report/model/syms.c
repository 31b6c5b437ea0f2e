/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One sweep over the names in order of offset with a heap of those still open,
 * latest on top, says whose first byte is covered; one backwards with a stack
 * says which later name begins next.
 */
#include "syms.h"

#include "array.h"

struct placed {
	struct rec_sym sym;
	uint32_t arrival;
	bool covered;
};

int syms_add(struct syms *syms, const struct rec_sym *sym)
{
	if (syms->n >= UINT32_MAX - 1 || array_room(syms->v, syms->room, syms->n + 1))
		return -1;
	syms->v[syms->n++] = *sym;
	return 0;
}

void syms_release(struct syms *syms)
{
	free(syms->v);
	*syms = (struct syms){0};
}

static int placed_compare(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->sym.offset != y->sym.offset)
		return x->sym.offset < y->sym.offset ? -1 : 1;
	return x->arrival < y->arrival ? 1 : x->arrival > y->arrival ? -1 : 0; /* the latest first */
}

static uint64_t sym_end(const struct rec_sym *sym)
{
	return sym->size > UINT64_MAX - sym->offset ? UINT64_MAX : sym->offset + sym->size;
}


/* A heap of indexes into `v`, the latest arrival on top. */
struct open_names {
	const struct placed *v;
	uint32_t *heap;
	size_t n;
};

static bool later(const struct open_names *open, size_t a, size_t b)
{
	return open->v[open->heap[a]].arrival > open->v[open->heap[b]].arrival;
}

static void heap_swap(struct open_names *open, size_t a, size_t b)
{
	uint32_t kept = open->heap[a];

	open->heap[a] = open->heap[b];
	open->heap[b] = kept;
}

static void open_push(struct open_names *open, uint32_t name)
{
	size_t at = open->n++;

	open->heap[at] = name;
	for (; at && later(open, at, (at - 1) / 2); at = (at - 1) / 2)
		heap_swap(open, at, (at - 1) / 2);
}

static void open_pop(struct open_names *open)
{
	size_t at = 0;

	open->heap[0] = open->heap[--open->n];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= open->n)
			return;
		if (child + 1 < open->n && later(open, child + 1, child))
			child++;
		if (!later(open, child, at))
			return;
		heap_swap(open, child, at);
		at = child;
	}
}

static void mark_covered(struct placed *v, size_t n, uint32_t *room)
{
	struct open_names open = {.v = v, .heap = room};

	for (uint32_t i = 0; i < n; i++) {
		while (open.n && sym_end(&v[open.heap[0]].sym) <= v[i].sym.offset)
			open_pop(&open);
		v[i].covered = open.n && v[open.heap[0]].arrival > v[i].arrival;
		open_push(&open, i);
	}
}

/* Backwards: the stack holds the names behind, each later than all between it and here. */
static void cut_ends(struct placed *v, size_t n, uint32_t *stack)
{
	size_t depth = 0;

	for (size_t i = n; i-- > 0;) {
		while (depth && v[stack[depth - 1]].arrival < v[i].arrival)
			depth--;
		if (depth && v[stack[depth - 1]].sym.offset < sym_end(&v[i].sym))
			v[i].sym.size = v[stack[depth - 1]].sym.offset - v[i].sym.offset;
		stack[depth++] = (uint32_t)i;
	}
}

/* Ranges are disjoint now; of names without a size at one place the latest stays. */
static size_t keep_uncovered(struct rec_sym *to, const struct placed *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct rec_sym *sym = &v[i].sym;

		if (!v[i].covered && !(kept && to[kept - 1].offset == sym->offset))
			to[kept++] = *sym;
	}
	return kept;
}

int syms_settle(struct syms *syms)
{
	struct placed *v;
	uint32_t *indexes;

	if (!syms->n)
		return 0;
	v = malloc(syms->n * sizeof(*v));
	indexes = malloc(syms->n * sizeof(*indexes));
	if (!v || !indexes) {
		free(v);
		free(indexes);
		return -1;
	}
	for (size_t i = 0; i < syms->n; i++)
		v[i] = (struct placed){.sym = syms->v[i], .arrival = (uint32_t)i};
	if (syms->n)
		qsort(v, syms->n, sizeof(*v), placed_compare);
	mark_covered(v, syms->n, indexes);
	cut_ends(v, syms->n, indexes);
	syms->n = keep_uncovered(syms->v, v, syms->n);
	free(v);
	free(indexes);
	return 0;
}
