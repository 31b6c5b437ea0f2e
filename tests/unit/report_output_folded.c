/* SPDX-License-Identifier: BSD-2-Clause */
/* The grammar of folded stacks, as report/output/folded.c states it. */
#include "output_fixture.h"
#include "test.h"

static struct fixture f;

static void expect(const char *want)
{
	CHECK_STR(fixture_write(&f, "folded"), want);
	fixture_release(&f);
}

TEST(lines_are_sorted_bytewise_and_whole)
{
	fixture_init(&f);
	STACK(&f, 5, "sh", "a");
	STACK(&f, 1, "sh", "a", "x");
	STACK(&f, 2, "sh", "a!", "x");
	STACK(&f, 3, "sh", "a b");
	STACK(&f, 4, "sh", "a-");
	/* ' ' < '!' < '-' < ';' */
	expect("sh;a 5\nsh;a b 3\nsh;a!;x 2\nsh;a- 4\nsh;a;x 1\n");
}

TEST(a_leaf_never_ends_in_a_number)
{
	fixture_init(&f);
	STACK(&f, 1, "sh", "x 3");
	STACK(&f, 1, "sh", "y  3.5");
	STACK(&f, 1, "sh", "z 3.");
	STACK(&f, 1, "sh", "w 3", "leaf");
	STACK(&f, 1, "sh", "42");
	STACK(&f, 1, "sh", "v 3x");
	expect("sh;42 1\nsh;v 3x 1\nsh;w 3;leaf 1\nsh;x_3 1\nsh;y__3.5 1\nsh;z_3. 1\n");
}

TEST(blanks_of_roots_become_underscores)
{
	fixture_init(&f);
	STACK(&f, 1, " my app 1 ", "main");
	STACK(&f, 2, "a_b ", "main");
	expect("a_b;main 2\nmy_app_1;main 1\n");
}

TEST(separators_and_controls)
{
	fixture_init(&f);
	STACK(&f, 1, "a;b", "x\ny\rz\tw", "f(\x1b[31m)");
	expect("a:b;x y z w;f( [31m) 1\n");
}

TEST(names_that_come_out_equal_are_added_up)
{
	struct frame other[] = {{.name = "sh", .module = "", .kind = FRAME_ROOT}, {.name = "a:b", .module = "other", .kind = FRAME_USER},
				{.name = "leaf", .module = "prog", .kind = FRAME_USER}};

	fixture_init(&f);
	STACK(&f, 1, "sh", "a;b", "leaf");
	STACK(&f, 2, "sh", "a:b", "leaf");
	STACK(&f, 4, "sh", "a:b", "aleaf");
	STACK(&f, 8, "sh", "a;b");
	fixture_add(&f, other, 3, 16);
	fixture_add(&f, other, 2, 32);
	expect("sh;a:b 40\nsh;a:b;aleaf 4\nsh;a:b;leaf 19\n");
}

TEST(a_leaf_rewritten_meets_its_twin)
{
	fixture_init(&f);
	STACK(&f, 1, "sh", "x 3");
	STACK(&f, 2, "sh", "x_3");
	expect("sh;x_3 3\n");
}

TEST(names_without_anything_readable)
{
	fixture_init(&f);
	STACK(&f, 1, "sh", "");
	STACK(&f, 2, "sh", " \n ");
	STACK(&f, 3, "sh", "\xff\xc3(");
	STACK(&f, 4, "sh", "gr\xc3\xbc\xc3\x9f");
	expect("sh;[unknown] 3\nsh;\\xff\\xc3( 3\nsh;gr\xc3\xbc\xc3\x9f 4\n");
}

TEST(samples_without_a_frame_are_kept)
{
	fixture_init(&f);
	fixture_add(&f, NULL, 0, 7);
	STACK(&f, 2, "sh");
	STACK(&f, 1, "Z");
	expect("Z 1\n[unknown] 7\nsh 2\n");
}

TEST(nothing_is_an_empty_file)
{
	fixture_init(&f);
	expect("");
}

TEST(long_lines_are_cut_and_lose_nothing)
{
	static char name[4000];
	const char *line, *end;
	unsigned long long sum = 0;

	memset(name, 'n', sizeof(name) - 1);
	fixture_init(&f);
	STACK(&f, 3, "sh", name, name, name, name, name, name, name, name, name, name, name, name, name, name, name, name, name);
	STACK(&f, 4, "sh", name, name, name, name, name, name, name, name, name, name, name, name, name, name, name, name, "x");
	for (line = fixture_write(&f, "folded"); *line; line = end + 1) {
		end = strchr(line, '\n');
		CHECK(end - line < 64000);
		while (end[-1] != ' ')
			end--;
		sum += strtoull(end, (char **)&end, 10);
	}
	CHECK_EQ(sum, 7);
	CHECK(strstr(f.text, ";[cut] ") != NULL);
	fixture_release(&f);
}

TEST_MAIN()
