/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is what the walker says true?  Samples a process, lets libdwfl unwind the same
 * samples from copies of registers and stack, and compares frame by frame.
 *
 *     oracle OBJECT [-F HZ] [-t SECONDS] [-d FRAMES] [-v] [-n NAME] -- COMMAND ARG...
 *     oracle OBJECT [...] -a            the whole machine, statistics only
 *
 * Exit 0: no frame differs and at least one sample was taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <elfutils/libdwfl.h>

#include "../../format/fold.h"
#include "../../record/census.h"
#include "../../record/clock.h"
#include "../../record/drain.h"
#include "../../record/ring.h"
#include "../../record/target.h"
#include "../../record/unwind/unwinder.h"
#include "oracle.h"

#define MAX_SAMPLES 200000

struct config {
	const char *object, *name;
	int hz, seconds;
	uint32_t depth;
	bool verbose, all;
	char **command;
};
struct oracle {
	struct config config;
	struct bpf_object *bpf;
	struct rings rings;
	struct drain drain;
	struct unwinder *unwinder;
	struct ring_buffer *ring;
	struct oracle_sample **v;
	size_t n;
	pid_t pid;
	Dwfl *dwfl;
	const struct oracle_sample *current;
	uint64_t frames[EVENT_MAX_FRAMES];
	uint32_t nframes;
};

/* ---- taking samples */

static int keep(void *context, void *data, size_t size)
{
	struct oracle *o = context;
	const struct oracle_sample *s = data;
	size_t part = offsetof(struct oracle_sample, stack) + s->stack_size;

	/* Before its exec the command is still this program. */
	if (o->n == MAX_SAMPLES || !memcmp(s->comm, "oracle", 6))
		return 0;
	o->v[o->n] = malloc(part);
	memcpy(o->v[o->n++], s, part);
	return 0;
}

static int feed(void *context, const struct event *event)
{
	struct oracle *o = context;

	return unwinder_ahead(o->unwinder, event);
}

/* A section of the object's global variables, before it is loaded. */
static void *global(struct oracle *o, const char *suffix)
{
	struct bpf_map *map;
	size_t size;

	bpf_object__for_each_map(map, o->bpf)
		if (strstr(bpf_map__name(map), suffix))
			return (void *)bpf_map__initial_value(map, &size);
	return NULL;
}

static int load(struct oracle *o)
{
	struct event_config config = { .max_frames = o->config.depth, .sides = 3 };
	struct bpf_program *p;

	o->bpf = bpf_object__open_file(o->config.object, NULL);
	if (!o->bpf)
		return -errno;
	memcpy(global(o, ".rodata"), &config, sizeof(config));
	((struct oracle_knobs *)global(o, ".data"))->with_stack = !o->config.all;
	if (bpf_object__load(o->bpf))
		return -errno;
	bpf_object__for_each_program(p, o->bpf)
		if (bpf_program__type(p) == BPF_PROG_TYPE_TRACING && !bpf_program__attach(p))
			return -errno;
	return 0;
}

static int open_all(struct oracle *o)
{
	struct unwinder_options options = {0};
	struct numbers cpus = {0};
	int err;

	err = load(o);
	if (!err)
		err = numbers_online_cpus(&cpus);
	if (!err)
		err = rings_open(&o->rings, bpf_object__find_map_fd_by_name(o->bpf, "events"), cpus.v, cpus.n, 1 << 20);
	if (!err)
		err = unwinder_new(&o->unwinder, o->bpf, &options);
	if (!err)
		err = drain_init(&o->drain, &o->rings, EVENT_MAX_FRAMES, feed, o);
	if (!err)
		err = census_run("/proc", feed, o);
	if (err)
		return err;
	unwinder_work(o->unwinder, clock_now(), 20000);
	o->v = calloc(MAX_SAMPLES, sizeof(*o->v));
	o->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(o->bpf, "samples"), keep, o, NULL);
	return o->v && o->ring ? 0 : -ENOMEM;
}

static int sample_cpus(struct oracle *o)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_freq = o->config.hz, .freq = 1 };
	struct bpf_program *p = bpf_object__find_program_by_name(o->bpf, "oracle");

	for (size_t i = 0; i < o->rings.n; i++) {
		int fd = syscall(SYS_perf_event_open, &attr, -1, (int)o->rings.v[i].cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 || !bpf_program__attach_perf_event(p, fd))
			return -errno;
	}
	return 0;
}

/* The command, stopped at a pipe until the sampling is on. */
static int start(struct oracle *o)
{
	struct oracle_knobs knobs = { .with_stack = 1 };
	int go[2], data = bpf_object__find_map_fd_by_name(o->bpf, ".data"), zero = 0;
	char byte;

	if (pipe(go))
		return -errno;
	o->pid = fork();
	if (!o->pid) {
		close(go[1]);
		setpgid(0, 0);
		setpriority(PRIO_PROCESS, 0, 0); /* not ours */
		if (read(go[0], &byte, 1) != 1)
			_exit(127);
		execvp(o->config.command[0], o->config.command);
		_exit(127);
	}
	knobs.target = o->pid;
	close(go[0]);
	return bpf_map_update_elem(data, &zero, &knobs, BPF_ANY) ? -errno : go[1];
}

static void run(struct oracle *o)
{
	uint64_t end = clock_now() + o->config.seconds * NS_PER_SECOND;

	while (clock_now() < end) {
		ring_buffer__poll(o->ring, 5);
		drain_until(&o->drain, clock_now() - NS_PER_MS, NULL, 0);
		unwinder_work(o->unwinder, o->drain.last, 0);
		if (o->pid && waitpid(o->pid, NULL, WNOHANG) == o->pid) {
			o->pid = 0;
			break;
		}
	}
	if (o->pid)
		kill(-o->pid, SIGSTOP);
	ring_buffer__consume(o->ring);
}

/* ---- libdwfl */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **state)
{
	struct oracle *o = arg;

	if (*state)
		return 0;
	*state = o;
	return o->current->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **state)
{
	*state = arg;
	return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *out, void *arg)
{
	struct oracle *o = arg;
	uint64_t sp = o->current->regs[7];

	if (at < sp || at - sp + 8 > o->current->stack_size)
		return false;
	memcpy(out, o->current->stack + (at - sp), 8);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct oracle *o = arg;
	Dwarf_Word regs[ORACLE_REGS];

	for (int i = 0; i < ORACLE_REGS; i++)
		regs[i] = o->current->regs[i];
	return dwfl_thread_state_registers(thread, 0, ORACLE_REGS, regs);
}

static int frame_seen(Dwfl_Frame *frame, void *arg)
{
	struct oracle *o = arg;
	Dwarf_Addr pc;
	bool activation;

	if (!dwfl_frame_pc(frame, &pc, &activation))
		return DWARF_CB_ABORT;
	o->frames[o->nframes++] = pc;
	return o->nframes < o->config.depth ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static int load_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *arg)
{
	Dwarf_Addr bias;

	dwfl_module_getelf(module, &bias);
	return DWARF_CB_OK;
}

static int attach(struct oracle *o)
{
	static char *no_path = "/nonexistent";
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
						  .debuginfo_path = &no_path };
	static const Dwfl_Thread_Callbacks threads = { .next_thread = next_thread, .get_thread = get_thread, .memory_read = memory_read,
						       .set_initial_registers = set_registers };

	o->dwfl = dwfl_begin(&callbacks);
	if (!o->dwfl || dwfl_linux_proc_report(o->dwfl, o->pid) || dwfl_report_end(o->dwfl, NULL, NULL))
		return -1;
	dwfl_getmodules(o->dwfl, load_elf, NULL, 0);
	return dwfl_attach_state(o->dwfl, NULL, o->pid, &threads, o) ? 0 : -1;
}

/* ---- comparing */

struct tally {
	size_t samples, ends[16], same, theirs_shorter, ours_shorter, they_skip, differ, fp_root;
	double depth, fp_depth, theirs_us;
};

static const char *end_name(uint32_t end)
{
	static const char *names[] = { "unknown", "root", "fp-root", "gap", "unmapped", "unreadable", "bad-rule", "depth", "no-regs", "compat", "exiting" };

	return end < sizeof(names) / sizeof(names[0]) ? names[end] : "?";
}

static bool is_root(uint32_t end)
{
	return end == FOLD_STACK_END_ROOT || end == FOLD_STACK_END_FP_ROOT;
}

static const char *address_name(struct oracle *o, uint64_t pc)
{
	Dwfl_Module *module = o->dwfl ? dwfl_addrmodule(o->dwfl, pc) : NULL;
	const char *name = module ? dwfl_module_addrname(module, pc) : NULL;

	if (name)
		return name;
	return module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : "?";
}

/* Our words without marks, in place. */
static void strip(struct oracle_sample *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n && i < EVENT_MAX_FRAMES; i++)
		if (s->words[i] != EVENT_WORD_EXACT)
			s->words[n++] = s->words[i];
	s->n = n;
}

static void show(struct oracle *o, const struct oracle_sample *s, uint32_t same, const char *kind)
{
	printf("    %s: %u of ours (%s), %u of libdwfl's, %u the same, stack %u%s\n", kind, s->n, end_name(s->end), o->nframes, same, s->stack_size,
	       s->user_mode ? "" : ", in the kernel");
	for (uint32_t i = same > 2 ? same - 2 : 0; i < same + 3; i++)
		printf("      [%u] %llx %s | %llx %s\n", i, i < s->n ? (unsigned long long)s->words[i] : 0ull, i < s->n ? address_name(o, s->words[i] - !!i) : "-",
		       i < o->nframes ? (unsigned long long)o->frames[i] : 0ull, i < o->nframes ? address_name(o, o->frames[i] - !!i) : "-");
}

/* Instructions that show that a frame is not set up yet, or not any more. */
static bool is_bare(const struct oracle *o, uint64_t pc)
{
	uint8_t code[5];
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", o->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, code, sizeof(code), (off_t)(pc - 1));
	close(fd);
	return n == (ssize_t)sizeof(code) && (code[1] == 0xc3 || !memcmp(code, "\x55\x48\x89\xe5", 4) || !memcmp(code + 1, "\x55\x48\x89\xe5", 4));
}

/* Without unwind information libdwfl goes by rbp alone, and so passes over the
 * caller of a function that has no frame at this moment. */
static bool they_skip(const struct oracle *o, const struct oracle_sample *s)
{
	return s->n == o->nframes + 1 && s->n > 1 && s->words[0] == o->frames[0] &&
	       !memcmp(s->words + 2, o->frames + 1, (s->n - 2) * sizeof(s->words[0])) && is_bare(o, s->words[0]);
}

static void compare(struct oracle *o, struct oracle_sample *s, struct tally *t)
{
	uint64_t began = clock_now();
	uint32_t same = 0;
	const char *kind;

	o->current = s;
	o->nframes = 0;
	dwfl_getthread_frames(o->dwfl, s->tid, frame_seen, o);
	t->theirs_us += (clock_now() - began) / 1e3;
	while (same < s->n && same < o->nframes && s->words[same] == o->frames[same])
		same++;
	if (same == s->n && same == o->nframes) {
		t->same++;
		return;
	}
	if (they_skip(o, s)) {
		t->they_skip++;
		return;
	}
	if (same == o->nframes) {
		t->theirs_shorter++;
		kind = "libdwfl stops first";
	} else if (same == s->n) {
		t->ours_shorter++;
		kind = "ours stops first";
	} else {
		t->differ++;
		kind = "DIFFERENT";
	}
	if (kind[0] == 'D' ? t->differ <= 10 : o->config.verbose && t->ours_shorter + t->theirs_shorter < 12)
		show(o, s, same, kind);
}

static void count(struct oracle *o, struct oracle_sample *s, struct tally *t)
{
	uint32_t nfp = s->nfp > 0 ? s->nfp / 8 : 0;

	t->samples++;
	t->ends[s->end & 15]++;
	strip(s);
	t->depth += s->n;
	t->fp_depth += nfp;
	if (is_root(s->end) && nfp && s->n && s->fp[nfp - 1] == s->words[s->n - 1])
		t->fp_root++;
	if (o->config.verbose && !is_root(s->end) && t->samples - t->ends[1] - t->ends[2] < 20)
		printf("    pid %u ended %s after %u at %llx %s\n", s->pid, end_name(s->end), s->n, s->n ? (unsigned long long)s->words[s->n - 1] : 0,
		       s->n ? address_name(o, s->words[s->n - 1]) : "");
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t median(struct oracle *o, size_t member, unsigned percent)
{
	uint32_t *v = calloc(o->n + 1, sizeof(*v)), out;

	for (size_t i = 0; i < o->n; i++)
		v[i] = *(uint32_t *)(void *)((char *)o->v[i] + member);
	qsort(v, o->n, sizeof(*v), by_number);
	out = v[o->n * percent / 100];
	free(v);
	return out;
}

static void report(struct oracle *o, const struct tally *t)
{
	double n = t->samples ? t->samples : 1;
	struct unwinder_summary sum;

	unwinder_summary(o->unwinder, &sum);
	printf("%s: %zu samples, root %.2f%% (by fp %.2f%%), depth %.1f (fp %.1f), ns %u/%u (fp %u/%u)", o->config.name, t->samples,
	       100 * (t->ends[FOLD_STACK_END_ROOT] + t->ends[FOLD_STACK_END_FP_ROOT]) / n, 100 * t->fp_root / n, t->depth / n, t->fp_depth / n,
	       median(o, offsetof(struct oracle_sample, walk_ns), 50), median(o, offsetof(struct oracle_sample, walk_ns), 90),
	       median(o, offsetof(struct oracle_sample, fp_ns), 50), median(o, offsetof(struct oracle_sample, fp_ns), 90));
	for (uint32_t i = 0; i < 16; i++)
		if (t->ends[i] && i != FOLD_STACK_END_ROOT)
			printf(" %s:%zu", end_name(i), t->ends[i]);
	if (o->dwfl)
		printf("; libdwfl: same %zu, it stops first %zu, ours stops first %zu, it skips a caller %zu, DIFFER %zu", t->same, t->theirs_shorter,
		       t->ours_shorter, t->they_skip, t->differ);
	printf("; tables: %llu files, %llu without, %llu refused, %llu rows, %llu KiB, %llu processes\n", (unsigned long long)sum.tables,
	       (unsigned long long)sum.without, (unsigned long long)sum.refused, (unsigned long long)sum.rows, (unsigned long long)sum.table_bytes >> 10,
	       (unsigned long long)sum.processes);
}

static int options(struct config *c, int argc, char **argv)
{
	int opt;

	*c = (struct config){ .object = argv[1], .hz = 499, .seconds = 3, .depth = EVENT_DEFAULT_FRAMES };
	optind = 2;
	while ((opt = getopt(argc, argv, "+F:t:d:n:va")) != -1)
		switch (opt) {
		case 'F': c->hz = atoi(optarg); break;
		case 't': c->seconds = atoi(optarg); break;
		case 'd': c->depth = atoi(optarg); break;
		case 'n': c->name = optarg; break;
		case 'v': c->verbose = true; break;
		case 'a': c->all = true; break;
		default: return -1;
		}
	c->command = argv + optind;
	if (!c->name)
		c->name = c->all ? "machine" : argv[optind];
	return c->all || argv[optind] ? 0 : -1;
}

int main(int argc, char **argv)
{
	static struct oracle o;
	struct tally t = {0};
	int err, go = -1;

	if (argc < 3 || options(&o.config, argc, argv))
		return 2;
	err = open_all(&o);
	if (!err && !o.config.all)
		err = (go = start(&o)) < 0 ? go : 0;
	if (!err)
		err = sample_cpus(&o);
	if (!err && go >= 0 && write(go, "", 1) != 1)
		err = -errno;
	if (err) {
		fprintf(stderr, "oracle: %s\n", strerror(-err));
		return 77;
	}
	run(&o);
	if (o.pid && attach(&o))
		fprintf(stderr, "oracle: libdwfl: %s\n", dwfl_errmsg(-1));
	for (size_t i = 0; i < o.n; i++) {
		if (!o.config.all && o.pid && (pid_t)o.v[i]->pid != o.pid)
			continue;
		count(&o, o.v[i], &t);
		if (o.dwfl)
			compare(&o, o.v[i], &t);
	}
	report(&o, &t);
	if (o.pid) {
		kill(-o.pid, SIGKILL);
		waitpid(o.pid, NULL, 0);
	}
	unwinder_free(o.unwinder);
	return t.differ || !t.samples;
}
