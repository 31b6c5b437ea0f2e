/* SPDX-License-Identifier: BSD-2-Clause */
/* A child that never maps anything and hardly touches its stack; the parent only
 * passes on the work, a new process each time. */
#include <sys/wait.h>
#include <unistd.h>
#include <string.h>

static volatile unsigned long sink;

static void __attribute__((noinline)) leaf(void)
{
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	for (int i = 0; i < 30000000; i++)
		sink += i;
	_exit(0);
}

static void __attribute__((noinline)) deeper(int n)
{
	char room[3000];

	memset(room, n, sizeof(room));
	sink += room[n & 1023];
	if (n)
		deeper(n - 1);
	else
		leaf();
	sink += room[1];
}

int main(void)
{
	for (;;)
		deeper(20);
}
