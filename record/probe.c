/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads the sampling program, sizes its maps, opens rings, queues and sampling events
 * and keeps them together.
 */
#include "probe.h"
#include "attach.h"
#include "clock.h"
#include "log.h"
#include "programs.h"
#include "scope.h"
#include "threads.h"
#include "unwind/walker.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define SENT_SLOTS 65536
#define SAID_MAX 900 /* of what libbpf says */
#define MIN_TABLE 2048
#define MAX_TABLE 16384
#define RING (512u << 10) /* with its header page just what an ordinary user may lock */
#define MIN_QUEUE (256u << 10)
#define MAX_QUEUE (8u << 20)
#define SMALLEST (64u << 10) /* a record must fit in well */
/* A second of room for samples with their stacks, and for the copies of stack memory
 * that walks through unknown code bring. */
#define QUEUE_BYTES_PER_SAMPLE 2048

struct probe {
	struct probe_options options;
	struct bpf_object *object;
	struct walker walker; /* then `object` is its */
	struct scope scope;
	int scope_fault;      /* errno: there is none */
	struct bpf_program *program;
	struct numbers cpus;
	struct rings rings;
	struct queues queues;
	struct attach attach;
	bool on_exec;         /* the events enable themselves */
	uint64_t seed;
	uint32_t half;
	size_t table_size;
	size_t possible;     /* CPUs that per-CPU maps have values for */
	int strays_fd;
	int counts_fd[2];
};

static size_t power_of_two(size_t n)
{
	size_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static size_t clamp(size_t n, size_t low, size_t high)
{
	return n < low ? low : n > high ? high : n;
}

/* What the verifier says ends with why it refused: of a long text the end. */
static int say(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text;
	int n;

	if (level == LIBBPF_DEBUG)
		return 0;
	n = vasprintf(&text, format, args);
	if (n < 0)
		return 0;
	if (n && text[n - 1] == '\n')
		text[--n] = '\0';
	log_detail("%s%s", n > SAID_MAX ? "..." : "", n > SAID_MAX ? text + n - SAID_MAX : text);
	free(text);
	return 0;
}

static int set_config(struct probe *p, size_t sent_slots)
{
	struct event_config config = {
		.max_frames = p->options.max_frames,
		.sides = p->options.sides,
		.sent_mask = (uint32_t)sent_slots - 1,
		.event = 0,
		.scoped = p->scope.words != NULL,
		.counting = p->options.aggregate,
		.pid_ns_dev = p->options.pid_ns_dev,
		.pid_ns_ino = p->options.pid_ns_ino,
		.queue_size = p->queues.size,
		.queue_last = p->queues.size + p->queues.margin,
	};
	struct bpf_map *map = bpf_object__find_map_by_name(p->object, ".rodata");

	return map ? bpf_map__set_initial_value(map, &config, sizeof(config)) : -ENOENT;
}

static int size_map(struct probe *p, const char *name, size_t entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(p->object, name);

	return map ? bpf_map__set_max_entries(map, (uint32_t)entries) : -ENOENT;
}

/* One entry each where nobody counts. */
static int size_counts(struct probe *p)
{
	size_t entries = p->options.aggregate ? p->table_size : 1;
	int err = size_map(p, "counts0", entries);

	return err ? err : size_map(p, "counts1", entries);
}

static int size_maps(struct probe *p)
{
	size_t sent = p->options.table_size ? power_of_two(p->options.table_size) : SENT_SLOTS;
	int err = set_config(p, sent);

	p->table_size = p->options.table_size;
	if (!p->table_size) /* about what an interval can bring */
		p->table_size = clamp(power_of_two(p->options.frequency * p->cpus.n), MIN_TABLE, MAX_TABLE);
	if (!err)
		err = size_map(p, "sent", sent);
	if (!err)
		err = queues_prepare(&p->queues, p->object, p->possible);
	if (!err && p->scope.words)
		err = bpf_map__reuse_fd(bpf_object__find_map_by_name(p->object, "scope"), p->scope.map_fd);
	return err ? err : size_counts(p);
}

/* Beside what follows processes an object has one program, for the sampling events. */
static int find_program(struct probe *p)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, p->object)
		if (bpf_program__type(program) == BPF_PROG_TYPE_PERF_EVENT)
			p->program = program;
	return p->program ? 0 : -ENOENT;
}

static int map_fd(const struct probe *p, const char *name)
{
	return bpf_object__find_map_fd_by_name(p->object, name);
}

static void new_seed(struct probe *p)
{
	if (getrandom(&p->seed, sizeof(p->seed), GRND_NONBLOCK) < 0)
		p->seed = (uint64_t)time(NULL) * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
	for (size_t i = 0; i < p->queues.n; i++)
		__atomic_store_n(&p->queues.v[i].shared->seed, p->seed, __ATOMIC_RELAXED);
}

static int load_object(struct probe *p)
{
	int err = size_maps(p);

	if (!err)
		err = find_program(p);
	return err ? err : bpf_object__load(p->object);
}

static int load_sample(struct probe *p)
{
	int err = program_open(&p->object, program_sample, program_sample_end, "fold_sample");

	return err ? err : load_object(p);
}

/* Kernels before 5.15 want to be read; under lockdown they may refuse. */
static int load_walker(struct probe *p)
{
	bool read_kernel = true;
	int err;

	do {
		err = walker_open(&p->walker, read_kernel, p->options.frequency);
		p->object = p->walker.object;
		if (!err)
			err = load_object(p);
		if (!err)
			return walker_attach(&p->walker);
		walker_release(&p->walker);
		p->object = NULL;
		read_kernel = !read_kernel;
	} while (!read_kernel);
	return err;
}

/* What all of them may take leaves room for one of this size, and `more` with it. */
static size_t ring_share(const struct probe *p, size_t bytes, size_t more)
{
	size_t share = p->options.all_rings / p->cpus.n / 2; /* a ring and a queue */

	while (p->options.all_rings && bytes > SMALLEST && bytes + more > share)
		bytes /= 2;
	return bytes;
}

static int make_queues(struct probe *p)
{
	size_t bytes = p->options.ring_bytes, more = 2 * EVENT_SAMPLE_MAX + (p->options.unwind ? EVENT_COPY_MAX : 0);

	if (!bytes)
		bytes = clamp((size_t)p->options.frequency * QUEUE_BYTES_PER_SAMPLE, MIN_QUEUE, MAX_QUEUE);
	return queues_make(&p->queues, p->cpus.v, p->cpus.n, ring_share(p, power_of_two(bytes), more), SMALLEST, p->options.unwind);
}

static int load(struct probe *p)
{
	int err;

	libbpf_set_print(say);
	if (p->options.scoped)
		p->scope_fault = -scope_open(&p->scope, (uint32_t)p->options.command);
	err = make_queues(p);
	if (!err)
		err = p->options.unwind ? load_walker(p) : load_sample(p);
	if (!err)
		err = queues_give(&p->queues, p->object);
	if (err)
		return err;
	p->strays_fd = map_fd(p, "strays");
	p->counts_fd[0] = map_fd(p, "counts0");
	p->counts_fd[1] = map_fd(p, "counts1");
	p->attach.program = bpf_program__fd(p->program);
	p->attach.frequency = p->options.frequency;
	new_seed(p);
	return 0;
}

static int open_rings(struct probe *p)
{
	size_t bytes = ring_share(p, p->options.ring_bytes ? power_of_two(p->options.ring_bytes) : RING, 0);

	return rings_open(&p->rings, map_fd(p, "events"), p->cpus.v, p->cpus.n, bytes);
}

int probe_new(struct probe **out, const struct probe_options *options, struct probe_fault *fault)
{
	struct probe *p = calloc(1, sizeof(*p));
	int possible = libbpf_num_possible_cpus();
	int err = -ENOMEM;

	*out = p;
	fault->step = HOST_LOAD;
	if (p) {
		p->options = *options;
		p->possible = possible > 0 ? (size_t)possible : 1;
		err = numbers_online_cpus(&p->cpus);
		if (!err)
			err = load(p);
	}
	if (!err) {
		fault->step = HOST_RINGS;
		err = open_rings(p);
	}
	fault->err = -err;
	return err ? -1 : 0;
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	attach_release(&p->attach);
	rings_close(&p->rings);
	queues_release(&p->queues);
	if (!p->options.unwind)
		bpf_object__close(p->object);
	walker_release(&p->walker);
	scope_close(&p->scope);
	numbers_release(&p->cpus);
	free(p);
}

/* ---- sampling events */

static int attach(struct probe *p, const struct attach_place *place, struct probe_fault *fault)
{
	bool attaching;
	int err = attach_open(&p->attach, place, &attaching);

	fault->step = attaching ? HOST_ATTACH : HOST_EVENTS;
	fault->err = -err;
	return err;
}

int probe_attach_cpus(struct probe *p, const struct numbers *cpus, struct probe_fault *fault)
{
	for (size_t i = 0; i < p->cpus.n; i++) {
		struct attach_place place = { .pid = -1, .cpu = (int)p->cpus.v[i], .ring = p->rings.v[i].fd };

		if (cpus && cpus->n && !numbers_have(cpus, p->cpus.v[i]))
			continue;
		if (attach(p, &place, fault))
			return -1;
	}
	return 0;
}

/* One event, or one for each of the CPUs asked for. */
static int attach_thread(struct probe *p, pid_t tid, const struct numbers *cpus, enum attach_when when, struct probe_fault *fault)
{
	struct attach_place place = { .pid = tid, .cpu = -1, .ring = -1, .when = when };
	int err = 0;

	if (!cpus || !cpus->n)
		return attach(p, &place, fault);
	for (size_t i = 0; !err && i < cpus->n; i++) {
		place.cpu = (int)cpus->v[i];
		err = attach(p, &place, fault);
	}
	return err;
}

int probe_attach_command(struct probe *p, pid_t pid, const struct numbers *cpus, struct probe_fault *fault)
{
	if (p->scope.words)
		return probe_attach_cpus(p, cpus, fault);
	p->on_exec = true;
	return attach_thread(p, pid, cpus, ATTACH_ON_EXEC, fault) ? -1 : 0;
}

static int attach_threads(struct probe *p, const struct numbers *pids, const struct numbers *cpus, struct probe_fault *fault)
{
	struct threads threads;
	uint32_t tid;
	int more, err = 0;

	threads_init(&threads, pids);
	while (!err && (more = threads_next(&threads, &p->rings, &tid)) > 0) {
		err = attach_thread(p, (pid_t)tid, cpus, ATTACH_DISABLED, fault);
		threads_attached(&threads, clock_now());
		if (err == -ESRCH) /* ended meanwhile */
			err = 0;
	}
	threads_release(&threads);
	if (!err && more < 0) {
		*fault = (struct probe_fault){ .step = HOST_EVENTS, .err = -more };
		err = more;
	}
	if (!err && !p->attach.n) {
		*fault = (struct probe_fault){ .step = HOST_EVENTS, .err = ESRCH };
		err = -ESRCH;
	}
	return err ? -1 : 0;
}

int probe_attach_pids(struct probe *p, const struct numbers *pids, const struct numbers *cpus, struct probe_fault *fault)
{
	if (!p->scope.words)
		return attach_threads(p, pids, cpus, fault);
	for (size_t i = 0; i < pids->n; i++)
		scope_add(&p->scope, pids->v[i]);
	return probe_attach_cpus(p, cpus, fault);
}

int probe_inherits(const struct probe *p)
{
	return p->scope_fault;
}

int probe_enable(struct probe *p)
{
	return p->on_exec ? 0 : attach_enable(&p->attach);
}

/* A program runs in an interrupt and so inside what RCU waits for. */
static void wait_for_programs(void)
{
	struct timespec rest = { .tv_nsec = 50 * 1000 * 1000 };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&rest, NULL); /* EINVAL with nohz_full */
}

void probe_disable(struct probe *p)
{
	attach_disable(&p->attach);
	wait_for_programs();
}

/* ---- what is known of it */

struct bpf_object *probe_walker(const struct probe *p)
{
	return p->walker.object;
}

const struct rings *probe_rings(const struct probe *p)
{
	return &p->rings;
}

const struct numbers *probe_cpus(const struct probe *p)
{
	return &p->cpus;
}

size_t probe_counters_n(const struct probe *p)
{
	return p->possible;
}

const struct queues *probe_queues(const struct probe *p)
{
	return &p->queues;
}

size_t probe_ring_bytes(const struct probe *p)
{
	return p->rings.bytes + queues_bytes(&p->queues);
}

/* Of a CPU without a queue there are the strays. */
int probe_counters(struct probe *p, struct event_counters *out)
{
	uint32_t zero = 0;

	if (bpf_map_lookup_elem(p->strays_fd, &zero, out))
		return -errno;
	for (size_t i = 0; i < p->queues.n; i++)
		if (p->queues.v[i].cpu < p->possible)
			memcpy(&out[p->queues.v[i].cpu], &p->queues.v[i].shared->counters, sizeof(*out));
	return 0;
}

void probe_forget_sent(struct probe *p)
{
	new_seed(p);
	wait_for_programs();
}

uint64_t probe_seed(const struct probe *p)
{
	return p->seed;
}

void probe_flip(struct probe *p, uint32_t *old, uint64_t *when)
{
	*old = p->half;
	p->half = !*old;
	for (size_t i = 0; i < p->queues.n; i++)
		__atomic_store_n(&p->queues.v[i].shared->half, p->half, __ATOMIC_SEQ_CST);
	*when = clock_now();
	wait_for_programs();
}

int probe_counts_fd(const struct probe *p, uint32_t half)
{
	return p->counts_fd[half];
}

size_t probe_table_size(const struct probe *p)
{
	return p->table_size;
}

uint32_t probe_max_frames(const struct probe *p)
{
	return p->options.max_frames;
}

uint64_t probe_run_ns(const struct probe *p)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	if (bpf_obj_get_info_by_fd(p->attach.program, &info, &size))
		return 0;
	return info.run_time_ns;
}
