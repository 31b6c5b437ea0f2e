/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names under which kernels are entered, and the frames outside of them.
 * Kernels save what was interrupted where their unwinders find it: behind the
 * frame of the entry stands the address that was about to be executed.
 */
#include "interrupt.h"

#include <stdlib.h>
#include <string.h>

static const char *const prefixes[] = {
	"asm_sysvec_", "asm_exc_", "asm_common_interrupt", "asm_spurious_interrupt", /* x86 from 5.8 */
	"el1h_64_", "el1t_64_", "el1_irq", "el1_sync", "el1_error",                  /* arm64 */
};
static const char *const names[] = {
	/* x86: inside the entry of the NMI, and before 5.8 */
	"first_nmi", "repeat_nmi", "end_repeat_nmi", "nmi",
	"common_interrupt", "ret_from_intr", "apic_timer_interrupt", "reschedule_interrupt", "irq_work_interrupt",
	"call_function_interrupt", "call_function_single_interrupt", "thermal_interrupt", "threshold_interrupt",
	"page_fault", "async_page_fault", "general_protection", "divide_error", "int3", "debug", "invalid_op",
	"ext_int_handler", "io_int_handler", "pgm_check_handler", "mcck_int_handler", /* s390x */
	"handle_exception", "ret_from_exception",                                     /* riscv64 */
};

bool interrupt_is_entry(const char *name, size_t size)
{
	/* arm64's are written in C and called by assembly of the same name without it */
	if (size > 8 && !memcmp(name + size - 8, "_handler", 8) && !memcmp(name, "el1", 3))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (size >= strlen(prefixes[i]) && !memcmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (size == strlen(names[i]) && !memcmp(name, names[i], size))
			return true;
	return false;
}

void interrupt_add(struct interrupt_entries *entries, uint64_t start, uint64_t end)
{
	if (entries->n < INTERRUPT_MAX_ENTRIES)
		entries->v[entries->n++] = (struct interrupt_entry){start, end};
}

static bool inside(const struct interrupt_entries *entries, uint64_t offset)
{
	size_t low = 0, high = entries ? entries->n : 0;

	if (!high || offset < entries->v[0].start || offset >= entries->v[high - 1].end)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (entries->v[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return offset < entries->v[low - 1].end;
}

/* Of the same kernel, or of a module or program in it. */
static bool in_kernel(const struct recording *rec, const struct rec_node *node)
{
	uint32_t kind;

	if (node->kind != REC_FRAME_CODE || node->module >= rec->nmodules)
		return false;
	kind = rec->modules[node->module].kind;
	return kind == FOLD_MODULE_KERNEL || kind == FOLD_MODULE_KO || kind == FOLD_MODULE_BPF;
}

enum { CALLED = 1, STOPPED = 2 };

/* The frame that `node` was entered from, if it can have been stopped there. */
static bool is_stopped(const struct recording *rec, const struct rec_node *node, const struct rec_node *outer,
		       struct interrupt_entries *const *entries)
{
	const struct interrupt_entries *here = entries[node->module];

	/* entries share code, which one calls in the other */
	return inside(here, node->offset) && in_kernel(rec, outer) &&
	       !(outer->module == node->module && inside(here, outer->offset));
}

int interrupt_mark(struct recording *rec, struct interrupt_entries *const *entries)
{
	uint8_t *how = calloc(rec->nnodes + 1, 1);

	if (!how)
		return -1;
	for (size_t i = 0; i < rec->nnodes; i++) {
		const struct rec_node *node = &rec->nodes[i];

		if (node->parent < rec->nnodes && node->kind == REC_FRAME_CODE && node->module < rec->nmodules)
			how[node->parent] |= is_stopped(rec, node, &rec->nodes[node->parent], entries) ? STOPPED : CALLED;
	}
	for (size_t i = 0; i < rec->nnodes; i++)
		if (how[i] == STOPPED)
			rec->nodes[i].exact = true;
	free(how);
	return 0;
}
