/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: check on any bytes.  What it counts it has told, each violation
 * has a place in the file and a text, and who stops has said why.
 */
#include "../../format/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct told {
	uint64_t faults;
	size_t size;
};

static void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "check breaks its promise: %s\n", what);
	abort();
}

static void tell(void *state, const struct fold_fault *fault)
{
	struct told *told = state;
	char text[256];

	require(fault->code != FOLD_E_OK, "a violation has a code");
	require(fault->offset <= told->size, "a violation is in the file");
	require(*fault_text(fault, text, sizeof(text)), "a violation has a text");
	told->faults++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_source memory = {data, data + size};
	struct told told = {.size = size};
	struct check_result result;
	int err = check_recording(source_memory(&memory), tell, &told, &result);

	require(result.violations == told.faults, "violations are counted");
	require(!err || told.faults, "who stops says why");
	require(result.chunks <= size && result.segments <= size && result.skipped <= size, "what is counted stands in the file");
	return 0;
}
