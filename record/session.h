/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events in, sections out: the only place that knows both.  Keeps processes,
 * their mappings, modules and stacks; turns addresses into (module, offset);
 * collects a batch and hands it to the writer.
 *
 * Does no BPF and no perf: it can be driven by made-up events in a test.
 */
#ifndef FOLD_RECORD_SESSION_H
#define FOLD_RECORD_SESSION_H

#include "../format/fold.h"
#include "../format/writer.h"
#include "event.h"

struct session;
struct kernel_symbol; /* kernel.h */

enum session_paths { SESSION_PATHS_SYSTEM, SESSION_PATHS_BASE, SESSION_PATHS_FULL };

struct session_options {
	enum session_paths paths;
	bool raw_addresses;
	bool kernel_symbols;   /* name the kernel addresses that were hit */
	/* Who knows the function at a kernel address; NULL nobody: kallsyms does, unless it is hidden. */
	bool (*kernel_name)(void *state, uint64_t address, struct kernel_symbol *out);
	void *kernel_name_state;
	bool aggregate;
	const char *proc;      /* "/proc"; a test gives a tree of its own */
	const char *sys;       /* "/sys" */
	uint64_t max_stack_bytes; /* memory for stacks before they are forgotten; 0: a sane default */
};

/* `writer` is borrowed and has had no META yet; session writes `meta` (flags
 * about kernel and paths are filled in by the session) at once.  0, or -1 with
 * writer_fault() set, or else a line in the log. */
int session_new(struct session **out, struct writer *writer, const struct fold_meta *meta, const struct session_options *options);
void session_free(struct session *s);

/* One event, in time order.  0, or -1: out of memory. */
int session_event(struct session *s, const struct event *event);

/* Counters of the programs in the kernel, as totals since the start: rows are
 * made of the differences.  `cause` is enum fold_cause; `cpu` a number, or
 * SESSION_ALL_CPUS where the kernel does not tell them apart. */
#define SESSION_ALL_CPUS UINT32_MAX
void session_account(struct session *s, uint32_t event, uint32_t cpu, uint32_t cause, uint64_t total);

/*
 * Write what was collected as a BATCH when there is anything.  `from`, `to`: ns,
 * the interval of COUNTS.  0, or -1 when writing failed (writer_fault).
 */
int session_flush(struct session *s, uint64_t from, uint64_t to);
/* Raw bytes that a flush would write, about. */
size_t session_pending(const struct session *s);
/* The raw stack ids known may be dropped: bytes are beyond the limit.  The
 * caller gives the programs a new seed, then calls session_forget twice: once at
 * the switch, once when the rings hold nothing older. */
bool session_wants_forget(const struct session *s);
void session_forget(struct session *s);

/* Last batch and END.  Fills totals; `end` brings reason and own cost. */
int session_finish(struct session *s, struct fold_end *end);

struct session_summary {
	uint64_t taken, written, lost, notes[64]; /* notes[cause - FOLD_CAUSE_NOTE] */
	uint64_t losses[64];                      /* by cause 1..63 */
	uint64_t batches, processes, modules, stacks;
};
void session_summary(const struct session *s, struct session_summary *out);

#endif
