/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of merge and redact that decide: what goes together, whose name stays, what stands for what. */
#include "test.h"
#include "format_made.h"
#include "../../report/rewrite/columns.h"
#include "../../report/rewrite/group.h"
#include "../../report/rewrite/names.h"
#include "../../report/rewrite/veil.h"

/* ---- groups */

TEST(groups_take_what_goes_together)
{
	struct fold_meta a = made_meta(), b = made_meta();
	struct group g;

	CHECK_EQ(group_init(&g, &a), 0);
	CHECK_EQ(g.meta.nevents, 2);
	CHECK(g.meta.flags & FOLD_FLAG_MERGED);
	CHECK_EQ(group_add(&g, &b), 1);
	CHECK_EQ(g.meta.nevents, 2); /* equal events are one */
	b.events[0].period = 100;
	CHECK(!group_fits(&g, &b));
	CHECK_EQ(group_add(&g, &b), 1);
	CHECK_EQ(g.meta.nevents, 3);
	CHECK(group_fits(&g, &b));
	b.machine = 183;
	CHECK_EQ(group_add(&g, &b), 0);
	b = made_meta();
	b.kernel_release = made_bytes("6.18.1");
	CHECK_EQ(group_add(&g, &b), 0);
	b = made_meta();
	b.mode = FOLD_MODE_AGGREGATED;
	CHECK_EQ(group_add(&g, &b), 0);
	b = made_meta();
	b.flags = FOLD_FLAG_KERNEL_ANCHORED;
	CHECK_EQ(group_add(&g, &b), 0);
	group_release(&g);
}

TEST(groups_begin_with_the_earliest_and_tick_for_all)
{
	struct fold_meta a = made_meta(), b = made_meta();
	struct group g;

	b.start = (struct fold_clock){1, a.start.realtime - 5000, 2};
	b.tick_ns = 1500;
	CHECK_EQ(group_init(&g, &a), 0);
	CHECK_EQ(group_add(&g, &b), 1);
	CHECK_EQ(g.meta.tick_ns, 500);
	CHECK(g.meta.start.realtime == b.start.realtime && g.meta.start.monotonic == 1);
	b.tick_ns = 700;
	CHECK(!group_fits(&g, &b));
	/* Clocks that are centuries apart do not go together: a time stamp could not tell. */
	b = made_meta();
	b.start.realtime = UINT64_MAX;
	CHECK(!group_fits(&g, &b));
	CHECK_EQ(group_add(&g, &b), 0);
	group_release(&g);
}

TEST(groups_tell_what_one_of_them_reveals)
{
	struct fold_meta a = made_meta(), b = made_meta();
	struct group g;

	a.flags = FOLD_FLAG_PATHS_BASE;
	b.flags = FOLD_FLAG_RAW_ADDRESSES | FOLD_FLAG_PATHS_FULL;
	CHECK_EQ(group_init(&g, &a), 0);
	CHECK(!group_fits(&g, &b)); /* META was written without the flags */
	CHECK_EQ(group_add(&g, &b), 1);
	CHECK_EQ(g.meta.flags, FOLD_FLAG_MERGED | FOLD_FLAG_RAW_ADDRESSES | FOLD_FLAG_PATHS_FULL);
	group_release(&g);
}

/* ---- names */

static void add(struct names *names, struct intern *text, uint64_t module, uint64_t offset, uint64_t size, const char *name)
{
	struct fold_sym sym = {module, offset, size, 0};
	uint32_t id;

	CHECK_EQ(intern_add(text, name, strlen(name), &id), 0);
	sym.name = id;
	CHECK_EQ(names_add(names, &sym), 0);
}

TEST(names_do_not_depend_on_who_comes_first)
{
	static const char *const given[] = {"zebra", "alias", "zebra"};

	for (int turn = 0; turn < 2; turn++) {
		struct names names;
		struct intern text;

		names_init(&names);
		intern_init(&text, 1);
		for (int i = 0; i < 3; i++)
			add(&names, &text, 1, 0x100, 0x10, given[turn ? 2 - i : i]);
		add(&names, &text, 0, 0x200, 0x10, "other");
		add(&names, &text, 1, 0x100, 0x20, "longer");
		CHECK_EQ(names.n, 4); /* equal ones are one */
		names_settle(&names, &text);
		CHECK_EQ(names.n, 3);
		CHECK(names.v[0].module == 0 && names.v[2].size == 0x20);
		CHECK(!memcmp(intern_get(&text, (uint32_t)names.v[1].name).at, "alias", 5));
		names_release(&names);
		intern_release(&text);
	}
}

/* ---- columns */

TEST(counts_are_sorted_by_thread_with_all_their_columns)
{
	struct columns c = {.nweights = 1, .counted = true};

	CHECK_EQ(columns_reserve(&c, 3), 0);
	for (uint32_t i = 0; i < 3; i++) {
		c.thread[i] = 2 - i;
		c.event[i] = c.stack[0][i] = c.stack[1][i] = 10 + i;
		c.count[i] = c.weight[0][i] = 100 + i;
	}
	c.n = 3;
	CHECK_EQ(columns_sort(&c), 0);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_EQ(c.thread[i], i);
		CHECK(c.event[i] == 12 - i && c.stack[0][i] == 12 - i && c.stack[1][i] == 12 - i);
		CHECK(c.count[i] == 102 - i && c.weight[0][i] == 102 - i);
	}
	columns_release(&c);
}

TEST(samples_are_sorted_by_thread_and_time)
{
	static const struct { uint32_t thread, cpu; int64_t time; } want[] = {{0, 3, -5}, {0, 1, 7}, {1, 0, 6}, {1, 2, 8}};
	struct columns c = {0};

	CHECK_EQ(columns_reserve(&c, 4), 0);
	for (size_t i = 0; i < 4; i++) {
		c.thread[want[i].cpu] = want[i].thread;
		c.time[want[i].cpu] = want[i].time;
		c.cpu[want[i].cpu] = want[i].cpu;
	}
	c.n = 4;
	CHECK_EQ(columns_sort(&c), 0);
	for (size_t i = 0; i < 4; i++)
		CHECK(c.thread[i] == want[i].thread && c.time[i] == want[i].time && c.cpu[i] == want[i].cpu);
	columns_release(&c);
}

/* ---- veil */

static const char *comm(struct veil *v, const char *text)
{
	static char buf[VEIL_TEXT + 1];
	struct fold_bytes bytes = made_bytes(text);
	char hidden[VEIL_TEXT];

	CHECK_EQ(veil_comm(v, &bytes, hidden), 0);
	snprintf(buf, sizeof(buf), "%.*s", (int)bytes.size, (const char *)bytes.at);
	return buf;
}

TEST(what_is_hidden_is_the_same_all_over)
{
	struct veil v;

	veil_init(&v, VEIL_COMMS);
	CHECK_STR(comm(&v, "nginx"), "comm-1");
	CHECK_STR(comm(&v, "php"), "comm-2");
	CHECK_STR(comm(&v, "nginx"), "comm-1");
	CHECK_STR(comm(&v, ""), "");
	CHECK_EQ(v.hidden[0], 2);
	veil_release(&v);
	veil_init(&v, VEIL_PIDS);
	CHECK_STR(comm(&v, "nginx"), "nginx");
	veil_release(&v);
	CHECK_STR(comm(NULL, "nginx"), "nginx");
}

TEST(pids_are_numbered_and_stay_apart)
{
	uint32_t idle = 0;
	struct veil v;

	veil_init(&v, VEIL_PIDS);
	for (int turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < 5000; i++) {
			uint32_t pid = 1 + i * 7919;

			CHECK_EQ(veil_pid(&v, &pid), 0);
			CHECK_EQ(pid, i + 1);
		}
	}
	CHECK_EQ(veil_pid(&v, &idle), 0);
	CHECK_EQ(idle, 0); /* the idle task is nobody's */
	veil_release(&v);
}

TEST(system_files_keep_their_names)
{
	static const struct { const char *path; uint32_t kind; bool own; } cases[] = {
		{"/usr/lib/libc.so.6", FOLD_MODULE_ELF, false}, {"[vdso]", FOLD_MODULE_VDSO, false}, {"//anon", FOLD_MODULE_JIT, false},
		{"nf_conntrack", FOLD_MODULE_KO, false}, {"[kernel]", FOLD_MODULE_KERNEL, false}, {"tool", FOLD_MODULE_ELF, true},
		{"/home/me/tool", FOLD_MODULE_ELF, true}, {"/usr/local/bin/tool", FOLD_MODULE_ELF, true}, {"/opt/x/tool", FOLD_MODULE_ELF, true},
		{"/memfd:secret (deleted)", FOLD_MODULE_OTHER, true}, {"bpf_prog_1_mine", FOLD_MODULE_BPF, true},
		{"[mine]", FOLD_MODULE_ELF, true}, {"//anon", FOLD_MODULE_ELF, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fold_bytes path = made_bytes(cases[i].path);
		char hidden[VEIL_TEXT];
		bool own = false;
		struct veil v;

		veil_init(&v, VEIL_PATHS);
		CHECK_EQ(veil_path(&v, cases[i].kind, &path, hidden, &own), 0);
		if (own != cases[i].own)
			fprintf(stderr, "%s:\n", cases[i].path);
		CHECK_EQ(own, cases[i].own);
		CHECK_EQ(own, path.size == 6 && !memcmp(path.at, "file-1", 6));
		veil_release(&v);
	}
}

TEST_MAIN()
