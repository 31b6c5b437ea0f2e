/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stubs of procedure linkage look like on each machine: which slot the code
 * jumps through, and which relocations fill slots.
 */
#ifndef FOLD_REPORT_PLT_STUB_H
#define FOLD_REPORT_PLT_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plt_stubs { /* a section of them */
	const uint8_t *at;
	uint64_t address, size;
	uint32_t machine;
	uint64_t got;          /* what i386's position-independent stubs count from */
};

struct plt_machine {
	uint32_t elf;          /* e_machine */
	uint32_t jump_slot, glob_dat, irelative; /* relocations of slots */
	uint32_t longest;      /* bytes of a stub */
	/* Is there a jump at `at` < size: through which slot, and where does its stub begin? */
	bool (*jump)(const struct plt_stubs *s, uint64_t at, uint64_t *slot, uint64_t *start);
};

const struct plt_machine *plt_machine(uint32_t machine); /* NULL: not known */

#endif
