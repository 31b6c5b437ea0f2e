/* SPDX-License-Identifier: BSD-2-Clause */
/* vfork keeps its return address in a register while the child runs. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void __attribute__((noinline)) once(void)
{
	pid_t pid = vfork();
	int status;

	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
}

int main(void)
{
	for (;;)
		once();
}
