/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that do nothing, one after the other: most samples are in clone3 or at an end. */
#include <pthread.h>
#include <stdlib.h>

static volatile unsigned long sink;

static void *nothing(void *unused)
{
	return unused;
}

static void __attribute__((noinline)) make(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL))
		abort();
	pthread_join(thread, NULL);
	sink++;
}

int main(void)
{
	for (;;)
		make();
}
