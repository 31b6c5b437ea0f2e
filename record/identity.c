/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small ELF reader for both classes and byte orders.  Knows program headers
 * and notes only: sections can be stripped, and the kernel does not look at them.
 */
#include "identity.h"
#include "../format/crc32c.h"
#include "../format/wire.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IDENTITY_MAX_PHDRS 512
#define IDENTITY_MAX_PHENT 256
#define IDENTITY_MAX_NOTES (64u << 10) /* bytes of one note segment */
#define IDENTITY_MAX_NOTE_SEGMENTS 16
#define IDENTITY_EDGE (64u << 10)      /* bytes hashed at either end */
#define NT_GO_BUILD_ID 4

/* The bytes of an ELF file, and how its numbers are written. */
struct elf_view {
	const struct identity_image *image;
	const uint8_t *head; /* its first bytes, where all of this usually is */
	size_t nhead;
	bool wide, big;
};

static uint64_t elf_number(const uint8_t *p, size_t n, bool big)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[big ? i : n - 1 - i];
	return v;
}

static size_t image_read(const struct identity_image *image, uint64_t offset, void *to, size_t n)
{
	size_t got = 0;

	if (offset >= image->size)
		return 0;
	if (n > image->size - offset)
		n = (size_t)(image->size - offset);
	if (image->fd < 0) {
		memcpy(to, image->at + offset, n);
		return n;
	}
	while (got < n) {
		ssize_t r = pread(image->fd, (uint8_t *)to + got, n - got, (off_t)(offset + got));

		if (r <= 0)
			break;
		got += (size_t)r;
	}
	return got;
}

static size_t elf_read(const struct elf_view *v, uint64_t offset, void *to, size_t n)
{
	if (offset > v->nhead || n > v->nhead - offset)
		return image_read(v->image, offset, to, n);
	memcpy(to, v->head + offset, n);
	return n;
}

/* ------------------------------------------------------------ notes */

static void identity_add(struct identity *out, uint32_t kind, const uint8_t *at, size_t size)
{
	struct identity_id *id;
	bool zero = true;

	/* Go's ids are text of four parts, the last of which names the content. */
	if (size > FOLD_MAX_BUILD_ID && kind == FOLD_ID_GO) {
		at += size - FOLD_MAX_BUILD_ID;
		size = FOLD_MAX_BUILD_ID;
	}
	if (!size || size > FOLD_MAX_BUILD_ID || out->nids == FOLD_MAX_IDS)
		return;
	for (size_t i = 0; i < size; i++)
		zero = zero && !at[i];
	if (zero)
		return;
	for (size_t i = 0; i < out->nids; i++) {
		if (out->ids[i].kind == kind && out->ids[i].size == size && !memcmp(out->ids[i].bytes, at, size))
			return;
	}
	id = &out->ids[out->nids++];
	id->kind = kind;
	id->size = (uint32_t)size;
	memcpy(id->bytes, at, size);
}

void identity_notes(struct identity *out, const uint8_t *at, size_t size, size_t align, bool big_endian)
{
	size_t pos = 0;

	while (size - pos >= 12) {
		uint64_t namesz = elf_number(at + pos, 4, big_endian);
		uint64_t descsz = elf_number(at + pos + 4, 4, big_endian);
		uint64_t type = elf_number(at + pos + 8, 4, big_endian);
		/* 32-bit numbers: their sums do not wrap in 64 bits. */
		uint64_t desc = (pos + 12 + namesz + align - 1) & ~(uint64_t)(align - 1);

		if (desc > size || descsz > size - desc)
			return;
		if (type == NT_GNU_BUILD_ID && namesz == 4 && !memcmp(at + pos + 12, "GNU", 4))
			identity_add(out, FOLD_ID_GNU, at + desc, (size_t)descsz);
		if (type == NT_GO_BUILD_ID && namesz == 4 && !memcmp(at + pos + 12, "Go\0", 4))
			identity_add(out, FOLD_ID_GO, at + desc, (size_t)descsz);
		desc = (desc + descsz + align - 1) & ~(uint64_t)(align - 1);
		if (desc > size)
			return;
		pos = (size_t)desc;
	}
}

bool identity_has(const struct identity *id, const uint8_t *build_id, size_t size)
{
	for (size_t i = 0; i < id->nids; i++) {
		if (id->ids[i].kind == FOLD_ID_GNU && id->ids[i].size == size && !memcmp(id->ids[i].bytes, build_id, size))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------ program headers */

struct elf_phdr {
	uint64_t type, flags, offset, vaddr, filesz, align;
};

static struct elf_phdr elf_phdr(const struct elf_view *v, const uint8_t *p)
{
	if (v->wide)
		return (struct elf_phdr){
			.type = elf_number(p, 4, v->big),
			.flags = elf_number(p + offsetof(Elf64_Phdr, p_flags), 4, v->big),
			.offset = elf_number(p + offsetof(Elf64_Phdr, p_offset), 8, v->big),
			.vaddr = elf_number(p + offsetof(Elf64_Phdr, p_vaddr), 8, v->big),
			.filesz = elf_number(p + offsetof(Elf64_Phdr, p_filesz), 8, v->big),
			.align = elf_number(p + offsetof(Elf64_Phdr, p_align), 8, v->big),
		};
	return (struct elf_phdr){
		.type = elf_number(p, 4, v->big),
		.flags = elf_number(p + offsetof(Elf32_Phdr, p_flags), 4, v->big),
		.offset = elf_number(p + offsetof(Elf32_Phdr, p_offset), 4, v->big),
		.vaddr = elf_number(p + offsetof(Elf32_Phdr, p_vaddr), 4, v->big),
		.filesz = elf_number(p + offsetof(Elf32_Phdr, p_filesz), 4, v->big),
		.align = elf_number(p + offsetof(Elf32_Phdr, p_align), 4, v->big),
	};
}

static void elf_note_segment(const struct elf_view *v, const struct elf_phdr *ph, struct identity *out)
{
	uint8_t notes[4096], *at = notes;
	size_t n = ph->filesz < IDENTITY_MAX_NOTES ? (size_t)ph->filesz : IDENTITY_MAX_NOTES;

	if (n > sizeof(notes))
		at = malloc(n);
	if (!at)
		return;
	n = elf_read(v, ph->offset, at, n);
	identity_notes(out, at, n, ph->align == 8 ? 8 : 4, v->big);
	if (at != notes)
		free(at);
}

static void elf_segment(const struct elf_phdr *ph, struct identity *out)
{
	if (!(ph->flags & PF_X) || !ph->filesz || out->nsegments == FOLD_MAX_SEGMENTS)
		return;
	out->segments[out->nsegments++] = (struct fold_segment){
		.offset = ph->offset, .vaddr = ph->vaddr, .filesz = ph->filesz, .align = ph->align,
	};
}

static void elf_phdrs(const struct elf_view *v, uint64_t offset, size_t size, size_t n, struct identity *out)
{
	size_t least = v->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), notes = 0;
	uint8_t bytes[IDENTITY_MAX_PHENT];

	if (size < least || size > IDENTITY_MAX_PHENT)
		return;
	if (n > IDENTITY_MAX_PHDRS)
		n = IDENTITY_MAX_PHDRS;
	for (size_t i = 0; i < n; i++) {
		struct elf_phdr ph;

		if (offset > UINT64_MAX - i * size || elf_read(v, offset + i * size, bytes, least) < least)
			return;
		ph = elf_phdr(v, bytes);
		if (ph.type == PT_LOAD)
			elf_segment(&ph, out);
		else if (ph.type == PT_NOTE && notes++ < IDENTITY_MAX_NOTE_SEGMENTS)
			elf_note_segment(v, &ph, out);
	}
}

static void identity_elf(const struct identity_image *image, struct identity *out)
{
	uint8_t h[4096] = {0};
	size_t n = image_read(image, 0, h, sizeof(h));
	struct elf_view v = {
		.image = image, .head = h, .nhead = n,
		.wide = h[EI_CLASS] == ELFCLASS64, .big = h[EI_DATA] == ELFDATA2MSB,
	};

	if (n < sizeof(Elf32_Ehdr) || memcmp(h, ELFMAG, SELFMAG) != 0)
		return;
	if ((!v.wide && h[EI_CLASS] != ELFCLASS32) || (!v.big && h[EI_DATA] != ELFDATA2LSB))
		return;
	if (v.wide && n < sizeof(Elf64_Ehdr))
		return;
	out->elf = true;
	out->type = (uint32_t)elf_number(h + offsetof(Elf64_Ehdr, e_type), 2, v.big);
	out->machine = (uint32_t)elf_number(h + offsetof(Elf64_Ehdr, e_machine), 2, v.big);
	if (v.wide)
		elf_phdrs(&v, elf_number(h + offsetof(Elf64_Ehdr, e_phoff), 8, v.big),
			  (size_t)elf_number(h + offsetof(Elf64_Ehdr, e_phentsize), 2, v.big),
			  (size_t)elf_number(h + offsetof(Elf64_Ehdr, e_phnum), 2, v.big), out);
	else
		elf_phdrs(&v, elf_number(h + offsetof(Elf32_Ehdr, e_phoff), 4, v.big),
			  (size_t)elf_number(h + offsetof(Elf32_Ehdr, e_phentsize), 2, v.big),
			  (size_t)elf_number(h + offsetof(Elf32_Ehdr, e_phnum), 2, v.big), out);
}

/* ------------------------------------------------------------ the whole */

/* u64 size, CRC-32C of the first and of the last 64 KiB (or all), little-endian. */
static int identity_hash(const struct identity_image *image, struct identity *out)
{
	size_t n = image->size < IDENTITY_EDGE ? (size_t)image->size : IDENTITY_EDGE;
	uint8_t *edge = malloc(IDENTITY_EDGE), id[16];
	bool read;

	if (!edge)
		return -1;
	le32_put(id, (uint32_t)image->size);
	le32_put(id + 4, (uint32_t)(image->size >> 32));
	read = image_read(image, 0, edge, n) == n;
	le32_put(id + 8, crc32c(0, edge, n));
	read = read && image_read(image, image->size - n, edge, n) == n;
	le32_put(id + 12, crc32c(0, edge, n));
	free(edge);
	if (!read)
		return -1;
	identity_add(out, FOLD_ID_HASH, id, sizeof(id));
	return 0;
}

/* GNU ids to the front, in the order found. */
static void identity_order(struct identity *out)
{
	for (size_t i = 1; i < out->nids; i++) {
		struct identity_id id = out->ids[i];
		size_t at = i;

		for (; at && out->ids[at - 1].kind > id.kind; at--)
			out->ids[at] = out->ids[at - 1];
		out->ids[at] = id;
	}
}

int identity_read(const struct identity_image *image, struct identity *out)
{
	*out = (struct identity){.size = image->size};
	identity_elf(image, out);
	if (!out->nids)
		return identity_hash(image, out);
	identity_order(out);
	return 0;
}
