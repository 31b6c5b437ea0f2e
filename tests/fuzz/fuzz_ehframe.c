/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: the builder of unwind tables on any bytes: as an ELF file when they
 * begin like one, else as the .eh_frame of one that is made here.  The table must
 * obey what the kernel's side and record/unwind/tables rely on.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../record/unwind/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "table breaks its promise: %s\n", what);
	abort();
}

static void table_check(const struct packed *t)
{
	require(t->npages <= PACK_MAX_PAGES && t->nrows <= PACK_MAX_ROWS && t->nrules <= UNWIND_RULES, "counts");
	for (uint32_t p = 0; p < t->npages; p++) {
		uint32_t end = p + 1 < t->npages ? t->pages[p + 1] : t->nrows;

		require(t->pages[p] < end && end <= t->nrows, "a page has rows");
		require(!unwind_row_pc(t->rows[t->pages[p]]), "a page begins at 0");
		for (uint32_t i = t->pages[p]; i < end; i++) {
			uint32_t word = unwind_row_rule(t->rows[i]);

			require(i == t->pages[p] || unwind_row_pc(t->rows[i]) > unwind_row_pc(t->rows[i - 1]), "rows go up");
			require(word >> 14 != UNWIND_EXT || (word & (UNWIND_RULES - 1)) < t->nrules, "rules exist");
		}
	}
}

/* A program of one page of code, whose .eh_frame these bytes are; the loader's
 * pointer leads to it.  The caller's, and not a byte longer than it is. */
static uint8_t *wrap(const uint8_t *frames, size_t size, size_t *total)
{
	const struct {
		Elf64_Ehdr file;
		Elf64_Phdr segments[2];
		uint8_t header[8];
	} head = {
		.file = {
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_DYN,
			.e_machine = EM_X86_64, .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
		},
		.segments = {
			{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = sizeof(head) + size, .p_memsz = 4096},
			{.p_type = PT_GNU_EH_FRAME, .p_offset = sizeof(head) - 8, .p_vaddr = sizeof(head) - 8, .p_filesz = 8},
		},
		.header = {1, 0x1b, 0xff, 0xff, 4}, /* relative to itself, four bytes: right behind it */
	};
	uint8_t *image = malloc(sizeof(head) + size);

	require(image != NULL, "memory");
	memcpy(image, &head, sizeof(head));
	if (size)
		memcpy(image + sizeof(head), frames, size);
	*total = sizeof(head) + size;
	return image;
}

static void build(struct packed *t, const uint8_t *data, size_t size)
{
	t->status = t->nsegments = t->npages = t->nrows = t->nrules = 0;
	pack_image(t, data, size);
	require(t->status != PACKED_UNFINISHED, "status");
	if (t->status == PACKED_OK)
		table_check(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct packed *t;
	uint8_t *image;

	if (!t) {
		t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (t == MAP_FAILED)
			abort();
	}
	if (size >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG)) {
		build(t, data, size);
		return 0;
	}
	image = wrap(data, size, &size);
	build(t, image, size);
	free(image);
	return 0;
}
