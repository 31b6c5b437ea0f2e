/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening files that hostile processes chose, and remembering what they were. */
#include "backing.h"
#include "array.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define BACKING_KEPT 512 /* identities, about 2 KiB each */

static uint64_t mount_namespace(const char *proc, const char *who)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s/ns/mnt", proc, who);
	return stat(path, &st) ? 0 : st.st_ino;
}

void backings_init(struct backings *b, const char *proc)
{
	*b = (struct backings){.proc = proc, .mount_ns = mount_namespace(proc, "self")};
}

void backings_release(struct backings *b)
{
	table_release(&b->files);
	free(b->v);
	*b = (struct backings){0};
}

bool backing_foreign(struct backings *b, uint32_t pid)
{
	char who[16];
	uint64_t ns;

	/* Mappings are asked for process by process. */
	if (pid == b->asked_pid)
		return b->asked_foreign;
	snprintf(who, sizeof(who), "%u", pid);
	ns = mount_namespace(b->proc, who);
	b->asked_pid = pid;
	b->asked_foreign = ns && b->mount_ns && ns != b->mount_ns;
	return b->asked_foreign;
}

/* A handle that was not opened: opening a device or a fifo has effects. */
static int open_handle(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char plain[4096];
	int dir, fd;

	if (!root)
		return open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	dir = open(root, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (dir < 0)
		return -1;
	/* Links below that root must not lead out of it. */
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	if (fd >= 0 || (size_t)snprintf(plain, sizeof(plain), "%s%s", root, path) >= sizeof(plain))
		return fd;
	/* Before 5.6, and where a sandbox does not know it.  The caller compares
	 * what he gets with what the kernel said is mapped. */
	return errno == ENOSYS || errno == EPERM ? open(plain, O_PATH | O_CLOEXEC | O_NOFOLLOW) : -1;
}

static int open_regular(int handle, struct stat *st)
{
	char path[64];
	int fd = -1;

	if (handle < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
	if (!fstat(handle, st) && S_ISREG(st->st_mode))
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(handle);
	return fd;
}

int backing_open(const char *root, const char *path, struct stat *st)
{
	return open_regular(open_handle(root, path), st);
}

static int64_t stat_changed(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * NS_PER_S + st->st_ctim.tv_nsec;
}

static uint64_t stat_key(const struct stat *st)
{
	uint64_t key = table_mix(st->st_ino, st->st_dev);

	key = table_mix(key, (uint64_t)st->st_size);
	key = table_mix(key, (uint64_t)st->st_mtim.tv_sec * NS_PER_S + (uint64_t)st->st_mtim.tv_nsec);
	return table_mix(key, (uint64_t)stat_changed(st));
}

/* The identity of an open file: index, or -1; *memory says why. */
static ssize_t backing_read(struct backings *b, int fd, const struct stat *st, bool *memory)
{
	struct identity_image image = {.fd = fd, .size = (uint64_t)st->st_size};
	uint64_t key = stat_key(st), known = table_get(&b->files, key);
	struct identity *v;

	if (known)
		return (ssize_t)known - 1;
	if (b->n == BACKING_KEPT) {
		table_release(&b->files);
		b->n = 0;
	}
	v = array_grow(b->v, &b->room, b->n + 1, sizeof(*v));
	*memory = !v;
	if (!v)
		return -1;
	b->v = v;
	if (identity_read(&image, &b->v[b->n]))
		return -1;
	*memory = table_put(&b->files, key, b->n + 1) != 0;
	return *memory ? -1 : (ssize_t)b->n++;
}

static bool backing_inode(const struct backing_request *r, const struct stat *st, bool ours)
{
	if (!r->inode || r->inode != st->st_ino)
		return false;
	/* An overlay shows another device to stat than to maps; in our own
	 * namespace that is no excuse. */
	return !ours || (major(st->st_dev) == r->major && minor(st->st_dev) == r->minor);
}

/* Is this the very file that was mapped?  `sure`: the kernel says so. */
static bool backing_is(const struct backing_request *r, const struct identity *id, const struct stat *st, bool sure, bool ours)
{
	if (r->build_id_size)
		return identity_has(id, r->build_id, r->build_id_size);
	return sure || (backing_inode(r, st, ours) && stat_changed(st) <= r->mapped);
}

static int backing_try(struct backings *b, const struct backing_request *r, int fd, const struct stat *st, bool sure,
		       bool ours, struct backing_result *out)
{
	bool memory = false;
	struct stat own;
	ssize_t at;

	if (fd < 0)
		return 0;
	at = backing_read(b, fd, st, &memory);
	close(fd);
	if (at >= 0 && backing_is(r, &b->v[at], st, sure, ours)) {
		out->read = true;
		out->identity = &b->v[at];
		out->changed = stat_changed(st);
		/* Another namespace, but the same file under this name in ours. */
		if (out->foreign && !stat(r->path, &own) && own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			out->foreign = false;
	}
	return memory ? -1 : 0;
}

enum backing_place { PLACE_MAPPED, PLACE_ROOT, PLACE_OURS, PLACES };

/* What is in one of the places where the file may be, or -1. */
static int place_open(const struct backings *b, const struct backing_request *r, enum backing_place place, struct stat *st)
{
	char path[128];

	if (place == PLACE_OURS)
		return backing_open(NULL, r->path, st);
	snprintf(path, sizeof(path), "%s/%u/root", b->proc, r->pid);
	if (place == PLACE_ROOT)
		return backing_open(path, r->path, st);
	snprintf(path, sizeof(path), "%s/%u/map_files/%llx-%llx", b->proc, r->pid, (unsigned long long)r->start,
		 (unsigned long long)r->end);
	/* A link of the kernel's making: it is what must be followed. */
	return open_regular(open(path, O_PATH | O_CLOEXEC), st);
}

int backing_find(struct backings *b, const struct backing_request *r, struct backing_result *out)
{
	struct stat st;
	int err = 0;

	*out = (struct backing_result){.foreign = backing_foreign(b, r->pid)};
	for (enum backing_place place = 0; place < PLACES && !err && !out->read; place++)
		err = backing_try(b, r, place_open(b, r, place, &st), &st, place == PLACE_MAPPED, place == PLACE_OURS, out);
	return err;
}

int backing_open_mapped(struct backings *b, const struct backing_request *r, struct stat *st)
{
	for (enum backing_place place = 0; place < PLACES; place++) {
		int fd = place_open(b, r, place, st);

		if (fd >= 0 && (place == PLACE_MAPPED || backing_inode(r, st, place == PLACE_OURS)))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}
