/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that appears only when it is complete: see outfile.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "outfile.h"

static int fail(const char *what, const char *path)
{
	log_error("%s %s: %s", what, path ? path : "standard output", strerror(errno));
	return -1;
}

/*
 * A signal that ends the program while a temporary file is there takes it along.  A
 * handler can be given nothing, so its name stands here; one file is written at a time.
 */
static const int endings[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
static char *volatile doomed;

void outfile_abandon(void)
{
	if (doomed)
		unlink(doomed);
}

static void on_ending(int number)
{
	outfile_abandon();
	raise(number); /* its action is the default one again */
}

static void on_endings(void (*from)(int), void (*to)(int))
{
	struct sigaction action = {.sa_handler = to, .sa_flags = to == on_ending ? (int)SA_RESETHAND : 0}, now;

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (!sigaction(endings[i], NULL, &now) && now.sa_handler == from) /* one that is ignored stays so */
			sigaction(endings[i], &action, NULL);
}

static void doom(char *name)
{
	doomed = name;
	on_endings(SIG_DFL, on_ending);
}

static void spare(void)
{
	on_endings(on_ending, SIG_DFL);
	doomed = NULL;
}

/* A new file beside `path`; in the same directory, because rename must not copy.
 * Opened for writing only: the program has given up the right to read there. */
static int create_temporary(const char *path, bool secret, char **name)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash + 1 - path) : 0;

	for (uint32_t attempt = 0; attempt < 100; attempt++) {
		uint32_t turn;
		int fd;

		if (getrandom(&turn, sizeof(turn), GRND_NONBLOCK) != sizeof(turn))
			turn = (uint32_t)getpid();
		if (asprintf(name, "%.*s.%s.%08" PRIx32, dir, path, path + dir, turn + attempt) < 0) {
			*name = NULL;
			return -1;
		}
		fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, secret ? 0600 : 0666);
		if (fd >= 0)
			return fd;
		free(*name);
		*name = NULL;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* The same, and no signal comes between the file and the note of it. */
static int create_doomed(const char *path, bool secret, char **name)
{
	sigset_t all, before;
	int fd, err;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = create_temporary(path, secret, name);
	err = errno;
	if (fd >= 0)
		doom(*name);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return fd;
}

/* A link such as /dev/stdout must not be replaced by a file, wherever it leads. */
bool outfile_in_place(const char *path)
{
	struct stat st, link;

	return !stat(path, &st) && !S_ISDIR(st.st_mode) && (!S_ISREG(st.st_mode) || lstat(path, &link) || S_ISLNK(link.st_mode));
}

int outfile_open(struct outfile *out, const char *path, bool secret)
{
	struct stat st;
	int fd;

	*out = (struct outfile){.path = path, .stream = stdout};
	if (!path)
		return 0;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return fail("cannot write", path);
	}
	if (outfile_in_place(path)) {
		out->stream = fopen(path, "we");
		return out->stream ? 0 : fail("cannot write", path);
	}
	fd = create_doomed(path, secret, &out->temporary);
	if (fd < 0)
		return fail("cannot create a file beside", path);
	out->stream = fdopen(fd, "w");
	if (!out->stream) {
		fail("cannot write", path);
		close(fd);
		outfile_release(out);
		return -1;
	}
	return 0;
}

int outfile_commit(struct outfile *out)
{
	FILE *stream = out->stream;
	int bad = ferror(stream);

	out->stream = NULL;
	errno = errno ? errno : EIO;
	bad |= fflush(stream);
	bad |= fclose(stream);
	if (bad)
		return fail("writing failed:", out->path);
	if (!out->temporary)
		return 0;
	if (rename(out->temporary, out->path))
		return fail("cannot rename the finished file to", out->path);
	spare();
	free(out->temporary);
	out->temporary = NULL;
	return 0;
}

void outfile_release(struct outfile *out)
{
	if (out->stream && out->stream != stdout)
		fclose(out->stream);
	if (out->temporary) {
		unlink(out->temporary);
		spare();
	}
	free(out->temporary);
	*out = (struct outfile){0};
}
