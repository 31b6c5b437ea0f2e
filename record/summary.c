/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording came to, in a line: samples, losses by cause, size, where. */
#include "recorder_state.h"

#include <stdio.h>

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
	if (sum.capped)
		log_warning("no memory for the unwind tables of %llu files%s: user stacks go through their code by frame pointers",
			    (unsigned long long)sum.capped, r->options->max_memory ? ", with --max-memory" : "");
	log_detail("unwind tables: %llu files with, %llu without, %llu without room, %llu refused; %llu rows in %llu KiB; %llu processes, %llu without room; "
		   "%llu walks finished here, %llu not (%llu without their stack, %llu before their table)",
		   (unsigned long long)sum.tables, (unsigned long long)sum.without, (unsigned long long)sum.capped, (unsigned long long)sum.refused, (unsigned long long)sum.rows,
		   (unsigned long long)sum.table_bytes >> 10, (unsigned long long)sum.processes, (unsigned long long)sum.unpublished,
		   (unsigned long long)sum.replayed, (unsigned long long)sum.unfinished, (unsigned long long)sum.uncopied, (unsigned long long)sum.early);
	log_detail("unwind tables: known %.2f ms after an exec (99 %%: %.2f ms), %.2f ms after a mapping (99 %%: %.2f ms)",
		   (double)sum.exec_ns[0] / 1e6, (double)sum.exec_ns[1] / 1e6, (double)sum.mapping_ns[0] / 1e6, (double)sum.mapping_ns[1] / 1e6);
}

/* An empty recording is no error, but nobody wanted it. */
static void say_empty(const struct recorder *r)
{
	log_warning("no samples: what was recorded used less CPU time than passes between two of them (%.1f ms); a larger -F takes more",
		    1000.0 / r->probe_options.frequency);
}

/* So much that it could have been avoided. */
static void say_ring_full(uint64_t lost, uint64_t written)
{
	double share = 100.0 * (double)lost / (double)(lost + written);

	if (share >= 1)
		log_warning("%.1f %% were lost because a ring was full: a larger --ring-size or a lower -F loses less", share);
}

void recorder_summarize(const struct recorder *r)
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
	if (r->options->aggregate)
		log_detail("%llu samples counted in the kernel", (unsigned long long)r->aggregate.samples);
	say_size(bytes, sizeof(bytes), writer_bytes(r->writer));
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]) && n < sizeof(lost); i++)
		if (summary.losses[causes[i].cause])
			n += (size_t)snprintf(lost + n, sizeof(lost) - n, "%s%s: %llu", n ? ", " : " (", causes[i].name,
					      (unsigned long long)summary.losses[causes[i].cause]);
	log_info("%llu samples in %.1f s, %llu lost%s%s, %s in %s", (unsigned long long)summary.written,
		 (double)(r->collected - r->start) / 1e9, (unsigned long long)summary.lost, lost, *lost ? ")" : "", bytes, r->out.name);
	if (!summary.written && !summary.lost)
		say_empty(r);
	if (summary.losses[FOLD_LOST_RING])
		say_ring_full(summary.losses[FOLD_LOST_RING], summary.written);
}
