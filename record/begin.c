/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Up to the first sample.  Rings are open before the census looks at /proc, and
 * the census is over before the first sample: whatever a sample belongs to was
 * seen by one of the two.  The unwinder has the same events, but does not wait for
 * drain: it looks ahead.
 */
#include "recorder_state.h"
#include "census.h"
#include "meta.h"
#include "unwind/walker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* For tables of what runs already, before the first sample. */
#define TABLES_MS 5000
/* What of --max-memory is for what: one in so many bytes. */
#define RINGS_SHARE 4
#define TABLES_SHARE 4
#define STACKS_SHARE 2

static void clamp_frequency(struct recorder *r)
{
	int64_t max = r->host.max_sample_rate;

	r->probe_options.frequency = r->options->frequency;
	if (max <= 0 || max >= r->options->frequency)
		return;
	r->probe_options.frequency = (uint32_t)max;
	log_warning("sampling at %lld Hz instead of %u: the kernel allows no more (sysctl kernel.perf_event_max_sample_rate)",
		    (long long)max, r->options->frequency);
}

static void clamp_depth(struct recorder *r)
{
	uint32_t wanted = r->options->max_depth;
	int64_t max = r->host.max_stack;

	r->probe_options.max_frames = wanted ? wanted : EVENT_DEFAULT_FRAMES;
	if (r->probe_options.unwind)
		return; /* our own walker knows no such limit */
	if (max <= 0 || max >= r->probe_options.max_frames)
		return;
	r->probe_options.max_frames = (uint32_t)max;
	if (wanted)
		log_warning("keeping %lld frames of a stack instead of %u: the kernel walks no further (sysctl kernel.perf_event_max_stack)",
			    (long long)max, wanted);
}

static void configure(struct recorder *r)
{
	const struct options *o = r->options;

	host_read(&r->host);
	clamp_frequency(r);
	r->probe_options.unwind = o->unwind == OPTIONS_UNWIND_AUTO && !o->kernel_only && walker_exists() && r->host.host_pids;
	clamp_depth(r);
	r->probe_options.sides = o->kernel_only ? FOLD_SIDE_KERNEL : o->user_only ? FOLD_SIDE_USER : FOLD_SIDE_KERNEL | FOLD_SIDE_USER;
	r->probe_options.aggregate = o->aggregate;
	r->probe_options.table_size = o->table_size;
	r->probe_options.scoped = (o->command || o->pids.n) && r->host.host_pids && !o->inherit;
	r->probe_options.ring_bytes = (size_t)o->ring_kib << 10;
	r->probe_options.all_rings = o->max_memory / RINGS_SHARE;
	if (r->host.host_pids)
		return;
	r->probe_options.pid_ns_dev = r->host.pid_ns_dev;
	r->probe_options.pid_ns_ino = r->host.pid_ns_ino;
	if (o->unwind == OPTIONS_UNWIND_AUTO && !o->kernel_only && walker_exists())
		log_warning("walking user stacks by frame pointers, which most programs lack: our own walker knows processes by their numbers "
			    "on the host, and this is a pid namespace of its own");
}

static int catch_signals(struct recorder *r)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	signal(SIGPIPE, SIG_IGN); /* a write says EPIPE */
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signals >= 0)
		return 0;
	log_error("cannot watch signals: %s", strerror(errno));
	return -1;
}

/* A descriptor for each CPU or thread. */
static void raise_file_limit(struct host *host)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	if (!setrlimit(RLIMIT_NOFILE, &limit))
		host->files = limit.rlim_max;
}

static int explain(const struct recorder *r, const struct probe_fault *fault)
{
	char text[512];

	log_error("%s", host_explain(&r->host, fault->step, fault->err, text, sizeof(text)));
	return -1;
}

static int attach(struct recorder *r)
{
	const struct options *o = r->options;
	struct probe_fault fault;
	int err;

	if (r->command.pid)
		err = probe_attach_command(r->probe, r->command.pid, &o->cpus, &fault);
	else if (o->pids.n)
		err = probe_attach_pids(r->probe, &o->pids, &o->cpus, &fault);
	else
		err = probe_attach_cpus(r->probe, &o->cpus, &fault);
	return err ? explain(r, &fault) : 0;
}

static int check_cpus(const struct recorder *r)
{
	const struct numbers *wanted = &r->options->cpus;

	for (size_t i = 0; i < wanted->n; i++) {
		if (numbers_have(probe_cpus(r->probe), wanted->v[i]))
			continue;
		log_error("there is no CPU %u online", wanted->v[i]);
		return -1;
	}
	return 0;
}

static int give_event(void *state, const struct event *event)
{
	struct recorder *r = state;
	struct event own = *event;
	int err = 0;

	if (r->unwinder && r->census)
		err = unwinder_ahead(r->unwinder, event);
	if (!err && r->unwinder)
		err = unwinder_event(r->unwinder, &own, probe_seed(r->probe), r->probe_options.max_frames);
	return err ? err : session_event(r->session, &own);
}

static int give_ahead(void *state, const struct event *event)
{
	struct recorder *r = state;

	return unwinder_ahead(r->unwinder, event);
}

/* Tables are for the processes that are recorded. */
static int open_unwinder(struct recorder *r)
{
	const struct options *o = r->options;
	struct unwinder_options options = {
		.max_bytes = o->max_memory / TABLES_SHARE,
		.copy_bytes = (uint32_t)(probe_queues(r->probe)->size / 2), /* the other half is for samples */
		.scoped = o->command || o->pids.n,
	};
	int err = unwinder_new(&r->unwinder, probe_walker(r->probe), &options);

	for (size_t i = 0; !err && i < o->pids.n; i++)
		err = unwinder_follow(r->unwinder, o->pids.v[i]) ? -ENOMEM : 0;
	if (!err && r->command.pid)
		err = unwinder_follow(r->unwinder, r->command.pid) ? -ENOMEM : 0;
	if (!err && ahead_init(&r->ahead, probe_rings(r->probe), give_ahead, r))
		err = -ENOMEM;
	return err;
}

static void close_unwinder(struct recorder *r)
{
	unwinder_free(r->unwinder);
	r->unwinder = NULL;
	ahead_release(&r->ahead);
}

/* With the walker when it loads; without it there are frame pointers. */
static int load_probe(struct recorder *r)
{
	struct probe_fault fault;
	int refused = 0;

	if (r->probe_options.unwind) {
		refused = probe_new(&r->probe, &r->probe_options, &fault) ? fault.err : -open_unwinder(r);
		if (!refused)
			return 0;
		close_unwinder(r);
		probe_free(r->probe);
		r->probe_options.unwind = false;
		clamp_depth(r);
	}
	if (probe_new(&r->probe, &r->probe_options, &fault))
		return explain(r, &fault);
	if (refused)
		log_warning("walking user stacks by frame pointers, which most programs lack: %s (%s)",
			    r->host.btf ? "the kernel does not take our own walker" : "our own walker needs a kernel with type information (BTF)", strerror(refused));
	return 0;
}

static const char *why_inherited(const struct recorder *r)
{
	if (r->options->inherit)
		return "asked for";
	if (!r->host.host_pids)
		return "this is a pid namespace of its own";
	return r->host.btf ? strerror(probe_inherits(r->probe)) : "the kernel has no type information (BTF)";
}

static void say_how(const struct recorder *r)
{
	if (r->probe_options.scoped && !probe_inherits(r->probe))
		log_detail("sampling all CPUs, keeping what is asked for");
	else
		log_detail("each thread has a sampling event of its own, which sees little of short lives: %s", why_inherited(r));
}

static int open_probe(struct recorder *r)
{
	r->probe_options.command = r->command.pid;
	if (load_probe(r) || check_cpus(r))
		return -1;
	if (drain_init(&r->drain, probe_rings(r->probe), probe_queues(r->probe), r->probe_options.max_frames, give_event, r)) {
		log_error("out of memory");
		return -1;
	}
	if (r->options->command || r->options->pids.n)
		say_how(r);
	if (r->options->aggregate)
		log_detail("tables of %zu entries", probe_table_size(r->probe));
	log_detail("rings of %zu KiB on %zu CPUs%s", probe_ring_bytes(r->probe) >> 10, probe_cpus(r->probe)->n,
		   probe_rings(r->probe)->build_ids ? ", build-ids read by the kernel" : "");
	return 0;
}

static void open_names(struct recorder *r)
{
	int err;

	if (r->options->no_kernel_symbols)
		return;
	err = names_open(&r->names);
	if (err && !host_shows_kernel())
		log_detail("kernel functions have no names here: %s", strerror(-err));
}

static bool name_kernel(void *state, uint64_t address, struct kernel_symbol *out)
{
	return names_find(state, address, out);
}

static int open_session(struct recorder *r)
{
	const struct options *o = r->options;
	struct session_options options = {
		.paths = o->paths,
		.raw_addresses = o->raw_addresses,
		.kernel_symbols = !o->no_kernel_symbols,
		.aggregate = o->aggregate,
		.proc = "/proc",
		.sys = "/sys",
		.kernel_name = r->names.object ? name_kernel : NULL,
		.kernel_name_state = &r->names,
		.max_stack_bytes = o->stack_memory ? o->stack_memory : o->max_memory / STACKS_SHARE,
	};
	struct meta_facts facts = {
		.host = &r->host,
		.frequency = r->probe_options.frequency,
		.max_frames = r->probe_options.max_frames,
		.sides = r->probe_options.sides,
		.unwinder = r->unwinder ? FOLD_UNWIND_TABLES : FOLD_UNWIND_FP,
		.cpus_online = (uint32_t)probe_cpus(r->probe)->n,
		.cpus_possible = (uint32_t)probe_counters_n(r->probe),
		.interval_ns = RECORDER_FLUSH_NS,
	};
	struct fold_meta meta;
	struct fold_note note;

	meta_fill(&meta, o, &facts);
	if (writer_new(&r->writer, sink_fd(r->out.fd), NULL)) {
		log_error("out of memory");
		return -1;
	}
	if (session_new(&r->session, r->writer, &meta, &options))
		return writer_fault(r->writer)->code ? outfile_failed(&r->out, writer_fault(r->writer)) : -1;
	if (!o->note)
		return 0;
	note.text = (struct fold_bytes){ .at = (const uint8_t *)o->note, .size = strlen(o->note) };
	return writer_note(r->writer, &note) ? outfile_failed(&r->out, writer_fault(r->writer)) : 0;
}

/* What is there already, among what the rings have told since they were opened. */
static int take_census(struct recorder *r)
{
	struct census census = { 0 };
	int err = census_collect(&census, "/proc");

	r->census = true;
	if (!err && drain_until(&r->drain, clock_now(), census.events, census.n)) {
		log_error("out of memory");
		err = -1;
	}
	r->census = false;
	census_release(&census);
	if (!err && r->unwinder)
		unwinder_work(r->unwinder, clock_now(), TABLES_MS);
	return err;
}

static int start_command(struct recorder *r)
{
	int err = command_go(&r->command);

	if (!err)
		return 0;
	log_error("cannot run %s: %s", r->options->command[0], strerror(err));
	r->command.pid = 0;
	r->status = err == ENOENT ? 127 : 126; /* as a shell says it */
	return -1;
}

static const char *what_text(const struct options *o, char *buf, size_t size)
{
	if (o->command)
		return o->command[0];
	if (!o->pids.n)
		return "the whole machine";
	if (o->pids.n == 1)
		snprintf(buf, size, "process %u", o->pids.v[0]);
	else
		snprintf(buf, size, "%zu processes", o->pids.n);
	return buf;
}

int recorder_begin(struct recorder *r)
{
	const struct options *o = r->options;
	char what[32];

	raise_file_limit(&r->host);
	configure(r);
	if (catch_signals(r) || targets_open(&r->targets, &o->pids) || outfile_open(&r->out, o->output, o->overwrite))
		return -1;
	if (o->command && command_prepare(&r->command, o->command, r->out.fd == STDOUT_FILENO))
		return -1;
	if (open_probe(r) || attach(r))
		return -1;
	open_names(r);
	if (open_session(r) || take_census(r))
		return -1;
	if (probe_enable(r->probe)) {
		log_error("cannot enable the sampling events");
		return -1;
	}
	if (r->command.pid && start_command(r))
		return -1;
	r->start = r->collected = r->flushed = clock_now();
	r->deadline = o->duration ? r->start + o->duration : UINT64_MAX;
	log_info("recording %s at %u Hz to %s%s", what_text(o, what, sizeof(what)), r->probe_options.frequency, r->out.name, o->duration || o->command ? "" : "; Ctrl-C ends it");
	return 0;
}

void recorder_release(struct recorder *r)
{
	command_release(&r->command);
	session_free(r->session);
	names_close(&r->names);
	writer_free(r->writer);
	aggregate_release(&r->aggregate);
	close_unwinder(r);
	drain_release(&r->drain);
	probe_free(r->probe);
	targets_close(&r->targets);
	if (r->signals > 0)
		close(r->signals);
}
