/* SPDX-License-Identifier: BSD-2-Clause */
/* One call for one address: they are few, because a function is asked for once. */
#include "names.h"
#include "programs.h"

#include <errno.h>
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

bool names_find(struct names *n, uint64_t address, struct kernel_symbol *out)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);

	n->shared->address = address;
	if (bpf_prog_test_run_opts(n->program, &run) || run.retval)
		return false;
	n->shared->text[sizeof(n->shared->text) - 1] = '\0';
	return names_parse(n->shared->text, address, out);
}
