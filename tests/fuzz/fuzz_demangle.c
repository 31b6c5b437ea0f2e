/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: any bytes as the name of a function. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../report/symbols/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), *text = malloc(DEMANGLE_MAX_OUT + 1);
	size_t n;

	if (!name || !text)
		abort();
	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	n = demangle(name, text);
	if (n > DEMANGLE_MAX_OUT || (n && (text[n] || strlen(text) != n)) || name_without_suffix(name) > strlen(name)) {
		fprintf(stderr, "a name breaks its promise\n");
		abort();
	}
	free(name);
	free(text);
	return 0;
}
