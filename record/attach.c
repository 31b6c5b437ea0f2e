/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of a CPU (cpu-clock) at a fixed frequency.  Another kind of event is
 * another perf_event_attr in event_attr(); nothing else here knows which it is.
 */
#include "attach.h"
#include "ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The sample_type is only for records about the event itself, in a ring. */
static struct perf_event_attr event_attr(uint32_t frequency, const struct attach_place *place)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = frequency,
		.sample_type = RING_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_RAW,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.disabled = 1,
		.inherit = place->pid >= 0,
		.enable_on_exec = place->when == ATTACH_ON_EXEC,
	};

	return attr;
}

static int keep(struct attach *a, int fd)
{
	if (a->n == a->room) {
		size_t room = a->room ? a->room * 2 : 64;
		int *fds = realloc(a->fds, room * sizeof(*fds));

		if (!fds)
			return -ENOMEM;
		a->fds = fds;
		a->room = room;
	}
	a->fds[a->n++] = fd;
	return 0;
}

int attach_open(struct attach *a, const struct attach_place *place, bool *attaching)
{
	struct perf_event_attr attr = event_attr(a->frequency, place);
	int fd = (int)syscall(SYS_perf_event_open, &attr, place->pid, place->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	int err;

	*attaching = fd >= 0;
	if (fd < 0)
		return -errno;
	if (place->ring >= 0)
		ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, place->ring);
	/* Before anything is inherited: children get the program with the event. */
	err = ioctl(fd, PERF_EVENT_IOC_SET_BPF, a->program) ? -errno : keep(a, fd);
	if (err)
		close(fd);
	return err;
}

int attach_enable(const struct attach *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (ioctl(a->fds[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

void attach_disable(const struct attach *a)
{
	for (size_t i = 0; i < a->n; i++)
		ioctl(a->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

void attach_release(struct attach *a)
{
	for (size_t i = 0; i < a->n; i++)
		close(a->fds[i]);
	free(a->fds);
	memset(a, 0, sizeof(*a));
}
