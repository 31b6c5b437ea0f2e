/* SPDX-License-Identifier: BSD-2-Clause */
/* Radix sort from the lowest digit up; digits in which no two keys differ cost nothing. */
#include "order.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

static void sort_digit(const struct ordered *from, struct ordered *to, size_t n, unsigned shift)
{
	size_t start[DIGITS + 1] = {0};

	for (size_t i = 0; i < n; i++)
		start[(from[i].key >> shift & (DIGITS - 1)) + 1]++;
	for (size_t i = 0; i < DIGITS; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < n; i++)
		to[start[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void order_sort(struct ordered *v, struct ordered *scratch, size_t n)
{
	struct ordered *from = v, *to = scratch;
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= v[i].key ^ v[0].key;
	for (unsigned shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
		struct ordered *sorted = to;

		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		sort_digit(from, to, n, shift);
		to = from;
		from = sorted;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}
