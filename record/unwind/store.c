/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of the BPF object, mapped into our memory.  See store.h. */
#include "store.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static int shard_make(struct unwind_store *s, uint32_t i)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_shard", 4, UNWIND_SHARD_BYTES, 1, &opts);
	void *rows;

	if (fd < 0)
		return -1;
	rows = mmap(NULL, UNWIND_SHARD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (rows != MAP_FAILED && bpf_map_update_elem(s->shards_fd, &i, &fd, BPF_ANY)) {
		munmap(rows, UNWIND_SHARD_BYTES);
		rows = MAP_FAILED;
	}
	close(fd); /* the outer map holds it */
	if (rows == MAP_FAILED)
		return -1;
	s->shards[i] = rows;
	return 0;
}

static int process_write(struct unwind_store *s, uint32_t tgid, uint64_t word)
{
	int err = 0;

	if (word)
		err = bpf_map_update_elem(s->processes_fd, &tgid, &word, BPF_ANY);
	else
		bpf_map_delete_elem(s->processes_fd, &tgid);
	__atomic_fetch_add(&s->changes[tgid % UNWIND_CHANGES], 1, __ATOMIC_SEQ_CST);
	return err ? -1 : 0;
}

static uint32_t image_read(struct unwind_store *s, uint32_t tgid)
{
	uint32_t image = 0;

	return bpf_map_lookup_elem(s->images_fd, &tgid, &image) ? 0 : image;
}

static size_t page_rounded(size_t n)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

static int array_map(struct bpf_object *object, const char *name, size_t size, void **out)
{
	int fd = bpf_object__find_map_fd_by_name(object, name);
	void *p;

	if (fd < 0)
		return fd;
	p = mmap(NULL, page_rounded(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*out = p;
	return 0;
}

int store_open(struct unwind_store *s, struct bpf_object *object)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->shard_new = shard_make;
	s->process_set = process_write;
	s->process_image = image_read;
	s->shards_fd = bpf_object__find_map_fd_by_name(object, "unwind_shards");
	s->processes_fd = bpf_object__find_map_fd_by_name(object, "unwind_processes");
	s->images_fd = bpf_object__find_map_fd_by_name(object, "unwind_images");
	if (s->shards_fd < 0 || s->processes_fd < 0 || s->images_fd < 0)
		return -ENOENT;
	err = array_map(object, "unwind_pages", UNWIND_PAGES * sizeof(*s->pages), (void **)&s->pages);
	if (!err)
		err = array_map(object, "unwind_rules", UNWIND_RULES * sizeof(*s->rules), (void **)&s->rules);
	if (!err)
		err = array_map(object, "unwind_mappings", UNWIND_MAPPINGS * sizeof(*s->mappings), (void **)&s->mappings);
	if (!err)
		err = array_map(object, "unwind_copying", sizeof(*s->copying), (void **)&s->copying);
	if (!err)
		err = array_map(object, "unwind_changes", UNWIND_CHANGES * sizeof(*s->changes), (void **)&s->changes);
	return err;
}

static void unmap(void *p, size_t size)
{
	if (p)
		munmap(p, page_rounded(size));
}

void store_release(struct unwind_store *s)
{
	unmap(s->pages, UNWIND_PAGES * sizeof(*s->pages));
	unmap(s->rules, UNWIND_RULES * sizeof(*s->rules));
	unmap(s->mappings, UNWIND_MAPPINGS * sizeof(*s->mappings));
	unmap(s->copying, sizeof(*s->copying));
	unmap(s->changes, UNWIND_CHANGES * sizeof(*s->changes));
	for (size_t i = 0; i < UNWIND_SHARDS; i++)
		unmap(s->shards[i], UNWIND_SHARD_BYTES);
	memset(s, 0, sizeof(*s));
}
