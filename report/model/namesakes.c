/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Equal labels say the same host, other labels another one.  Without labels a
 * process is the same in two recordings when it was started at the same time of
 * day, as far as clocks are that exact.
 */
#include "namesakes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "order.h"

#define SAME_START INT64_C(100000000) /* ns: clock ticks, and clocks that are being set */

static bool bytes_equal(struct fold_bytes a, struct fold_bytes b)
{
	return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

/* By CLOCK_REALTIME; false: not known. */
static bool wall_start(const struct recording *rec, const struct rec_process *process, int64_t *ns)
{
	const struct fold_clock *clock = &rec->segments[process->segment].meta.start;

	*ns = (int64_t)(clock->realtime - clock->monotonic + (uint64_t)process->start);
	return process->start != 0;
}

static bool is_same(const struct recording *rec, uint32_t a, uint32_t b)
{
	const struct rec_process *x = &rec->processes[a], *y = &rec->processes[b];
	struct fold_bytes host_x = recording_label(rec, a, "host"), host_y = recording_label(rec, b, "host");
	int64_t start_x, start_y, apart;

	if (x->segment == y->segment && x->origin == y->origin)
		return true;
	if (host_x.at && host_y.at)
		return bytes_equal(host_x, host_y);
	if (!wall_start(rec, x, &start_x) || !wall_start(rec, y, &start_y) || __builtin_sub_overflow(start_x, start_y, &apart))
		return false;
	return apart > -SAME_START && apart < SAME_START;
}

/* Of processes v[0 .. n) with the same name: when one is not the first one's, all are told apart. */
static void mark(struct namesakes *s, const struct recording *rec, const struct ordered *v, size_t n)
{
	bool all = true;

	for (size_t i = 1; all && i < n; i++)
		all = is_same(rec, v[0].index, v[i].index);
	for (size_t i = 0; !all && i < n; i++)
		s->has[v[i].index] = true;
}

static int mark_processes(struct namesakes *s, const struct recording *rec, bool threads)
{
	size_t n = rec->nprocesses, some;
	struct ordered *v = malloc((n + 1) * 2 * sizeof(*v));

	if (!v)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct rec_process *process = &rec->processes[i];

		v[i] = (struct ordered){.key = (uint64_t)process->pid << 32 | (threads ? 0 : process->comm), .index = (uint32_t)i};
	}
	order_sort(v, v + n, n);
	for (size_t i = 0; i < n; i += some) {
		for (some = 1; i + some < n && v[i + some].key == v[i].key; some++)
			;
		mark(s, rec, v + i, some);
	}
	free(v);
	return 0;
}

static int by_file(const void *a, const void *b, void *rec)
{
	const struct rec_segment *v = ((const struct recording *)rec)->segments;
	struct fold_bytes x = host_file(&v[*(const uint32_t *)a]), y = host_file(&v[*(const uint32_t *)b]);
	int order = memcmp(x.at, y.at, x.size < y.size ? x.size : y.size);

	return order ? order : x.size < y.size ? -1 : x.size > y.size;
}

static int mark_files(struct namesakes *s, const struct recording *rec)
{
	uint32_t *v = malloc((rec->nsegments + 1) * sizeof(*v));

	if (!v)
		return -1;
	for (size_t i = 0; i < rec->nsegments; i++)
		v[i] = (uint32_t)i;
	qsort_r(v, rec->nsegments, sizeof(*v), by_file, (void *)rec);
	for (size_t i = 1; i < rec->nsegments; i++)
		if (!by_file(&v[i - 1], &v[i], (void *)rec))
			s->file_twice[v[i - 1]] = s->file_twice[v[i]] = true;
	free(v);
	return 0;
}

int namesakes_init(struct namesakes *n, const struct recording *rec, bool threads)
{
	*n = (struct namesakes){0};
	if (rec->nsegments < 2 && rec->norigins < 2)
		return 0;
	n->has = calloc(rec->nprocesses + 1, sizeof(*n->has));
	n->file_twice = calloc(rec->nsegments + 1, sizeof(*n->file_twice));
	return n->has && n->file_twice && !mark_processes(n, rec, threads) && !mark_files(n, rec) ? 0 : -1;
}

void namesakes_release(struct namesakes *n)
{
	free(n->has);
	free(n->file_twice);
	*n = (struct namesakes){0};
}

/* The place of a recording among those that are called like its file, or in it; 0: it is the only one. */
static size_t number(const struct namesakes *n, const struct recording *rec, const struct rec_process *process)
{
	size_t first = process->origin;

	if (process->origin == REC_NONE)
		return n->file_twice[process->segment] ? (size_t)process->segment + 1 : 0;
	while (first && rec->origins[first - 1].segment == process->segment)
		first--;
	return process->origin - first + 1;
}

size_t namesakes_tail(const struct namesakes *n, const struct recording *rec, uint32_t process, char *to, size_t size)
{
	struct fold_bytes host;
	size_t place, used;

	*to = '\0';
	if (!n->has || !n->has[process])
		return 0;
	host = host_name(rec, process);
	place = recording_label(rec, process, "host").at ? 0 : number(n, rec, &rec->processes[process]);
	used = host.size < size - 32 ? host.size : size - 32;
	*to = '@';
	memcpy(to + 1, host.at, used++);
	to[used] = '\0';
	return place ? used + (size_t)snprintf(to + used, size - used, "#%zu", place) : used;
}
