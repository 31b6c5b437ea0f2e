/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watches resident memory less what is mapped from files: debug files are the page
 * cache's.  The high-water mark of getrusage(2) would not do: it is inherited from the
 * program that started this one.
 */
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

static uint64_t anonymous_bytes(const struct memory_watch *w)
{
	uint64_t resident, shared;
	char text[128];
	ssize_t n = pread(w->statm, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = 0;
	if (sscanf(text, "%*u %" SCNu64 " %" SCNu64, &resident, &shared) != 2 || resident < shared)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void *watch(void *state)
{
	struct memory_watch *w = state;
	const struct timespec pause = {.tv_nsec = 10000000};

	while (!atomic_load(&w->stop)) {
		if (anonymous_bytes(w) > w->max) {
			log_error("more memory is needed than --max-memory allows: select less, or allow more than %" PRIu64 " MiB",
				  w->max >> 20);
			_exit(1);
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int memory_watch_open(struct memory_watch *w, uint64_t max)
{
	*w = (struct memory_watch){.max = max, .statm = -1};
	if (!max)
		return 0;
	w->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (w->statm >= 0)
		return 0;
	log_error("--max-memory: /proc/self/statm: %s", strerror(errno));
	return -1;
}

int memory_watch_start(struct memory_watch *w)
{
	int err = w->max ? pthread_create(&w->thread, NULL, watch, w) : 0;

	if (err)
		log_error("--max-memory: no thread to watch: %s", strerror(err));
	w->runs = w->max && !err;
	return err ? -1 : 0;
}

void memory_watch_release(struct memory_watch *w)
{
	atomic_store(&w->stop, true);
	if (w->runs)
		pthread_join(w->thread, NULL);
	if (w->max && w->statm >= 0)
		close(w->statm);
	w->max = 0;
	w->runs = false;
}
