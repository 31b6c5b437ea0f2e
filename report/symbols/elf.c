/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening and identifying ELF files with libelf.  Works for any class, byte
 * order and machine.  Owns the file and its mapping.
 */
#include "elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NOTES (1u << 20) /* bytes of one note section that are looked at */

/* A path from a target may name a FIFO or a device: neither may hold us up. */
static int open_regular(const char *path, uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENOEXEC;
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

static bool all_zero(const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i])
			return false;
	return true;
}

static size_t id_from_notes(Elf_Data *data, uint8_t id[FOLD_MAX_BUILD_ID])
{
	size_t at = 0, name_at, desc_at;
	GElf_Nhdr note;

	if (!data || !data->d_buf || data->d_size > MAX_NOTES)
		return 0;
	while ((at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const uint8_t *desc = (const uint8_t *)data->d_buf + desc_at;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((const char *)data->d_buf + name_at, "GNU", 4))
			continue;
		if (!note.n_descsz || note.n_descsz > FOLD_MAX_BUILD_ID || all_zero(desc, note.n_descsz))
			continue;
		memcpy(id, desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

/* Sections first: the segments of a separated debug file may point anywhere. */
size_t elf_build_id(Elf *elf, uint8_t id[FOLD_MAX_BUILD_ID])
{
	Elf_Scn *section = NULL;
	size_t phnum, n;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE && !(header.sh_flags & SHF_COMPRESSED)) {
			n = id_from_notes(elf_getdata(section, NULL), id);
			if (n)
				return n;
		}
	}
	if (elf_getphdrnum(elf, &phnum))
		return 0;
	for (size_t i = 0; i < phnum; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE || header.p_filesz > MAX_NOTES)
			continue;
		n = id_from_notes(elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
						       header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR), id);
		if (n)
			return n;
	}
	return 0;
}

static unsigned section_offers(const GElf_Shdr *header, const char *name)
{
	bool has_bytes = header->sh_type != SHT_NOBITS && header->sh_size;

	if (!has_bytes)
		return 0;
	if (header->sh_type == SHT_SYMTAB)
		return ELF_HAS_SYMTAB;
	if (header->sh_type == SHT_DYNSYM)
		return ELF_HAS_DYNSYM;
	if (header->sh_flags & SHF_EXECINSTR)
		return ELF_HAS_CODE;
	if (!name)
		return 0;
	if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
		return ELF_HAS_DWARF;
	return strcmp(name, ".gnu_debugdata") ? 0 : ELF_HAS_MINIDEBUG;
}

static int identify(struct elf_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	size_t strings;

	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &header))
		return -ENOEXEC;
	file->type = header.e_type;
	file->machine = header.e_machine;
	file->id_size = elf_build_id(file->elf, file->id);
	if (elf_getshdrstrndx(file->elf, &strings))
		strings = 0;
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr sh;

		if (gelf_getshdr(section, &sh))
			file->offers |= section_offers(&sh, elf_strptr(file->elf, strings, sh.sh_name));
	}
	return 0;
}

int elf_file_open(struct elf_file *out, const char *path)
{
	int err;

	memset(out, 0, sizeof(*out));
	elf_version(EV_CURRENT);
	err = open_regular(path, &out->size);
	if (err < 0)
		return err;
	out->fd = err;
	out->has_fd = true;
	out->path = strdup(path);
	out->elf = elf_begin(out->fd, ELF_C_READ_MMAP, NULL);
	err = out->path ? identify(out) : -ENOMEM;
	if (err)
		elf_file_close(out);
	return err;
}

int elf_file_memory(struct elf_file *out, const char *name, char *image, size_t size)
{
	int err;

	memset(out, 0, sizeof(*out));
	elf_version(EV_CURRENT);
	out->size = size;
	out->path = strdup(name);
	out->elf = elf_memory(image, size);
	err = out->path ? identify(out) : -ENOMEM;
	if (err)
		elf_file_close(out);
	return err;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->has_fd)
		close(file->fd);
	free(file->path);
	memset(file, 0, sizeof(*file));
}

size_t elf_segments(Elf *elf, struct fold_segment *v, size_t max)
{
	size_t phnum, n = 0;

	if (elf_getphdrnum(elf, &phnum))
		return 0;
	for (size_t i = 0; i < phnum; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD || !(header.p_flags & PF_X))
			continue;
		if (n < max)
			v[n] = (struct fold_segment){header.p_offset, header.p_vaddr, header.p_filesz, header.p_align};
		n++;
	}
	return n;
}

Elf_Scn *elf_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *own;

		if (!gelf_getshdr(section, header))
			continue;
		own = elf_strptr(elf, strings, header->sh_name);
		if (own && !strcmp(own, name))
			return section;
	}
	return NULL;
}
