/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel prints for an address, and what is not believed of it. */
#include "../../record/names.h"
#include "test.h"

#define AT UINT64_C(0xffffffff81000100)

TEST(names)
{
	static const struct { const char *text, *name; uint64_t into, size; } cases[] = {
		{ "schedule+0x10/0x90", "schedule", 0x10, 0x90 },
		{ "schedule+0x0/0x90", "schedule", 0, 0x90 },
		{ "nf_hook_slow+0x40/0xd0 [nf_tables]", "nf_hook_slow", 0x40, 0xd0 },
		{ "bpf_prog_0123456789abcdef_a+b+0x4/0x8", "bpf_prog_0123456789abcdef_a+b", 4, 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kernel_symbol sym;
		char text[128];

		strcpy(text, cases[i].text);
		CHECK(names_parse(text, AT, &sym));
		CHECK_STR(sym.name, cases[i].name);
		CHECK_EQ(sym.start, AT - cases[i].into);
		CHECK_EQ(sym.size, cases[i].size);
	}
}

/* An address that has no name is printed as such: it must not get into a file. */
TEST(no_names)
{
	static const char *const bad[] = {
		"", "0xffffffff81000100", "0x0", "0xffffffff81000100+0x1/0x2", "schedule", "schedule+", "schedule+0x10", "schedule+0x10/",
		"schedule+0x/0x90", "schedule+10/0x90", "schedule+0x10/0x90x", "schedule+0x90/0x90", "schedule+0x11111111111111111/0x90",
		"+0x10/0x90", "schedule+0xfffffffffffffff0/0xffffffffffffffff",
		"schedule+0x10/0xffffffffffffffff", /* beyond the end of all */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct kernel_symbol sym;
		char text[128];

		strcpy(text, bad[i]);
		if (names_parse(text, AT, &sym))
			fprintf(stderr, "taken: \"%s\"\n", bad[i]);
		strcpy(text, bad[i]);
		CHECK(!names_parse(text, AT, &sym));
	}
}

TEST_MAIN()
