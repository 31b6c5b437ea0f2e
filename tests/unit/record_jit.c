/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of generated code: which maps are read, which lines win, which names end up in the file. */
#include "test.h"
#include "session_fixture.h"

#include "../../record/jit.h"

#include <utime.h>

#define A UINT64_C(0x555500000000)
#define J UINT64_C(0x7f0000000000)

static void process(const struct tree *t, uint32_t pid, const char *nspid)
{
	char name[128], text[128];

	snprintf(name, sizeof(name), "proc/%u/status", pid);
	snprintf(text, sizeof(text), "Name:\tx\nNSpid:\t%s\n", nspid);
	tree_text(t, name, text);
	snprintf(name, sizeof(name), "proc/%u/root/tmp/none", pid);
	tree_text(t, name, "");
}

static void begin(struct fix *f)
{
	fix_begin(f, NULL, NULL);
	fix_exec(f, 10, 1, "node", "/bin/node", A);
	fix_mmap(f, 10, J, 0x10000, 0, "//anon", 0);
}

static const char *name_at(const struct back *b, uint64_t address, uint64_t *start, uint64_t *size)
{
	/* the region's own base is hidden: take it from the mapping of the region */
	size_t jit = back_find_module(b, "[anon]");

	for (size_t i = 0; i < b->nmmaps; i++) {
		if (b->mmaps[i].module != jit)
			continue;
		for (size_t s = 0; s < b->njitsyms; s++) {
			uint64_t at = J + (b->jitsyms[s].offset - b->mmaps[i].offset);

			if (b->jitsyms[s].module != jit || address < at || address - at >= b->jitsyms[s].size)
				continue;
			*start = at;
			*size = b->jitsyms[s].size;
			return back_string(b, b->jitsyms[s].name);
		}
	}
	return NULL;
}

TEST(names_of_hits_only)
{
	struct fix f;
	struct back *b;
	uint64_t start, size;

	begin(&f);
	process(&f.tree, 10, "10\t3");
	tree_text(&f.tree, "proc/10/root/tmp/perf-3.map",
		  "7f0000000000 100 first function\n"
		  "0x7f0000000100 0x80 second\n"
		  "7f0000000200 10 never hit\n"
		  "garbage\n"
		  "7f0000000300 40 old\n"
		  "7f0000000300 20 new\n"
		  "7f0000000400 40 cut off without a newline");
	SAMPLE(&f, 10, 10, J + 0x100, J + 0x100, J + 0x310, J + 0x330, J + 0x410, A + 1);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 4);
	CHECK_STR(name_at(b, J + 0x50, &start, &size), "first function");
	CHECK_EQ(start, J);
	CHECK_EQ(size, 0x100);
	CHECK_STR(name_at(b, J + 0x100, &start, &size), "second");
	CHECK(name_at(b, J + 0x200, &start, &size) == NULL);
	CHECK(name_at(b, J + 0x410, &start, &size) == NULL);
	back_free(b);
}

TEST(map_that_grows)
{
	struct fix f;
	struct back *b;
	uint64_t start, size;

	begin(&f);
	process(&f.tree, 10, "10");
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 one\n");
	SAMPLE(&f, 10, 10, J + 0x10);
	SAMPLE(&f, 10, 10, J + 0x210);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	/* its code may be moved, what has a name keeps it */
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 other\n7f0000000200 100 two\n");
	CHECK_EQ(session_flush(f.session, f.time, f.time + 1), 0);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 2);
	CHECK_STR(name_at(b, J + 0x10, &start, &size), "one");
	CHECK_STR(name_at(b, J + 0x210, &start, &size), "two");
	back_free(b);
}

TEST(process_that_ends)
{
	struct fix f;
	struct back *b;
	uint64_t start, size;

	begin(&f);
	process(&f.tree, 10, "10");
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 one\n");
	SAMPLE(&f, 10, 10, J + 0x10);
	f.time = UINT64_MAX / 4; /* the map was written before that */
	fix_exit(&f, 10, 10);
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 of somebody else\n");
	b = fix_end(&f);
	CHECK_STR(name_at(b, J + 0x10, &start, &size), "one");
	back_free(b);
}

TEST(map_of_a_later_process)
{
	struct fix f;
	struct back *b;

	begin(&f);
	process(&f.tree, 10, "10");
	SAMPLE(&f, 10, 10, J + 0x10);
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 too new\n");
	fix_exit(&f, 10, 10); /* in the clock of the events this was long ago */
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 0);
	back_free(b);
}

TEST(child_without_a_map_of_its_own)
{
	struct fix f;
	struct back *b;
	uint64_t start, size;

	begin(&f);
	process(&f.tree, 10, "10");
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 of the parent\n");
	fix_fork(&f, 11, 11, 10, 10);
	SAMPLE(&f, 11, 11, J + 0x10);
	b = fix_end(&f);
	CHECK_STR(name_at(b, J + 0x10, &start, &size), "of the parent");
	back_free(b);
}

TEST(map_that_is_a_trap)
{
	struct fix f;
	struct back *b;
	char path[256];

	begin(&f);
	process(&f.tree, 10, "10");
	tree_text(&f.tree, "real", "7f0000000000 100 through a link\n");
	snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", f.tree.proc);
	CHECK_EQ(symlink("../../../../real", path), 0);
	SAMPLE(&f, 10, 10, J + 0x10);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(mkfifo(path, 0644), 0);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 0);
	back_free(b);
}

TEST(lines)
{
	static const char *const bad[] = {
		"", " ", "1", "1 2", "1 2 ", "x 1 y", "1 x y", "-1 2 y", "11111111111111111 1 y", "ffffffffffffffff 2 y", "0x 1 y",
	};
	struct perfmap_line l;
	char line[6000];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		strcpy(line, bad[i]);
		if (perfmap_parse(line, &l))
			fprintf(stderr, "taken: \"%s\"\n", bad[i]);
		strcpy(line, bad[i]);
		CHECK(!perfmap_parse(line, &l));
	}
	strcpy(line, "7F00 0 a b  c\r");
	CHECK(perfmap_parse(line, &l) && l.start == 0x7f00 && l.size == 0 && !strcmp(l.name, "a b  c"));
	memset(line, 'n', sizeof(line));
	memcpy(line, "1 2 ", 4);
	line[sizeof(line) - 1] = '\0';
	CHECK(perfmap_parse(line, &l) && strlen(l.name) == 4096);
}
TEST_MAIN()
