/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory in which the walker finds its tables: arrays that the kernel and we
 * both see, and a word per process.  One store is made of BPF maps, another of
 * plain memory for tests.  Knows nothing of what is in it.
 */
#ifndef FOLD_UNWIND_STORE_H
#define FOLD_UNWIND_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "../../bpf/unwind.h"

struct bpf_object;

struct unwind_store {
	struct unwind_page *pages;         /* UNWIND_PAGES */
	struct unwind_rule *rules;         /* UNWIND_RULES */
	struct unwind_mapping *mappings;   /* UNWIND_MAPPINGS */
	struct unwind_copying *copying;
	uint32_t *shards[UNWIND_SHARDS];   /* UNWIND_SHARD_ROWS each; NULL until made */
	uint64_t *changes;                 /* UNWIND_CHANGES */
	int shards_fd, processes_fd, images_fd;
	/* Make shard `i`: 0, or -1. */
	int (*shard_new)(struct unwind_store *s, uint32_t i);
	/* What is known of a process; 0 deletes.  0, or -1: no room. */
	int (*process_set)(struct unwind_store *s, uint32_t tgid, uint64_t word);
	/* How often it became another image, as the kernel's side counted. */
	uint32_t (*process_image)(struct unwind_store *s, uint32_t tgid);
};

/* The maps of a loaded object.  0, or -errno. */
int store_open(struct unwind_store *s, struct bpf_object *object);
void store_release(struct unwind_store *s); /* accepts a zeroed struct */

#endif
