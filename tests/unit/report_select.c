/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples: times in their three notations, and every selection on a recording. */
#include "recording_fixture.h"

#include "../../report/model/select.h"

#define NS INT64_C(1000000000)

static struct select_time parsed(const char *text)
{
	struct select_time time;

	if (select_parse_time(&time, text))
		return (struct select_time){0};
	return time;
}

TEST(times)
{
	CHECK_EQ(parsed("12.5").kind, SELECT_TIME_OFFSET);
	CHECK_EQ(parsed("12.5").ns, 12500000000);
	CHECK_EQ(parsed("0").ns, 0);
	CHECK_EQ(parsed("3s").ns, 3 * NS);
	CHECK_EQ(parsed("0.000000001").ns, 1);
	CHECK_EQ(parsed("0.0000000019").ns, 1);
	CHECK_EQ(parsed("14:02:10").kind, SELECT_TIME_OF_DAY);
	CHECK_EQ(parsed("14:02:10.25").ns, ((14 * 60 + 2) * 60 + 10) * NS + NS / 4);
	CHECK_EQ(parsed("9:05").ns, (9 * 60 + 5) * 60 * NS);
	CHECK_EQ(parsed("2026-11-29T14:02:10Z").kind, SELECT_TIME_UTC);
	CHECK_EQ(parsed("2026-11-29T14:02:10Z").ns, 1795960930 * NS);
	CHECK_EQ(parsed("2026-11-29 14:02:10.5").ns, 1795960930 * NS + NS / 2);
	CHECK_EQ(parsed("1970-01-02").ns, 86400 * NS);
	CHECK_EQ(parsed("2024-02-29").kind, SELECT_TIME_UTC);
}

TEST(no_times)
{
	static const char *const bad[] = {
		"", "x", "-1", "1.", ".5", "24:00:00", "12:60", "12:5", "12:05:", "12:05:1", "2026-13-01", "2026-02-30",
		"2026-11-29T", "2026-11-29T25:00", "2026-11-29x", "12.5x", "12:00:00+01:00", "1234567890123", "1 2",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (parsed(bad[i]).kind != SELECT_TIME_NONE)
			fprintf(stderr, "\"%s\" is a time\n", bad[i]);
		CHECK_EQ(parsed(bad[i]).kind, SELECT_TIME_NONE);
	}
}

static int64_t instant(const char *text, const char *start, int64_t first)
{
	struct select_time time = parsed(text);
	struct fold_clock clock = {.realtime = (uint64_t)parsed(start).ns};

	return select_instant(&time, &clock, first);
}

TEST(instants)
{
	CHECK_EQ(instant("1.5", "2026-11-29T10:00:00", 7), 3 * NS / 2 + 7);
	CHECK_EQ(instant("2026-11-29T10:00:05", "2026-11-29T10:00:00", 7), 5 * NS);
	CHECK_EQ(instant("10:00:05", "2026-11-29T10:00:00", 0), 5 * NS);
	CHECK_EQ(instant("09:00:00", "2026-11-29T10:00:00", 0), -3600 * NS);
	CHECK_EQ(instant("00:00:05", "2026-11-29T23:59:50", 0), 15 * NS); /* over midnight */
	CHECK_EQ(instant("23:59:50", "2026-11-30T00:00:05", 0), -15 * NS);
	CHECK_EQ(instant("03:00:00", "2026-11-29T10:00:00", 0), 17 * 3600 * NS);
	CHECK_EQ(instant("1969-01-01", "2026-11-29", 0) < 0, 1);
}

/* Two processes, two CPUs, two events, two libraries; each sample at its own time. */
struct scene {
	uint32_t kernel, x, y, k, ux, uy;
};
static void write_scene(struct file *f, struct scene *s)
{
	struct fold_meta meta;
	uint32_t nginx, sh, a, b, c;

	file_open(f, NULL);
	meta = f->meta;
	meta.nevents = 2;
	meta.events[1] = (struct fold_event){.kind = FOLD_EVENT_TRACEPOINT, .name = bytes_of("sched:switch")};
	lseek(f->fd, 0, SEEK_SET);
	CHECK(!ftruncate(f->fd, 0));
	file_segment(f, &meta);
	s->kernel = file_module(f, FOLD_MODULE_KERNEL, "[kernel]", "kkkk", 0x10000);
	s->x = file_module(f, FOLD_MODULE_ELF, "/usr/lib/libx.so.6", "xxxx", 0x1000);
	s->y = file_module(f, FOLD_MODULE_ELF, "liby.so", "yyyy", 0x1000);
	s->k = file_stack(f, 0, 0, 1, file_frame(f, s->kernel, 0x100));
	s->ux = file_stack(f, 1, 0, 2, file_frame(f, s->x, 1), file_frame(f, s->y, 2));
	s->uy = file_stack(f, 1, 0, 1, file_frame(f, s->y, 2));
	nginx = file_proc(f, 10, "nginx");
	sh = file_proc(f, 20, "sh");
	a = file_thread(f, nginx, 10, "nginx");
	b = file_thread(f, nginx, 11, "nginx: worker");
	c = file_thread(f, sh, 20, "sh");
	file_sample(f, (struct row){.time = 1000, .cpu = 0, .thread = a, .ustack = s->ux});
	file_sample(f, (struct row){.time = 2000, .cpu = 1, .thread = b, .ustack = s->uy});
	file_sample(f, (struct row){.time = 3000, .cpu = 1, .thread = c, .ustack = s->uy, .kstack = s->k});
	file_flush(f);
	file_sample(f, (struct row){.time = 1000000, .cpu = 0, .thread = c, .ustack = s->uy, .event = 1});
	file_sample(f, (struct row){.time = 2000000, .cpu = 7, .thread = a, .ustack = s->uy, .event = 1});
	file_flush(f);
	file_end(f);
}

/* How many samples, and which: bit i is sample i. */
static unsigned selected(const struct select *select)
{
	struct recording rec;
	struct rec_keep keep = {.samples = true};
	struct scene s;
	struct file f;
	unsigned bits = 0;

	write_scene(&f, &s);
	CHECK(!load(&rec, &f, select, &keep));
	CHECK_EQ(total_count(&rec), rec.samples.n);
	CHECK_EQ(rec.events[0].selected + rec.events[1].selected, rec.samples.n);
	CHECK_EQ(rec.events[0].read, 3);
	CHECK_EQ(rec.events[1].read, 2);
	CHECK(rec.segments[0].sum_closes);
	for (size_t i = 0; i < rec.samples.n; i++) {
		static const int64_t times[] = {1000000, 2000000, 3000000, 1000000000, 2000000000};

		for (unsigned k = 0; k < 5; k++)
			if (rec.samples.time[i] == times[k])
				bits |= 1u << k;
	}
	recording_release(&rec);
	file_release(&f);
	return bits;
}

TEST(selections)
{
	static const uint32_t pid[] = {20}, tid[] = {11, 20}, cpu[] = {1, 7};
	static const char *const comm[] = {"nginx*"}, *const worker[] = {"*work*", "nothing"};
	static const char *const x[] = {"libx.so*"}, *const path[] = {"/usr/lib/*"}, *const kernel[] = {"[[]kernel]"};

	CHECK_EQ(selected(NULL), 0x1f);
	CHECK_EQ(selected(&(struct select){.pids = pid, .npids = 1}), 0x0c);
	CHECK_EQ(selected(&(struct select){.tids = tid, .ntids = 2}), 0x0e);
	CHECK_EQ(selected(&(struct select){.cpus = cpu, .ncpus = 2}), 0x16);
	CHECK_EQ(selected(&(struct select){.comms = comm, .ncomms = 1}), 0x13);
	CHECK_EQ(selected(&(struct select){.comms = worker, .ncomms = 2}), 0x02);
	CHECK_EQ(selected(&(struct select){.modules = x, .nmodules = 1}), 0x01);
	CHECK_EQ(selected(&(struct select){.modules = path, .nmodules = 1}), 0x01);
	CHECK_EQ(selected(&(struct select){.modules = kernel, .nmodules = 1}), 0x04);
	CHECK_EQ(selected(&(struct select){.event = "sched:switch"}), 0x18);
	CHECK_EQ(selected(&(struct select){.event = "nothing"}), 0);
	CHECK_EQ(selected(&(struct select){.pids = pid, .npids = 1, .event = "cpu-clock"}), 0x04);
}

TEST(selected_time)
{
	/* the first sample is at 1 ms */
	CHECK_EQ(selected(&(struct select){.from = parsed("0.001")}), 0x1e);
	CHECK_EQ(selected(&(struct select){.from = parsed("0.001000001")}), 0x1c);
	CHECK_EQ(selected(&(struct select){.to = parsed("0.001")}), 0x01);
	CHECK_EQ(selected(&(struct select){.from = parsed("0.001"), .to = parsed("0.999")}), 0x06);
	CHECK_EQ(selected(&(struct select){.from = parsed("2"), .to = parsed("1")}), 0);
	/* META starts at 2025-11-29T14:02:10 */
	CHECK_EQ(selected(&(struct select){.from = parsed("14:02:10.5")}), 0x18);
	CHECK_EQ(selected(&(struct select){.from = parsed("2025-11-29T14:02:11Z"), .to = parsed("14:02:12")}), 0x08);
	CHECK_EQ(selected(&(struct select){.from = parsed("2026-01-01")}), 0);
}

TEST_MAIN()
