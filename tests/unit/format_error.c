/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in words. */
#include "test.h"
#include "../../format/error.h"

#include <errno.h>

TEST(every_code_has_a_sentence_of_its_own)
{
	for (int i = 0; i < FOLD_E_COUNT; i++)
		for (int j = 0; j < i; j++)
			CHECK(strcmp(fold_error_text((enum fold_error)i), fold_error_text((enum fold_error)j)));
	CHECK_STR(fold_error_text((enum fold_error)FOLD_E_COUNT), "unknown error");
	CHECK_STR(fold_error_text((enum fold_error)-1), "unknown error");
}

TEST(place_detail_and_rule)
{
	struct fold_fault fault = {.code = FOLD_E_SECTION, .offset = 4096, .chunk = 12, .section = 7, .rule = "R-PAY-2"};
	char text[200];

	CHECK_STR(fault_text(&fault, text, sizeof(text)), "chunk 12 at byte 4096, section 7: the section does not parse [R-PAY-2]");
	fault = (struct fold_fault){.code = FOLD_E_MAGIC, .chunk = -1};
	CHECK_STR(fault_text(&fault, text, sizeof(text)), "byte 0: this is not a fold recording");
	fault = (struct fold_fault){.code = FOLD_E_CHUNK_TYPE, .chunk = 3, .offset = 99, .detail = 0x4001};
	CHECK_STR(fault_text(&fault, text, sizeof(text)), "chunk 3 at byte 99: a critical chunk of unknown type (type 0x4001)");
	fault = (struct fold_fault){.code = FOLD_E_IO, .chunk = -1, .offset = 7, .sys_errno = ENOSPC};
	CHECK_STR(fault_text(&fault, text, sizeof(text)), "byte 7: reading or writing failed: No space left on device");
}

TEST(short_buffers_are_terminated)
{
	struct fold_fault fault = {.code = FOLD_E_DRAFT, .offset = UINT64_MAX, .chunk = INT64_MAX, .section = INT32_MAX, .detail = UINT64_MAX, .rule = "R-META-2"};
	char text[300];

	for (size_t size = 1; size < sizeof(text); size++) {
		memset(text, 'x', sizeof(text));
		fault_text(&fault, text, size);
		CHECK(memchr(text, '\0', size) != NULL);
	}
}

TEST_MAIN()
