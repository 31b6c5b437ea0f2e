/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF file, opened and identified: what it is, which build it belongs to and
 * what it offers.  Everything in it is hostile: a library from the target, a
 * file from a server.  Proves nothing by itself; locate.c compares.
 */
#ifndef FOLD_REPORT_ELF_H
#define FOLD_REPORT_ELF_H

#include <gelf.h>

#include "../../format/fold.h"

enum elf_offer {
	ELF_HAS_SYMTAB = 1u << 0,
	ELF_HAS_DYNSYM = 1u << 1,
	ELF_HAS_DWARF = 1u << 2,
	ELF_HAS_MINIDEBUG = 1u << 3, /* .gnu_debugdata */
	ELF_HAS_CODE = 1u << 4,      /* its code sections hold bytes: its file offsets are those that were mapped */
};

struct elf_id { /* size 0: none, or all zero, which identifies nothing */
	uint8_t bytes[FOLD_MAX_BUILD_ID];
	size_t size;
};

struct elf_file {
	char *path;
	int fd;
	bool has_fd;          /* `fd` is open */
	char *image;          /* of a packed file: its content; NULL else */
	Elf *elf;
	uint64_t size;
	uint32_t type, machine;
	unsigned offers;      /* enum elf_offer */
	struct elf_id gnu, go;
};

/*
 * Open `path` and read the above.  A file packed with xz, zstd or gzip is unpacked.
 * 0, or a negative errno: -ENOEXEC it is no regular ELF file.  On failure `out` is
 * empty.
 */
int elf_file_open(struct elf_file *out, const char *path);
/* The same for an image in memory (the vdso), which must outlive `out`. */
int elf_file_memory(struct elf_file *out, const char *name, char *image, size_t size);
void elf_file_close(struct elf_file *file); /* accepts a zeroed struct */

/* The first GNU build-id and the last 64 bytes of Go's, which name the content;
 * alone, for indexing many files. */
void elf_ids(Elf *elf, struct elf_id *gnu, struct elf_id *go);

/* FOLD_ID_HASH of the file: its size and its first and last 64 KiB.  Size 0: it
 * could not be read. */
struct elf_id elf_file_hash(const struct elf_file *file);

/* Executable load segments in file order, at most `max`; how many there are.
 * In a file without ELF_HAS_CODE, offset and filesz mean nothing. */
size_t elf_segments(Elf *elf, struct fold_segment *v, size_t max);

/* Give the memory of `size` bytes of the mapped file, from `at`, back to the
 * kernel; they come back by themselves.  Does nothing when `at` is elsewhere. */
void elf_rest(Elf *elf, const void *at, size_t size);

/* Section by name; NULL none. */
Elf_Scn *elf_section(Elf *elf, const char *name, GElf_Shdr *header);

/* A table of strings, the last of which may have no end; size 0: there is none.  libelf
 * would look for an end from the end of the table, each time. */
struct elf_strings {
	const char *at;
	size_t size;
};
struct elf_strings elf_strings(Elf *elf, size_t section);
struct elf_strings elf_section_names(Elf *elf);
/* Does the string at `offset` begin with these `n` bytes? */
bool elf_string_begins(struct elf_strings s, uint64_t offset, const char *with, size_t n);
/* The string at `offset`; NULL when it has no end within `max` bytes. */
const char *elf_string(struct elf_strings s, uint64_t offset, size_t max);

/*
 * Tables can overlap, and a hostile file have any number of them over the same
 * bytes: how many entries of at least `size` bytes may be looked at, in all.
 */
uint64_t elf_entries(Elf *elf, size_t size);

#endif
