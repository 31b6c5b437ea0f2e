/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What makes stacks hard: a timer's signals on three threads, one of them handled
 * on another stack, frames that are realigned or of variable size, callbacks out
 * of a library.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile unsigned long sink;

static void __attribute__((noinline)) burn(int n)
{
	for (int i = 0; i < n * 1000; i++)
		sink += i * i;
}

static void __attribute__((noinline)) in_handler(int n)
{
	burn(n);
	sink++;
}

static void handler(int sig)
{
	in_handler(300);
	sink++;
}

static int __attribute__((noinline)) order(const void *a, const void *b)
{
	sink++;
	return *(const int *)a - *(const int *)b;
}

static void __attribute__((noinline)) sorting(void)
{
	static __thread int v[20000];

	for (int i = 0; i < 20000; i++)
		v[i] = rand();
	qsort(v, 20000, sizeof(v[0]), order);
	sink++;
}

static void __attribute__((noinline)) variable(int n)
{
	char room[n];

	memset(room, n, n);
	burn(20);
	sink += room[n / 2];
}

struct __attribute__((aligned(64))) wide { char c[256]; };

static void __attribute__((noinline)) realigned(int n, int a, int b, int c, int d, int e, int f, int g, int h)
{
	struct wide x;
	char room[n];

	memset(&x, n, sizeof(x));
	memset(room, a, n);
	burn(20);
	sink += x.c[n & 255] + room[n / 2] + a + b + c + d + e + f + g + h;
}

static void *work(void *unused)
{
	for (;;) {
		sorting();
		variable(1000 + rand() % 3000);
		realigned(100 + rand() % 50, 1, 2, 3, 4, 5, 6, 7, 8);
	}
	return unused;
}

static void *on_another_stack(void *unused)
{
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };

	sigaltstack(&stack, NULL);
	return work(unused);
}

int main(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART };
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	pthread_t t[2];

	sigaction(SIGPROF, &act, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, on_another_stack, NULL);
	work(NULL);
}
