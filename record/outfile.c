/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes; the writer does the writing. */
#include "outfile.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *path, const char *advice)
{
	log_error("cannot write to %s: %s%s", path, strerror(errno), advice);
	return -1;
}

static int open_stdout(struct outfile *out)
{
	if (isatty(STDOUT_FILENO)) {
		log_error("a recording is no text: -o - is for a pipe or a file, not for a terminal");
		return -1;
	}
	out->fd = STDOUT_FILENO;
	out->name = "stdout";
	return 0;
}

/* A pipe or a device has nothing to lose. */
static bool special(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Replaced, not truncated: whoever reads the old one keeps it, and the new one
 * gets our owner and mode. */
static int open_new(const char *path, bool overwrite)
{
	struct stat st;

	if (overwrite && !lstat(path, &st) && S_ISREG(st.st_mode) && unlink(path))
		return -1;
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool is_directory(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	errno = EISDIR;
	return true;
}

int outfile_open(struct outfile *out, const char *path, bool overwrite)
{
	memset(out, 0, sizeof(*out));
	if (!strcmp(path, "-"))
		return open_stdout(out);
	out->name = path;
	if (special(path)) {
		out->fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
		return out->fd < 0 ? fail(path, "") : 0;
	}
	out->fd = open_new(path, overwrite);
	if (out->fd < 0 && is_directory(path))
		return fail(path, " (-o names a file)");
	if (out->fd < 0)
		return fail(path, errno == EEXIST ? " (-f overwrites it, -o names another)" : "");
	out->path = path;
	return 0;
}

int outfile_failed(const struct outfile *out, const struct fold_fault *fault)
{
	char text[256];

	if (fault->code == FOLD_E_IO && fault->sys_errno == EPIPE)
		log_error("cannot write to %s: nobody reads it any more", out->name);
	else if (fault->code == FOLD_E_IO)
		log_error("cannot write to %s: %s; what is in it is good up to now", out->name, strerror(fault->sys_errno));
	else
		log_error("cannot write to %s: %s", out->name, fault_text(fault, text, sizeof(text)));
	return -1;
}

int outfile_close(struct outfile *out)
{
	int fd = out->fd;

	out->fd = -1;
	return fd < 0 || fd == STDOUT_FILENO || !close(fd) ? 0 : fail(out->name, "");
}

void outfile_abandon(struct outfile *out)
{
	if (out->path)
		unlink(out->path);
	out->path = NULL;
}
