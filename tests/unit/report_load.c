/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings into memory: ids, equal stacks, losses, damage, names that files bring. */
#include "recording_fixture.h"

#include "../../report/model/syms.h"
#include "../../report/model/tally.h"

/* A kernel, a library, one process with two threads, a stack on each side. */
struct scene {
	uint32_t kernel, lib, a, b, k, u, deeper;
};
static void scene(struct file *f, struct scene *s)
{
	uint32_t proc;

	s->kernel = file_module(f, FOLD_MODULE_KERNEL, "[kernel]", "kkkk", 0x100000);
	s->lib = file_module(f, FOLD_MODULE_ELF, "/usr/lib/libx.so", "xxxx", 0x20000);
	proc = file_proc(f, 100, "main");
	s->a = file_thread(f, proc, 100, "main");
	s->b = file_thread(f, proc, 101, "worker");
	s->k = file_stack(f, 0, 0, 2, file_frame(f, s->kernel, 0x1000), file_frame(f, s->kernel, 0x2000));
	s->u = file_stack(f, 1, FOLD_STACK_END_ROOT, 2, file_frame(f, s->lib, 0x10), file_frame(f, s->lib, 0x20));
	s->deeper = file_stack(f, 1, FOLD_STACK_END_ROOT, 3, file_frame(f, s->lib, 0x10), file_frame(f, s->lib, 0x20),
			       file_frame(f, s->lib, 0x30));
}

/* Origins that overlap break R-ORG-3: a process is of the first one that claims it, and marked once. */
TEST(a_process_has_one_origin)
{
	struct fold_origin origins[] = {{.first = 0, .nprocs = 2}, {.first = 0, .nprocs = 3}, {.first = 1, .nprocs = 1}};
	struct fold_meta meta = file_usual();
	struct recording rec;
	struct file f;

	meta.flags = FOLD_FLAG_MERGED;
	file_open(&f, &meta);
	for (uint32_t pid = 100; pid < 104; pid++)
		file_proc(&f, pid, "main");
	f.batch.origins = (struct fold_origins){3, origins};
	f.batch.have = FOLD_HAVE(FOLD_STRINGS) | FOLD_HAVE(FOLD_PROCS) | FOLD_HAVE(FOLD_ORIGINS);
	CHECK_EQ(writer_batch(f.w, &f.batch), 0);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.norigins, 3);
	CHECK_EQ(rec.processes[0].origin, 0);
	CHECK_EQ(rec.processes[1].origin, 0);
	CHECK_EQ(rec.processes[2].origin, 1);
	CHECK_EQ(rec.processes[3].origin, REC_NONE);
	recording_release(&rec);
	file_release(&f);
}

TEST(counts_equal_samples)
{
	struct recording rec;
	struct scene s;
	struct file f;

	file_open(&f, NULL);
	scene(&f, &s);
	for (int i = 0; i < 10; i++)
		file_sample(&f, (struct row){.time = i, .thread = s.a, .ustack = s.u});
	file_sample(&f, (struct row){.time = 20, .thread = s.a, .kstack = s.k, .ustack = s.u});
	file_sample(&f, (struct row){.time = 21, .thread = s.b, .ustack = s.u});
	file_flush(&f);
	file_sample(&f, (struct row){.time = 30, .thread = s.a, .ustack = s.u});
	file_flush(&f);
	file_end(&f);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.ncounts, 3);
	CHECK_EQ(rec.counts[0].count, 11);
	CHECK_EQ(rec.counts[0].kleaf, REC_NONE);
	CHECK_EQ(rec.counts[0].uend, FOLD_STACK_END_ROOT);
	CHECK_EQ(rec.counts[0].cpu, REC_NONE);
	CHECK_EQ(rec.counts[1].count, 1);
	CHECK_EQ(rec.nodes[rec.counts[1].kleaf].offset, 0x2000);
	CHECK_EQ(rec.counts[2].thread, rec.counts[0].thread + 1);
	CHECK_EQ(rec.nnodes, 5); /* the longer stack's caller is the shorter one */
	CHECK_STR(string_text(&rec, rec.threads[rec.counts[2].thread].comm), "worker");
	CHECK_EQ(rec.events[0].taken, 13);
	CHECK_EQ(rec.events[0].read, 13);
	CHECK_EQ(rec.events[0].selected, 13);
	CHECK(rec.segments[0].sum_closes && rec.segments[0].ended);
	CHECK_EQ(rec.segments[0].first, 1000000000);
	CHECK_EQ(rec.segments[0].last, 1000030000);
	recording_release(&rec);
	file_release(&f);
}

TEST(losses_by_cause)
{
	struct recording rec;
	struct scene s;
	struct file f;

	file_open(&f, NULL);
	scene(&f, &s);
	file_sample(&f, (struct row){.thread = s.a, .ustack = s.u});
	file_lost(&f, 0, FOLD_LOST_RING, 4);
	file_lost(&f, 0, FOLD_NOTE_KTHREAD, 9);
	file_lost(&f, 0, 40, 2);    /* a cause of a later version, still a loss */
	file_lost(&f, 0, 5000, 3);
	file_flush(&f);
	file_end(&f);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.events[0].taken, 7);
	CHECK_EQ(rec.events[0].written, 1);
	CHECK_EQ(rec.events[0].lost, 6);
	CHECK_EQ(rec.events[0].causes[FOLD_LOST_RING], 4);
	CHECK_EQ(rec.events[0].causes[FOLD_NOTE_KTHREAD], 9);
	CHECK_EQ(rec.events[0].causes[40], 2);
	CHECK_EQ(rec.events[0].causes[FOLD_NOTE_OTHER], 3);
	CHECK(rec.segments[0].sum_closes);
	recording_release(&rec);
	file_release(&f);
}

TEST(no_end_is_told)
{
	struct recording rec;
	struct scene s;
	struct file f;

	file_open(&f, NULL);
	scene(&f, &s);
	file_sample(&f, (struct row){.thread = s.a, .ustack = s.u});
	file_flush(&f);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK(!rec.segments[0].ended);
	CHECK(!rec.segments[0].sum_closes);
	CHECK_EQ(rec.events[0].written, 1);
	CHECK_EQ(total_count(&rec), 1);
	recording_release(&rec);
	file_release(&f);
}

TEST(end_that_contradicts_is_told)
{
	struct recording rec;
	struct scene s;
	struct file f;

	file_open(&f, NULL);
	scene(&f, &s);
	file_sample(&f, (struct row){.thread = s.a, .ustack = s.u});
	file_flush(&f);
	f.totals[0].taken++;
	file_end(&f);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK(rec.segments[0].ended);
	CHECK(!rec.segments[0].sum_closes);
	recording_release(&rec);
	file_release(&f);
}

/* The first batch has all definitions; without it the samples of the second are lost, not others. */
TEST(lost_definitions_show_as_lost)
{
	struct recording rec;
	struct scene s;
	struct file f;
	uint64_t first;

	file_open(&f, NULL);
	scene(&f, &s);
	file_sample(&f, (struct row){.thread = s.a, .ustack = s.u});
	first = file_flush(&f);
	/* known: its own thread, and a stack half in a module that is known again */
	uint32_t proc = file_proc(&f, 7, "late");
	uint32_t late = file_thread(&f, proc, 7, "late");
	uint32_t lib2 = file_module(&f, FOLD_MODULE_ELF, "/lib/liby.so", "yyyy", 0x1000);
	uint32_t mixed = file_stack(&f, 1, 0, 2, file_frame(&f, s.lib, 0x10), file_frame(&f, lib2, 0x40));
	file_sample(&f, (struct row){.time = 10, .thread = s.b, .kstack = s.k, .ustack = s.u});
	file_sample(&f, (struct row){.time = 11, .thread = late, .ustack = mixed});
	file_flush(&f);
	file_end(&f);
	file_damage(&f, first, 40);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.segments[0].damages, 1);
	CHECK(!rec.segments[0].sum_closes);
	CHECK_EQ(rec.events[0].taken, 3);
	CHECK_EQ(rec.events[0].written, 3);
	CHECK_EQ(rec.events[0].read, 2);
	CHECK_EQ(rec.ncounts, 2);
	CHECK_STR(string_text(&rec, rec.threads[rec.counts[0].thread].comm), "[lost]");
	CHECK_EQ(rec.nodes[rec.counts[0].kleaf].kind, REC_FRAME_LOST);
	CHECK_EQ(rec.nodes[rec.counts[0].uleaf].kind, REC_FRAME_LOST);
	CHECK_STR(string_text(&rec, rec.threads[rec.counts[1].thread].comm), "late");
	CHECK_EQ(rec.nodes[rec.counts[1].uleaf].kind, REC_FRAME_CODE);
	CHECK_EQ(rec.nodes[rec.counts[1].uleaf].offset, 0x40);
	CHECK_EQ(rec.nodes[rec.nodes[rec.counts[1].uleaf].parent].kind, REC_FRAME_LOST);
	recording_release(&rec);
	file_release(&f);
}

TEST(exact_belongs_to_the_next_frame)
{
	struct recording rec;
	struct scene s;
	struct file f;
	uint32_t u;

	file_open(&f, NULL);
	scene(&f, &s);
	u = file_stack(&f, 1, 0, 5, file_frame(&f, s.lib, 0x10), frame_marker(FOLD_MARK_EXACT),
		       file_frame(&f, s.lib, 0x20), frame_marker(FOLD_MARK_UNMAPPED), file_frame(&f, s.lib, 0x30));
	file_sample(&f, (struct row){.thread = s.a, .ustack = u});
	file_sample(&f, (struct row){.thread = s.a, .ustack = s.u});
	file_flush(&f);
	CHECK(!load(&rec, &f, NULL, NULL));
	const struct rec_node *leaf = &rec.nodes[rec.counts[0].uleaf];
	const struct rec_node *marker = &rec.nodes[leaf->parent], *exact = &rec.nodes[marker->parent];
	CHECK_EQ(leaf->offset, 0x30);
	CHECK(!leaf->exact);
	CHECK_EQ(marker->kind, REC_FRAME_MARKER);
	CHECK_EQ(marker->module, FOLD_MARK_UNMAPPED);
	CHECK_EQ(exact->offset, 0x20);
	CHECK(exact->exact);
	CHECK_EQ(rec.nodes[exact->parent].parent, REC_NONE);
	CHECK(rec.counts[1].uleaf != marker->parent); /* the same place, but a return address */
	recording_release(&rec);
	file_release(&f);
}

TEST(segments_share_proven_modules)
{
	struct recording rec;
	struct scene s;
	struct file f;
	uint32_t jit;

	file_open(&f, NULL);
	for (int i = 0; i < 2; i++) {
		if (i)
			file_segment(&f, NULL);
		if (i) /* other ids than in the first */
			file_module(&f, FOLD_MODULE_KERNEL, "[kernel]", "other", 0x1000);
		scene(&f, &s);
		jit = file_module(&f, FOLD_MODULE_JIT, "[anon]", NULL, 0x1000);
		file_sample(&f, (struct row){.thread = s.a, .kstack = s.k, .ustack = s.u});
		file_sample(&f, (struct row){.thread = s.a,
					     .ustack = file_stack(&f, 1, 0, 1, file_frame(&f, jit, 4))});
		file_flush(&f);
		file_end(&f);
	}
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.nsegments, 2);
	CHECK_EQ(rec.ncounts, 4);
	CHECK_EQ(rec.counts[0].uleaf, rec.counts[2].uleaf);
	CHECK_EQ(rec.counts[0].kleaf, rec.counts[2].kleaf);
	CHECK(rec.counts[1].uleaf != rec.counts[3].uleaf); /* generated code of two recordings has nothing in common */
	CHECK(rec.counts[0].thread != rec.counts[2].thread);
	CHECK_EQ(rec.nmodules, 5);
	CHECK_EQ(rec.nevents, 1);
	CHECK_EQ(rec.events[0].read, 4);
	CHECK(rec.segments[0].sum_closes && rec.segments[1].sum_closes);
	recording_release(&rec);
	file_release(&f);
}

/* Two hosts hide where their kernels' code begins: equal offsets are not equal code. */
TEST(anchored_kernels_stay_apart)
{
	struct recording rec;
	struct scene s;
	struct file f;
	struct fold_meta meta;

	file_open(&f, NULL);
	meta = f.meta;
	meta.flags = FOLD_FLAG_KERNEL_ANCHORED;
	for (int i = 0; i < 2; i++) {
		file_segment(&f, &meta);
		scene(&f, &s);
		file_sample(&f, (struct row){.thread = s.a, .kstack = s.k, .ustack = s.u});
		file_flush(&f);
	}
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.nsegments, 3);
	CHECK_EQ(rec.ncounts, 2);
	CHECK(rec.counts[0].kleaf != rec.counts[1].kleaf);
	CHECK_EQ(rec.counts[0].uleaf, rec.counts[1].uleaf);
	recording_release(&rec);
	file_release(&f);
}

TEST(same_stack_defined_twice_is_one)
{
	struct recording rec;
	struct scene s;
	struct file f;
	uint32_t again;

	file_open(&f, NULL);
	scene(&f, &s);
	again = file_stack(&f, 1, FOLD_STACK_END_ROOT, 2, file_frame(&f, s.lib, 0x10), file_frame(&f, s.lib, 0x20));
	file_sample(&f, (struct row){.thread = s.a, .ustack = s.u});
	file_sample(&f, (struct row){.thread = s.a, .ustack = again});
	file_flush(&f);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.ncounts, 1);
	CHECK_EQ(rec.counts[0].count, 2);
	recording_release(&rec);
	file_release(&f);
}

TEST(aggregated_and_weights)
{
	struct recording rec;
	struct rec_keep keep = {.cpus = true, .samples = true};
	struct scene s;
	struct file f;
	struct fold_meta meta;

	file_open(&f, NULL);
	meta = f.meta;
	meta.mode = FOLD_MODE_AGGREGATED;
	meta.events[0] = (struct fold_event){.kind = FOLD_EVENT_OFFCPU, .name = bytes_of("offcpu"), .nweights = 1,
					     .weights = {{bytes_of("blocked"), FOLD_UNIT_NS}}};
	file_segment(&f, &meta);
	scene(&f, &s);
	file_sample(&f, (struct row){.time = 50, .thread = s.a, .ustack = s.u, .count = 5, .weight = 500});
	file_sample(&f, (struct row){.time = 50, .thread = s.b, .ustack = s.u, .count = 1, .weight = 7});
	file_flush(&f);
	file_sample(&f, (struct row){.time = 2000, .thread = s.a, .ustack = s.u, .count = 2, .weight = 20});
	file_flush(&f);
	file_end(&f);
	CHECK(!load(&rec, &f, NULL, &keep));
	CHECK_EQ(rec.nevents, 2);
	CHECK_EQ(rec.ncounts, 2);
	CHECK_EQ(rec.counts[0].count, 7);
	CHECK_EQ(rec.counts[0].weight, 520);
	CHECK_EQ(rec.counts[0].event, 1);
	CHECK_EQ(rec.counts[0].cpu, REC_NONE);
	CHECK_EQ(rec.counts[1].weight, 7);
	CHECK_EQ(rec.events[1].read, 8);
	CHECK_STR(string_text(&rec, rec.events[1].weight_name), "blocked");
	CHECK_EQ(rec.samples.n, 3);
	CHECK_EQ(rec.samples.time[2], 2000000);
	CHECK_EQ(rec.samples.times[2], 2);
	CHECK_EQ(rec.samples.weight[2], 20);
	CHECK_EQ(rec.samples.cpu[2], REC_NONE);
	recording_release(&rec);
	file_release(&f);
}

TEST(samples_in_order_of_time)
{
	struct recording rec;
	struct rec_keep keep = {.cpus = true, .samples = true};
	struct scene s;
	struct file f;

	file_open(&f, NULL);
	scene(&f, &s);
	file_sample(&f, (struct row){.time = 10, .cpu = 1, .thread = s.a, .ustack = s.u});
	file_sample(&f, (struct row){.time = 30, .cpu = 0, .thread = s.b, .ustack = s.u});
	file_flush(&f);
	file_sample(&f, (struct row){.time = 20, .cpu = 0, .thread = s.a, .ustack = s.u}); /* batches may overlap */
	file_sample(&f, (struct row){.time = 40, .cpu = 1, .thread = s.a, .ustack = s.u});
	file_flush(&f);
	CHECK(!load(&rec, &f, NULL, &keep));
	CHECK_EQ(rec.ncounts, 3); /* CPUs apart */
	CHECK_EQ(rec.samples.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct rec_count *count = &rec.counts[rec.samples.count[i]];

		CHECK_EQ(rec.samples.time[i], 10000 * (int64_t)(i + 1));
		CHECK_EQ(rec.samples.times[i], 1);
		CHECK_EQ(count->cpu, rec.samples.cpu[i]);
		CHECK_EQ(rec.threads[count->thread].tid, i == 2 ? 101 : 100);
	}
	recording_release(&rec);
	file_release(&f);
}

TEST(names_that_the_file_brings)
{
	struct recording rec;
	struct scene s;
	struct file f;

	file_open(&f, NULL);
	scene(&f, &s);
	file_sym(&f, false, s.kernel, 0x2000, 0x100, "schedule");
	file_sym(&f, false, s.kernel, 0x1000, 0x80, "entry");
	file_flush(&f);
	file_sym(&f, false, s.kernel, 0x2000, 0x100, "schedule");
	file_flush(&f);
	CHECK(!load(&rec, &f, NULL, NULL));
	const struct rec_module *kernel = &rec.modules[0];
	CHECK_EQ(kernel->nsyms, 2);
	CHECK_STR(string_text(&rec, kernel->syms[0].name), "entry");
	CHECK_STR(string_text(&rec, kernel->syms[1].name), "schedule");
	CHECK_EQ(kernel->syms[1].size, 0x100);
	recording_release(&rec);
	file_release(&f);
}

static void settle(struct rec_sym *v, size_t n, struct syms *syms)
{
	*syms = (struct syms){0};
	for (size_t i = 0; i < n; i++)
		CHECK(!syms_add(syms, &v[i]));
	CHECK(!syms_settle(syms));
}

TEST(later_names_win)
{
	struct rec_sym v[] = {
		{.offset = 0, .size = 100, .name = 1},   /* cut at 60 */
		{.offset = 60, .size = 20, .name = 2},
		{.offset = 200, .size = 50, .name = 3},  /* its beginning is overwritten */
		{.offset = 190, .size = 20, .name = 4},
		{.offset = 60, .size = 30, .name = 5},   /* in the place of 2 */
		{.offset = 300, .size = 10, .name = 6},
		{.offset = 300, .size = 10, .name = 6},
		{.offset = 400, .size = 100, .name = 7}, /* within 8 it wins only because it is later */
		{.offset = 390, .size = 200, .name = 8},
		{.offset = 420, .size = 10, .name = 9},
		{.offset = UINT64_MAX - 1, .size = UINT64_MAX, .name = 10},
	};
	struct rec_sym want[] = {
		{.offset = 0, .size = 60, .name = 1},	 {.offset = 60, .size = 30, .name = 5},
		{.offset = 190, .size = 20, .name = 4},	 {.offset = 300, .size = 10, .name = 6},
		{.offset = 390, .size = 30, .name = 8},	 {.offset = 420, .size = 10, .name = 9},
		{.offset = UINT64_MAX - 1, .size = UINT64_MAX, .name = 10},
	};
	struct syms syms;

	settle(v, sizeof(v) / sizeof(*v), &syms);
	CHECK_EQ(syms.n, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < syms.n && i < sizeof(want) / sizeof(*want); i++) {
		CHECK_EQ(syms.v[i].offset, want[i].offset);
		CHECK_EQ(syms.v[i].size, want[i].size);
		CHECK_EQ(syms.v[i].name, want[i].name);
	}
	syms_release(&syms);
}

/* Against the plain way, on many small random sets: at each place the latest name, unless its start or the way to here was overwritten. */
TEST(later_names_win_at_random)
{
	unsigned seed = 1;

	for (int round = 0; round < 2000; round++) {
		struct rec_sym v[12];
		struct syms syms;
		size_t n = 1 + (size_t)rand_r(&seed) % 12;
		int owner[64], got[64];

		for (size_t i = 0; i < n; i++)
			v[i] = (struct rec_sym){.offset = (unsigned)rand_r(&seed) % 50, .size = 1 + (unsigned)rand_r(&seed) % 14,
						.name = (uint32_t)i};
		for (int at = 0; at < 64; at++)
			owner[at] = got[at] = -1;
		for (size_t i = 0; i < n; i++)
			for (uint64_t at = v[i].offset; at < v[i].offset + v[i].size; at++)
				owner[at] = (int)i;
		settle(v, n, &syms);
		for (size_t i = 0; i < syms.n; i++)
			for (uint64_t at = syms.v[i].offset; at < syms.v[i].offset + syms.v[i].size; at++) {
				CHECK_EQ(got[at], -1);
				got[at] = (int)syms.v[i].name;
			}
		for (int at = 0; at < 64; at++) {
			bool broken = false;

			for (uint64_t back = owner[at] < 0 ? 64 : v[owner[at]].offset; back < (uint64_t)at; back++)
				broken |= owner[back] != owner[at];
			CHECK_EQ(got[at], broken ? -1 : owner[at]);
		}
		syms_release(&syms);
	}
}

TEST(tally_counts_and_grows)
{
	struct tally tally;
	struct tally_key key[1000];
	uint32_t index[1000];
	uint64_t sum = 0;

	CHECK(!tally_init(&tally));
	for (uint32_t round = 0; round < 300; round++) {
		for (uint32_t i = 0; i < 1000; i++)
			key[i] = (struct tally_key){.thread = i % 7, .ustack = (round / 3) * 1000 + i,
						    .event_cpu = tally_event_cpu(i % 3, i % 2 ? 5 : TALLY_NO_CPU)};
		CHECK(!tally_add(&tally, key, 1000, NULL, NULL, index));
		CHECK_EQ(index[999], round / 3 * 1000 + 999);
	}
	CHECK_EQ(tally.n, 100000);
	for (size_t i = 0; i < tally.n; i++) {
		sum += tally.entries[i].count;
		CHECK_EQ(tally.entries[i].key.ustack, i);
	}
	CHECK_EQ(sum, 300000);
	CHECK_EQ(tally_event(tally.entries[5].key.event_cpu), 2);
	CHECK_EQ(tally_cpu(tally.entries[5].key.event_cpu), 5);
	CHECK_EQ(tally_cpu(tally.entries[4].key.event_cpu), TALLY_NO_CPU);
	tally_release(&tally);
}

TEST(unusable_files)
{
	struct recording rec;
	struct select all = {0};
	char paths[][32] = {"/nonexistent/x.foldrec", "/etc/passwd", "/dev/null"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char *files[] = {paths[i]};

		CHECK(recording_load(&rec, files, 1, &all, NULL));
		recording_release(&rec);
	}
}

/* A second recording of which nothing but its file header is there. */
TEST(header_and_nothing_behind)
{
	static struct file f;
	struct recording rec;
	uint8_t header[16];

	file_open(&f, NULL);
	file_sample(&f, (struct row){.thread = file_thread(&f, file_proc(&f, 1, "sh"), 1, "sh")});
	file_flush(&f);
	file_end(&f);
	CHECK_EQ(pread(f.fd, header, sizeof(header), 0), 16);
	CHECK_EQ(write(f.fd, header, sizeof(header)), 16);
	CHECK(!load(&rec, &f, NULL, NULL));
	CHECK_EQ(rec.nsegments, 1);
	CHECK_EQ(rec.segments[0].samples, 1);
	CHECK_EQ(rec.segments[0].damages, 1);
	CHECK_EQ(rec.segments[0].lost_bytes, 16);
	CHECK_EQ(rec.segments[0].first_damage.code, FOLD_E_NO_META);
	CHECK_EQ(rec.segments[0].first_damage.offset, writer_bytes(f.w));
	recording_release(&rec);
	file_release(&f);
}

TEST_MAIN()
