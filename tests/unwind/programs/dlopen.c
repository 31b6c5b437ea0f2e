/* SPDX-License-Identifier: BSD-2-Clause */
/* After a second, code of a library that was not there before. */
#include <dlfcn.h>
#include <time.h>

static volatile double sink;

static void __attribute__((noinline)) burn(void)
{
	for (int i = 0; i < 100000; i++)
		sink += i;
}

int main(void)
{
	struct timespec t;
	time_t begin = time(NULL);
	double (*gamma_of)(double);

	do {
		burn();
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (time(NULL) < begin + 2);
	gamma_of = (double (*)(double))dlsym(dlopen("libm.so.6", RTLD_NOW), "tgamma");
	for (;;)
		sink += gamma_of(3.3 + sink * 1e-9);
}
