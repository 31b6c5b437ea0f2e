/* SPDX-License-Identifier: BSD-2-Clause */
/* Room in a growing array.  Owns nothing: the pointer, count and room are the caller's. */
#ifndef FOLD_RECORD_ARRAY_H
#define FOLD_RECORD_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* `v` with room for `need` items of `size` bytes, perhaps moved; NULL when there
 * is no memory (`v` is still good then). */
static inline void *array_grow(void *v, size_t *room, size_t need, size_t size)
{
	size_t more = *room ? *room : 8;
	void *p;

	if (v && need <= *room)
		return v;
	while (more < need) {
		if (more > SIZE_MAX / 2)
			return NULL;
		more *= 2;
	}
	if (more > SIZE_MAX / size)
		return NULL;
	p = realloc(v, more * size);
	if (p)
		*room = more;
	return p;
}

#endif
