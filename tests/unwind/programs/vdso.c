/* SPDX-License-Identifier: BSD-2-Clause */
/* Most of the time in code that no file holds. */
#include <time.h>

static volatile long sink;

int main(void)
{
	struct timespec t;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += t.tv_nsec;
	}
}
