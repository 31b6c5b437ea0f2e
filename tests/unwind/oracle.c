/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is what the walker says true?  Samples a process, lets libdwfl unwind the same
 * samples from copies of registers and stack, and compares frame by frame.
 *
 *     oracle OBJECT [-F HZ] [-t SECONDS] [-d FRAMES] [-v] [-w] [-c] [-r] [-n NAME] -- COMMAND ARG...
 *         -w  begin when all tables are built: not the first seconds of a large program
 *         -c  its forks too: all processes of that name
 *         -r  walk all in user space, as recordings do with the first samples of a process
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
#include "../../format/fold.h"
#include "../../record/census.h"
#include "../../record/clock.h"
#include "../../record/drain.h"
#include "../../record/queue.h"
#include "../../record/ring.h"
#include "../../record/target.h"
#include "../../record/unwind/unwinder.h"
#include "judge.h"
#include "oracle.h"

#define MAX_SAMPLES 200000
#define PATIENCE (60 * NS_PER_SECOND)

struct config {
	const char *object, *name;
	int hz, seconds;
	uint32_t depth;
	bool verbose, all, wait, forks, replay;
	char **command;
};
struct oracle {
	struct config config;
	struct bpf_object *bpf;
	struct rings rings;
	struct queues queues; /* where walks are made; nothing is queued */
	struct drain drain;
	struct unwinder *unwinder;
	struct ring_buffer *ring;
	struct oracle_sample **v;
	size_t n, finished; /* samples; those whose walks are done */
	pid_t pid;
	struct judge judge;
};

/* ---- taking samples */

static int keep(void *context, void *data, size_t size)
{
	struct oracle *o = context;
	const struct oracle_sample *s = data;
	size_t part = offsetof(struct oracle_sample, stack) + s->stack_size;

	/* Before its exec the command is still this program. */
	if (o->n == MAX_SAMPLES || !memcmp(s->comm, "oracle", 6) || (o->config.forks && strncmp((const char *)s->comm, o->config.name, 15)))
		return 0;
	o->v[o->n] = malloc(part);
	memcpy(o->v[o->n++], s, part);
	return 0;
}

static int feed(void *context, const struct event *event)
{
	struct oracle *o = context;
	struct event own = *event;

	/* Walks of the dead are finished later. */
	return unwinder_ahead(o->unwinder, event) ||
	       (event->kind != EVENT_EXIT && unwinder_event(o->unwinder, &own, 1, o->config.depth));
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

static int load(struct oracle *o, const struct numbers *cpus)
{
	int err = queues_make(&o->queues, cpus->v, cpus->n, 1 << 16, 1 << 16, true);
	struct event_config config = { .max_frames = o->config.depth, .sides = 3, .queue_size = o->queues.size, .queue_last = o->queues.size + o->queues.margin };
	struct bpf_program *p;

	if (err)
		return err;

	o->bpf = bpf_object__open_file(o->config.object, NULL);
	if (!o->bpf)
		return -errno;
	memcpy(global(o, ".rodata"), &config, sizeof(config));
	((struct oracle_knobs *)global(o, ".data"))->with_stack = !o->config.all;
	err = queues_prepare(&o->queues, o->bpf, (size_t)libbpf_num_possible_cpus());
	if (!err && bpf_object__load(o->bpf))
		err = -errno;
	if (!err)
		err = queues_give(&o->queues, o->bpf);
	if (err)
		return err;
	bpf_object__for_each_program(p, o->bpf)
		if (bpf_program__type(p) == BPF_PROG_TYPE_TRACING && !bpf_program__attach(p))
			return -errno;
	return 0;
}

static int open_all(struct oracle *o)
{
	struct unwinder_options options = { .scoped = !o->config.all };
	struct numbers cpus = {0};
	int err;

	err = numbers_online_cpus(&cpus);
	if (!err)
		err = load(o, &cpus);
	if (!err)
		err = rings_open(&o->rings, bpf_object__find_map_fd_by_name(o->bpf, "events"), cpus.v, cpus.n, 1 << 20);
	if (!err)
		err = unwinder_new(&o->unwinder, o->bpf, &options);
	if (!err)
		err = drain_init(&o->drain, &o->rings, &o->queues, EVENT_MAX_FRAMES, feed, o);
	if (!err && o->config.all)
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
		if (!freopen("/dev/null", "w", stdout) || read(go[0], &byte, 1) != 1)
			_exit(127);
		execvp(o->config.command[0], o->config.command);
		_exit(127);
	}
	if (unwinder_follow(o->unwinder, o->pid))
		return -ENOMEM;
	knobs.target = o->config.forks ? 0 : o->pid;
	close(go[0]);
	return bpf_map_update_elem(data, &zero, &knobs, BPF_ANY) ? -errno : go[1];
}

/* As if the kernel's side had known nothing. */
static void walk_again(struct oracle *o, struct oracle_sample *s)
{
	static struct { struct event_raw_copy head; uint8_t stack[EVENT_COPY_BYTES]; } copy;
	struct event e = { .kind = EVENT_SAMPLE, .pid = s->pid, .tid = s->tid };

	memcpy(copy.head.regs, s->regs, sizeof(copy.head.regs));
	copy.head.size = s->stack_size < EVENT_COPY_BYTES ? s->stack_size : EVENT_COPY_BYTES;
	copy.head.cut = s->stack_size >= EVENT_COPY_BYTES;
	memcpy(copy.head.below, s->below, sizeof(copy.head.below));
	memcpy(copy.stack, s->stack, copy.head.size);
	e.sample.user = (struct event_stack){ .id = 1, .words = s->regs + ORACLE_REGS - 1, .n = 1, .end = FOLD_STACK_END_UNMAPPED };
	e.sample.copy = &copy.head;
	if (unwinder_event(o->unwinder, &e, 1, o->config.depth))
		return;
	s->end = e.sample.user.end;
	s->n = e.sample.user.n;
	memcpy(s->words, e.sample.user.words, s->n * sizeof(s->words[0]));
}

/* Samples up to `n`, if the walk was not finished: as recordings do. */
static void finish_walks(struct oracle *o, size_t n)
{
	for (; o->finished < n; o->finished++)
		if (o->config.replay || o->v[o->finished]->end == FOLD_STACK_END_UNMAPPED)
			walk_again(o, o->v[o->finished]);
}

static void turn(struct oracle *o)
{
	size_t n = o->n;

	ring_buffer__poll(o->ring, 5);
	drain_until(&o->drain, clock_now() - NS_PER_MS, NULL, 0);
	unwinder_work(o->unwinder, o->drain.last, 0);
	if (!unwinder_busy(o->unwinder))
		finish_walks(o, n);
}

/* As long as it takes, but not for ever. */
static void wait_for_tables(struct oracle *o)
{
	uint64_t began = clock_now();

	while (clock_now() < began + NS_PER_SECOND || (unwinder_busy(o->unwinder) && clock_now() < began + PATIENCE))
		turn(o);
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i]);
	o->n = o->finished = 0;
}

static void run(struct oracle *o)
{
	uint64_t end;

	if (o->config.wait)
		wait_for_tables(o);
	/* On a busy machine the command may need its time to begin. */
	for (end = clock_now() + PATIENCE; !o->n && clock_now() < end;)
		turn(o);
	end = clock_now() + o->config.seconds * NS_PER_SECOND;
	while (clock_now() < end) {
		turn(o);
		if (o->pid && waitpid(o->pid, NULL, WNOHANG) == o->pid) {
			o->pid = 0;
			break;
		}
	}
	if (o->pid)
		kill(-o->pid, SIGSTOP);
	ring_buffer__consume(o->ring);
	drain_until(&o->drain, DRAIN_ALL, NULL, 0);
	unwinder_work(o->unwinder, o->drain.last, 5000);
	finish_walks(o, o->n);
}

/* ---- comparing */

struct tally {
	size_t samples, ends[16], verdicts[VERDICTS], fp_root;
	double depth, fp_depth;
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

/* Our words without marks, in place. */
static void strip(struct oracle_sample *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n && i < EVENT_MAX_FRAMES; i++)
		if (s->words[i] != EVENT_WORD_EXACT)
			s->words[n++] = s->words[i];
	s->n = n;
}

static void show(struct oracle *o, const struct oracle_sample *s, const char *kind)
{
	const struct judge *j = &o->judge;

	printf("    %s: %u of ours (%s), %u of libdwfl's, %u the same, stack %u%s\n", kind, s->n, end_name(s->end), j->n, j->same, s->stack_size,
	       s->user_mode ? "" : ", in the kernel");
	for (uint32_t i = j->same > 2 ? j->same - 2 : 0; i < j->same + 3; i++)
		printf("      [%u] %llx %s | %llx %s\n", i, i < s->n ? (unsigned long long)s->words[i] : 0ull,
		       i < s->n ? judge_name(j, s->words[i] - !!i) : "-", i < j->n ? (unsigned long long)j->frames[i] : 0ull,
		       i < j->n ? judge_name(j, j->frames[i] - !!i) : "-");
}

static void compare(struct oracle *o, struct oracle_sample *s, struct tally *t)
{
	enum verdict v = judge_sample(&o->judge, s);

	t->verdicts[v]++;
	if (v == DIFFER ? t->verdicts[v] <= 10 : o->config.verbose && v != SAME && t->verdicts[v] <= 6)
		show(o, s, verdict_name(v));
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
		       s->n ? judge_name(&o->judge, s->words[s->n - 1]) : "");
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
	printf("; libdwfl:");
	for (enum verdict v = SAME; v < VERDICTS; v++)
		if (t->verdicts[v] || v == DIFFER)
			printf(" %s %zu%s", verdict_name(v), t->verdicts[v], v == DIFFER ? "" : ",");
	printf("; tables: %llu files, %llu without, %llu refused, %llu rows, %llu KiB, %llu processes\n", (unsigned long long)sum.tables,
	       (unsigned long long)sum.without, (unsigned long long)sum.refused, (unsigned long long)sum.rows, (unsigned long long)sum.table_bytes >> 10,
	       (unsigned long long)sum.processes);
}

static int options(struct config *c, int argc, char **argv)
{
	int opt;

	*c = (struct config){ .object = argv[1], .hz = 499, .seconds = 3, .depth = EVENT_DEFAULT_FRAMES };
	optind = 2;
	while ((opt = getopt(argc, argv, "+F:t:d:n:vwacr")) != -1)
		switch (opt) {
		case 'F': c->hz = atoi(optarg); break;
		case 't': c->seconds = atoi(optarg); break;
		case 'd': c->depth = atoi(optarg); break;
		case 'n': c->name = optarg; break;
		case 'v': c->verbose = true; break;
		case 'w': c->wait = true; break;
		case 'c': c->forks = true; break;
		case 'r': c->replay = true; break;
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
	if (o.pid && judge_open(&o.judge, o.pid, o.config.depth))
		fprintf(stderr, "oracle: libdwfl: %s\n", dwfl_errmsg(-1));
	for (size_t i = 0; i < o.n; i++) {
		if (!o.config.all && !o.config.forks && o.pid && (pid_t)o.v[i]->pid != o.pid)
			continue;
		count(&o, o.v[i], &t);
		if (o.judge.dwfl)
			compare(&o, o.v[i], &t);
	}
	report(&o, &t);
	if (o.pid) {
		kill(-o.pid, SIGKILL);
		waitpid(o.pid, NULL, 0);
	}
	unwinder_free(o.unwinder);
	return t.verdicts[DIFFER] || !t.samples;
}
