/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * brief processes|threads N [FILE]: N of them one after the other, each with 3 ms of
 * work; prints the CPU time of it all in seconds.  With FILE waits until it is there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double cost(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return seconds(r.ru_utime) + seconds(r.ru_stime);
}

static void *work(void *none)
{
	while (used() < 0.003)
		;
	return none;
}

int main(int argc, char **argv)
{
	double before;

	while (argc > 3 && access(argv[3], F_OK))
		usleep(10000);
	before = cost(RUSAGE_SELF);
	for (int i = 0; i < atoi(argv[2]); i++) {
		pthread_t t;

		if (!strcmp(argv[1], "threads")) {
			if (!pthread_create(&t, NULL, work, NULL))
				pthread_join(t, NULL);
		} else if (!fork()) {
			work(NULL);
			_exit(0);
		} else {
			wait(NULL);
		}
	}
	printf("%.3f\n", cost(RUSAGE_SELF) - before + cost(RUSAGE_CHILDREN));
	return 0;
}
