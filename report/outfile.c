/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that appears only when it is complete: see outfile.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "outfile.h"

static int fail(const char *what, const char *path)
{
	log_error("%s %s: %s", what, path ? path : "standard output", strerror(errno));
	return -1;
}

static mode_t new_file_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* A name beside `path`; in the same directory, because rename must not copy. */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash + 1 - path) : 0;
	char *name;

	return asprintf(&name, "%.*s.%s.XXXXXX", dir, path, path + dir) < 0 ? NULL : name;
}

int outfile_open(struct outfile *out, const char *path)
{
	struct stat st;
	int fd;

	*out = (struct outfile){.path = path, .stream = stdout};
	if (!path)
		return 0;
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		out->stream = S_ISDIR(st.st_mode) ? (errno = EISDIR, NULL) : fopen(path, "we");
		return out->stream ? 0 : fail("cannot write", path);
	}
	out->temporary = temporary_name(path);
	fd = out->temporary ? mkostemp(out->temporary, O_CLOEXEC) : -1;
	if (fd < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return fail("cannot create a file beside", path);
	}
	out->stream = fdopen(fd, "w");
	if (!out->stream || fchmod(fd, new_file_mode())) {
		fail("cannot write", path);
		if (!out->stream)
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
	free(out->temporary);
	out->temporary = NULL;
	return 0;
}

void outfile_release(struct outfile *out)
{
	if (out->stream && out->stream != stdout)
		fclose(out->stream);
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	*out = (struct outfile){0};
}
