/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening, loading and attaching the walker's object.  See walker.h. */
#include "walker.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "../../bpf/unwind.h"
#include "../programs.h"

bool walker_exists(void)
{
	return &program_unwind_end[0] != &program_unwind[0];
}

/*
 * Under lockdown=confidentiality libbpf (1.1) finds that bpf_probe_read_kernel is
 * refused, concludes that the kernel is old, and turns bpf_probe_read_user into
 * bpf_probe_read, which is refused as well.  All such calls of this object read
 * user memory: turn them back.
 */
static int calls_restore(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct bpf_insn *insn = (struct bpf_insn *)bpf_program__insns(program);
	size_t n = bpf_program__insn_cnt(program);

	for (size_t i = 0; i < n; i++)
		if (insn[i].code == (BPF_JMP | BPF_CALL) && !insn[i].src_reg && insn[i].imm == BPF_FUNC_probe_read)
			insn[i].imm = BPF_FUNC_probe_read_user;
	return 0;
}

/* Code that is not known is worth as much as the samples that meet it, and those have
 * copies: the more of them, the sooner. */
#define SAMPLES_BETWEEN_NUDGES 6
static int config_set(struct bpf_object *object, bool read_kernel, uint32_t frequency)
{
	struct unwind_config config = { .read_kernel = read_kernel, .nudge_ns = (uint32_t)(SAMPLES_BETWEEN_NUDGES * UINT64_C(1000000000) / (frequency < 6 ? 6 : frequency)) };
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata.unwind");

	return map ? bpf_map__set_initial_value(map, &config, sizeof(config)) : -ENOENT;
}

/* For good: libbpf (1.1) frees its list when the last handler goes, and goes on to
 * use it. */
static int handler_register(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .prog_prepare_load_fn = calls_restore);
	static bool registered;
	int id = registered ? 0 : libbpf_register_prog_handler("perf_event", BPF_PROG_TYPE_PERF_EVENT, 0, &handler);

	registered = registered || id >= 0;
	return id < 0 ? id : 0;
}

int walker_open(struct walker *w, bool read_kernel, uint32_t frequency)
{
	int err = handler_register();

	memset(w, 0, sizeof(*w));
	if (err)
		return err;
	err = program_open(&w->object, program_unwind, program_unwind_end, "fold_unwind");
	return err ? err : config_set(w->object, read_kernel, frequency);
}

int walker_attach(struct walker *w)
{
	struct bpf_program *program;
	size_t n = 0;

	bpf_object__for_each_program(program, w->object) {
		if (bpf_program__type(program) != BPF_PROG_TYPE_TRACING || n == WALKER_LINKS)
			continue;
		w->links[n] = bpf_program__attach(program);
		if (!w->links[n])
			return -errno;
		n++;
	}
	return 0;
}

void walker_release(struct walker *w)
{
	for (size_t i = 0; i < WALKER_LINKS; i++)
		if (w->links[i])
			bpf_link__destroy(w->links[i]);
	if (w->object)
		bpf_object__close(w->object);
	memset(w, 0, sizeof(*w));
}
