/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes, CPUs and commands to record.  Knows nothing of perf or BPF. */
#include "target.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_NUMBERS 65536

/* ---- lists */

static int numbers_add(struct numbers *list, uint32_t number)
{
	size_t at = list->n;
	uint32_t *v;

	while (at && list->v[at - 1] > number)
		at--;
	if (at && list->v[at - 1] == number)
		return 0;
	if (list->n == MAX_NUMBERS)
		return -1;
	v = realloc(list->v, (list->n + 1) * sizeof(*v));
	if (!v)
		return -1;
	list->v = v;
	memmove(v + at + 1, v + at, (list->n - at) * sizeof(*v));
	v[at] = number;
	list->n++;
	return 0;
}

/* A number at *text, which moves behind it. */
static bool take_number(const char **text, uint32_t max, uint32_t *out)
{
	uint64_t n = 0;
	const char *p = *text;

	while (*p >= '0' && *p <= '9' && n <= max)
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (p == *text || n > max)
		return false;
	*out = (uint32_t)n;
	*text = p;
	return true;
}

static bool parse(struct numbers *out, const char *p, uint32_t max)
{
	for (;;) {
		uint32_t first, last;

		if (!take_number(&p, max, &first))
			return false;
		last = first;
		if (*p == '-') {
			p++;
			if (!take_number(&p, max, &last) || last < first)
				return false;
		}
		for (uint64_t i = first; i <= last; i++)
			if (numbers_add(out, (uint32_t)i))
				return false;
		if (*p == '\0' || *p == '\n')
			return true;
		if (*p++ != ',')
			return false;
	}
}

int numbers_parse(struct numbers *out, const char *text, uint32_t max, const char *what)
{
	if (parse(out, text, max))
		return 0;
	log_error("--%s: \"%s\" is not a list of numbers, such as 1,5-7", what, text);
	return -1;
}

void numbers_release(struct numbers *numbers)
{
	free(numbers->v);
	memset(numbers, 0, sizeof(*numbers));
}

int numbers_online_cpus(struct numbers *out)
{
	char text[4096];
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	bool good;

	if (!f)
		return -errno;
	good = fgets(text, sizeof(text), f) && parse(out, text, MAX_NUMBERS);
	fclose(f);
	return good ? 0 : -EINVAL;
}

bool numbers_have(const struct numbers *numbers, uint32_t number)
{
	for (size_t i = 0; i < numbers->n; i++)
		if (numbers->v[i] == number)
			return true;
	return false;
}

/* ---- processes */

int targets_open(struct targets *t, const struct numbers *pids)
{
	t->fds = calloc(pids->n, sizeof(*t->fds));
	t->ended = calloc(pids->n, sizeof(*t->ended));
	if (!t->fds || !t->ended) {
		log_error("out of memory");
		return -1;
	}
	for (size_t i = 0; i < pids->n; i++) {
		pid_t pid = (pid_t)pids->v[i];

		t->fds[i] = (int)syscall(SYS_pidfd_open, pid, 0);
		t->n = i + 1;
		/* Before 5.3 there are no pidfds; EINVAL is a thread that is no process. */
		if (t->fds[i] >= 0 || (errno == ENOSYS && (!kill(pid, 0) || errno == EPERM)))
			continue;
		log_error("there is no process %d", pid);
		return -1;
	}
	return 0;
}

void targets_close(struct targets *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->fds[i] >= 0)
			close(t->fds[i]);
	free(t->fds);
	free(t->ended);
	memset(t, 0, sizeof(*t));
}

static bool gone(int fd, pid_t pid)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd >= 0)
		return poll(&p, 1, 0) == 1;
	return kill(pid, 0) && errno == ESRCH;
}

bool targets_alive(struct targets *t, const struct numbers *pids)
{
	bool alive = false;

	for (size_t i = 0; i < t->n; i++) {
		if (!t->ended[i])
			t->ended[i] = gone(t->fds[i], (pid_t)pids->v[i]);
		alive |= !t->ended[i];
	}
	return alive;
}

/* ---- a command */

static void __attribute__((noreturn)) become(char *const *argv, int go, int fault, bool own_stdout)
{
	sigset_t none;
	char byte;
	int err;

	/* The recorder's end closes when it dies or gives up. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (own_stdout)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	err = errno;
	if (write(fault, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int command_prepare(struct command *c, char *const *argv, bool own_stdout)
{
	int go[2], fault[2];

	memset(c, 0, sizeof(*c));
	if (pipe2(go, O_CLOEXEC)) {
		log_error("cannot make a pipe: %s", strerror(errno));
		return -1;
	}
	if (pipe2(fault, O_CLOEXEC)) {
		log_error("cannot make a pipe: %s", strerror(errno));
		close(go[0]);
		close(go[1]);
		return -1;
	}
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(fault[0]);
		become(argv, go[0], fault[1], own_stdout);
	}
	close(go[0]);
	close(fault[1]);
	c->go = go[1];
	c->fault = fault[0];
	if (c->pid > 0)
		return 0;
	log_error("cannot start a process: %s", strerror(errno));
	c->pid = 0;
	close(c->go);
	close(c->fault);
	return -1;
}

int command_go(struct command *c)
{
	int err = 0;
	ssize_t n;

	if (write(c->go, "", 1) != 1)
		err = EPIPE;
	do /* the end of the pipe: exec closed it */
		n = read(c->fault, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(c->go);
	close(c->fault);
	c->go = c->fault = -1;
	if (err)
		command_wait(c);
	return err;
}

bool command_ended(struct command *c)
{
	if (!c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->ended = true;
	return c->ended;
}

int command_wait(struct command *c)
{
	while (!c->ended) {
		if (waitpid(c->pid, &c->status, 0) == c->pid)
			c->ended = true;
		else if (errno != EINTR)
			return 1;
	}
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void command_release(struct command *c)
{
	if (!c->pid || c->go < 0)
		return;
	close(c->go);
	close(c->fault);
	command_wait(c);
}
