/* SPDX-License-Identifier: BSD-2-Clause */
/* deep N: recursion of that depth. */
#include <stdlib.h>

static volatile unsigned long sink;

static void __attribute__((noinline)) leaf(void)
{
	for (int i = 0; i < 100000; i++)
		sink += i;
}

static void __attribute__((noinline)) deeper(int n)
{
	if (n)
		deeper(n - 1);
	else
		leaf();
	sink++;
}

int main(int argc, char **argv)
{
	for (;;)
		deeper(argc > 1 ? atoi(argv[1]) : 100);
}
