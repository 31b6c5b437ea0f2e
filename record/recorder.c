/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the parts: probe -> drain (and aggregate) -> session -> writer -> file.
 * Rings are open before the census looks at /proc, and the census is over before
 * the first sample: whatever a sample belongs to was seen by one of the two.
 * The unwinder has the same events, but does not wait for drain: it looks ahead.
 */
#include "recorder.h"
#include "census.h"
#include "clock.h"
#include "meta.h"
#include "outfile.h"
#include "unwind/unwinder.h"
#include "unwind/walker.h"
#include "ahead.h"
#include "tally.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PASS_NS (250 * NS_PER_MS)
/* With the margin of drain, what is killed has lost less than a second. */
#define FLUSH_NS (900 * NS_PER_MS)
#define FLUSH_BYTES (512u << 10)
/* For tables of what runs already, before the first sample. */
#define TABLES_MS 5000

struct recorder {
	const struct options *options;
	struct host host;
	struct probe_options probe_options;
	struct outfile out;
	struct probe *probe;
	struct drain drain;
	struct unwinder *unwinder; /* NULL: user stacks by frame pointers */
	struct ahead ahead;        /* feeds it */
	bool census;               /* going on: events are for the unwinder too */
	struct aggregate aggregate;
	struct targets targets;
	struct command command;
	struct writer *writer;
	struct session *session;
	int signals;          /* signalfd */
	sigset_t old_mask;
	uint64_t start, deadline;
	uint64_t collected;   /* all events up to here are with the session */
	uint64_t flushed;
	uint64_t forget;      /* ids from before may still be in the rings; 0 none */
	enum fold_reason reason;
	int forward;          /* signal that the command has not had */
	int status;           /* to exit with */
};

/* ---- beginning */

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

static int configure(struct recorder *r)
{
	const struct options *o = r->options;

	host_read(&r->host);
	clamp_frequency(r);
	r->probe_options.unwind = o->unwind == OPTIONS_UNWIND_AUTO && !o->aggregate && !o->kernel_only && walker_exists();
	clamp_depth(r);
	r->probe_options.sides = o->kernel_only ? FOLD_SIDE_KERNEL : o->user_only ? FOLD_SIDE_USER : FOLD_SIDE_KERNEL | FOLD_SIDE_USER;
	r->probe_options.aggregate = o->aggregate;
	r->probe_options.table_size = o->table_size;
	r->probe_options.ring_bytes = (size_t)o->ring_kib << 10;
	if (!o->aggregate || r->host.host_pids)
		return 0;
	log_error("--aggregate counts by the host's pids, and this is a pid namespace of its own: record without it");
	return -1;
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
	struct unwinder_options options = { .scoped = o->command || o->pids.n };
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
		log_warning("walking user stacks by frame pointers, which most programs lack: the kernel does not take our own walker (%s)",
			    strerror(refused));
	return 0;
}

static int open_probe(struct recorder *r)
{
	if (load_probe(r) || check_cpus(r))
		return -1;
	if (drain_init(&r->drain, probe_rings(r->probe), r->probe_options.max_frames, give_event, r) ||
	    (r->options->aggregate && aggregate_init(&r->aggregate, r->probe))) {
		log_error("out of memory");
		return -1;
	}
	if (r->options->aggregate)
		log_detail("tables of %zu entries", probe_table_size(r->probe));
	log_detail("rings of %zu KiB on %zu CPUs%s", probe_rings(r->probe)->bytes >> 10, probe_cpus(r->probe)->n,
		   probe_rings(r->probe)->build_ids ? ", build-ids read by the kernel" : "");
	return 0;
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
		.max_stack_bytes = o->stack_memory,
	};
	struct meta_facts facts = {
		.host = &r->host,
		.frequency = r->probe_options.frequency,
		.max_frames = r->probe_options.max_frames,
		.sides = r->probe_options.sides,
		.unwinder = r->unwinder ? FOLD_UNWIND_TABLES : FOLD_UNWIND_FP,
		.cpus_online = (uint32_t)probe_cpus(r->probe)->n,
		.cpus_possible = (uint32_t)probe_counters_n(r->probe),
		.interval_ns = FLUSH_NS,
	};
	struct fold_meta meta;
	struct fold_note note;

	meta_fill(&meta, o, &facts);
	if (writer_new(&r->writer, sink_fd(r->out.fd), NULL)) {
		log_error("out of memory");
		return -1;
	}
	if (session_new(&r->session, r->writer, &meta, &options))
		return -1;
	if (!o->note)
		return 0;
	note.text = (struct fold_bytes){ .at = (const uint8_t *)o->note, .size = strlen(o->note) };
	return writer_note(r->writer, &note);
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

static int begin(struct recorder *r)
{
	const struct options *o = r->options;

	raise_file_limit(&r->host);
	if (configure(r) || catch_signals(r) || targets_open(&r->targets, &o->pids) || outfile_open(&r->out, o->output, o->overwrite))
		return -1;
	if (o->command && command_prepare(&r->command, o->command, r->out.fd == STDOUT_FILENO))
		return -1;
	if (open_probe(r) || attach(r) || open_session(r) || take_census(r))
		return -1;
	if (r->command.pid ? start_command(r) : probe_enable(r->probe)) {
		if (!o->command)
			log_error("cannot enable the sampling events");
		return -1;
	}
	r->start = r->collected = r->flushed = clock_now();
	r->deadline = o->duration ? r->start + o->duration : UINT64_MAX;
	log_info("recording %s at %u Hz to %s%s", o->command ? o->command[0] : o->pids.n ? "processes" : "the whole machine",
		 r->probe_options.frequency, r->out.name, o->duration || o->command ? "" : "; Ctrl-C ends it");
	return 0;
}

/* ---- the loop */

static int write_failed(const struct recorder *r)
{
	const struct fold_fault *fault = writer_fault(r->writer);
	char text[256];

	if (fault->code == FOLD_E_IO && fault->sys_errno == EPIPE)
		log_error("cannot write to %s: nobody reads it any more", r->out.name);
	else if (fault->code == FOLD_E_IO)
		log_error("cannot write to %s: %s; what is in it is good up to now", r->out.name, strerror(fault->sys_errno));
	else
		log_error("cannot write to %s: %s", r->out.name, fault_text(fault, text, sizeof(text)));
	return -1;
}

/*
 * Stacks that the session wants to forget must travel again: a new seed makes all
 * ids new.  Old ones are dropped when no ring can hold them any more; a second is
 * long for a record to become visible, and costs only memory.
 */
static void forget_stacks(struct recorder *r)
{
	if (r->forget) {
		if (r->collected < r->forget + NS_PER_SECOND)
			return;
		session_forget(r->session);
		log_detail("forgot the stacks known before %.3f s", (double)(r->forget - r->start) / 1e9);
		r->forget = 0;
	} else if (session_wants_forget(r->session) && !probe_forget_sent(r->probe)) {
		session_forget(r->session);
		r->forget = clock_now();
	}
}

/* What the walker should know by now. */
static int supply(struct recorder *r)
{
	if (!r->unwinder)
		return 0;
	if (ahead_look(&r->ahead)) {
		log_error("out of memory");
		return -1;
	}
	unwinder_work(r->unwinder, r->collected, 0);
	return 0;
}

/* Everything that is complete goes to the session. */
static int collect(struct recorder *r, bool final)
{
	uint64_t until = clock_now();
	int err = supply(r);

	if (err)
		return err;

	if (r->options->aggregate) {
		err = aggregate_collect(&r->aggregate, r->probe, &until);
		if (err) {
			log_error("cannot read the tables of the BPF program: %s", strerror(-err));
			return -1;
		}
		err = drain_until(&r->drain, final ? DRAIN_ALL : until, r->aggregate.events, r->aggregate.n);
	} else {
		until -= final ? 0 : DRAIN_MARGIN_NS;
		err = drain_until(&r->drain, final ? DRAIN_ALL : until, NULL, 0);
	}
	if (until > r->collected)
		r->collected = until;
	if (err)
		log_error("out of memory");
	return err;
}

static const struct aggregate *aggregate_of(const struct recorder *r)
{
	return r->options->aggregate ? &r->aggregate : NULL;
}

static int flush(struct recorder *r)
{
	if (tally_report(r->session, r->probe, &r->drain, aggregate_of(r), false))
		return -1;
	if (session_flush(r->session, r->flushed, r->collected)) {
		r->reason = FOLD_REASON_IO;
		return write_failed(r);
	}
	r->flushed = r->collected;
	return 0;
}

static void take_signals(struct recorder *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		r->reason = FOLD_REASON_SIGNAL;
		/* A terminal sends its signals to the command as well. */
		if (info.ssi_code != SI_KERNEL)
			r->forward = (int)info.ssi_signo;
	}
}

/* Is it over? */
static void look_around(struct recorder *r)
{
	take_signals(r);
	if (r->reason)
		return;
	if (clock_now() >= r->deadline)
		r->reason = FOLD_REASON_DURATION;
	else if (r->command.pid && command_ended(&r->command))
		r->reason = FOLD_REASON_COMMAND;
	else if (r->targets.n && !targets_alive(&r->targets, &r->options->pids))
		r->reason = FOLD_REASON_TARGETS;
}

/* Until a ring is half full, a signal comes, or it is time.  The walker does not
 * wait that long.  0, or -1. */
static int wait_for_work(struct recorder *r)
{
	struct pollfd fds[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = rings_fd(probe_rings(r->probe)), .events = POLLIN },
		{ .fd = r->unwinder ? unwinder_fd(r->unwinder) : -1, .events = POLLIN },
	};
	uint64_t now = clock_now(), until = now + (r->options->aggregate ? FLUSH_NS : PASS_NS);

	if (r->deadline < until)
		until = r->deadline;
	do {
		poll(fds, 3, now < until ? (int)((until - now + NS_PER_MS - 1) / NS_PER_MS) : 0);
		if (fds[2].revents && supply(r))
			return -1;
		now = clock_now();
	} while (!fds[0].revents && !fds[1].revents && now < until);
	if (fds[1].revents)
		rings_awake(probe_rings(r->probe));
	return 0;
}

static int loop(struct recorder *r)
{
	while (!r->reason) {
		if (wait_for_work(r))
			return -1;
		look_around(r);
		if (r->reason)
			break;
		if (collect(r, false))
			return -1;
		forget_stacks(r);
		if (r->collected - r->flushed < FLUSH_NS && session_pending(r->session) < FLUSH_BYTES)
			continue;
		if (flush(r))
			return -1;
	}
	return 0;
}

/* ---- the end */

static void own_cost(const struct recorder *r, struct fold_end *end)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	end->self_cpu_ns = ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * NS_PER_SECOND +
			   ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000;
	end->self_peak_bytes = (uint64_t)usage.ru_maxrss << 10;
	end->bpf_ns = probe_run_ns(r->probe);
}

static void say_size(char *out, size_t size, uint64_t bytes)
{
	if (bytes < 10 * 1024)
		snprintf(out, size, "%llu bytes", (unsigned long long)bytes);
	else if (bytes < 10 * 1024 * 1024)
		snprintf(out, size, "%.0f KiB", (double)bytes / 1024);
	else
		snprintf(out, size, "%.1f MiB", (double)bytes / (1024 * 1024));
}

static void summarize_tables(const struct recorder *r)
{
	struct unwinder_summary sum;

	unwinder_summary(r->unwinder, &sum);
	log_detail("unwind tables: %llu files with, %llu without, %llu refused; %llu rows in %llu KiB; %llu processes, %llu without room; "
		   "%llu walks finished here, %llu not",
		   (unsigned long long)sum.tables, (unsigned long long)sum.without, (unsigned long long)sum.refused, (unsigned long long)sum.rows,
		   (unsigned long long)sum.table_bytes >> 10, (unsigned long long)sum.processes, (unsigned long long)sum.unpublished,
		   (unsigned long long)sum.replayed, (unsigned long long)sum.unfinished);
}

static void summarize(const struct recorder *r)
{
	static const struct { uint32_t cause; const char *name; } causes[] = {
		{ FOLD_LOST_RING, "ring full" }, { FOLD_LOST_RECORDER, "no memory" }, { FOLD_LOST_MALFORMED, "malformed" },
		{ FOLD_LOST_STACK_ID, "stack unknown" }, { FOLD_LOST_KERNEL, "cause unknown" },
	};
	struct session_summary summary;
	char lost[256] = "", bytes[32];
	size_t n = 0;

	session_summary(r->session, &summary);
	if (r->unwinder)
		summarize_tables(r);
	say_size(bytes, sizeof(bytes), writer_bytes(r->writer));
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]) && n < sizeof(lost); i++)
		if (summary.losses[causes[i].cause])
			n += (size_t)snprintf(lost + n, sizeof(lost) - n, "%s%s: %llu", n ? ", " : " (", causes[i].name,
					      (unsigned long long)summary.losses[causes[i].cause]);
	log_info("%llu samples in %.1f s, %llu lost%s%s, %s in %s", (unsigned long long)summary.written,
		 (double)(r->collected - r->start) / 1e9, (unsigned long long)summary.lost, lost, *lost ? ")" : "", bytes, r->out.name);
}

/* Stop, and bring home what is on its way. */
static int finish(struct recorder *r)
{
	struct fold_end end = { .reason = r->reason };
	bool broken = r->reason == FOLD_REASON_IO;
	int err = broken;

	probe_disable(r->probe);
	if (!err)
		err = collect(r, true);
	/* the programs may have used either half since the last switch */
	if (!err && r->options->aggregate)
		err = collect(r, true);
	if (!err)
		err = tally_report(r->session, r->probe, &r->drain, aggregate_of(r), true);
	if (err && !broken)
		end.reason = FOLD_REASON_ERROR;
	end.stop = meta_clock();
	own_cost(r, &end);
	if (session_finish(r->session, &end) && !broken) {
		write_failed(r);
		err = -1;
	}
	if (outfile_close(&r->out))
		err = -1;
	summarize(r);
	return err ? -1 : 0;
}

static void release(struct recorder *r)
{
	command_release(&r->command);
	session_free(r->session);
	writer_free(r->writer);
	aggregate_release(&r->aggregate);
	close_unwinder(r);
	drain_release(&r->drain);
	probe_free(r->probe);
	targets_close(&r->targets);
	if (r->signals > 0)
		close(r->signals);
}

/* The command may outlive the recording; its end is ours. */
static int wait_for_command(struct recorder *r)
{
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	if (!r->command.pid)
		return 0;
	if (r->forward && !r->command.ended)
		kill(r->command.pid, r->forward);
	if (!command_ended(&r->command) && r->reason == FOLD_REASON_DURATION)
		log_info("waiting for %s to end", r->options->command[0]);
	return command_wait(&r->command);
}

int recorder_run(const struct options *options)
{
	struct recorder r = { .options = options, .status = 1 };
	int err = begin(&r), status;

	if (err) {
		outfile_abandon(&r.out);
		release(&r);
		return r.status;
	}
	err = loop(&r);
	if (err && !r.reason)
		r.reason = FOLD_REASON_ERROR;
	if (finish(&r))
		err = -1;
	release(&r);
	status = wait_for_command(&r);
	return err ? 1 : status;
}
