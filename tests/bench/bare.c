/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs bare.bpf.c on a process, as a recorder would run its program:
 *     bare OBJECT HZ SECONDS PID
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1, .inherit = 1 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct bpf_object *object;

	if (argc != 5)
		return 2;
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object)) {
		perror(argv[1]);
		return 1;
	}
	attr.sample_freq = strtoul(argv[2], NULL, 10);
	for (long cpu = 0; cpu < cpus; cpu++) {
		int fd = syscall(SYS_perf_event_open, &attr, atoi(argv[4]), cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(bpf_object__find_program_by_name(object, "bare")))) {
			perror("perf event");
			return 1;
		}
	}
	sleep(atoi(argv[3]));
	return 0;
}
