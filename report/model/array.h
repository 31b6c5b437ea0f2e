/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays that grow: a pointer, a count kept by the owner, and the room there is.
 * Doubles, so that adding one by one is linear in all.
 */
#ifndef FOLD_REPORT_ARRAY_H
#define FOLD_REPORT_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* `v` made large enough for `n` elements of `size` bytes; NULL out of memory, with `v` as it was. */
static inline void *array_grow(void *v, size_t *room, size_t n, size_t size)
{
	size_t more = *room ? *room : 16;
	void *grown;

	while (more < n) {
		if (more > SIZE_MAX / 2)
			return NULL;
		more *= 2;
	}
	if (more > SIZE_MAX / size)
		return NULL;
	grown = realloc(v, more * size);
	if (grown)
		*room = more;
	return grown;
}

/* 0 when `v` has room for `n` elements, -1 out of memory. */
#define array_room(v, room, n)                                                  \
	({                                                                      \
		int err_ = 0;                                                   \
		if ((n) > (room)) {                                             \
			void *grown_ = array_grow((v), &(room), (n), sizeof(*(v))); \
			if (grown_)                                             \
				(v) = grown_;                                   \
			else                                                    \
				err_ = -1;                                      \
		}                                                               \
		err_;                                                           \
	})

#endif
