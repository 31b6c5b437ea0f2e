/* SPDX-License-Identifier: BSD-2-Clause */
/* A list that grows to a limit. */
#include "tries.h"

#include <stdlib.h>
#include <string.h>

#include "../model/array.h"

int tries_add(struct tries *t, const char *path, enum module_try_result result)
{
	char *copy;

	if (t->n == TRIES_MAX)
		return 0;
	copy = strdup(path);
	if (!copy || array_room(t->v, t->room, t->n + 1)) {
		free(copy);
		return -1;
	}
	t->v[t->n++] = (struct module_try){copy, result};
	return 0;
}

void tries_release(struct tries *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].path);
	free(t->v);
	memset(t, 0, sizeof(*t));
}
