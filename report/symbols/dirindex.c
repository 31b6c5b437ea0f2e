/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks a directory once and remembers each ELF file's build-id.  Links to
 * directories are not followed, so there are no loops; links to files are, since
 * build-id trees are made of them.
 */
#include "dirindex.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf.h"

static int compare_ids(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	if (a_size != b_size)
		return a_size < b_size ? -1 : 1;
	return a_size ? memcmp(a, b, a_size) : 0;
}

static int compare_entries(const void *x, const void *y)
{
	const struct dir_entry *a = *(struct dir_entry *const *)x, *b = *(struct dir_entry *const *)y;
	int order = compare_ids(a->id, a->id_size, b->id, b->id_size);

	return order ? order : strcmp(a->path, b->path);
}

static int push(struct dir_index *index, const char *path, const struct elf_id *id)
{
	struct dir_entry *entry;

	if (index->n == index->room) {
		size_t room = index->room ? index->room * 2 : 256;
		struct dir_entry **v = realloc(index->v, room * sizeof(struct dir_entry *));

		if (!v)
			return -1;
		index->v = v;
		index->room = room;
	}
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -1;
	entry->path = strdup(path);
	if (!entry->path) {
		free(entry);
		return -1;
	}
	memcpy(entry->id, id->bytes, id->size);
	entry->id_size = (uint8_t)id->size;
	index->v[index->n++] = entry;
	return 0;
}

static int add_elf(struct dir_index *index, int fd, const char *path)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct elf_id gnu, go;
	int err = 0;

	if (elf && elf_kind(elf) == ELF_K_ELF) {
		elf_ids(elf, &gnu, &go);
		err = push(index, path, &gnu);
	}
	if (elf)
		elf_end(elf);
	return err;
}

static int add_file(struct dir_index *index, int dir, const char *name, const char *path)
{
	struct stat st;
	char magic[SELFMAG];
	int fd, err = 0;

	index->cut = ++index->seen >= index->limits.files;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	    !memcmp(magic, ELFMAG, SELFMAG))
		err = add_elf(index, fd, path);
	close(fd);
	return err;
}

static int walk(struct dir_index *index, int parent, const char *name, const char *path, unsigned depth);

static int add_entry(struct dir_index *index, int dir, const char *name, const char *path, unsigned depth)
{
	struct stat st;
	char *full;
	int err;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (asprintf(&full, "%s/%s", path, name) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		err = walk(index, dir, name, full, depth + 1);
	else
		err = S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) ? add_file(index, dir, name, full) : 0;
	free(full);
	return err;
}

static int walk(struct dir_index *index, int parent, const char *name, const char *path, unsigned depth)
{
	struct dirent *entry;
	DIR *dir;
	int fd, err = 0;

	if (depth > index->limits.depth) {
		index->too_deep = true;
		return 0;
	}
	/* The directory that was asked for may be a link; those below may not. */
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (depth ? O_NOFOLLOW : 0));
	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return 0;
	}
	while (!err && index->seen < index->limits.files && (entry = readdir(dir)))
		err = add_entry(index, dirfd(dir), entry->d_name, path, depth);
	closedir(dir);
	return err;
}

int dir_index_build(struct dir_index *index, const char *dir, struct dir_limits limits)
{
	int err;

	memset(index, 0, sizeof(*index));
	index->limits = limits;
	elf_version(EV_CURRENT);
	err = walk(index, AT_FDCWD, dir, dir, 0);
	if (index->n)
		qsort(index->v, index->n, sizeof(struct dir_entry *), compare_entries);
	return err;
}

void dir_index_release(struct dir_index *index)
{
	for (size_t i = 0; i < index->n; i++) {
		free(index->v[i]->path);
		free(index->v[i]);
	}
	free(index->v);
	memset(index, 0, sizeof(*index));
}

size_t dir_index_find(const struct dir_index *index, const uint8_t *id, size_t size, size_t *first)
{
	size_t low = 0, high = index->n, n = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ids(index->v[middle]->id, index->v[middle]->id_size, id, size) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + n < index->n && !compare_ids(index->v[low + n]->id, index->v[low + n]->id_size, id, size))
		n++;
	*first = low;
	return n;
}
