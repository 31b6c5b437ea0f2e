/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of generated code: which maps are read, which lines win, which names end up in the file. */
#include "test.h"
#include "session_fixture.h"

#include "../../record/jitdump.h"
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

/* Each line names every place: a look has an end, and what it has not seen is said. */
TEST(map_of_one_place)
{
	enum { LINES = 2200, HITS = 2000 }; /* more than a look takes */
	struct fix f;
	struct back *b;
	char map[LINES * 24 + 1], *p = map;

	for (int i = 0; i < LINES; i++)
		p += sprintf(p, "1 7fffffffffff n%d\n", i % 7);
	begin(&f, "10", map);
	for (int i = 0; i < HITS; i++)
		SAMPLE(&f, 10, 10, J + 0x10 + i);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	b = fix_end(&f);
	CHECK(b->njitsyms >= HITS);
	for (size_t i = 0; i < HITS; i++)
		CHECK(strstr(back_string(b, b->jitsyms[i].name), " or others"));
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
/* The place is the parent's, what is in it is not. */
TEST(child_with_other_code_at_its_parents_place)
{
	struct fix f;
	struct back *b;
	bool parent = false, child = false;

	begin(&f, "10", "7f0000000000 100 of both\n7f0000000100 100 of the parent\n");
	process(&f.tree, 11, "11");
	SAMPLE(&f, 10, 10, J + 0x110);
	fix_fork(&f, 11, 11, 10, 10);
	tree_text(&f.tree, "proc/10/root/tmp/perf-10.map", "7f0000000000 100 of both\n7f0000000100 100 of the parent\n7f0000000200 100 later\n");
	tree_text(&f.tree, "proc/11/root/tmp/perf-11.map", "7f0000000200 100 of the child\n");
	SAMPLE(&f, 10, 10, J + 0x10, J + 0x210);
	SAMPLE(&f, 11, 11, J + 0x10, J + 0x210);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 5);
	for (size_t i = 0; i < b->njitsyms; i++) {
		const char *name = back_string(b, b->jitsyms[i].name);

		CHECK_EQ(b->jitsyms[i].size, 0x100);
		parent |= !strcmp(name, "later") && b->jitsyms[i].module == b->jitsyms[0].module;
		child |= !strcmp(name, "of the child") && b->jitsyms[i].module != b->jitsyms[0].module;
	}
	CHECK(parent);
	CHECK(child);
	back_free(b);
}

/* ------------------------------------------------------------ dumps */

struct dump {
	uint8_t at[8192];
	size_t n;
};

static void dump_bytes(struct dump *d, const void *from, size_t n)
{
	memcpy(d->at + d->n, from, n);
	d->n += n;
}

static void dump_begin(struct dump *d, uint32_t pid, uint64_t flags)
{
	struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } h = {0x4a695444, 1, sizeof(h), 62, 0, pid, 1, flags};

	d->n = 0;
	dump_bytes(d, &h, sizeof(h));
}

static void dump_load(struct dump *d, uint32_t pid, uint64_t time, uint64_t start, uint64_t size, const char *name)
{
	struct { uint32_t id, length; uint64_t time; uint32_t pid, tid; uint64_t vma, start, size, index; } r = {
		.length = (uint32_t)(sizeof(r) + strlen(name) + 1 + 32), .time = time, .pid = pid, .tid = pid, .vma = start, .start = start, .size = size,
	};
	uint8_t code[32] = {0x90};

	dump_bytes(d, &r, sizeof(r));
	dump_bytes(d, name, strlen(name) + 1);
	dump_bytes(d, code, sizeof(code));
}

static void dump_move(struct dump *d, uint32_t pid, uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	struct { uint32_t id, length; uint64_t time; uint32_t pid, tid; uint64_t vma, from, to, size, index; } r = {
		.id = 1, .length = sizeof(r), .time = time, .pid = pid, .tid = pid, .vma = to, .from = from, .to = to, .size = size,
	};

	dump_bytes(d, &r, sizeof(r));
}

static void dump_other(struct dump *d, uint32_t id, uint32_t length)
{
	struct { uint32_t id, length; uint64_t time; } r = {id, length, 1};
	uint8_t rest[256] = {0};

	dump_bytes(d, &r, sizeof(r));
	if (length > sizeof(r))
		dump_bytes(d, rest, length - sizeof(r));
}

/* It is there, and process 10 maps it as code. */
static void dump_map(struct fix *f, const struct dump *d)
{
	struct event e;
	struct stat st = {0};
	char path[256];

	tree_write(&f->tree, "proc/10/root/tmp/jit-10.dump", d->at, d->n);
	snprintf(path, sizeof(path), "%s/10/root/tmp/jit-10.dump", f->tree.proc);
	CHECK_EQ(stat(path, &st), 0);
	e = fix_event(f, EVENT_MMAP, 10, 10);
	e.mmap = (struct event_mmap){.start = J - 0x100000, .length = 0x1000, .prot = 5, .path = "/tmp/jit-10.dump", .inode = st.st_ino};
	fix_send(f, &e);
}

TEST(dump_says_when)
{
	struct fix f;
	struct back *b;
	struct dump d;
	uint64_t start, size;

	begin(&f, "10", "7f0000000000 1000 a map is not read beside a dump\n");
	dump_begin(&d, 10, 0);
	dump_load(&d, 10, f.time, J, 0x100, "old");
	dump_load(&d, 10, f.time, J + 0x400, 0x100, "stays");
	dump_other(&d, 2, 40); /* lines */
	dump_load(&d, 10, f.time, J, 0x100, "at the time of the hit");
	dump_load(&d, 11, f.time, J, 0x100, "of another process");
	dump_load(&d, 10, UINT64_MAX / 2, J + 0x200, 0x100, "told late");
	dump_load(&d, 10, UINT64_MAX / 2, J + 0x400, 0x100, "after the hit");
	dump_move(&d, 10, f.time, J, J + 0x800, 0x100);
	dump_other(&d, 77, 16);
	dump_load(&d, 10, f.time, J + 0x600, 0x100, "last");
	dump_map(&f, &d);
	SAMPLE(&f, 10, 10, J + 0x10, J + 0x210, J + 0x410, J + 0x610, J + 0x810, J + 0x900);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 5);
	CHECK_STR(name_at(b, J + 0x10, &start, &size), "at the time of the hit");
	CHECK_STR(name_at(b, J + 0x20f, &start, &size), "told late");
	CHECK_EQ(size, 0x100);
	CHECK_STR(name_at(b, J + 0x40f, &start, &size), "stays or after the hit");
	CHECK_STR(name_at(b, J + 0x60f, &start, &size), "last");
	CHECK_STR(name_at(b, J + 0x80f, &start, &size), "[moved code]");
	back_free(b);
}

TEST(dump_that_grows_and_goes)
{
	struct fix f;
	struct back *b;
	struct dump d;
	uint64_t start, size;
	char path[256];
	FILE *file;

	begin(&f, "10", NULL);
	dump_begin(&d, 10, 0);
	dump_load(&d, 10, f.time, J, 0x100, "one");
	dump_map(&f, &d);
	SAMPLE(&f, 10, 10, J + 0x10);
	SAMPLE(&f, 10, 10, J + 0x210);
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	snprintf(path, sizeof(path), "%s/10/root/tmp/jit-10.dump", f.tree.proc);
	file = fopen(path, "a");
	d.n = 0;
	dump_load(&d, 10, f.time, J + 0x200, 0x100, "two");
	CHECK(file && fwrite(d.at, 1, d.n - 40, file) == d.n - 40 && !fflush(file));
	CHECK_EQ(session_flush(f.session, f.time, f.time + 1), 0);
	CHECK(file && fwrite(d.at + d.n - 40, 1, 40, file) == 40 && !fclose(file));
	CHECK_EQ(unlink(path), 0);
	fix_exit(&f, 10, 10);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 2);
	CHECK_STR(name_at(b, J + 0x10, &start, &size), "one");
	CHECK_STR(name_at(b, J + 0x210, &start, &size), "two");
	back_free(b);
}

/* Nothing tells when: what came later may have been it. */
TEST(dump_of_another_clock)
{
	static const struct { uint64_t flags, time; } cases[] = {{1, FIX_START + 1000000}, {0, 5}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fix f;
		struct back *b;
		struct dump d;
		uint64_t start, size;

		begin(&f, "10", NULL);
		dump_begin(&d, 10, 0);
		dump_map(&f, &d);
		SAMPLE(&f, 10, 10, J + 0x10);
		dump_begin(&d, 10, cases[i].flags);
		dump_load(&d, 10, cases[i].time, J, 0x100, "one");
		dump_load(&d, 10, cases[i].time, J, 0x100, "two");
		tree_write(&f.tree, "proc/10/root/tmp/jit-10.dump", d.at, d.n);
		b = fix_end(&f);
		CHECK_STR(name_at(b, J + 0x10, &start, &size), "one or two");
		back_free(b);
	}
}

TEST(child_knows_its_parents_dump)
{
	struct fix f;
	struct back *b;
	struct dump d;

	begin(&f, "10", NULL);
	dump_begin(&d, 10, 0);
	dump_load(&d, 10, f.time, J, 0x100, "before");
	dump_load(&d, 10, UINT64_MAX / 2, J, 0x100, "after the fork");
	dump_map(&f, &d);
	fix_fork(&f, 11, 11, 10, 10);
	fix_fork(&f, 12, 12, 11, 11);
	fix_exit(&f, 10, 10);
	SAMPLE(&f, 12, 12, J + 0x10);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 1);
	CHECK_STR(back_string(b, b->jitsyms[0].name), "before");
	CHECK_EQ(b->jitsyms[0].size, 0x100);
	back_free(b);
}

TEST(dump_that_is_none)
{
	static const struct { size_t at; uint8_t byte; } cases[] = {
		{0, 0}, {4, 2}, {8, 39}, {9, 0xff}, /* magic, version, header too short and too long */
		{44, 8}, {47, 1},                   /* the first record: shorter than one, longer than the file */
		{56, 9},                            /* of another process */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fix f;
		struct back *b;
		struct dump d;

		begin(&f, "10", NULL);
		dump_begin(&d, 10, 0);
		dump_load(&d, 10, f.time, J, 0x100, "no");
		d.at[cases[i].at] = cases[i].byte;
		dump_map(&f, &d);
		SAMPLE(&f, 10, 10, J + 0x10);
		b = fix_end(&f);
		CHECK_EQ(b->njitsyms, 0);
		back_free(b);
	}
}

/* Same name, another file: who put it there is not the process. */
TEST(dump_that_was_put_there)
{
	struct fix f;
	struct back *b;
	struct dump d;
	struct event e;

	begin(&f, "10", "7f0000000000 100 of the map\n");
	dump_begin(&d, 10, 0);
	dump_load(&d, 10, f.time, J, 0x100, "put there");
	tree_write(&f.tree, "proc/10/root/tmp/jit-10.dump", d.at, d.n);
	e = fix_event(&f, EVENT_MMAP, 10, 10);
	e.mmap = (struct event_mmap){.start = J - 0x100000, .length = 0x1000, .prot = 5, .path = "/tmp/jit-10.dump", .inode = 1};
	fix_send(&f, &e);
	SAMPLE(&f, 10, 10, J + 0x10);
	b = fix_end(&f);
	CHECK_EQ(b->njitsyms, 1);
	CHECK_STR(back_string(b, b->jitsyms[0].name), "of the map");
	back_free(b);
}

TEST(dump_names)
{
	static const char *const good[] = {"/tmp/jit-1.dump", "/a b/jit-0012.dump", "/jit-7.dump (deleted)"};
	static const char *const bad[] = {"", "jit-1.dump", "/tmp/jit-.dump", "/tmp/jit-1.dump2", "/tmp/jit-1", "/tmp/xjit-1.dump", "/jit-1.dump/x"};
	char name[6000];
	struct jitdump_code code;
	struct jitdump reader;
	struct dump d;
	FILE *file = tmpfile();

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		CHECK(jitdump_named(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!jitdump_named(bad[i]));
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	dump_begin(&d, 1, 0);
	dump_load(&d, 1, 1, 0, 1, name);
	dump_load(&d, 1, 1, 1, 1, "");
	dump_load(&d, 1, 1, UINT64_MAX, 2, "beyond the end");
	dump_load(&d, 1, 1, 2, 1, "short");
	CHECK(file && fwrite(d.at, 1, d.n, file) == d.n && !fflush(file));
	CHECK(jitdump_begin(&reader, fileno(file), d.n, 0));
	CHECK(jitdump_next(&reader, &code) && strlen(code.name) == JITDUMP_MAX_NAME);
	CHECK(jitdump_next(&reader, &code) && !strcmp(code.name, "short") && code.start == 2);
	CHECK(!jitdump_next(&reader, &code) && reader.next == d.n);
	fclose(file);
}
TEST_MAIN()
