/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF arrays that are mapped into our memory, one for each CPU.  See queue.h. */
#include "queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static size_t page_rounded(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

size_t queues_bytes(const struct queues *q)
{
	return page_rounded(sizeof(struct event_queue) + q->size + q->margin + EVENT_SAMPLE_MAX);
}

static int queue_make(struct queues *q, uint32_t cpu)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t bytes = sizeof(struct event_queue) + q->size + q->margin + EVENT_SAMPLE_MAX;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "fold_queue", 4, (uint32_t)bytes, 1, &opts);
	void *shared;

	if (fd < 0)
		return -errno;
	shared = mmap(NULL, queues_bytes(q), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED) {
		int err = -errno;

		close(fd);
		return err;
	}
	q->fds[q->n] = fd;
	q->v[q->n++] = (struct queue){ .shared = shared, .size = q->size, .margin = q->margin, .cpu = cpu };
	return 0;
}

static void unmake(struct queues *q)
{
	for (size_t i = 0; i < q->n; i++) {
		munmap(q->v[i].shared, queues_bytes(q));
		if (q->fds[i] >= 0)
			close(q->fds[i]);
	}
	q->n = 0;
}

/* What would not do with less memory. */
static bool is_final(int err)
{
	return err != -ENOMEM && err != -EPERM && err != -E2BIG;
}

int queues_make(struct queues *q, const uint32_t *cpus, size_t ncpus, size_t size, size_t least, bool copies)
{
	int err;

	memset(q, 0, sizeof(*q));
	q->size = size;
	q->margin = EVENT_SAMPLE_MAX + (copies ? EVENT_COPY_MAX : 0);
	q->v = calloc(ncpus, sizeof(*q->v));
	q->fds = calloc(ncpus, sizeof(*q->fds));
	if (!q->v || !q->fds)
		return -ENOMEM;
	for (;;) {
		err = 0;
		for (size_t i = 0; !err && i < ncpus; i++)
			err = queue_make(q, cpus[i]);
		if (!err || is_final(err) || q->size / 2 < least)
			return err;
		unmake(q);
		q->size /= 2;
	}
}

int queues_prepare(struct queues *q, struct bpf_object *object, size_t cpus)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, "queues");
	int err = map ? bpf_map__set_inner_map_fd(map, q->fds[0]) : -ENOENT;

	return err ? err : bpf_map__set_max_entries(map, (uint32_t)cpus);
}

static int woken(void *context, void *data, size_t size)
{
	return 0; /* to be awake is all */
}

int queues_give(struct queues *q, struct bpf_object *object)
{
	int fd = bpf_object__find_map_fd_by_name(object, "queues");

	for (size_t i = 0; i < q->n; i++) {
		if (bpf_map_update_elem(fd, &q->v[i].cpu, &q->fds[i], BPF_ANY))
			return -errno;
		close(q->fds[i]); /* the outer map holds it */
		q->fds[i] = -1;
	}
	q->wakes = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "wakes"), woken, NULL, NULL);
	return q->wakes ? 0 : -errno;
}

void queues_release(struct queues *q)
{
	ring_buffer__free(q->wakes);
	unmake(q);
	free(q->v);
	free(q->fds);
	memset(q, 0, sizeof(*q));
}

int queues_fd(const struct queues *q)
{
	return ring_buffer__epoll_fd(q->wakes);
}

void queues_awake(const struct queues *q)
{
	ring_buffer__consume(q->wakes);
}

/*
 * The programs of old kernels have no store that waits for those before it.  Where the
 * processor does not keep their order either, some time must pass.
 */
void queues_settle(void)
{
#if !defined(__x86_64__) && !defined(__s390x__)
	struct timespec rest = { .tv_nsec = 1000 * 1000 };

	nanosleep(&rest, NULL);
#endif
}

const struct event_raw_sample *queue_at(const struct queue *q, uint64_t at, uint64_t head, uint64_t *next)
{
	uint64_t place = at & (q->size - 1);
	const struct event_raw_sample *raw = (const struct event_raw_sample *)(q->shared->bytes + place);

	if (at % 8 || raw->size < sizeof(*raw) || raw->size % 8 || raw->size > q->size + q->margin - place)
		return NULL;
	*next = event_queue_next(at, raw->size, q->size);
	return *next - at > head - at ? NULL : raw;
}
