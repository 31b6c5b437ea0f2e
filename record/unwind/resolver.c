/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings to objects.  See resolver.h. */
#include "resolver.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../array.h"
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
	table_release(&r->by_identity);
	free(r->known);
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

static uint64_t identity_key(const struct event_mmap *m)
{
	uint64_t key = 0, part;

	for (const char *c = m->path; *c; c++)
		key = table_mix(key, (uint8_t)*c);
	for (size_t i = 0; i + 4 <= m->build_id_size; i += 4) {
		part = 0;
		memcpy(&part, m->build_id + i, 4);
		key = table_mix(key, part);
	}
	return key;
}

/* The same name and build-id as before: the same code.  Short processes are gone when
 * their files would be looked at. */
static uint32_t known_object(const struct resolver *r, const struct event_mmap *m)
{
	uint64_t i = m->build_id_size ? table_get(&r->by_identity, identity_key(m)) : 0;
	const struct resolver_known *k = i ? &r->known[i - 1] : NULL;

	if (!k || k->build_id_size != m->build_id_size || memcmp(k->build_id, m->build_id, k->build_id_size) ||
	    strcmp(r->objects->v[k->object]->name, m->path))
		return OBJECT_NONE;
	return k->object;
}

/* Out of memory: it will be opened again. */
static void know(struct resolver *r, const struct event_mmap *m, uint32_t object)
{
	struct resolver_known *v;

	if (!m->build_id_size || strcmp(r->objects->v[object]->name, m->path))
		return;
	v = array_grow(r->known, &r->known_room, r->nknown + 1, sizeof(*v));
	if (!v)
		return;
	r->known = v;
	v[r->nknown] = (struct resolver_known){ .object = object, .build_id_size = m->build_id_size };
	memcpy(v[r->nknown].build_id, m->build_id, m->build_id_size);
	if (!table_put(&r->by_identity, identity_key(m), r->nknown + 1))
		r->nknown++;
}

/* The file itself: OBJECT_NONE when it cannot be opened. */
static uint32_t file_object(struct resolver *r, uint32_t pid, const struct event_mmap *m)
{
	char path[128];
	struct stat st;
	uint32_t known;
	int fd = -1;

	mapped_path(r, pid, m, path, sizeof(path));
	if (!stat(path, &st)) {
		known = objects_find(r->objects, &st);
		if (known != OBJECT_NONE)
			return known;
		fd = open_mapped(path, &st);
	}
	if (fd < 0)
		fd = open_named(r, pid, m, &st);
	return fd < 0 ? OBJECT_NONE : objects_add(r->objects, fd, &st, m->path);
}

static uint32_t object_of(struct resolver *r, uint32_t pid, const struct event_mmap *m)
{
	uint32_t object;

	if (!strcmp(m->path, "[vdso]") && r->vdso.at)
		return objects_add_image(r->objects, r->vdso.at, r->vdso.size, m->path);
	if (m->path[0] != '/' || m->path[1] == '/')
		return MAPPED_ANONYMOUS;
	object = known_object(r, m);
	if (object != OBJECT_NONE)
		return object;
	object = file_object(r, pid, m);
	if (object == OBJECT_NONE)
		return MAPPED_OPAQUE;
	know(r, m, object);
	return object;
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
