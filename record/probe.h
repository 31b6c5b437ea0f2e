/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the recorder that is in the kernel: programs, maps, rings, queues and the
 * sampling events.  Opens, steers and closes it; reads none of its events.
 */
#ifndef FOLD_RECORD_PROBE_H
#define FOLD_RECORD_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../bpf/event.h"
#include "hostcheck.h"
#include "queue.h"
#include "ring.h"
#include "target.h"

struct probe;
struct bpf_object;

struct probe_options {
	uint32_t frequency;  /* samples a second and CPU, within the kernel's limit */
	uint32_t max_frames; /* per side, within the kernel's limit */
	uint32_t sides;      /* 1 kernel, 2 user */
	bool aggregate;
	bool unwind;         /* user stacks by unwind tables */
	bool scoped;         /* only given processes: keep the scope in the kernel, if it can */
	pid_t command;       /* then: joins the scope when it execs; 0 none */
	uint64_t pid_ns_dev; /* the pid namespace that we are in... */
	uint32_t pid_ns_ino; /* ...0: the first one */
	size_t table_size;   /* entries of every table; 0: by frequency and CPUs */
	size_t ring_bytes;   /* of a ring, and of a queue; 0: by frequency */
	size_t all_rings;    /* at most this for all of both, 0: no limit */
};

/* What failed, for host_explain(). */
struct probe_fault {
	enum host_step step;
	int err; /* errno */
};

/* Load the programs and open the rings: from now on they take note of mappings
 * and processes; no sample yet.  0, or -1 with `fault`. */
int probe_new(struct probe **out, const struct probe_options *options, struct probe_fault *fault);
void probe_free(struct probe *p); /* accepts NULL */

/*
 * Sampling events, not yet enabled: on each of `cpus` (NULL: all) for everything
 * that runs there; for given processes, and what comes of them; for a command, from
 * its exec on.  0, or -1 with `fault`.
 *
 * Processes and commands are picked out of the samples of all CPUs.  Where the kernel
 * cannot do that, each of their threads has an event that its children inherit:
 * timers begin anew in each of them, so that what lives shorter than a period is not
 * seen.  Either way it is the same for the caller.
 */
int probe_attach_cpus(struct probe *p, const struct numbers *cpus, struct probe_fault *fault);
int probe_attach_pids(struct probe *p, const struct numbers *pids, const struct numbers *cpus, struct probe_fault *fault);
int probe_attach_command(struct probe *p, pid_t pid, const struct numbers *cpus, struct probe_fault *fault);

/* Why given processes have events of their own: 0 they have not, or errno. */
int probe_inherits(const struct probe *p);

int probe_enable(struct probe *p);   /* 0 or -errno */
void probe_disable(struct probe *p); /* no program runs any more on return */

/* The object of the walker, NULL without `unwind`. */
struct bpf_object *probe_walker(const struct probe *p);

const struct rings *probe_rings(const struct probe *p);
const struct queues *probe_queues(const struct probe *p);
size_t probe_ring_bytes(const struct probe *p); /* kernel memory of a CPU's ring and queue */
const struct numbers *probe_cpus(const struct probe *p); /* that have a ring */

/* Counters by CPU number; probe_counters_n() of them. */
size_t probe_counters_n(const struct probe *p);
int probe_counters(struct probe *p, struct event_counters *out);

/* Nothing counts as sent any more; no id made before is queued after the return. */
void probe_forget_sent(struct probe *p);
uint64_t probe_seed(const struct probe *p);

/* Aggregated mode: count into the other table, from `*when` on; the `*old` one is at
 * rest when this returns. */
void probe_flip(struct probe *p, uint32_t *old, uint64_t *when);
int probe_counts_fd(const struct probe *p, uint32_t half);
size_t probe_table_size(const struct probe *p);
uint32_t probe_max_frames(const struct probe *p);

/* Time spent in the programs, ns; 0 unless kernel.bpf_stats_enabled. */
uint64_t probe_run_ns(const struct probe *p);

#endif
