#!/usr/bin/env python3
"""Writes a C program whose stacks are known: leaf_K is only ever called by mid_K,
that only by top_K, from several threads.  N different stacks, taken at random: in
turn, they would be in step with the clock that samples them.  The program is given
CPU seconds and seconds, goes on until both are over, and prints the CPU seconds it took."""
import sys

n = int(sys.argv[1])
print("#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>")
print("static __thread volatile unsigned long sink;") # shared, its cost would vary
print("#define NOINLINE __attribute__((noinline, noipa))")
for k in range(n):
    print(f"NOINLINE void leaf_{k}(void) {{ for (int i = 0; i < 3000; i++) sink += i; }}")
    print(f"NOINLINE void mid_{k}(void) {{ leaf_{k}(); sink += {k}; }}")
    print(f"NOINLINE void top_{k}(void) {{ mid_{k}(); sink -= {k}; }}")
print(f"static void (*const tops[{n}])(void) = {{ {', '.join(f'top_{k}' for k in range(n))} }};")
print("""
static double at(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
static double enough, end;
static void *work(void *arg)
{
	unsigned long x = (unsigned long)arg * 0x9e3779b97f4a7c15 + 1;

	while (at(CLOCK_PROCESS_CPUTIME_ID) < enough || at(CLOCK_MONOTONIC) < end) {
		for (int i = 0; i < 300; i++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			tops[(x >> 20) % (sizeof(tops) / sizeof(tops[0]))]();
		}
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t threads[3];

	usleep(300000); /* tables of a new program take a moment to be built */
	enough = atof(argv[1]);
	end = at(CLOCK_MONOTONIC) + atof(argv[2]);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	work(NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%.3f\\n", at(CLOCK_PROCESS_CPUTIME_ID));
}""")
