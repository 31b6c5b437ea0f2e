/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generates code and writes a jitdump about it, then removes the dump: `first` and
 * `second` run for SECONDS each.  A child puts other code where `first` was and tells
 * of it in a map of its own, /tmp/perf-PID.map, while the parent runs `first` again.
 * Exit 77: no such processor.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int dump_open(char *path, size_t size)
{
	struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } h = {
		0x4a695444, 1, sizeof(h), 62, 0, (uint32_t)getpid(), now(CLOCK_MONOTONIC), 0,
	};
	int fd;

	snprintf(path, size, "jit-%d.dump", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED || write(fd, &h, sizeof(h)) != sizeof(h))
		exit(1);
	return fd;
}

/* A loop that takes a while, at `at`. */
static void generate(int fd, uint8_t *at, const char *name)
{
	static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
	struct { uint32_t id, length; uint64_t time; uint32_t pid, tid; uint64_t vma, start, size, index; } r = {
		0, (uint32_t)(sizeof(r) + strlen(name) + 1 + sizeof(code)), now(CLOCK_MONOTONIC), (uint32_t)getpid(), (uint32_t)getpid(),
		(uintptr_t)at, (uintptr_t)at, sizeof(code), 0,
	};

	memcpy(at, code, sizeof(code));
	if (fd < 0)
		return;
	if (write(fd, &r, sizeof(r)) != sizeof(r) || write(fd, name, strlen(name) + 1) < 0 || write(fd, code, sizeof(code)) < 0)
		exit(1);
}

/* CPU time: on a busy machine this takes longer. */
static void spin(const uint8_t *at, double seconds)
{
	uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)(seconds * 1e9);

	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		((void (*)(void))(uintptr_t)at)();
}

static void child(uint8_t *at, double seconds)
{
	char path[64];
	FILE *map;

	generate(-1, at, "");
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "wx");
	if (!map)
		exit(1);
	fprintf(map, "%lx %x of_the_child\n", (unsigned long)(uintptr_t)at, 32);
	fclose(map);
	spin(at, seconds);
	printf("%d\n", getpid());
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	char path[64];
	uint8_t *at;
	int fd, status;

#ifndef __x86_64__
	return 77;
#endif
	fd = dump_open(path, sizeof(path));
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return 1;
	generate(fd, at, "first");
	spin(at, seconds);
	generate(fd, at + 1024, "second");
	spin(at + 1024, seconds);
	if (!fork())
		child(at, seconds);
	spin(at, seconds);
	unlink(path);
	return wait(&status) < 0 || status;
}
