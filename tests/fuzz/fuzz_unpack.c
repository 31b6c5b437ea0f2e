/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: any bytes as a packed file or section. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../report/symbols/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static volatile char sink;
	size_t n = 0;
	char *content = unpack(data, size, &n);

	if (content && n > UNPACK_MAX) {
		fprintf(stderr, "more than there may be\n");
		abort();
	}
	if (content && n)
		sink = (char)(content[0] + content[n - 1]);
	free(content);
	return 0;
}
