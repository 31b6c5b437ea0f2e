/* SPDX-License-Identifier: BSD-2-Clause */
/* The census over a made-up /proc, and the lines it reads. */
#include "test.h"
#include "session_fixture.h"

#include "../../record/census.h"
#include "../../record/lines.h"

#include <fcntl.h>

static void proc(const struct tree *t)
{
	char link[256];

	tree_text(t, "proc/10/stat", "10 (na me) x) S 1 10 10 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 2 0 100 1 1\n");
	tree_text(t, "proc/10/task/10/comm", "na me) x\n");
	tree_text(t, "proc/10/task/11/comm", "second\n");
	tree_text(t, "proc/10/task/12/status", "gone by now\n");
	tree_text(t, "proc/10/maps",
		  "00200000-00300000 r-xp 00000000 00:00 0 \n"
		  "55a0b0000000-55a0b0010000 r--p 00000000 08:01 4711                       /opt/x y\n"
		  "55a0b0010000-55a0b0020000 r-xp 00010000 08:01 4711                       /opt/x y\n"
		  "7f0000000000-7f0000010000 r-xp 00000000 fd:02 12                         /lib/new\\012line.so (deleted)\n"
		  "7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                          [vdso]\n"
		  "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n");
	snprintf(link, sizeof(link), "%s/10/exe", t->proc);
	CHECK_EQ(symlink("/opt/x y", link), 0);
	tree_text(t, "proc/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n");
	tree_text(t, "proc/2/task/2/comm", "kthreadd\n");
	tree_text(t, "proc/2/maps", "");
	tree_text(t, "proc/30/comm", "half gone\n");
	tree_text(t, "proc/uptime", "1 2\n");
}

static const struct event *find(const struct census *c, enum event_kind kind, uint32_t tid, size_t nth)
{
	static const struct event none;

	for (size_t i = 0; i < c->n; i++) {
		if (c->events[i].kind == kind && c->events[i].tid == tid && !nth--)
			return &c->events[i];
	}
	return &none;
}

TEST(all_that_runs)
{
	struct census c;
	struct tree t;

	tree_make(&t);
	proc(&t);
	CHECK_EQ(census_collect(&c, t.proc), 0);
	CHECK_EQ(find(&c, EVENT_FORK, 10, 0)->fork.ppid, 1);
	CHECK(find(&c, EVENT_FORK, 10, 0)->fork.running);
	CHECK_EQ(find(&c, EVENT_FORK, 11, 0)->fork.ppid, 10);
	CHECK_EQ(find(&c, EVENT_FORK, 11, 0)->pid, 10);
	CHECK_EQ(find(&c, EVENT_FORK, 12, 0)->kind, 0);
	CHECK_EQ(find(&c, EVENT_FORK, 30, 0)->kind, 0);
	CHECK_STR(find(&c, EVENT_COMM, 10, 0)->comm.comm, "na me) x");
	CHECK_STR(find(&c, EVENT_COMM, 11, 0)->comm.comm, "second");
	CHECK_STR(find(&c, EVENT_COMM, 2, 0)->comm.comm, "kthreadd");
	/* the main program first, whatever lies below it */
	CHECK_STR(find(&c, EVENT_MMAP, 10, 0)->mmap.path, "/opt/x y");
	CHECK_EQ(find(&c, EVENT_MMAP, 10, 0)->mmap.start, 0x55a0b0010000);
	CHECK_EQ(find(&c, EVENT_MMAP, 10, 0)->mmap.length, 0x10000);
	CHECK_EQ(find(&c, EVENT_MMAP, 10, 0)->mmap.offset, 0x10000);
	CHECK_EQ(find(&c, EVENT_MMAP, 10, 0)->mmap.inode, 4711);
	CHECK_EQ(find(&c, EVENT_MMAP, 10, 0)->mmap.major, 8);
	CHECK_STR(find(&c, EVENT_MMAP, 10, 1)->mmap.path, "//anon");
	CHECK_STR(find(&c, EVENT_MMAP, 10, 3)->mmap.path, "/lib/new\nline.so (deleted)");
	CHECK_STR(find(&c, EVENT_MMAP, 10, 4)->mmap.path, "[vdso]");
	CHECK_EQ(find(&c, EVENT_MMAP, 10, 5)->kind, 0);
	for (size_t i = 1; i < c.n; i++)
		CHECK(c.events[i - 1].time <= c.events[i].time);
	census_release(&c);
	tree_remove(&t);
}

static int stop_at_third(void *state, const struct event *event)
{
	return ++*(int *)state == 3 ? 42 : 0;
}

TEST(sink_stops_it)
{
	struct tree t;
	int n = 0;

	tree_make(&t);
	proc(&t);
	CHECK_EQ(census_pid(t.proc, 10, 5, stop_at_third, &n), 42);
	CHECK_EQ(n, 3);
	CHECK_EQ(census_pid(t.proc, 99, 5, stop_at_third, &n), 0);
	tree_remove(&t);
	log_set_level(LOG_QUIET);
	CHECK_EQ(census_run("/nonexistent", stop_at_third, &n), -1);
}

TEST(lines_of_maps)
{
	static const char *const bad[] = {
		"", "x", "1000-2000", "1000-2000 r-xp", "1000-2000 r-xp 0 0:0", "2000-1000 r-xp 0 0:0 0 /x", "1000-2000 r-x 0 0:0 0",
		"-1000-2000 r-xp 0 0:0 0 /x", "1000 -2000 r-xp 0 0:0 0 /x", "10000000000000000-20000000000000000 r-xp 0 0:0 0 /x",
		"1000-2000 r-xp zz 0:0 0 /x", "1000-2000 r-xp 0 100000000:0 0 /x", "1000-2000 r-xp 0 0:0 0x /x",
		"1000-2000 r-xp 0 0:0 99999999999999999999999 /x",
	};
	char line[256];
	struct event_mmap m;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		strcpy(line, bad[i]);
		if (maps_parse(line, &m))
			fprintf(stderr, "taken: %s\n", bad[i]);
		strcpy(line, bad[i]);
		CHECK(!maps_parse(line, &m));
	}
	strcpy(line, "1000-2000 r-xp 00000000 00:00 0");
	CHECK(maps_parse(line, &m));
	CHECK_STR(m.path, "//anon");
	strcpy(line, "1000-2000 r-xp 00000000 00:00 0 ");
	CHECK(maps_parse(line, &m));
}

TEST(lines_of_stat)
{
	struct stat_line s;

	CHECK(stat_parse("1 (a (b) c) R 7 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 1", &s) && s.ppid == 7 && s.start == 12345);
	CHECK(!stat_parse("", &s));
	CHECK(!stat_parse("1 (a", &s));
	CHECK(!stat_parse("1 (a) R 7 1", &s));
	CHECK(!stat_parse("1 (a) R 99999999999 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 1", &s));
}

TEST(lines_longer_than_the_buffer)
{
	struct lines l;
	struct tree t;
	char path[128], *text = malloc(3 * LINES_BUFFER), *line;
	size_t n;

	tree_make(&t);
	memset(text, 'x', 3 * LINES_BUFFER);
	memcpy(text, "one\n\ntwo\n", 9);
	memcpy(text + 2 * LINES_BUFFER, "\nthree\nfour", 11);
	tree_write(&t, "text", text, 2 * LINES_BUFFER + 11);
	snprintf(path, sizeof(path), "%s/text", t.root);
	CHECK_EQ(lines_init(&l, open(path, O_RDONLY)), 0);
	CHECK_STR(lines_next(&l, &n), "one");
	CHECK_STR(lines_next(&l, &n), "");
	CHECK_STR(lines_next(&l, &n), "two");
	CHECK_STR(lines_next(&l, &n), "three");
	CHECK(l.whole);
	line = lines_next(&l, &n);
	CHECK_STR(line, "four");
	CHECK(!l.whole);
	CHECK(!lines_next(&l, &n));
	CHECK(!lines_next(&l, &n));
	lines_release(&l);
	CHECK_EQ(lines_init(&l, -1), 0);
	CHECK(!lines_next(&l, &n));
	lines_release(&l);
	tree_remove(&t);
	free(text);
}

TEST(ourselves)
{
	struct census c;
	char comm[64] = "";
	FILE *f = fopen("/proc/self/comm", "r");

	if (!f)
		return;
	CHECK(fgets(comm, sizeof(comm), f) != NULL);
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	CHECK_EQ(census_collect(&c, "/proc"), 0);
	CHECK_STR(find(&c, EVENT_COMM, (uint32_t)getpid(), 0)->comm.comm, comm);
	CHECK(find(&c, EVENT_MMAP, (uint32_t)getpid(), 0)->mmap.start <= (uintptr_t)census_collect);
	CHECK(find(&c, EVENT_MMAP, (uint32_t)getpid(), 0)->mmap.start + find(&c, EVENT_MMAP, (uint32_t)getpid(), 0)->mmap.length >
	      (uintptr_t)census_collect);
	CHECK(find(&c, EVENT_FORK, (uint32_t)getpid(), 0)->fork.start <= (int64_t)find(&c, EVENT_FORK, (uint32_t)getpid(), 0)->time);
	census_release(&c);
}
TEST_MAIN()
