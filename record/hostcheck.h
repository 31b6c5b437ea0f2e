/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this host lets us do: its settings, our capabilities, and for everything
 * that is refused the one thing that would change it.
 */
#ifndef FOLD_RECORD_HOSTCHECK_H
#define FOLD_RECORD_HOSTCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a recording may fail before it begins. */
enum host_step {
	HOST_LOAD,   /* programs and maps into the kernel */
	HOST_RINGS,  /* a ring on each CPU */
	HOST_EVENTS, /* the sampling events */
	HOST_ATTACH, /* programs to these */
};

struct host {
	uint64_t capabilities;   /* effective */
	int64_t paranoid;        /* kernel.perf_event_paranoid; INT64_MIN unknown; so the others */
	int64_t kptr_restrict;
	int64_t max_sample_rate;
	int64_t max_stack;
	int64_t mlock_kb;
	char release[65];
	char lockdown[32];       /* "none", "integrity", "confidentiality", "" unknown */
	bool btf;                /* /sys/kernel/btf/vmlinux is there */
	bool host_pids;          /* in the first pid namespace */
	uint64_t pid_ns_dev;     /* which one it is; 0 unknown */
	uint32_t pid_ns_ino;
	uint64_t memlock, files; /* soft limits; UINT64_MAX unlimited */
};

void host_read(struct host *host);

/* Why `step` failed with `err` (an errno) and what to do; returns `buf`. */
const char *host_explain(const struct host *host, enum host_step step, int err, char *buf, size_t size);

/* We see where kernel functions are. */
bool host_shows_kernel(void);

/* --check: lines on stdout.  True when the whole machine can be recorded. */
bool host_check(void);

#endif
