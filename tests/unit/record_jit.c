/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of generated code: which maps are read, which lines win, which names end up in the file. */
#include "test.h"
#include "session_fixture.h"

#include "../../record/perfmap.h"

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

/* With this map, NULL none, when the region for code is made. */
static void begin(struct fix *f, const char *nspid, const char *map)
{
	char name[64];

	fix_begin(f, NULL, NULL);
	process(&f->tree, 10, nspid);
	snprintf(name, sizeof(name), "proc/10/root/tmp/perf-%s.map", strchr(nspid, '\t') ? strchr(nspid, '\t') + 1 : nspid);
	if (map)
		tree_text(&f->tree, name, map);
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

	begin(&f, "10\t3",
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
	/* what was used before is known by its last name, but only where it was hit */
	CHECK_STR(name_at(b, J + 0x30f, &start, &size), "new");
	CHECK_EQ(size, 1);
	CHECK_STR(name_at(b, J + 0x32f, &start, &size), "old");
	CHECK_EQ(size, 0x40);
	back_free(b);
}

#define ONE "7f0000000000 100 one\n"

TEST(map_that_grows)
{
	struct fix f;
	struct back *b;
	uint64_t start, size;

	begin(&f, "10", ONE);
	SAMPLE(&f, 10, 10, J + 0x10);
	SAMPLE(&f, 10, 10, J + 0x210);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	/* its place is used again: nothing tells when */
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", ONE "7f0000000000 80 other\n7f0000000200 100 two\n");
	CHECK_EQ(session_flush(f.session, f.time, f.time + 1), 0);
	CHECK_EQ(session_flush(f.session, f.time + 1, f.time + 2), 0);
	CHECK_EQ(session_flush(f.session, f.time + 2, f.time + 3), 0);
	SAMPLE(&f, 10, 10, J + 0x20);
	SAMPLE(&f, 10, 10, J + 0x90);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 4);
	CHECK_STR(back_string(b, b->jitsyms[0].name), "one");
	CHECK_STR(back_string(b, b->jitsyms[1].name), "one or other");
	CHECK_EQ(b->jitsyms[1].size, 1);
	CHECK_EQ(b->jitsyms[1].offset, b->jitsyms[0].offset + 0x10);
	CHECK_STR(name_at(b, J + 0x210, &start, &size), "two");
	/* by then it was long the other one; and 0x90 always the one */
	CHECK_STR(back_string(b, b->jitsyms[3].name), "other");
	CHECK_EQ(b->jitsyms[3].offset, b->jitsyms[0].offset + 0x20);
	CHECK_EQ(b->jitsyms[3].size, 1);
	CHECK_STR(name_at(b, J + 0x90, &start, &size), "one");
	back_free(b);
}

/* Lines that came between the process's beginning and the first look. */
TEST(place_used_by_many)
{
	static const struct { const char *map, *name; uint64_t size; } cases[] = {
		{ ONE ONE, "one", 0x100 },
		{ ONE "7f0000000000 100 two\n", "one or two", 1 },
		{ ONE "7f0000000000 100 two\n" ONE "7f0000000000 100 three\n", "one or two or others", 1 },
		{ ONE "7f0000000000 80 one\n", "one", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fix f;
		struct back *b;

		begin(&f, "10", NULL);
		SAMPLE(&f, 10, 10, J + 0x10);
		tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", cases[i].map);
		b = fix_end(&f);
		CHECK_EQ(b->njitsyms, 1);
		CHECK_STR(back_string(b, b->jitsyms[0].name), cases[i].name);
		CHECK_EQ(b->jitsyms[0].size, cases[i].size);
		back_free(b);
	}
}

TEST(map_that_begins_anew)
{
	struct fix f;
	struct back *b;

	begin(&f, "10", ONE "7f0000000200 100 two\n");
	SAMPLE(&f, 10, 10, J + 0x10);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 x\n");
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 2);
	CHECK_STR(back_string(b, b->jitsyms[0].name), "one");
	CHECK_STR(back_string(b, b->jitsyms[1].name), "one or x");
	back_free(b);
}

TEST(process_that_ends)
{
	struct fix f;
	struct back *b;
	uint64_t start, size;

	begin(&f, "10", "7f0000000000 100 one\n");
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

	begin(&f, "10", NULL);
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

	begin(&f, "10", "7f0000000000 100 of the parent\n");
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

	begin(&f, "10", NULL);
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
