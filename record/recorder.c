/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop: probe -> drain (and aggregate) -> session -> writer -> file, and the end.
 * What is before it is begin.c, which does not know the loop.
 */
#include "recorder.h"
#include "meta.h"
#include "recorder_state.h"
#include "tally.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PASS_NS (250 * NS_PER_MS)
#define FLUSH_BYTES (512u << 10)
/* For what a short command ran: most of its samples wait for it. */
#define LAST_TABLES_MS 1000

/* ---- the loop */

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
	} else if (session_wants_forget(r->session)) {
		probe_forget_sent(r->probe);
		session_forget(r->session);
		r->forget = clock_now();
	}
}

/* What the walker should know by now; tables that are being built have `wait_ms`. */
static int supply(struct recorder *r, int wait_ms)
{
	if (!r->unwinder)
		return 0;
	if (ahead_look(&r->ahead)) {
		log_error("out of memory");
		return -1;
	}
	unwinder_work(r->unwinder, r->collected, wait_ms);
	return 0;
}

/* The session writes on its own when a batch grows large. */
static int session_failed(struct recorder *r)
{
	if (!writer_fault(r->writer)->code) {
		log_error("out of memory");
		return -1;
	}
	r->reason = FOLD_REASON_IO;
	return outfile_failed(&r->out, writer_fault(r->writer));
}

/* Everything that is complete goes to the session. */
static int collect(struct recorder *r, bool final)
{
	uint64_t until = clock_now();
	int err = supply(r, final ? LAST_TABLES_MS : 0);

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
	return err ? session_failed(r) : 0;
}

/*
 * Whether what is in the rings can stay there a while: tables are being built, with
 * which the walks that could not be finished will be.  Not longer than until the
 * next batch would be written anyway.
 */
static bool can_wait(const struct recorder *r, bool ring_filled)
{
	return r->unwinder && unwinder_busy(r->unwinder) && !ring_filled && clock_now() - r->flushed < RECORDER_FLUSH_NS;
}

static const struct aggregate *aggregate_of(const struct recorder *r)
{
	return r->options->aggregate ? &r->aggregate : NULL;
}

static int tally(struct recorder *r, bool final)
{
	if (r->unwinder)
		tally_tables(r->session, r->unwinder);
	return tally_report(r->session, r->probe, &r->drain, aggregate_of(r), final);
}

static int flush(struct recorder *r)
{
	if (tally(r, false))
		return -1;
	if (session_flush(r->session, r->flushed, r->collected)) {
		r->reason = FOLD_REASON_IO;
		return outfile_failed(&r->out, writer_fault(r->writer));
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

/* Until a ring or a queue is half full (*filled), a signal comes, or it is time.  The walker does
 * not wait that long.  0, or -1. */
static int wait_for_work(struct recorder *r, bool *filled)
{
	struct pollfd fds[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = rings_fd(probe_rings(r->probe)), .events = POLLIN },
		{ .fd = queues_fd(probe_queues(r->probe)), .events = POLLIN },
		{ .fd = r->unwinder ? unwinder_fd(r->unwinder) : -1, .events = POLLIN },
	};
	uint64_t now = clock_now(), until = now + (r->options->aggregate ? RECORDER_FLUSH_NS : PASS_NS);

	if (r->deadline < until)
		until = r->deadline;
	do {
		poll(fds, 4, now < until ? (int)((until - now + NS_PER_MS - 1) / NS_PER_MS) : 0);
		if (fds[3].revents && supply(r, 0))
			return -1;
		now = clock_now();
	} while (!fds[0].revents && !fds[1].revents && !fds[2].revents && now < until);
	*filled = fds[1].revents || fds[2].revents;
	if (fds[1].revents)
		rings_awake(probe_rings(r->probe));
	if (fds[2].revents)
		queues_awake(probe_queues(r->probe));
	return 0;
}

static int loop(struct recorder *r)
{
	bool filled;

	while (!r->reason) {
		if (wait_for_work(r, &filled))
			return -1;
		look_around(r);
		if (r->reason)
			break;
		if (can_wait(r, filled))
			continue;
		if (collect(r, false))
			return -1;
		forget_stacks(r);
		if (r->collected - r->flushed < RECORDER_FLUSH_NS && session_pending(r->session) < FLUSH_BYTES)
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

/* Stop, and bring home what is on its way. */
static int finish(struct recorder *r)
{
	struct fold_end end = { .reason = r->reason };
	int err = r->reason == FOLD_REASON_IO;
	bool broken;

	probe_disable(r->probe);
	if (!err)
		err = collect(r, true);
	/* the programs may have used either half since the last switch */
	if (!err && r->options->aggregate)
		err = collect(r, true);
	if (!err)
		err = tally(r, true);
	broken = r->reason == FOLD_REASON_IO;
	if (err)
		end.reason = broken ? FOLD_REASON_IO : FOLD_REASON_ERROR;
	end.stop = meta_clock();
	own_cost(r, &end);
	if (session_finish(r->session, &end) && !broken) {
		outfile_failed(&r->out, writer_fault(r->writer));
		err = -1;
	}
	if (outfile_close(&r->out))
		err = -1;
	recorder_summarize(r);
	return err ? -1 : 0;
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
	int err = recorder_begin(&r), status;

	if (err) {
		outfile_abandon(&r.out);
		recorder_release(&r);
		return r.status;
	}
	err = loop(&r);
	if (err && !r.reason)
		r.reason = FOLD_REASON_ERROR;
	if (finish(&r))
		err = -1;
	recorder_release(&r);
	status = wait_for_command(&r);
	return err ? 1 : status;
}
