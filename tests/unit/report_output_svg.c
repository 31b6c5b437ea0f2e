/* SPDX-License-Identifier: BSD-2-Clause */
/* The flame graph as bytes: well-formed whatever the names are, and honest. */
#include "output_fixture.h"
#include "test.h"

static struct fixture f;

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* Every tag closed, every attribute quoted, no byte that XML forbids: the part of
 * XML that the writer uses, checked without a library. */
static bool well_formed(const char *at)
{
	char open[64][16];
	size_t depth = 0;

	while ((at = strchr(at, '<'))) {
		size_t n = strcspn(at + 1, " />\n");
		const char *end = strchr(at, '>');

		if (!strncmp(at, "<![CDATA[", 9)) {
			at = strstr(at, "]]>") + 3;
			continue;
		}
		if (!end || n > 14)
			return false;
		if (at[1] == '/') {
			if (!depth || strncmp(open[--depth], at + 2, end - at - 2) || open[depth][end - at - 2])
				return false;
		} else if (at[1] != '?' && end[-1] != '/') {
			if (depth == 64)
				return false;
			snprintf(open[depth++], 16, "%.*s", (int)n, at + 1);
		}
		at = end;
	}
	return depth == 0;
}

static bool forbidden_bytes(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t')
			return true;
	return false;
}

TEST(hostile_names_stay_text)
{
	fixture_init(&f);
	STACK(&f, 100, "a&b", "</title><script>alert(1)</script>", "]]>", "\"quoted\" 'too'", "\x06\x1b[31m", "\xff\xfe", "&nbsp;", "\xef\xbf\xbf");
	STACK(&f, 50, "x", "a very long name that has to be cut because it is <wider> than its frame & would run over the next one "
	      "a very long name that has to be cut because it is <wider> than its frame & would run over the next one ");
	fixture_write(&f, "svg");
	CHECK(well_formed(f.text));
	CHECK(!forbidden_bytes(f.text, f.size));
	CHECK_EQ(count(f.text, "<script"), 1);
	CHECK_EQ(count(f.text, "]]>"), 1);
	CHECK(strstr(f.text, "\\xff\\xfe") != NULL);
	CHECK(strstr(f.text, "\\xef\\xbf\\xbf") != NULL);
	CHECK(strstr(f.text, "&amp;nbsp;") != NULL);
	CHECK(strstr(f.text, "…</text>") != NULL);
	fixture_release(&f);
}

TEST(nothing_is_a_valid_picture)
{
	fixture_init(&f);
	fixture_write(&f, "svg");
	CHECK(well_formed(f.text));
	CHECK(strstr(f.text, "No samples to show.") != NULL);
	CHECK(strstr(f.text, "nan") == NULL && strstr(f.text, "inf") == NULL);
	fixture_release(&f);
}

TEST(frames_lie_where_their_samples_are)
{
	fixture_init(&f);
	STACK(&f, 75, "sh", "a", "b");
	STACK(&f, 25, "sh", "c");
	f.report.options.width = 1028; /* 1000 for frames */
	fixture_write(&f, "svg");
	CHECK(strstr(f.text, "data-s=\"0 100 0\"><title>all\n100 samples, 100.00 %</title><rect x=\"14.00\"") != NULL);
	CHECK(strstr(f.text, "data-s=\"0 75 2\"><title>a\nprog, 75 samples, 75.00 %</title><rect x=\"14.00\"") != NULL);
	CHECK(strstr(f.text, "data-s=\"75 25 2\"><title>c\nprog, 25 samples, 25.00 %</title><rect x=\"764.00\"") != NULL);
	CHECK(strstr(f.text, "width=\"249.50\"") != NULL);
	fixture_release(&f);
}

TEST(what_is_left_out_is_told)
{
	fixture_init(&f);
	STACK(&f, 1000000, "sh", "big");
	STACK(&f, 1, "sh", "tiny", "deeper");
	STACK(&f, 2, "sh", "small");
	fixture_write(&f, "svg");
	CHECK(strstr(f.text, "Left out: 2 branches narrower than 0.1 px.") != NULL);
	CHECK_EQ(count(f.text, "data-s="), 3);
	fixture_release(&f);
}

TEST(height_is_limited)
{
	const char *height;
	struct frame *deep = calloc(2000, sizeof(*deep));

	fixture_init(&f);
	for (size_t i = 0; i < 2000; i++)
		deep[i] = (struct frame){.name = i % 2 ? "odd" : "even", .module = "", .kind = FRAME_USER};
	fixture_add(&f, deep, 2000, 1);
	fixture_write(&f, "svg");
	height = strstr(f.text, "height=\"");
	CHECK(height && strtoul(height + 8, NULL, 10) < 32767);
	CHECK(strstr(f.text, "1 beyond 1500 frames") != NULL);
	free(deep);
	fixture_release(&f);
}

TEST(kinds_have_their_colours)
{
	struct frame stack[] = {{.name = "sh", .module = "", .kind = FRAME_ROOT}, {.name = "main", .module = "sh", .kind = FRAME_USER},
				{.name = "read", .module = "[kernel]", .kind = FRAME_KERNEL}};

	fixture_init(&f);
	fixture_add(&f, stack, 3, 3);
	fixture_add(&f, stack, 2, 1);
	fixture_write(&f, "svg");
	CHECK(strstr(f.text, "kernel 75.0 %</text>") != NULL);
	CHECK(strstr(f.text, "user 25.0 %</text>") != NULL);
	CHECK(strstr(f.text, "JIT") == NULL || strstr(f.text, "JIT") > strstr(f.text, "<script"));
	CHECK(strstr(f.text, "<g class=\"k2") != NULL); /* a kernel frame */
	CHECK(strstr(f.text, ".k20>rect{fill:#") != NULL);
	f.report.options.colors = OUTPUT_COLORS_MODULE;
	fixture_write(&f, "svg");
	CHECK(strstr(f.text, "[kernel] 75.0 %</text>") != NULL);
	fixture_release(&f);
}

TEST(colours_by_name)
{
	char class[] = "<g class=\"h00\"";
	struct frame stack[] = {{.name = "sh", .module = "", .kind = FRAME_ROOT}, {.name = "main", .module = "sh", .kind = FRAME_USER},
				{.name = "same", .module = "sh", .kind = FRAME_USER}, {.name = "same", .module = "[kernel]", .kind = FRAME_KERNEL}};
	const char *first, *second;

	fixture_init(&f);
	fixture_add(&f, stack, 4, 3);
	for (uint32_t colors = OUTPUT_COLORS_HASH; colors <= OUTPUT_COLORS_ORANGE; colors++) {
		f.report.options.colors = colors;
		fixture_write(&f, "svg");
		CHECK(well_formed(f.text));
		first = strstr(f.text, "<title>same");
		second = first ? strstr(first + 1, "<title>same") : NULL;
		CHECK(first && second);
		while (first && strncmp(first, "<g class", 8))
			first--;
		while (second && strncmp(second, "<g class", 8))
			second--;
		CHECK(first && second && first[10] == 'h' && !memcmp(first, second, sizeof(class) - 1));
		CHECK_EQ(count(f.text, "<g class=\"hc"), 2); /* roots */
		CHECK(strstr(f.text, ".hc4>rect{fill:#") != NULL);
		CHECK(strstr(f.text, "class=\"key\"") == NULL); /* they mean nothing */
	}
	fixture_release(&f);
}

TEST(size_of_frames_and_notes)
{
	fixture_init(&f);
	STACK(&f, 1000, "sh", "big");
	STACK(&f, 4, "sh", "small");
	f.report.options.height = 24;
	f.report.options.min_width = 8; /* 4 of 1004 are less of 1172 pixels */
	f.report.options.notes = "after <the> change & \"more\"";
	fixture_write(&f, "svg");
	CHECK(well_formed(f.text));
	CHECK_EQ(count(f.text, "height=\"23\"/>"), 3);
	CHECK(strstr(f.text, "Left out: 1 branch narrower than 8 px. 0.40 % of what was measured ends in them") != NULL);
	CHECK(strstr(f.text, "after &lt;the&gt; change &amp; &quot;more&quot;</text>") != NULL);
	f.report.options.height = 1;
	f.report.options.min_width = 4;
	fixture_write(&f, "svg");
	CHECK_EQ(count(f.text, "height=\"9\"/>"), 4);
	fixture_release(&f);
}

TEST(weights_have_units)
{
	fixture_init(&f);
	f.event.weight_unit = FOLD_UNIT_NS;
	f.tree.weighted = true;
	STACK(&f, 1500000, "sh", "wait");
	fixture_write(&f, "svg");
	CHECK(strstr(f.text, "wait\nprog, 1.50 ms, 100.00 %") != NULL);
	fixture_release(&f);
}

TEST_MAIN()
