/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout that the kernel's module loader makes of code: sections in the order
 * of the file, each aligned as it asks, those for initialization apart.
 */
#include "relocatable.h"
#include "elf.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SECTIONS 65536

bool relocatable(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_type == ET_REL;
}

void relocatable_layout(Elf *elf, uint64_t *addresses, size_t n)
{
	struct elf_strings names;
	uint64_t end = 0;
	GElf_Ehdr file;

	for (size_t i = 0; i < n; i++)
		addresses[i] = RELOCATABLE_NOWHERE;
	if (!gelf_getehdr(elf, &file) || file.e_machine != EM_X86_64)
		return;
	names = elf_section_names(elf);
	for (size_t i = 1; i < n; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);
		GElf_Shdr header;
		uint64_t align;

		if (!scn || !gelf_getshdr(scn, &header) || (header.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR))
			continue;
		if (header.sh_name >= names.size || elf_string_begins(names, header.sh_name, ".init", 5))
			continue;
		align = header.sh_addralign ? header.sh_addralign : 1;
		if (align & (align - 1) || align > 1 << 20 || header.sh_size > 1 << 30)
			return;
		addresses[i] = (end + align - 1) & ~(align - 1);
		end = addresses[i] + header.sh_size;
	}
}

/* ------------------------------------------------------------ relocations */

struct job {
	Elf *elf;
	Elf_Data *symbols;
	uint64_t *addresses; /* of sections */
	size_t nsections;
	uint8_t *bytes;
	size_t size;
	uint64_t entries;    /* that may still be looked at */
};

/* What the symbol stands for: its place in code, or its offset in another section. */
static bool symbol_value(const struct job *job, uint64_t index, uint64_t *value)
{
	GElf_Sym sym;

	if (index > INT32_MAX || !gelf_getsym(job->symbols, (int)index, &sym))
		return false;
	*value = sym.st_value;
	if (sym.st_shndx < job->nsections && job->addresses[sym.st_shndx] != RELOCATABLE_NOWHERE)
		*value += job->addresses[sym.st_shndx];
	return true;
}

static bool apply_one(const struct job *job, const GElf_Rela *r)
{
	uint64_t value;
	size_t n;

	switch (GELF_R_TYPE(r->r_info)) {
	case R_X86_64_NONE:
		return true;
	case R_X86_64_64:
		n = 8;
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		n = 4;
		break;
	default:
		return false;
	}
	if (r->r_offset > job->size || job->size - r->r_offset < n || !symbol_value(job, GELF_R_SYM(r->r_info), &value))
		return false;
	value += (uint64_t)r->r_addend;
	for (size_t i = 0; i < n; i++)
		job->bytes[r->r_offset + i] = (uint8_t)(value >> 8 * i);
	return true;
}

static bool apply_table(struct job *job, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *symbols = elf_getscn(job->elf, header->sh_link);
	size_t n = data ? data->d_size / gelf_fsize(job->elf, ELF_T_RELA, 1, EV_CURRENT) : 0;

	job->symbols = symbols ? elf_getdata(symbols, NULL) : NULL;
	if (!job->symbols || n > INT32_MAX || n > job->entries)
		return false;
	job->entries -= n;
	for (size_t i = 0; i < n; i++) {
		GElf_Rela r;

		if (!gelf_getrela(data, (int)i, &r) || !apply_one(job, &r))
			return false;
	}
	return true;
}

bool relocatable_apply(Elf *elf, size_t index, uint8_t *bytes, size_t size)
{
	struct job job = {.elf = elf, .bytes = bytes, .size = size, .entries = elf_entries(elf, sizeof(Elf64_Rela))};
	Elf_Scn *scn = NULL;
	bool good = true;

	if (elf_getshdrnum(elf, &job.nsections) || job.nsections > MAX_SECTIONS)
		return false;
	job.addresses = malloc((job.nsections + 1) * sizeof(*job.addresses));
	if (!job.addresses)
		return false;
	relocatable_layout(elf, job.addresses, job.nsections);
	while (good && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA && header.sh_info == index)
			good = apply_table(&job, scn, &header);
	}
	free(job.addresses);
	return good;
}
