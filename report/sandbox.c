/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The policy: which places a report needs.  How they are enforced is the affair of
 * landlock.c and seccomp.c.
 */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "landlock.h"
#include "log.h"
#include "outfile.h"
#include "seccomp.h"

#define MAX_ENTRIES 4096 /* of one directory that get a rule */

__attribute__((format(printf, 3, 4)))
static void allow(const struct landlock *l, enum landlock_use use, const char *format, ...)
{
	va_list args;
	char *path;
	int err;

	va_start(args, format);
	err = vasprintf(&path, format, args) < 0 ? -ENOMEM : 0;
	va_end(args);
	if (err)
		return;
	err = landlock_allow(l, path, use);
	if (err && err != -ENOENT && err != -EBADFD)
		log_detail("%s: stays out of reach: %s", path, strerror(-err));
	free(path);
}

static bool is_listed(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/* All that lies in `dir`, but not what is hidden and what is listed. */
static void allow_entries(const struct landlock *l, const char *dir, const char *const *but)
{
	DIR *stream = opendir(*dir ? dir : "/");
	struct dirent *entry;

	if (!stream)
		return;
	for (size_t n = 0; n < MAX_ENTRIES && (entry = readdir(stream)); n++)
		if (entry->d_name[0] != '.' && !is_listed(entry->d_name, but))
			allow(l, LANDLOCK_READ, "%s/%s", dir, entry->d_name);
	closedir(stream);
}

/* Keys and passwords lie in hidden directories of it. */
static void allow_home(const struct landlock *l, const char *home)
{
	static const char *const nothing[] = {NULL};
	struct stat root, st;

	if (!home || *home != '/' || stat(home, &st) || stat("/", &root) || (st.st_dev == root.st_dev && st.st_ino == root.st_ino))
		return;
	allow_entries(l, home, nothing);
	allow(l, LANDLOCK_READ, "%s/.debug", home); /* perf's copies of what it recorded */
}

/* Does `path` lie in the working directory, or is it that?  Then that is too much. */
static bool is_above(const char *here, const char *path)
{
	size_t n = strlen(here);

	return path && !strncmp(path, here, n) && (!path[n] || path[n] == '/');
}

/* Programs of which only the base name is known are looked for here. */
static void allow_here(const struct landlock *l)
{
	const char *path = getenv("PATH"), *end;
	char *here = getcwd(NULL, 0);

	if (here && strcmp(here, "/") && !is_above(here, "/root") && !is_above(here, getenv("HOME")))
		allow(l, LANDLOCK_READ, "%s", here);
	free(here);
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (*path == '/')
			allow(l, LANDLOCK_READ, "%.*s", (int)(end - path), path);
	}
}

static void allow_system(const struct landlock *l)
{
	static const char *const but[] = {"dev", "etc", "home", "lost+found", "proc", "root", "run", "sys", "var", NULL};
	const char *user = getenv("SUDO_USER");
	char *home;

	allow_entries(l, "", but);
	allow_here(l);
	allow_home(l, getenv("HOME"));
	if (user && !strchr(user, '/') && asprintf(&home, "/home/%s", user) >= 0) {
		allow_home(l, home);
		free(home);
	}
	allow(l, LANDLOCK_READ, "/proc/self/maps"); /* tells where our own vdso is */
}

/* As libdebuginfod finds it; it must be there to get a rule. */
static void allow_cache(const struct landlock *l)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *parent = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = NULL, *above = NULL;

	if (!home)
		home = "";
	if ((parent ? asprintf(&above, "%s", parent) : asprintf(&above, "%s/.cache", home)) < 0)
		return;
	if ((cache ? asprintf(&path, "%s", cache) : asprintf(&path, "%s/debuginfod_client", above)) >= 0) {
		if (!cache)
			mkdir(above, 0700);
		mkdir(path, 0700);
		allow(l, LANDLOCK_CACHE, "%s", path);
		allow(l, LANDLOCK_CACHE, "%s/.debuginfod_client_cache", home);
		free(path);
	}
	free(above);
}

/* Names of servers, certificates, and the libraries that know of them. */
static void allow_network(const struct landlock *l)
{
	static const char *const places[] = {"/etc", "/usr", "/lib", "/lib64", "/run", "/var/lib/ca-certificates", "/dev/urandom", NULL};

	for (const char *const *place = places; *place; place++)
		allow(l, LANDLOCK_READ, "%s", *place);
	allow_cache(l);
}

static void allow_symbols(const struct landlock *l, const struct symbolizer_options *symbols)
{
	for (size_t i = 0; i < symbols->nsymbol_dirs; i++)
		allow(l, LANDLOCK_READ, "%s", symbols->symbol_dirs[i]);
	if (symbols->sysroot)
		allow(l, LANDLOCK_READ, "%s/", symbols->sysroot);
	if (!symbols->no_system)
		allow_system(l);
	if (symbols->debuginfod)
		allow_network(l);
}

/* A file is made beside its place and renamed; what is no file is written as it is. */
static void allow_output(const struct landlock *l, const char *out)
{
	const char *slash = strrchr(out, '/');

	if (outfile_in_place(out))
		allow(l, LANDLOCK_WRITE, "%s", out);
	else
		allow(l, LANDLOCK_CREATE, "%.*s", slash ? (int)(slash + 1 - out) : 2, slash ? out : "./");
}

static int enter_landlock(const struct sandbox_needs *needs, bool network, int *abi)
{
	struct landlock l;
	int err = landlock_begin(&l, network);

	*abi = l.abi;
	if (err)
		return err;
	for (size_t i = 0; i < needs->files.n; i++)
		if (strcmp(needs->files.v[i], "-"))
			allow(&l, LANDLOCK_READ, "%s", needs->files.v[i]);
	if (needs->symbols)
		allow_symbols(&l, needs->symbols);
	if (needs->out)
		allow_output(&l, needs->out);
#ifdef __SANITIZE_ADDRESS__
	allow(&l, LANDLOCK_READ, "/proc"); /* the leak check lists the threads */
#endif
	return landlock_enter(&l);
}

void sandbox_enter(const struct sandbox_needs *needs)
{
	bool network = needs->symbols && needs->symbols->debuginfod;
	int abi, err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		log_detail("not confined: no_new_privs: %s", strerror(errno));
		return;
	}
	err = enter_landlock(needs, network, &abi);
	if (err)
		log_detail("files are not confined (Landlock: %s)", strerror(-err));
	else
		log_detail("files are confined by Landlock, version %d", abi);
	err = seccomp_enter(network);
	if (err)
		log_detail("system calls are not confined (seccomp: %s)", strerror(-err));
	else
		log_detail("system calls are confined by seccomp%s", network ? ", network allowed for --debuginfod" : "");
}
