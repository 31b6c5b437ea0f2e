/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Landlock by its system calls: neither the C library nor the kernel headers of
 * the build host have to know it.  Numbers are those of linux/landlock.h.
 */
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same on every architecture. */
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1

enum {
	FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3, FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8, FS_REFER = 1 << 13, FS_TRUNCATE = 1 << 14,
	FS_OF_FILES = FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE, /* a rule for a file may name no others */
	NET_TCP = 3,    /* bind, connect */
	SCOPES = 3,     /* abstract sockets and signals of others */
};
struct ruleset_attr { uint64_t fs, net, scoped; };
struct path_beneath_attr { uint64_t allowed; int32_t fd; } __attribute__((packed));

/* All rights that a version of the interface knows; 1 and 2 have the same size of struct. */
static uint64_t known_rights(int abi)
{
	static const uint64_t rights[] = {[1] = (1 << 13) - 1, [2] = (1 << 14) - 1, [3] = (1 << 15) - 1, [4] = (1 << 15) - 1};

	return abi < 5 ? rights[abi] : (1 << 16) - 1;
}

static size_t attr_size(int abi)
{
	return abi < 4 ? offsetof(struct ruleset_attr, net) : abi < 6 ? offsetof(struct ruleset_attr, scoped) : sizeof(struct ruleset_attr);
}

int landlock_begin(struct landlock *l, bool network)
{
	long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
	struct ruleset_attr attr = {0};

	*l = (struct landlock){.abi = (int)abi, .fd = -1};
	if (abi < 1)
		return abi < 0 ? -errno : -ENOSYS;
	l->handled = attr.fs = known_rights(l->abi);
	attr.net = network ? 0 : NET_TCP;
	attr.scoped = SCOPES;
	l->fd = (int)syscall(__NR_landlock_create_ruleset, &attr, attr_size(l->abi), 0);
	return l->fd < 0 ? -errno : 0;
}

static uint64_t rights_of(enum landlock_use use)
{
	switch (use) {
	case LANDLOCK_READ:
		return FS_READ_FILE | FS_READ_DIR;
	case LANDLOCK_WRITE:
		return FS_WRITE_FILE | FS_TRUNCATE;
	case LANDLOCK_CREATE:
		/* mkstemp(3) opens for reading too */
		return FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_FILE | FS_MAKE_REG;
	case LANDLOCK_CACHE:
		return FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_FILE | FS_REMOVE_DIR | FS_MAKE_REG |
		       FS_MAKE_DIR | FS_REFER;
	}
	return 0;
}

int landlock_allow(const struct landlock *l, const char *path, enum landlock_use use)
{
	struct path_beneath_attr rule = {.allowed = rights_of(use) & l->handled};
	struct stat st;
	int err = 0;

	rule.fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.fd < 0)
		return -errno;
	if (fstat(rule.fd, &st))
		err = -errno;
	if (!err && !S_ISDIR(st.st_mode))
		rule.allowed &= FS_OF_FILES;
	if (!err && syscall(__NR_landlock_add_rule, l->fd, RULE_PATH_BENEATH, &rule, 0))
		err = -errno;
	close(rule.fd);
	return err;
}

int landlock_enter(struct landlock *l)
{
	int err = syscall(__NR_landlock_restrict_self, l->fd, 0) ? -errno : 0;

	close(l->fd);
	*l = (struct landlock){.fd = -1};
	return err;
}
