/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums per CPU; the counts map does not know CPUs, so that its mode sums over all. */
#include "tally.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

struct sums {
	uint64_t taken;   /* as the programs counted */
	uint64_t arrived; /* given out, or lost by a known cause */
};

/* What is known of one CPU; adds to `sums`. */
static void report_cpu(struct session *session, uint32_t cpu, const struct event_counters *counters, const struct drain *drain, struct sums *sums)
{
	const uint64_t *v = counters->v;
	uint64_t samples, malformed;

	drain_count(drain, cpu, &samples, &malformed);
	session_account(session, 0, cpu, FOLD_LOST_RING, v[EVENT_RING_FULL]);
	session_account(session, 0, cpu, FOLD_LOST_RECORDER, v[EVENT_NO_SCRATCH]);
	session_account(session, 0, cpu, FOLD_LOST_MALFORMED, malformed);
	session_account(session, 0, cpu, FOLD_NOTE_IDLE, v[EVENT_IDLE]);
	session_account(session, 0, cpu, FOLD_NOTE_FILTERED, v[EVENT_FILTERED]);
	sums->taken += v[EVENT_TAKEN];
	sums->arrived += v[EVENT_RING_FULL] + v[EVENT_NO_SCRATCH] + malformed + samples;
}

static void report_sums(struct session *session, uint32_t cpu, const struct sums *sums, bool final)
{
	session_account(session, 0, cpu, FOLD_TAKEN, final ? sums->taken : sums->arrived);
	if (final && sums->taken > sums->arrived)
		session_account(session, 0, cpu, FOLD_LOST_KERNEL, sums->taken - sums->arrived);
}

int tally_report(struct session *session, struct probe *probe, const struct drain *drain, const struct aggregate *aggregate, bool final)
{
	size_t n = probe_counters_n(probe);
	struct event_counters *counters = calloc(n, sizeof(*counters));
	struct sums sums = { 0 };
	int err = counters ? probe_counters(probe, counters) : -1;

	if (err)
		log_error("cannot read the counters of the BPF programs");
	for (uint32_t cpu = 0; !err && cpu < n; cpu++) {
		report_cpu(session, cpu, &counters[cpu], drain, &sums);
		if (aggregate)
			continue;
		report_sums(session, cpu, &sums, final);
		memset(&sums, 0, sizeof(sums));
	}
	if (!err && aggregate) {
		sums.arrived += aggregate->samples;
		report_sums(session, SESSION_ALL_CPUS, &sums, final);
	}
	free(counters);
	return err ? -1 : 0;
}

void tally_tables(struct session *session, const struct unwinder *unwinder)
{
	struct unwinder_summary sum;

	unwinder_summary(unwinder, &sum);
	session_account(session, 0, SESSION_ALL_CPUS, FOLD_NOTE_NO_TABLE, sum.capped);
}
