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
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

struct use { /* bytes that are resident */
	uint64_t anonymous, mapped;
};

static struct use memory_use(const struct memory_watch *w)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), resident, shared;
	char text[128];
	ssize_t n = pread(w->statm, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return (struct use){0};
	text[n] = 0;
	if (sscanf(text, "%*u %" SCNu64 " %" SCNu64, &resident, &shared) != 2 || resident < shared)
		return (struct use){0};
	return (struct use){(resident - shared) * page, shared * page};
}

static uint64_t bound(const struct memory_watch *w, const struct use *use)
{
	uint64_t read = atomic_load(&w->read), max;

	if (w->max)
		return w->max;
	max = MEMORY_BASE + use->mapped * MEMORY_PER_MAPPED;
	max += read < UINT64_MAX / 2 / MEMORY_PER_BYTE ? read * MEMORY_PER_BYTE : UINT64_MAX / 2;
	return max < w->machine ? max : w->machine;
}

/* What needs it, where, why that is too much, and what to do. */
static void give_up(const struct memory_watch *w, uint64_t max)
{
	const char *file = atomic_load(&w->file);
	char what[512], why[128];

	if (file)
		snprintf(what, sizeof(what), "%s: byte %" PRIu64 ": reading this", file, atomic_load(&w->at));
	else
		snprintf(what, sizeof(what), "naming and drawing what was read");
	if (w->max)
		snprintf(why, sizeof(why), "more than --max-memory allows: select less, or allow more");
	else if (max == w->machine)
		snprintf(why, sizeof(why), "three quarters of this machine's memory: select less, or allow more with --max-memory SIZE");
	else
		snprintf(why, sizeof(why), "the most for %" PRIu64 " bytes of recordings: if you trust them, allow more with --max-memory SIZE",
			 atomic_load(&w->read));
	log_error("%s needs more than %" PRIu64 " MiB, %s", what, max >> 20, why);
}

static void *watch(void *state)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	struct memory_watch *w = state;

	while (!atomic_load(&w->stop)) {
		struct use use = memory_use(w);
		uint64_t max = bound(w, &use);

		if (use.anonymous > max) {
			give_up(w, max);
			if (w->leave)
				w->leave();
			_exit(1);
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int memory_watch_open(struct memory_watch *w, uint64_t max)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	*w = (struct memory_watch){.max = max, .machine = UINT64_MAX};
	if (pages > 0 && page > 0)
		w->machine = (uint64_t)pages * (uint64_t)page / 4 * 3;
	w->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	w->opened = w->statm >= 0;
	if (w->opened)
		return 0;
	if (max) {
		log_error("--max-memory: /proc/self/statm: %s", strerror(errno));
		return -1;
	}
	log_detail("memory is not bounded: /proc/self/statm: %s", strerror(errno));
	return 0;
}

/* Signals are for the thread that reads. */
static int start_thread(struct memory_watch *w)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&w->thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int memory_watch_start(struct memory_watch *w)
{
	int err = w->opened ? start_thread(w) : 0;

	w->runs = w->opened && !err;
	if (err && w->max)
		log_error("--max-memory: no thread to watch: %s", strerror(err));
	else if (err)
		log_detail("memory is not bounded: no thread to watch: %s", strerror(err));
	return err && w->max ? -1 : 0;
}

void memory_watch_release(struct memory_watch *w)
{
	if (w->runs) {
		atomic_store(&w->stop, true);
		pthread_join(w->thread, NULL);
		w->runs = false;
	}
	if (w->opened)
		close(w->statm);
	w->opened = false;
}

void memory_watch_reads(struct memory_watch *w, const char *file, uint64_t at, uint64_t n)
{
	atomic_store(&w->at, at);
	atomic_store(&w->file, file);
	atomic_fetch_add(&w->read, n);
}

void memory_watch_has_read(struct memory_watch *w)
{
	atomic_store(&w->file, NULL);
}
