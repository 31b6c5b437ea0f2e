/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of many functions with known shares of its time:
 *   planted ROUNDS [slower]      gamma() takes 30 % longer
 * Its shares are of 200 parts: alpha 60, beta 40, gamma 32, delta 24, epsilon 16,
 * zeta 12, eta 8, theta 8.
 */
#include <stdlib.h>
#include <string.h>

#define PART 400
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

static __attribute__((noinline)) unsigned half(unsigned x, int tenths)
{
	x = alpha(x, 60) + beta(x, 40);
	return gamma_(x, 32 * tenths / 10 + (32 * tenths % 10 >= 5)) + 1;
}

static __attribute__((noinline)) unsigned other_half(unsigned x)
{
	x = delta(x, 24) + epsilon(x, 16) + zeta(x, 12);
	return eta(x, 8) + theta(x, 8);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, tenths = argc > 2 && !strcmp(argv[2], "slower") ? 13 : 10;
	unsigned x = 1;

	for (int i = 0; i < rounds; i++)
		x = half(x, tenths) + other_half(x);
	return x == 42;
}
