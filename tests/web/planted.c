/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of many functions with known shares of its CPU time:
 *   planted SECONDS [slower]     gamma_() takes 30 % longer
 * Its shares are of 200 parts: alpha 40, beta 40, gamma_ 40, delta 30, epsilon 20,
 * zeta 14, eta 8, theta 8.  Rounds take random times, or they might be in step with
 * the clock that samples them.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PART 100
#define FUNCTION(name) \
	static __attribute__((noinline)) unsigned name(unsigned x, int parts) \
	{ \
		for (volatile int i = 0; i < parts * PART; i++) \
			x = x * 1103515245 + 12345; \
		return x + 1; \
	}
FUNCTION(alpha)
FUNCTION(beta)
FUNCTION(gamma_)
FUNCTION(delta)
FUNCTION(epsilon)
FUNCTION(zeta)
FUNCTION(eta)
FUNCTION(theta)

static __attribute__((noinline)) unsigned half(unsigned x, int scale, int tenths)
{
	x = alpha(x, 40 * scale) + beta(x, 40 * scale);
	return gamma_(x, 4 * tenths * scale) + 1;
}

static __attribute__((noinline)) unsigned other_half(unsigned x, int scale)
{
	x = delta(x, 30 * scale) + epsilon(x, 20 * scale) + zeta(x, 14 * scale);
	return eta(x, 8 * scale) + theta(x, 8 * scale);
}

static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int tenths = argc > 2 && !strcmp(argv[2], "slower") ? 13 : 10;
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	unsigned x = 1, random = 1;

	while (used() < seconds) {
		int scale;

		random = random * 1664525 + 1013904223;
		scale = 1 + (int)(random >> 24) % 60;
		x = half(x, scale, tenths) + other_half(x, scale);
	}
	return x == 42;
}
