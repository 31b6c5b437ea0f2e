/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and attaches what keeps the set; the bits are memory of a BPF map. */
#include "scope.h"
#include "programs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/libbpf.h>

#include "../bpf/event.h"

#define SCOPE_BYTES (EVENT_SCOPE_WORDS * sizeof(uint64_t))

static int load(struct scope *s, uint32_t command)
{
	struct event_scope_config config = { .command = command };
	struct bpf_map *map, *rodata;
	int err = program_open(&s->object, program_scope, program_scope_end, "fold_scope");

	if (err)
		return err;
	map = bpf_object__find_map_by_name(s->object, "scope");
	rodata = bpf_object__find_map_by_name(s->object, ".rodata");
	if (!map || !rodata)
		return -ENOENT;
	err = bpf_map__set_max_entries(map, EVENT_SCOPE_WORDS);
	if (!err)
		err = bpf_map__set_initial_value(rodata, &config, sizeof(config));
	if (!err)
		err = bpf_object__load(s->object);
	s->map_fd = err ? -1 : bpf_map__fd(map);
	return err;
}

static int attach(struct scope *s)
{
	struct bpf_program *program;
	size_t n = 0;

	bpf_object__for_each_program(program, s->object) {
		s->links[n] = bpf_program__attach(program);
		if (!s->links[n])
			return -errno;
		if (++n == SCOPE_LINKS)
			break;
	}
	return 0;
}

int scope_open(struct scope *s, uint32_t command)
{
	int err;

	memset(s, 0, sizeof(*s));
	err = load(s, command);
	if (!err) {
		s->words = mmap(NULL, SCOPE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->map_fd, 0);
		err = s->words == MAP_FAILED ? -errno : attach(s);
	}
	if (err)
		scope_close(s);
	return err;
}

void scope_close(struct scope *s)
{
	for (size_t i = 0; i < SCOPE_LINKS; i++)
		if (s->links[i])
			bpf_link__destroy(s->links[i]);
	if (s->words && s->words != MAP_FAILED)
		munmap(s->words, SCOPE_BYTES);
	if (s->object)
		bpf_object__close(s->object);
	memset(s, 0, sizeof(*s));
}

void scope_add(struct scope *s, uint32_t tgid)
{
	__atomic_fetch_or(&s->words[tgid / 64 % EVENT_SCOPE_WORDS], UINT64_C(1) << (tgid & 63), __ATOMIC_RELAXED);
}
