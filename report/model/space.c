/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader lets no base go backwards, so what is added last lies last. */
#include "space.h"

#include "../../format/fold.h"
#include "array.h"

int space_add(struct space *space, uint64_t *base, uint64_t span, uint32_t module)
{
	if (array_room(space->v, space->room, space->n + 1))
		return -1;
	space->v[space->n++] = (struct space_place){*base, span, module};
	*base += (span + FOLD_MODULE_ALIGN - 1) / FOLD_MODULE_ALIGN * FOLD_MODULE_ALIGN;
	return 0;
}

const struct space_place *space_find(const struct space *space, uint64_t at)
{
	size_t low = 0, high = space->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (space->v[mid].base <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || at - space->v[low - 1].base >= space->v[low - 1].span)
		return NULL;
	return &space->v[low - 1];
}

void space_release(struct space *space)
{
	free(space->v);
	*space = (struct space){0};
}
