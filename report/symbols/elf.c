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
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../format/crc32c.h"
#include "unpack.h"

#define NT_GO_BUILD_ID 4
#define HASH_EDGE (64u << 10)
#define MAX_NOTES (1u << 20) /* bytes of one note section that are looked at */
#define MAX_ALL_NOTES (UINT64_C(16) << 20) /* of all */
#define OVERLAP 4 /* how often tables may cover the same bytes */

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

static void take_id(struct elf_id *id, const uint8_t *at, size_t n)
{
	if (id->size || !n || n > FOLD_MAX_BUILD_ID || all_zero(at, n))
		return;
	memcpy(id->bytes, at, n);
	id->size = n;
}

static uint64_t note_number(const uint8_t *at, bool big)
{
	uint64_t x = 0;

	for (int i = 0; i < 4; i++)
		x = x << 8 | at[big ? i : 3 - i];
	return x;
}

static void take_note(const uint8_t *name, uint64_t type, const uint8_t *desc, size_t n, struct elf_id *gnu, struct elf_id *go)
{
	size_t beyond = n > FOLD_MAX_BUILD_ID ? n - FOLD_MAX_BUILD_ID : 0;

	if (type == NT_GNU_BUILD_ID && !memcmp(name, "GNU", 4))
		take_id(gnu, desc, n);
	if (type == NT_GO_BUILD_ID && !memcmp(name, "Go\0", 4))
		take_id(go, desc + beyond, n - beyond);
}

/*
 * Not by libelf, which refuses a note whose padding is missing: linkers do not
 * pad the last one, so an id of 5 bytes would be none.  The kernel, and with it
 * the recorder, takes it.
 */
static void ids_from_notes(Elf *elf, const Elf_Data *data, uint64_t align, struct elf_id *gnu, struct elf_id *go)
{
	const char *ident = elf_getident(elf, NULL);
	bool big = ident && ident[EI_DATA] == ELFDATA2MSB;
	const uint8_t *at = data ? data->d_buf : NULL;
	uint64_t size, pad = align == 8 ? 7 : 3;

	if (!at || data->d_size > MAX_NOTES)
		return;
	size = data->d_size;
	for (uint64_t pos = 0; pos < size && size - pos >= 12;) {
		/* 32-bit numbers: their sums do not wrap in 64 bits */
		uint64_t namesz = note_number(at + pos, big), descsz = note_number(at + pos + 4, big);
		uint64_t desc = (pos + 12 + namesz + pad) & ~pad;

		if (desc > size || descsz > size - desc)
			return;
		if (namesz == 4)
			take_note(at + pos + 12, note_number(at + pos + 8, big), at + desc, (size_t)descsz, gnu, go);
		pos = (desc + descsz + pad) & ~pad;
	}
}

static void ids_from_segments(Elf *elf, uint64_t *left, struct elf_id *gnu, struct elf_id *go)
{
	size_t phnum;

	if (elf_getphdrnum(elf, &phnum))
		return;
	for (size_t i = 0; i < phnum && !gnu->size; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE || header.p_filesz > MAX_NOTES || header.p_filesz > *left)
			continue;
		*left -= header.p_filesz;
		ids_from_notes(elf, elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE),
			       header.p_align, gnu, go);
	}
}

/* Sections first: the segments of a separated debug file may point anywhere. */
void elf_ids(Elf *elf, struct elf_id *gnu, struct elf_id *go)
{
	Elf_Scn *section = NULL;
	uint64_t left = MAX_ALL_NOTES;

	*gnu = *go = (struct elf_id){0};
	while (!gnu->size && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE || header.sh_flags & SHF_COMPRESSED || header.sh_size > left)
			continue;
		left -= header.sh_size;
		ids_from_notes(elf, elf_rawdata(section, NULL), header.sh_addralign, gnu, go);
	}
	if (!gnu->size && !go->size)
		ids_from_segments(elf, &left, gnu, go);
}

static bool hash_edge(int fd, uint64_t offset, size_t n, uint8_t *buffer, uint8_t *out)
{
	uint32_t crc;

	for (size_t got = 0; got < n;) {
		ssize_t r = pread(fd, buffer + got, n - got, (off_t)(offset + got));

		if (r <= 0)
			return false;
		got += (size_t)r;
	}
	crc = crc32c(0, buffer, n);
	for (int i = 0; i < 4; i++)
		out[i] = (uint8_t)(crc >> 8 * i);
	return true;
}

struct elf_id elf_file_hash(const struct elf_file *file)
{
	size_t n = file->size < HASH_EDGE ? (size_t)file->size : HASH_EDGE;
	struct elf_id id = {.size = 16};
	uint8_t *buffer = malloc(HASH_EDGE);

	for (int i = 0; i < 8; i++)
		id.bytes[i] = (uint8_t)(file->size >> 8 * i);
	if (!buffer || !file->has_fd || !hash_edge(file->fd, 0, n, buffer, id.bytes + 8) ||
	    !hash_edge(file->fd, file->size - n, n, buffer, id.bytes + 12))
		id.size = 0;
	free(buffer);
	return id;
}

static bool string_is(struct elf_strings s, uint64_t offset, const char *name)
{
	return elf_string_begins(s, offset, name, strlen(name) + 1);
}

static unsigned section_offers(const GElf_Shdr *header, struct elf_strings names)
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
	if (string_is(names, header->sh_name, ".debug_info") || string_is(names, header->sh_name, ".zdebug_info"))
		return ELF_HAS_DWARF;
	return string_is(names, header->sh_name, ".gnu_debugdata") ? ELF_HAS_MINIDEBUG : 0;
}

static int identify(struct elf_file *file)
{
	struct elf_strings names;
	Elf_Scn *section = NULL;
	GElf_Ehdr header;

	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &header))
		return -ENOEXEC;
	file->type = header.e_type;
	file->machine = header.e_machine;
	elf_ids(file->elf, &file->gnu, &file->go);
	names = elf_section_names(file->elf);
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr sh;

		if (gelf_getshdr(section, &sh))
			file->offers |= section_offers(&sh, names);
	}
	return 0;
}

/* Kernel modules are shipped packed. */
static void open_packed(struct elf_file *file)
{
	size_t packed_size, size;
	const char *packed = elf_rawfile(file->elf, &packed_size);

	file->image = packed ? unpack(packed, packed_size, &size) : NULL;
	if (!file->image)
		return;
	elf_end(file->elf);
	file->elf = elf_memory(file->image, size);
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
	if (out->elf && elf_kind(out->elf) == ELF_K_NONE)
		open_packed(out);
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
	free(file->image);
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
	struct elf_strings names = elf_section_names(elf);
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && string_is(names, header->sh_name, name))
			return section;
	return NULL;
}

struct elf_strings elf_strings(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf ? (struct elf_strings){data->d_buf, data->d_size} : (struct elf_strings){0};
}

struct elf_strings elf_section_names(Elf *elf)
{
	size_t section;

	return elf_getshdrstrndx(elf, &section) ? (struct elf_strings){0} : elf_strings(elf, section);
}

bool elf_string_begins(struct elf_strings s, uint64_t offset, const char *with, size_t n)
{
	return offset < s.size && n <= s.size - offset && !memcmp(s.at + offset, with, n);
}

const char *elf_string(struct elf_strings s, uint64_t offset, size_t max)
{
	if (offset >= s.size)
		return NULL;
	if (max > s.size - offset)
		max = s.size - offset;
	return memchr(s.at + offset, 0, max) ? s.at + offset : NULL;
}

uint64_t elf_entries(Elf *elf, size_t size)
{
	size_t bytes;

	return elf_rawfile(elf, &bytes) ? OVERLAP * (uint64_t)bytes / size : 0;
}

void elf_rest(Elf *elf, const void *at, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at, to = from + size;
	size_t file_size;
	const char *file = elf_rawfile(elf, &file_size);

	if (!file || from < (uintptr_t)file || to < from || to > (uintptr_t)file + file_size)
		return;
	from = (from + page - 1) & ~(page - 1);
	to &= ~(page - 1);
	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}
