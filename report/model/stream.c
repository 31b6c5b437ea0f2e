/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a pipe until it ends or the user has enough: see stream.h. */
#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "../log.h"

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void take_signal(struct stream *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return;
	s->deadline = s->stopped ? 0 : now() + STREAM_LAST_WORDS;
	if (!s->stopped)
		log_info("interrupted: reporting what was read until now");
	s->stopped = true;
}

static ssize_t stream_read(void *state, void *to, size_t n)
{
	struct stream *s = state;

	for (;;) {
		struct pollfd v[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->signals, .events = POLLIN}};
		int64_t left = s->stopped ? s->deadline - now() : -1;
		ssize_t got;

		if (s->stopped && left <= 0)
			return 0;
		if (poll(v, 2, (int)left) < 0 && errno != EINTR)
			return -errno;
		if (v[1].revents & POLLIN)
			take_signal(s);
		else if (v[0].revents) {
			got = read(s->fd, to, n);
			if (got >= 0 || (errno != EINTR && errno != EAGAIN))
				return got < 0 ? -errno : got;
		}
	}
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

struct fold_source stream_begin(struct stream *s, int fd)
{
	sigset_t interrupt;

	*s = (struct stream){.fd = fd, .signals = -1};
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, is_ignored(SIGINT) ? NULL : &interrupt, &s->mask);
	if (!is_ignored(SIGINT))
		s->signals = signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0) /* then it ends the program, as ever */
		sigprocmask(SIG_SETMASK, &s->mask, NULL);
	return (struct fold_source){.read = stream_read, .state = s};
}

void stream_end(struct stream *s)
{
	if (s->signals >= 0)
		close(s->signals);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}
