/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums for the accounting equation of the file. */
#include "account.h"
#include "array.h"

#include <stdlib.h>

void account_release(struct account *a)
{
	table_release(&a->lines);
	free(a->v);
	*a = (struct account){0};
}

static struct account_line *account_line(struct account *a, uint32_t event, uint32_t cause, uint32_t cpu)
{
	uint64_t key = (uint64_t)event << 48 | (uint64_t)(cause & 0xffff) << 32 | (uint32_t)(cpu + 1);
	uint64_t at = table_get(&a->lines, key);
	struct account_line *v;

	if (at)
		return &a->v[at - 1];
	v = array_grow(a->v, &a->room, a->n + 1, sizeof(*v));
	if (!v)
		return NULL;
	a->v = v;
	if (table_put(&a->lines, key, a->n + 1))
		return NULL;
	v[a->n] = (struct account_line){.event = event, .cause = cause, .cpu = cpu + 1};
	return &v[a->n++];
}

int account_add(struct account *a, uint32_t event, uint32_t cause, uint32_t cpu, uint64_t more)
{
	struct account_line *line = more ? account_line(a, event, cause, cpu) : NULL;

	if (line)
		line->total += more;
	return more && !line ? -1 : 0;
}

int account_set(struct account *a, uint32_t event, uint32_t cause, uint32_t cpu, uint64_t total)
{
	struct account_line *line = total ? account_line(a, event, cause, cpu) : NULL;

	if (line && total > line->total)
		line->total = total;
	return total && !line ? -1 : 0;
}

uint64_t account_sum(const struct account *a, uint32_t event, uint32_t cause)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (a->v[i].event == event && a->v[i].cause == cause)
			sum += a->v[i].total;
	}
	return sum;
}

uint64_t account_losses(const struct account *a, uint32_t event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (a->v[i].event == event && a->v[i].cause > FOLD_TAKEN && a->v[i].cause < FOLD_CAUSE_NOTE)
			sum += a->v[i].total;
	}
	return sum;
}

bool account_next(struct account *a, size_t *at, struct fold_account_row *out)
{
	for (; *at < a->n; ++*at) {
		struct account_line *line = &a->v[*at];

		if (line->total == line->written)
			continue;
		*out = (struct fold_account_row){
			.event = line->event, .cause = line->cause, .cpu = line->cpu, .count = line->total - line->written,
		};
		line->written = line->total;
		++*at;
		return true;
	}
	return false;
}

bool account_pending(const struct account *a)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->v[i].total != a->v[i].written)
			return true;
	}
	return false;
}
