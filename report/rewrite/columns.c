/* SPDX-License-Identifier: BSD-2-Clause */
/* All arrays have the same room, so that one check is enough. */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

static int grow(void *array, size_t n, size_t size)
{
	void **v = array, *grown = realloc(*v, n * size);

	if (!grown)
		return -1;
	*v = grown;
	return 0;
}

static int grow_all(struct columns *c, size_t n)
{
	if (grow(&c->time, n, sizeof(*c->time)) || grow(&c->cpu, n, sizeof(*c->cpu)) ||
	    grow(&c->thread, n, sizeof(*c->thread)) || grow(&c->event, n, sizeof(*c->event)) ||
	    grow(&c->stack[0], n, sizeof(*c->stack[0])) || grow(&c->stack[1], n, sizeof(*c->stack[1])) ||
	    grow(&c->count, n, sizeof(*c->count)))
		return -1;
	for (size_t i = 0; i < c->nweights; i++)
		if (grow(&c->weight[i], n, sizeof(*c->weight[i])))
			return -1;
	return 0;
}

int columns_reserve(struct columns *c, size_t n)
{
	size_t room = c->room ? c->room : 1024;

	while (room < c->n + n)
		room *= 2;
	if (room > c->room) {
		if (grow_all(c, room))
			return -1;
		c->room = room;
	}
	for (size_t i = 0; n && i < c->nweights; i++)
		memset(c->weight[i] + c->n, 0, n * sizeof(*c->weight[i]));
	return 0;
}

void columns_release(struct columns *c)
{
	free(c->time);
	free(c->cpu);
	free(c->thread);
	free(c->event);
	free(c->stack[0]);
	free(c->stack[1]);
	free(c->count);
	for (size_t i = 0; i < c->nweights; i++)
		free(c->weight[i]);
	*c = (struct columns){0};
}

void columns_resolve(struct columns *c, struct stackset *const *stacks)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < c->n; i++)
			if (c->stack[side][i])
				c->stack[side][i] = stackset_id(stacks[side], c->stack[side][i] - 1) + 1;
}

/* Counts have no times of their own. */
static int compare_rows(const struct columns *c, uint32_t i, uint32_t j)
{
	if (c->thread[i] != c->thread[j])
		return c->thread[i] < c->thread[j] ? -1 : 1;
	return c->counted || c->time[i] == c->time[j] ? 0 : c->time[i] < c->time[j] ? -1 : 1;
}

static int by_thread(const void *a, const void *b, void *state)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int order = compare_rows(state, i, j);

	return order ? order : i < j ? -1 : i > j;
}

static void permute32(uint32_t *v, const uint32_t *order, size_t n, uint64_t *space)
{
	uint32_t *moved = (uint32_t *)space;

	for (size_t i = 0; i < n; i++)
		moved[i] = v[order[i]];
	memcpy(v, moved, n * sizeof(*v));
}

static void permute64(uint64_t *v, const uint32_t *order, size_t n, uint64_t *space)
{
	for (size_t i = 0; i < n; i++)
		space[i] = v[order[i]];
	memcpy(v, space, n * sizeof(*v));
}

static void permute_all(struct columns *c, const uint32_t *order, uint64_t *space)
{
	permute32(c->event, order, c->n, space);
	permute32(c->stack[0], order, c->n, space);
	permute32(c->stack[1], order, c->n, space);
	if (c->counted) {
		permute64(c->count, order, c->n, space);
	} else {
		permute64((uint64_t *)c->time, order, c->n, space);
		permute32(c->cpu, order, c->n, space);
	}
	for (size_t i = 0; i < c->nweights; i++)
		permute64(c->weight[i], order, c->n, space);
	permute32(c->thread, order, c->n, space);
}

/* Threads keep their order, but one that stands for a lost one is defined when it is met. */
int columns_sort(struct columns *c)
{
	uint32_t *order;
	uint64_t *space;
	size_t i = 1;

	while (i < c->n && compare_rows(c, (uint32_t)i - 1, (uint32_t)i) <= 0)
		i++;
	if (i >= c->n)
		return 0;
	order = malloc(c->n * sizeof(*order));
	space = malloc(c->n * sizeof(*space));
	if (order && space) {
		for (i = 0; i < c->n; i++)
			order[i] = (uint32_t)i;
		qsort_r(order, c->n, sizeof(*order), by_thread, c);
		permute_all(c, order, space);
	}
	i = order && space;
	free(order);
	free(space);
	return i ? 0 : -1;
}

struct fold_samples columns_samples(const struct columns *c)
{
	struct fold_samples s = {
		.n = c->n, .time = c->time, .cpu = c->cpu, .thread = c->thread, .event = c->event,
		.kstack = c->stack[0], .ustack = c->stack[1], .nweights = c->nweights,
	};

	memcpy(s.weight, c->weight, sizeof(s.weight));
	return s;
}

struct fold_counts columns_counts(const struct columns *c)
{
	struct fold_counts s = {
		.from = c->from, .to = c->to, .n = c->n, .thread = c->thread, .event = c->event, .kstack = c->stack[0],
		.ustack = c->stack[1], .count = c->count, .nweights = c->nweights,
	};

	memcpy(s.weight, c->weight, sizeof(s.weight));
	return s;
}
