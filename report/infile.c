/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a file to its end, and a pipe until it ends or the user has enough: see infile.h. */
#include "infile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void take_signal(struct infile *in)
{
	struct signalfd_siginfo info;

	if (read(in->signals, &info, sizeof(info)) != sizeof(info))
		return;
	in->deadline = in->stopped ? 0 : now() + INFILE_LAST_WORDS;
	if (!in->stopped)
		log_info("interrupted: going on with what was read until now");
	in->stopped = true;
}

static ssize_t read_pipe(void *state, void *to, size_t n)
{
	struct infile *in = state;

	for (;;) {
		struct pollfd v[2] = {{.fd = in->fd, .events = POLLIN}, {.fd = in->signals, .events = POLLIN}};
		int64_t left = in->stopped ? in->deadline - now() : -1;
		ssize_t got;

		if (in->stopped && left <= 0)
			return 0;
		if (poll(v, 2, (int)left) < 0 && errno != EINTR)
			return -errno;
		if (v[1].revents & POLLIN)
			take_signal(in);
		else if (v[0].revents) {
			got = read(in->fd, to, n);
			in->got |= got > 0;
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

/* From here on, signals stop the pipe and nothing else.  One that is ignored stays so. */
static void catch_signals(struct infile *in)
{
	static const int numbers[] = {SIGINT, SIGTERM};
	sigset_t caught;
	int n = 0;

	sigemptyset(&caught);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (is_ignored(numbers[i]))
			continue;
		sigaddset(&caught, numbers[i]);
		n++;
	}
	sigprocmask(SIG_BLOCK, &caught, &in->mask);
	if (n)
		in->signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
	if (in->signals < 0) /* then they end the program, as ever */
		sigprocmask(SIG_SETMASK, &in->mask, NULL);
}

int infile_open(struct infile *in, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	struct stat st;

	*in = (struct infile){.path = path, .signals = -1};
	in->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0) {
		log_error("%s: cannot be opened: %s", path, strerror(errno));
		return -1;
	}
	if (is_stdin && isatty(in->fd)) {
		log_error("standard input is a terminal, no recording; give a file, or pipe one in");
		return -1;
	}
	if (fstat(in->fd, &st))
		st = (struct stat){0};
	in->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && !in->size)) {
		log_error("%s: %s", path, S_ISDIR(st.st_mode) ? "is a directory, not a recording; name the files in it" :
								"the file is empty; was it copied whole?");
		infile_close(in);
		return -1;
	}
	if (!in->size)
		catch_signals(in);
	return 0;
}

struct fold_source infile_source(struct infile *in)
{
	if (in->size)
		return source_fd(in->fd);
	return (struct fold_source){.read = read_pipe, .state = in};
}

const char *infile_what(const struct infile *in)
{
	static const struct { const char *magic; size_t n; const char *what; } kinds[] = {
		{"\x1f\x8b", 2, "it is packed with gzip: gzip -dc FILE | fold-report -"},
		{"\x28\xb5\x2f\xfd", 4, "it is packed with zstd: zstd -dc FILE | fold-report -"},
		{"\xfd" "7zXZ", 5, "it is packed with xz: xz -dc FILE | fold-report -"},
		{"BZh", 3, "it is packed with bzip2: bzip2 -dc FILE | fold-report -"},
		{"PK\x03\x04", 4, "it is a zip archive: unpack it first"},
		{"PERFILE2", 8, "it is perf's own file: perf script and perf report read it"},
		{"\x7f" "ELF", 4, "it is a program or a library"},
		{"<", 1, "it is a page or a picture, perhaps a report that was made already"},
	};
	char head[8];
	ssize_t n = in->size ? pread(in->fd, head, sizeof(head), 0) : 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (n >= (ssize_t)kinds[i].n && !memcmp(head, kinds[i].magic, kinds[i].n))
			return kinds[i].what;
	return NULL;
}

void infile_close(struct infile *in)
{
	if (in->signals >= 0) {
		close(in->signals);
		sigprocmask(SIG_SETMASK, &in->mask, NULL);
	}
	if (in->fd != STDIN_FILENO)
		close(in->fd);
}
