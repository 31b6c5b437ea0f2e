/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the vdso of this process.  The image is the kernel's, but it is read
 * like any other: a test hands in what it likes.
 */
#include "vdso.h"
#include "symbol_rank.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

void vdso_init_image(struct vdso *v, const uint8_t *at, size_t size)
{
	struct identity_image image = {.fd = -1, .at = at, .size = size};

	*v = (struct vdso){.at = at, .size = size};
	if (identity_read(&image, &v->identity) || !v->identity.elf)
		v->at = NULL;
}

/* The last byte that its headers speak of, in whole pages. */
static size_t vdso_extent(const ElfW(Ehdr) *eh)
{
	const ElfW(Phdr) *ph = (const void *)((const uint8_t *)eh + eh->e_phoff);
	size_t end = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize, page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset + ph[i].p_filesz > end)
			end = ph[i].p_offset + ph[i].p_filesz;
	}
	return (end + page - 1) & ~(page - 1);
}

void vdso_init(struct vdso *v)
{
	const ElfW(Ehdr) *eh = (const void *)getauxval(AT_SYSINFO_EHDR);

	*v = (struct vdso){0};
	if (eh && !memcmp(eh->e_ident, ELFMAG, SELFMAG))
		vdso_init_image(v, (const uint8_t *)eh, vdso_extent(eh));
}

/* `n` items of `size` bytes at `offset`, or NULL when the image does not hold them
 * or they are not aligned. */
static const void *vdso_part(const struct vdso *v, uint64_t offset, uint64_t n, uint64_t size)
{
	if (offset > v->size || n > (v->size - offset) / size || (size > 1 && offset % sizeof(ElfW(Addr))))
		return NULL;
	return v->at + offset;
}

static const ElfW(Shdr) *vdso_sections(const struct vdso *v, size_t *n)
{
	const ElfW(Ehdr) *eh = vdso_part(v, 0, 1, sizeof(*eh));

	if (!eh || eh->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    eh->e_shentsize != sizeof(ElfW(Shdr)))
		return NULL;
	*n = eh->e_shnum;
	return vdso_part(v, eh->e_shoff, eh->e_shnum, sizeof(ElfW(Shdr)));
}

/* The best function of one symbol table that covers `vaddr`. */
static bool vdso_search(const struct vdso *v, const ElfW(Shdr) *table, const ElfW(Shdr) *strings, uint64_t vaddr,
			struct vdso_symbol *out)
{
	const ElfW(Sym) *sym = vdso_part(v, table->sh_offset, table->sh_size / sizeof(*sym), sizeof(*sym));
	const char *names = vdso_part(v, strings->sh_offset, strings->sh_size, 1);
	bool have = false, out_local = false;

	if (!sym || !names || !strings->sh_size || names[strings->sh_size - 1])
		return false;
	for (size_t i = 0; i < table->sh_size / sizeof(*sym); i++) {
		const char *name = names + (sym[i].st_name < strings->sh_size ? sym[i].st_name : 0);
		bool local = ELF64_ST_BIND(sym[i].st_info) == STB_LOCAL;

		if (ELF64_ST_TYPE(sym[i].st_info) != STT_FUNC || sym[i].st_shndx == SHN_UNDEF || !*name ||
		    vaddr < sym[i].st_value || vaddr - sym[i].st_value >= sym[i].st_size)
			continue;
		if (have && !symbol_better(name, local, out->name, out_local))
			continue;
		have = true;
		out_local = local;
		*out = (struct vdso_symbol){.name = name, .offset = sym[i].st_value, .size = sym[i].st_size};
	}
	return have;
}

bool vdso_symbol(const struct vdso *v, uint64_t offset, struct vdso_symbol *out)
{
	size_t n = 0;
	const ElfW(Shdr) *sh = v->at ? vdso_sections(v, &n) : NULL;
	uint64_t bias;

	if (!sh || !v->identity.nsegments)
		return false;
	bias = v->identity.segments[0].vaddr - v->identity.segments[0].offset;
	for (size_t i = 0; i < n; i++) {
		if (sh[i].sh_type != SHT_DYNSYM || sh[i].sh_link >= n)
			continue;
		if (!vdso_search(v, &sh[i], &sh[sh[i].sh_link], offset + bias, out))
			continue;
		out->offset -= bias;
		return true;
	}
	return false;
}
