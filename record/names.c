/* SPDX-License-Identifier: BSD-2-Clause */
/* One call for one address: they are few, because a function is asked for once. */
#include "names.h"
#include "programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../bpf/event.h"

int names_open(struct names *n)
{
	int err;

	memset(n, 0, sizeof(*n));
	err = program_open(&n->object, program_names, program_names_end, "fold_names");
	if (!err)
		err = bpf_object__load(n->object);
	if (!err) {
		void *at = mmap(NULL, sizeof(*n->shared), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_object__find_map_fd_by_name(n->object, "name"), 0);

		n->shared = at == MAP_FAILED ? NULL : at;
		err = n->shared ? 0 : -errno;
	}
	if (!err)
		n->program = bpf_program__fd(bpf_object__next_program(n->object, NULL));
	else
		names_close(n);
	return err;
}

void names_close(struct names *n)
{
	if (n->shared)
		munmap(n->shared, sizeof(*n->shared));
	if (n->object)
		bpf_object__close(n->object);
	memset(n, 0, sizeof(*n));
}

/* "0x12", and what stands behind it. */
static bool take_hex(char **p, uint64_t *out)
{
	char *end;

	if (strncmp(*p, "0x", 2) != 0)
		return false;
	errno = 0;
	*out = strtoull(*p, &end, 16);
	if (errno || end == *p + 2)
		return false;
	*p = end;
	return true;
}

bool names_parse(char *text, uint64_t address, struct kernel_symbol *out)
{
	char *plus = strrchr(text, '+'), *p = plus + 1;
	uint64_t into, size;

	/* what has no name is printed as a number */
	if (!plus || plus == text || !strncmp(text, "0x", 2))
		return false;
	if (!take_hex(&p, &into) || *p++ != '/' || !take_hex(&p, &size) || (*p && *p != ' '))
		return false;
	if (into >= size || into > address)
		return false;
	*plus = '\0';
	*out = (struct kernel_symbol){.start = address - into, .size = size, .name = text};
	return true;
}

bool names_find(struct names *n, uint64_t address, struct kernel_symbol *out)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);

	n->shared->address = address;
	if (bpf_prog_test_run_opts(n->program, &run) || run.retval)
		return false;
	n->shared->text[sizeof(n->shared->text) - 1] = '\0';
	return names_parse(n->shared->text, address, out);
}
