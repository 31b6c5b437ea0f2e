/* SPDX-License-Identifier: BSD-2-Clause */
/* names SECONDS: CPU time in functions of known names, one of them the program's own alone. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void burn_in_static(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) void burn_from_outer(uint64_t n)
{
	burn_in_static(n);
	sink++; /* no tail call */
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1);

	while (now() < end)
		burn_from_outer(1000000);
	return 0;
}
