/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings to objects.  See resolver.h. */
#include "resolver.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../backing.h"
#include "mappings.h"

/* Answers that nobody came for: the process's events were lost. */
#define MAX_ANSWERS 65536

void resolver_init(struct resolver *r, const char *proc, struct objects *objects)
{
	*r = (struct resolver){ .proc = proc, .objects = objects };
	vdso_init(&r->vdso);
}

void resolver_release(struct resolver *r)
{
	table_release(&r->answers);
}

/* The very file that is mapped; to reach it needs privileges that a recorder may
 * lack. */
static void mapped_path(const struct resolver *r, uint32_t pid, const struct event_mmap *m, char *out, size_t size)
{
	snprintf(out, size, "%s/%u/map_files/%llx-%llx", r->proc, pid, (unsigned long long)m->start, (unsigned long long)(m->start + m->length));
}

static int open_mapped(const char *path, struct stat *st)
{
	int fd;

	if (!S_ISREG(st->st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* By name in the process's root, if it proves to be the same file. */
static int open_named(const struct resolver *r, uint32_t pid, const struct event_mmap *m, struct stat *st)
{
	struct identity_image image;
	struct identity id;
	char root[64];
	int fd;

	snprintf(root, sizeof(root), "%s/%u/root", r->proc, pid);
	fd = backing_open(root, m->path, st);
	if (fd < 0)
		return -1;
	image = (struct identity_image){ .fd = fd, .size = st->st_size };
	if (m->build_id_size ? !identity_read(&image, &id) && identity_has(&id, m->build_id, m->build_id_size)
			     : m->inode && m->inode == st->st_ino)
		return fd;
	close(fd);
	return -1;
}

static uint32_t object_of(struct resolver *r, uint32_t pid, const struct event_mmap *m)
{
	char path[128];
	struct stat st;
	uint32_t known;
	int fd = -1;

	if (!strcmp(m->path, "[vdso]") && r->vdso.at)
		return objects_add_image(r->objects, r->vdso.at, r->vdso.size, m->path);
	if (m->path[0] != '/' || m->path[1] == '/')
		return MAPPED_ANONYMOUS;
	mapped_path(r, pid, m, path, sizeof(path));
	if (!stat(path, &st)) {
		known = objects_find(r->objects, &st);
		if (known != OBJECT_NONE)
			return known;
		fd = open_mapped(path, &st);
	}
	if (fd < 0)
		fd = open_named(r, pid, m, &st);
	return fd < 0 ? MAPPED_ANONYMOUS : objects_add(r->objects, fd, &st, m->path);
}

/* Enough to tell two files at one place of one process apart. */
static uint64_t question_key(uint32_t pid, const struct event_mmap *m)
{
	uint64_t key = table_mix(m->start, pid), part;

	key = table_mix(key, m->length);
	key = table_mix(key, m->offset);
	key = table_mix(key, m->inode);
	for (size_t i = 0; i + sizeof(part) <= sizeof(m->build_id); i += sizeof(part)) {
		memcpy(&part, m->build_id + i, sizeof(part));
		key = table_mix(key, part);
	}
	return key;
}

uint32_t resolver_ask(struct resolver *r, uint32_t pid, const struct event_mmap *m)
{
	uint32_t object = object_of(r, pid, m);

	if (r->answers.n > MAX_ANSWERS)
		table_release(&r->answers);
	/* Out of memory: it will be looked for again. */
	table_put(&r->answers, question_key(pid, m), (uint64_t)object + 1);
	return object;
}

uint32_t resolver_ask_again(struct resolver *r, uint32_t pid, const struct event_mmap *m)
{
	uint64_t key = question_key(pid, m), answer = table_get(&r->answers, key);

	if (!answer)
		return object_of(r, pid, m);
	table_remove(&r->answers, key);
	return answer - 1;
}
