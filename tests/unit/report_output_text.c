/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables, JSON, the loss line, and how names become safe in each. */
#include "../../report/output/emit.h"
#include "output_fixture.h"
#include "test.h"

static struct fixture f;

static void fill(void)
{
	struct frame kernel[] = {{.name = "sh", .module = "", .kind = FRAME_ROOT}, {.name = "main", .module = "prog", .kind = FRAME_USER},
				 {.name = "vfs_read", .module = "[kernel]", .kind = FRAME_KERNEL}};

	fixture_init(&f);
	STACK(&f, 700, "sh", "main", "work");
	STACK(&f, 200, "sh", "main");
	fixture_add(&f, kernel, 3, 95);
	STACK(&f, 3, "sh", "rare");
	STACK(&f, 2, "sh", "rarer");
}

TEST(top_is_a_table)
{
	fill();
	CHECK_STR(fixture_write(&f, "top"),
		  "1,000 samples of cpu-clock in 3.0 s, nothing lost\n\n"
		  "cpu-clock, 99 Hz: 1,000 samples\n\n"
		  "self %  total %   samples  module    function\n"
		  " 70.00   70.00        700  prog      work\n"
		  " 20.00   99.50        200  prog      main\n"
		  "  9.50    9.50         95  [kernel]  vfs_read\n"
		  "  0.30    0.30          3  prog      rare\n"
		  "  0.20    0.20          2  prog      rarer\n");
	f.report.options.top = 2;
	fixture_write(&f, "top");
	CHECK(strstr(f.text, "main\n 10.00  in 3 more functions") != NULL);
	fixture_release(&f);
}

static size_t widest(const char *text)
{
	size_t most = 0;

	for (; *text; text += strcspn(text, "\n") + 1) {
		size_t n = text_columns(text, strcspn(text, "\n"));

		most = n > most ? n : most;
	}
	return most;
}

TEST(tables_keep_to_the_terminal)
{
	fill();
	STACK(&f, 50, "sh", "main", "std::vector<std::pair<int, std::string> >::_M_realloc_insert<std::pair<int, std::string> >(int)");
	f.report.options.columns = 80;
	CHECK_EQ(widest(fixture_write(&f, "top")), 80);
	CHECK(widest(fixture_write(&f, "tree")) <= 80);
	f.report.options.columns = 0;
	CHECK(widest(fixture_write(&f, "top")) > 100);
	CHECK(strstr(f.text, "\033") == NULL);
	f.report.options.color = true;
	CHECK(strstr(fixture_write(&f, "top"), "\033[34mvfs_read\033[0m\n") != NULL);
	fixture_release(&f);
}

TEST(tree_shows_branches_heaviest_first)
{
	fill();
	CHECK_STR(fixture_write(&f, "tree"),
		  "1,000 samples of cpu-clock in 3.0 s, nothing lost\n\n"
		  "cpu-clock, 99 Hz: 1,000 samples = 100 %\n\n"
		  " total  self  function\n"
		  " 100.0        sh\n"
		  "  99.5  20.0  main\n"
		  "  70.0  70.0  ├─ work\n"
		  "   9.5   9.5  └─ vfs_read\n");
	f.report.options.min_percent = 0.25;
	fixture_write(&f, "tree");
	CHECK(strstr(f.text, "├─ main\n") != NULL);
	CHECK(strstr(f.text, "└─ rare\n") != NULL);
	f.report.options.min_percent = 0;
	CHECK(strstr(fixture_write(&f, "tree"), "└─ rarer\n") != NULL);
	fixture_release(&f);
}

TEST(tree_shows_recursion_in_a_line)
{
	fixture_init(&f);
	STACK(&f, 60, "sh", "main", "fact", "fact", "fact", "work");
	STACK(&f, 40, "sh", "main", "fact", "fact", "fact", "fact");
	CHECK(strstr(fixture_write(&f, "tree"), " 100.0        main\n"
						" 100.0        fact  \303\2273\n"
						"  60.0  60.0  \342\224\234\342\224\200 work\n"
						"  40.0  40.0  \342\224\224\342\224\200 fact\n") != NULL);
	fixture_release(&f);
}

TEST(tables_of_nothing)
{
	fixture_init(&f);
	CHECK(strstr(fixture_write(&f, "top"), "0 samples of cpu-clock in 3.0 s, nothing lost\n") == f.text);
	CHECK(strstr(fixture_write(&f, "tree"), "0 samples") == f.text);
	CHECK(strstr(fixture_write(&f, "json"), "\"total\":0") != NULL);
	fixture_release(&f);
}

TEST(terminals_get_no_control_characters)
{
	fixture_init(&f);
	STACK(&f, 1, "sh", "\x1b]0;title\x07\xc2\x9b" "31m\xe2\x80\xa8\xf0\x9f\x98\x80\xff");
	fixture_write(&f, "top");
	CHECK(strstr(f.text, " ]0;title  31m \xf0\x9f\x98\x80\\xff\n") != NULL);
	fixture_release(&f);
}

TEST(json_says_every_byte)
{
	fixture_init(&f);
	STACK(&f, 1, "sh", "a\"b\\c\n\x1b\xff\xc3\xbc");
	fixture_write(&f, "json");
	CHECK(strstr(f.text, "\"a\\\"b\\\\c\\u000a\\u001b\\\\xff\xc3\xbc\"") != NULL);
	CHECK(strstr(f.text, "\"parent\":[-1,0,1],\n\"frame\":[0,1,2],\n\"self\":[0,0,1],\n\"total\":[1,1,1]") != NULL);
	fixture_release(&f);
}

static const char *loss_line(void)
{
	static char line[OUTPUT_LOSS_LINE];

	return output_loss_line(&f.report, line, sizeof(line));
}

TEST(loss_line_closes_the_sum)
{
	fill();
	f.event.lost = 250;
	f.event.taken += 250;
	f.event.causes[FOLD_LOST_RING] = 200;
	f.event.causes[FOLD_LOST_RECORDER] = 50;
	f.event.causes[FOLD_NOTE_IDLE] = 12345;
	CHECK_STR(loss_line(), "1,000 samples of cpu-clock in 3.0 s, 250 lost (20.0 %: the kernel's ring was full: 200, "
		  "the recorder had no memory or time: 50)");
	f.event.read += 500;
	CHECK(strstr(loss_line(), "1,000 of 1,500 samples") == loss_line());
	fixture_release(&f);
}

TEST(loss_line_tells_damage)
{
	fill();
	f.segment.ended = false;
	f.segment.last = 2500000000;
	f.segment.damages = 2;
	f.segment.lost_bytes = 4096;
	f.event.written += 10;
	CHECK_STR(loss_line(), "1,000 samples of cpu-clock in 1.5 s, 10 lost (0.99 %: in damaged parts of the file: 10); "
		  "the end of the recording is missing: recorded until 2025-11-29 14:02:11.500 UTC; "
		  "2 damaged places, 4,096 bytes, passed over");
	fixture_release(&f);
}

TEST(loss_line_fits_any_buffer)
{
	char small[16];

	fill();
	output_loss_line(&f.report, small, sizeof(small));
	CHECK_STR(small, "1,000 samples o");
	fixture_release(&f);
}

TEST(suffixes_choose_formats)
{
	CHECK_STR(output_by_suffix("x.svg")->name, "svg");
	CHECK_STR(output_by_suffix("dir.svg/x.folded")->name, "folded");
	CHECK(output_by_suffix("x.png") == NULL);
	CHECK(output_by_suffix(".svg") == NULL);
	CHECK(output_by_name("nothing") == NULL);
}

TEST_MAIN()
