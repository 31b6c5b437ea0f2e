/* SPDX-License-Identifier: BSD-2-Clause */
/* Made-up events in, a recording out: whose samples they are and what is mapped. */
#include "test.h"
#include "session_fixture.h"

#include "../../record/clock.h"

#define A UINT64_C(0x555500000000)
#define B UINT64_C(0x7f0000000000)

TEST(exec_and_sample)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "cat", "/usr/bin/cat", A);
	fix_mmap(&f, 10, B, 0x20000, 0x26000, "/usr/lib/libc.so.6", 9);
	SAMPLE(&f, 10, 10, A + 0x10, B + 0x100, A + 0x200);
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 1);
	CHECK_STR(back_row(b, 0), "cat 10/10 /usr/bin/cat+0x1200;/usr/lib/libc.so.6+0x26100;/usr/bin/cat+0x1010 -");
	CHECK_EQ(b->nmmaps, 2);
	CHECK_EQ(b->procs[b->threads[0].proc].exe, back_find_module(b, "/usr/bin/cat") + 1);
	CHECK_EQ(b->modules[0].kind, FOLD_MODULE_KERNEL);
	CHECK_STR(b->modules[back_find_module(b, "/usr/lib/libc.so.6")].id, "0909090909090909090909090909090909090909");
	CHECK(b->modules[back_find_module(b, "/usr/lib/libc.so.6")].flags & FOLD_MODULE_UNREAD);
	back_free(b);
}

TEST(sample_between_exec_and_the_first_mapping)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_fork(&f, 10, 10, 1, 1);
	fix_comm(&f, 10, 10, "cat", true);
	SAMPLE(&f, 10, 10, A + 0x10);
	fix_mmap(&f, 10, A, 0x10000, 0x1000, "/usr/bin/cat", 7);
	b = fix_end(&f);
	CHECK_EQ(b->procs[0].exe, back_find_module(b, "/usr/bin/cat") + 1);
	CHECK_EQ(b->nmmaps, 1);
	back_free(b);
}

/* Seen from within a pid namespace, whoever is outside has the number 0. */
TEST(hidden_processes_have_no_name)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	SAMPLE(&f, 0, 0, A + 0x10);
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 1);
	CHECK_STR(back_row(b, 0), " 0/0 ? -");
	CHECK_EQ(b->account[0][FOLD_NOTE_UNKNOWN_PROC], 1);
	back_free(b);
}

TEST(same_stack_in_two_processes_is_one)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "cat", "/usr/bin/cat", A);
	fix_exec(&f, 11, 1, "cat", "/usr/bin/cat", A + 0x5000000);
	SAMPLE(&f, 10, 10, A + 0x10, A + 0x200);
	SAMPLE(&f, 11, 11, A + 0x5000010, A + 0x5000200);
	b = fix_end(&f);
	CHECK_EQ(b->nstacks[1], 1);
	CHECK_EQ(b->nmodules, 2);
	CHECK_STR(back_row(b, 1), "cat 11/11 /usr/bin/cat+0x1200;/usr/bin/cat+0x1010 -");
	back_free(b);
}

/* R-PRC-1: exec begins a process */
TEST(fork_shares_until_exec)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "sh", "/bin/sh", A);
	fix_fork(&f, 11, 11, 10, 10);
	SAMPLE(&f, 11, 11, A + 0x10);
	fix_mmap(&f, 11, B, 0x1000, 0, "/lib/own.so", 3);
	SAMPLE(&f, 11, 11, B + 0x10);
	SAMPLE(&f, 10, 10, B + 0x10);
	fix_comm(&f, 11, 11, "ls", true);
	SAMPLE(&f, 11, 11, A + 0x10);
	fix_mmap(&f, 11, A + 0x1000, 0x1000, 0, "/bin/ls", 4);
	SAMPLE(&f, 11, 11, A + 0x1010);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "sh 11/11 /bin/sh+0x1010 -");
	CHECK_STR(back_row(b, 1), "sh 11/11 /lib/own.so+0x10 -");
	CHECK_STR(back_row(b, 2), "sh 10/10 ? -");
	CHECK_STR(back_row(b, 3), "ls 11/11 ? -");
	CHECK_STR(back_row(b, 4), "ls 11/11 /bin/ls+0x10 -");
	/* sh, its child before and after exec; the child's parent is sh */
	CHECK_EQ(b->nprocs, 3);
	CHECK_EQ(b->procs[b->threads[b->rows[0].thread].proc].parent, 1 + b->threads[b->rows[2].thread].proc);
	CHECK_EQ(b->procs[b->threads[b->rows[4].thread].proc].parent, 1 + b->threads[b->rows[2].thread].proc);
	CHECK_EQ(b->account[0][FOLD_NOTE_UNMAPPED], 2);
	back_free(b);
}

/* R-PRC-1: so does another process of the same number */
TEST(pid_used_again)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "one", "/bin/one", A);
	SAMPLE(&f, 10, 10, A + 1);
	fix_exit(&f, 10, 10);
	SAMPLE(&f, 10, 10, A + 2); /* on its way out */
	fix_fork(&f, 10, 10, 1, 1);
	fix_comm(&f, 10, 10, "two", true);
	SAMPLE(&f, 10, 10, A + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "one 10/10 /bin/one+0x1001 -");
	CHECK_STR(back_row(b, 1), "one 10/10 /bin/one+0x1002 -");
	CHECK_STR(back_row(b, 2), "two 10/10 ? -");
	CHECK_EQ(b->nprocs, 2);
	back_free(b);
}

/* R-THR-1: a sample names the thread as it was called then */
TEST(threads_and_their_names)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "main", "/bin/main", A);
	fix_fork(&f, 10, 11, 10, 10);
	SAMPLE(&f, 10, 11, A + 1);
	fix_comm(&f, 10, 11, "worker", false);
	SAMPLE(&f, 10, 11, A + 1);
	fix_comm(&f, 10, 11, "main", false);
	SAMPLE(&f, 10, 11, A + 1);
	fix_exit(&f, 10, 10);
	SAMPLE(&f, 10, 11, A + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "main 10/11 /bin/main+0x1001 -");
	CHECK_STR(back_row(b, 2), "main 10/11 /bin/main+0x1001 -");
	CHECK_STR(back_row(b, 3), "worker 10/11 /bin/main+0x1001 -");
	CHECK_EQ(b->rows[2].thread, b->rows[0].thread);
	CHECK_EQ(b->nthreads, 2);
	CHECK_EQ(b->nprocs, 1);
	CHECK_EQ(b->nstacks[1], 1);
	back_free(b);
}

/* R-STK-5 */
TEST(unmapped_runs_are_one_marker)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	SAMPLE(&f, 10, 10, A + 1, UINT64_C(0x474554202f), UINT64_C(17), A + 0x20, UINT64_C(99));
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 10/10 ?;/bin/x+0x1020;?;/bin/x+0x1001 -");
	CHECK_EQ(b->account[0][FOLD_NOTE_UNMAPPED], 1);
	back_free(b);
}

TEST(return_address_behind_the_last_byte)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	SAMPLE(&f, 10, 10, A + 1, A + 0x10000);
	SAMPLE(&f, 10, 10, A + 0x10000, A + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 10/10 /bin/x+0x11000;/bin/x+0x1001 -");
	CHECK_STR(back_row(b, 1), "x 10/10 /bin/x+0x1001;? -");
	back_free(b);
}

TEST(interrupted_frames_are_marked)
{
	const uint64_t mark = EVENT_WORD_EXACT;
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	fix_mmap(&f, 10, A + 0x10000, 0x1000, 0, "/bin/handler", 8);
	/* the first byte of a mapping: exact, it is in there; a return address is not */
	SAMPLE(&f, 10, 10, A + 1, A + 0x10000, mark, A + 0x10000, UINT64_C(5), mark, mark);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 10/10 ?;/bin/x+0x11000;!;/bin/handler+0x0;/bin/x+0x1001 -");
	back_free(b);
}

TEST(mapping_over_a_mapping)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	fix_mmap(&f, 10, A + 0x4000, 0x2000, 0x9000, "/bin/y", 8);
	SAMPLE(&f, 10, 10, A + 0x3fff, A + 0x4001, A + 0x6000, A + 0x6001);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 10/10 /bin/x+0x7001;/bin/y+0xb000;/bin/y+0x9001;/bin/x+0x4fff -");
	CHECK_EQ(b->nmmaps, 3);
	back_free(b);
}

TEST(process_that_nobody_knows)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	SAMPLE(&f, 77, 78, A + 1);
	SAMPLE(&f, 77, 77, A + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), " 77/78 ? -");
	CHECK_EQ(b->nprocs, 1);
	CHECK_EQ(b->account[0][FOLD_NOTE_UNKNOWN_PROC], 2);
	back_free(b);
}

static void proc_of_77(const struct tree *t)
{
	tree_text(t, "proc/77/stat", "77 (a) b) c) S 1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 5 1 1\n");
	tree_text(t, "proc/77/task/77/comm", "a) b) c\n");
	tree_text(t, "proc/77/task/78/comm", "other\n");
	tree_text(t, "proc/77/maps", "555500000000-555500010000 r-xp 00001000 08:01 4711 /bin/found\n"
		"555500010000-555500020000 rw-p 00001000 08:01 4711 /bin/found\n");
}

TEST(process_asked_for_at_the_last_moment)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, proc_of_77);
	SAMPLE(&f, 77, 78, A + 1);
	SAMPLE(&f, 77, 77, A + 0x10001);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "other 77/78 /bin/found+0x1001 -");
	CHECK_STR(back_row(b, 1), "a) b) c 77/77 ? -");
	CHECK_EQ(b->account[0][FOLD_NOTE_UNKNOWN_PROC], 0);
	back_free(b);
}

/* /proc/77, begun at `start` ns of CLOCK_MONOTONIC; stat counts from boot. */
static void proc_77(const struct fix *f, uint64_t start, const char *comm, const char *maps)
{
	uint64_t boot = clock_ns(CLOCK_BOOTTIME) - clock_now(), hz = (uint64_t)sysconf(_SC_CLK_TCK);
	char stat[256];

	snprintf(stat, sizeof(stat), "77 (x) S 1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %llu 1 1\n",
		 (unsigned long long)((start + boot) / (NS_PER_SECOND / hz)));
	tree_text(&f->tree, "proc/77/stat", stat);
	tree_text(&f->tree, "proc/77/task/77/comm", comm);
	tree_text(&f->tree, "proc/77/maps", maps);
}

static void lost(struct fix *f)
{
	struct event e = fix_event(f, EVENT_LOST, 0, 0);

	e.lost.records = 3;
	fix_send(f, &e);
}

TEST(exec_that_was_lost)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_running(&f, 77, 77, 1);
	fix_comm(&f, 77, 77, "before", false);
	fix_mmap(&f, 77, A + 0x4000, 0x1000, 0, "/bin/before", 0);
	SAMPLE(&f, 77, 77, A + 1, A + 0x4001);
	proc_77(&f, FIX_START / 2, "after\n", "555500000000-555500010000 r-xp 00001000 08:01 4711 /bin/after\n");
	SAMPLE(&f, 77, 77, A + 1, A + 0x4001); /* nothing was lost: nothing is asked */
	lost(&f);
	SAMPLE(&f, 77, 77, A + 1, A + 0x10001);
	SAMPLE(&f, 77, 77, A + 2);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "before 77/77 /bin/before+0x1;? -");
	CHECK_STR(back_row(b, 1), "before 77/77 /bin/before+0x1;? -");
	CHECK_STR(back_row(b, 2), "after 77/77 ?;/bin/after+0x1001 -");
	CHECK_STR(back_row(b, 3), "after 77/77 /bin/after+0x1002 -");
	CHECK_EQ(b->nprocs, 2);
	back_free(b);
}

TEST(mapping_that_was_lost)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_running(&f, 77, 77, 1);
	fix_comm(&f, 77, 77, "x", false);
	fix_mmap(&f, 77, A, 0x10000, 0x1000, "/bin/x", 0);
	proc_77(&f, FIX_START / 2, "x\n", "555500000000-555500010000 r-xp 00001000 00:00 1 /bin/x\n"
		"7f0000000000-7f0000001000 r-xp 00000000 00:00 2 /lib/late.so\n");
	lost(&f);
	SAMPLE(&f, 77, 77, B + 1, A + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 77/77 /bin/x+0x1001;/lib/late.so+0x1 -");
	CHECK_EQ(b->nprocs, 1);
	back_free(b);
}

TEST(exit_and_fork_that_were_lost)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_running(&f, 77, 77, 1);
	fix_comm(&f, 77, 77, "x", false);
	fix_mmap(&f, 77, A, 0x10000, 0x1000, "/bin/x", 0);
	f.time += 500000000;
	proc_77(&f, FIX_START + 300000000, "y\n", "555500000000-555500010000 r-xp 00001000 00:00 9 /bin/y\n");
	lost(&f);
	SAMPLE(&f, 77, 77, A + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "y 77/77 /bin/y+0x1001 -");
	back_free(b);
}

TEST(census_after_the_rings_changes_nothing)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	SAMPLE(&f, 10, 10, A + 1);
	fix_running(&f, 10, 10, 1);
	fix_comm(&f, 10, 10, "x", false);
	fix_mmap(&f, 10, A, 0x10000, 0x1000, "/bin/x", 0);
	SAMPLE(&f, 10, 10, A + 1);
	b = fix_end(&f);
	CHECK_EQ(b->nprocs, 1);
	CHECK_EQ(b->nmmaps, 1);
	CHECK_EQ(b->nmodules, 2);
	CHECK_EQ(b->nthreads, 1);
	back_free(b);
}

TEST(child_of_one_that_census_finds_later)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_fork(&f, 11, 11, 10, 10); /* of a process not told of yet */
	fix_running(&f, 11, 11, 10);
	fix_comm(&f, 11, 11, "kid", false);
	fix_mmap(&f, 11, A, 0x10000, 0x1000, "/bin/kid", 0);
	SAMPLE(&f, 11, 11, A + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "kid 11/11 /bin/kid+0x1001 -");
	CHECK_EQ(b->account[0][FOLD_NOTE_UNKNOWN_PROC], 0);
	back_free(b);
}

TEST(generated_code_is_a_region)
{
	struct fix f;
	struct back *b;
	size_t jit;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "node", "/bin/node", A);
	fix_mmap(&f, 10, B, 0x1000, 0, "//anon", 0);
	SAMPLE(&f, 10, 10, B + 0x10, A + 1);
	fix_mmap(&f, 10, B, 0x3000, 0, "//anon", 0);         /* it grows up */
	fix_mmap(&f, 10, B - 0x1000, 0x1000, 0, "//anon", 0); /* and down */
	SAMPLE(&f, 10, 10, B + 0x10, A + 1);
	SAMPLE(&f, 10, 10, B + 0x2010, A + 1);
	SAMPLE(&f, 10, 10, B - 0x1000, A + 1);
	b = fix_end(&f);
	jit = back_find_module(b, "[anon]");
	CHECK_EQ(b->modules[jit].kind, FOLD_MODULE_JIT);
	CHECK_EQ(b->nmodules, 3);
	CHECK_EQ(b->nstacks[1], 3);
	CHECK_STR(b->rows[0].user, b->rows[1].user);
	back_free(b);
}

static void remapped(bool still_there, uint64_t from, uint64_t length, const char *want)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	fix_mmap(&f, 10, B, 0x1000, 0, "/bin/y", 9);
	if (still_there)
		tree_text(&f.tree, "proc/10/maps", "5554fffff000-555500000000 r--p 00000000 00:00 1 /bin/x\n"
			"7f0000000000-7f0000001000 r-xp 00000000 00:00 2 /bin/y\n");
	fix_mmap(&f, 10, A + from, length, 0, "//anon", 0);
	fix_mmap(&f, 10, A + from, length / 2, 0, "//anon", 0); /* made writable and executable again, in parts */
	SAMPLE(&f, 10, 10, A + from + 1);
	b = fix_end(&f);
	CHECK(strstr(back_row(b, 0), want) != NULL);
	CHECK_EQ(b->nmodules, still_there ? 3 : 4);
	back_free(b);
}

TEST(text_moved_to_huge_pages)
{
	remapped(true, 0x4000, 0x8000, "/bin/x+0x5001");
	/* the same events when the file is gone: generated code */
	remapped(false, 0x4000, 0x8000, "[anon]+0x");
}

TEST(names_of_what_is_not_a_file)
{
	static const char *const given[] = {"/memfd:pool (deleted)", "[anon:jit cache]", "/dev/zero (deleted)", "[heap]", "/SYSV0000 (deleted)"};
	static const char *const names[] = {"memfd:pool", "[anon:jit cache]", "zero", "[heap]", "SYSV0000"};
	struct session_options base = {.paths = SESSION_PATHS_BASE};
	struct fix f;
	struct back *b;

	fix_begin(&f, &base, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	for (size_t i = 0; i < 5; i++) {
		fix_mmap(&f, 10, B + i * 0x1000, 0x1000, 0, given[i], 0);
		SAMPLE(&f, 10, 10, B + i * 0x1000, A + 1);
	}
	b = fix_end(&f);
	for (size_t i = 0; i < 5; i++)
		CHECK_EQ(b->modules[back_find_module(b, names[i])].kind, FOLD_MODULE_JIT);
	CHECK(b->modules[back_find_module(b, "memfd:pool")].flags & FOLD_MODULE_MEMFD);
	CHECK(b->flags & FOLD_FLAG_PATHS_BASE);
	CHECK_STR(back_string(b, 2), "x");
	back_free(b);
}

TEST(paths_outside_of_system_directories)
{
	struct session_options system = {.paths = SESSION_PATHS_SYSTEM};
	struct fix f;
	struct back *b;

	fix_begin(&f, &system, NULL);
	fix_exec(&f, 10, 1, "x", "/home/me/secret project/x", A);
	fix_mmap(&f, 10, B, 0x1000, 0, "/usr/lib/liby.so (deleted)", 5);
	SAMPLE(&f, 10, 10, A + 1, B + 1);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "x 10/10 /usr/lib/liby.so+0x1;x+0x1001 -");
	CHECK(b->modules[back_find_module(b, "/usr/lib/liby.so")].flags & FOLD_MODULE_DELETED);
	back_free(b);
}

TEST(span_that_turns_out_too_small)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	SAMPLE(&f, 10, 10, A + 1);
	fix_mmap(&f, 10, B, 0x2000000, 0, "/bin/x", 7);
	SAMPLE(&f, 10, 10, B + 0x1ffffff);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 1), "x 10/10 /bin/x+0x1ffffff -");
	back_free(b);
}

/* R-MAP-1 */
TEST(no_absolute_address_gets_out)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	SAMPLE(&f, 10, 10, A + 1, B);
	b = fix_end(&f);
	for (size_t i = 0; i < b->nmmaps; i++)
		CHECK_EQ(b->mmaps[i].start, 0);
	back_free(b);
}

TEST(raw_addresses_on_demand)
{
	struct session_options raw = {.raw_addresses = true, .paths = SESSION_PATHS_FULL};
	struct fix f;
	struct back *b;

	fix_begin(&f, &raw, NULL);
	fix_exec(&f, 10, 1, "x", "/bin/x", A);
	SAMPLE(&f, 10, 10, A + 1, B);
	b = fix_end(&f);
	CHECK(b->flags & FOLD_FLAG_RAW_ADDRESSES);
	CHECK_EQ(b->mmaps[0].start, A);
	CHECK_EQ(b->mmaps[0].offset, 0x1000);
	back_free(b);
}

TEST(thousands_of_forks)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "sh", "/bin/sh", A);
	for (uint32_t pid = 100; pid < 2100; pid++) {
		fix_fork(&f, pid, pid, 10, 10);
		SAMPLE(&f, pid, pid, A + 1);
		fix_exit(&f, pid, pid);
		if (pid % 100 == 0)
			CHECK_EQ(session_flush(f.session, f.time - 50, f.time), 0);
	}
	b = fix_end(&f);
	CHECK_EQ(b->nrows, 2000);
	CHECK_EQ(b->nprocs, 2001);
	CHECK_EQ(b->nstacks[1], 1);
	back_free(b);
}
TEST_MAIN()
