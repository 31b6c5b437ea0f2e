/* SPDX-License-Identifier: BSD-2-Clause */
/* No host name, no command line, no user: only what is needed to read it, and labels that were asked for. */
#include "meta.h"
#include "clock.h"

#include <elf.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__s390x__)
#define MACHINE EM_S390
#else
#error "which ELF machine is this?"
#endif

#define TICK_NS 1000 /* a finer time is jitter, and doubles the column */

static struct fold_bytes text(const char *s)
{
	return (struct fold_bytes){ .at = (const uint8_t *)s, .size = strlen(s) };
}

static void make_id(uint8_t *id, size_t size)
{
	if (getrandom(id, size, 0) != (ssize_t)size) {
		uint64_t mix[2] = { clock_ns(CLOCK_REALTIME), (uint64_t)getpid() };

		memcpy(id, mix, size);
	}
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x40); /* UUID version 4 */
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
}

struct fold_clock meta_clock(void)
{
	struct fold_clock c;

	c.monotonic = clock_ns(CLOCK_MONOTONIC);
	c.realtime = clock_ns(CLOCK_REALTIME);
	c.boottime = clock_ns(CLOCK_BOOTTIME);
	return c;
}

void meta_fill(struct fold_meta *meta, const struct options *options, const struct meta_facts *facts)
{
	memset(meta, 0, sizeof(*meta));
	meta->recorder = text("fold-record");
	meta->version = text(FOLD_VERSION);
	meta->draft = FOLD_DRAFT;
	make_id(meta->id, sizeof(meta->id));
	meta->start = meta_clock();
	meta->tick_ns = TICK_NS;
	meta->machine = MACHINE;
	meta->word_bytes = sizeof(void *);
	meta->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	meta->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	meta->cpus_online = facts->cpus_online;
	meta->cpus_possible = facts->cpus_possible;
	meta->kernel_release = text(facts->host->release);
	meta->mode = options->aggregate ? FOLD_MODE_AGGREGATED : FOLD_MODE_EVENTS;
	meta->interval_ns = facts->interval_ns;
	meta->sides = facts->sides;
	meta->max_depth = facts->max_frames;
	meta->unwinder = facts->unwinder;
	meta->nevents = 1;
	meta->events[0] = (struct fold_event){
		.kind = FOLD_EVENT_CPU_CLOCK,
		.name = text("cpu-clock"),
		.period_unit = FOLD_PERIOD_HZ,
		.period = facts->frequency,
		.sample_ns = NS_PER_SECOND / facts->frequency,
	};
	meta->scope = options->command ? FOLD_SCOPE_COMMAND : options->pids.n ? FOLD_SCOPE_PIDS : FOLD_SCOPE_SYSTEM;
	meta->scope_count = options->command ? 1 : options->pids.n;
	meta->nlabels = options->labels.n;
	memcpy(meta->labels, options->labels.v, sizeof(meta->labels));
}
