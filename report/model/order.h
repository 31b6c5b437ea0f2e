/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers sorted by what stands with them, in linear time: for the millions that a comparing sort is slow for. */
#ifndef FOLD_REPORT_ORDER_H
#define FOLD_REPORT_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct ordered {
	uint64_t key;
	uint32_t index, more; /* more: for whoever sorts */
};

/* Stable, ascending by key.  `scratch` has room for `n` too. */
void order_sort(struct ordered *v, struct ordered *scratch, size_t n);

#endif
