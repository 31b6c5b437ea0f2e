/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdebuginfod, loaded when it is wanted: a report that asks no server does not
 * need the library, nor the HTTP client below it.  The library asks all servers
 * of an environment variable at once, does not tell which one failed, and
 * remembers that nobody had a file; so servers are tried one by one with an id
 * that nobody can have, and those that fail are left out from then on.
 */
#include "debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "../log.h"

#define MAX_SERVERS 16
#define SILENT_SECONDS "10" /* unless the user says otherwise with DEBUGINFOD_TIMEOUT */

typedef struct debuginfod_client client;
typedef int progress_fn(client *c, long a, long b);

struct server {
	char *url;
	bool failed;
};
struct debuginfod {
	void *library;
	client *client;
	int (*find_debuginfo)(client *c, const unsigned char *id, int size, char **path);
	int (*find_executable)(client *c, const unsigned char *id, int size, char **path);
	void (*end)(client *c);
	void (*set_user_data)(client *c, void *data);
	void *(*get_user_data)(client *c);
	struct server servers[MAX_SERVERS];
	size_t nservers;
	int64_t deadline;  /* ns */
	/* the request that runs */
	const char *what, *url;
	int64_t next_line;
	bool late;         /* the deadline has passed */
	bool tried;        /* the servers have been tried once */
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ------------------------------------------------------------ life */

static int add_servers(struct debuginfod *d, const char *urls)
{
	for (const char *at = urls + strspn(urls, " \t\n"); *at && d->nservers < MAX_SERVERS;) {
		size_t n = strcspn(at, " \t\n");

		d->servers[d->nservers].url = strndup(at, n);
		if (!d->servers[d->nservers++].url)
			return -1;
		at += n;
		at += strspn(at, " \t\n");
	}
	return 0;
}

/* Our own struct is found through the user data: a callback of the library has
 * no other way to it. */
static int progress(client *c, long a, long b)
{
	void *(*get)(client *) = NULL;
	struct debuginfod *d;
	int64_t t = now();

	*(void **)&get = dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");
	d = get ? get(c) : NULL;
	if (!d)
		return 0;
	if (t >= d->next_line) {
		d->next_line = t + 1000000000;
		if (b > 0)
			log_info("%s: fetching debug information of %s, %ld of %ld MB", d->url, d->what, a >> 20, b >> 20);
		else
			log_info("%s: asking for debug information of %s", d->url, d->what);
	}
	d->late = t > d->deadline;
	return d->late;
}

static int load(struct debuginfod *d)
{
	client *(*begin)(void);
	void (*set_progress)(client *, progress_fn *);

	d->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!d->library) {
		log_error("--debuginfod needs libdebuginfod.so.1 (package libdebuginfod1 or elfutils-debuginfod-client): %s", dlerror());
		return -1;
	}
	*(void **)&begin = dlsym(d->library, "debuginfod_begin");
	*(void **)&d->end = dlsym(d->library, "debuginfod_end");
	*(void **)&d->find_debuginfo = dlsym(d->library, "debuginfod_find_debuginfo");
	*(void **)&d->find_executable = dlsym(d->library, "debuginfod_find_executable");
	*(void **)&d->set_user_data = dlsym(d->library, "debuginfod_set_user_data");
	*(void **)&set_progress = dlsym(d->library, "debuginfod_set_progressfn");
	if (!begin || !d->end || !d->find_debuginfo || !d->find_executable || !d->set_user_data || !set_progress) {
		log_error("libdebuginfod.so.1 is too old for --debuginfod");
		return -1;
	}
	d->client = begin();
	if (!d->client)
		return -1;
	d->set_user_data(d->client, d);
	set_progress(d->client, progress);
	return 0;
}

int debuginfod_new(struct debuginfod **out, const char *urls, unsigned budget_seconds)
{
	struct debuginfod *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (!d)
		return -1;
	d->deadline = now() + (int64_t)budget_seconds * 1000000000;
	if (add_servers(d, urls) || load(d)) {
		debuginfod_free(d);
		return -1;
	}
	setenv("DEBUGINFOD_TIMEOUT", SILENT_SECONDS, 0);
	*out = d;
	return 0;
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	for (size_t i = 0; i < d->nservers; i++)
		free(d->servers[i].url);
	/* the library stays: what it has loaded below it cannot all be unloaded */
	free(d);
}

/* ------------------------------------------------------------ requests */

static int ask(struct debuginfod *d, const char *urls, const uint8_t *id, size_t size, bool executable, char **path)
{
	int fd;

	d->url = urls;
	d->next_line = now() + 1000000000;
	setenv("DEBUGINFOD_URLS", urls, 1);
	fd = (executable ? d->find_executable : d->find_debuginfo)(d->client, id, (int)size, path);
	unsetenv("DEBUGINFOD_URLS");
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Leave out the servers that do not answer.  How many are left. */
static size_t try_servers(struct debuginfod *d)
{
	size_t left = 0;

	for (size_t i = 0; i < d->nservers && !d->late; i++) {
		struct server *server = &d->servers[i];
		uint8_t nobodys[20];
		char *path;
		int err;

		if (server->failed || getrandom(nobodys, sizeof(nobodys), 0) != sizeof(nobodys))
			continue;
		err = ask(d, server->url, nobodys, sizeof(nobodys), false, &path);
		if (!err)
			free(path);
		server->failed = err != -ENOENT && !d->late;
		if (server->failed)
			log_warning("debuginfod: %s does not answer as it should (%s); it is not asked again", server->url,
				    err ? strerror(-err) : "it has a file that cannot be");
		left += !server->failed;
	}
	d->tried = true;
	return left;
}

static char *join_servers(const struct debuginfod *d)
{
	size_t n = 1;
	char *urls;

	for (size_t i = 0; i < d->nservers; i++)
		n += strlen(d->servers[i].url) + 1;
	urls = calloc(n, 1);
	for (size_t i = 0; urls && i < d->nservers; i++) {
		if (d->servers[i].failed)
			continue;
		strcat(urls, d->servers[i].url);
		strcat(urls, " ");
	}
	return urls;
}

int debuginfod_fetch(struct debuginfod *d, const uint8_t *id, size_t size, bool executable, const char *what, char **path)
{
	int err = -ENOENT;
	char *urls;

	d->what = what;
	if (d->late)
		return -ETIME;
	if (!d->tried && !try_servers(d))
		return -ENOENT;
	urls = join_servers(d);
	if (urls && *urls)
		err = ask(d, urls, id, size, executable, path);
	free(urls);
	if (d->late)
		log_warning("debuginfod: the time for all requests is spent; going on with what was fetched");
	else if (err && err != -ENOENT)
		try_servers(d);
	return err;
}
