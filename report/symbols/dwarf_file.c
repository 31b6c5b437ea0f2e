/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections and units of one file's DWARF.  Sections are taken from the mapped
 * file as they are, or decompressed when first needed.
 */
#include "dwarf_file.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "dwarf_line.h"
#include "relocatable.h"

#define MAX_SECTION (UINT64_C(4) << 30) /* bytes when decompressed */
#define MAX_UNITS (1u << 20)
#define MAX_ABBREV_BYTES (UINT64_C(256) << 20)
/* Steps that a hostile file can have repeated: for each byte of it, for each query, and to begin with. */
#define WORK_A_BYTE 16
#define WORK_A_QUERY 256
#define WORK_AT_ALL (UINT64_C(1) << 26)
#define COMPRESSED_ZSTD 2 /* ELFCOMPRESS_ZSTD; not in every elf.h */

static const char *const section_names[DWARF_NSECTIONS] = {
	[DWARF_INFO] = "info", [DWARF_ABBREV] = "abbrev", [DWARF_LINE] = "line", [DWARF_STR] = "str",
	[DWARF_LINE_STR] = "line_str", [DWARF_STR_OFFSETS] = "str_offsets", [DWARF_ADDR] = "addr",
	[DWARF_RANGES] = "ranges", [DWARF_RNGLISTS] = "rnglists", [DWARF_CU_INDEX] = "cu_index",
};

/* ------------------------------------------------------------ sections */

static struct dwarf_bytes raw_bytes(Elf_Scn *scn)
{
	Elf_Data *data = elf_rawdata(scn, NULL);

	return data && data->d_buf ? (struct dwarf_bytes){data->d_buf, data->d_size} : (struct dwarf_bytes){0};
}

/* libelf can have been built without zstd, or before there was any in ELF. */
static struct dwarf_bytes unpack_zstd(struct dwarf_file *f, enum dwarf_section section, Elf_Scn *scn, uint64_t size)
{
	struct dwarf_bytes packed = raw_bytes(scn);
	size_t header = gelf_getclass(f->elf) == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	void *to;
	size_t n;

	if (packed.size < header || !(to = malloc(size ? size : 1)))
		return (struct dwarf_bytes){0};
	n = ZSTD_decompress(to, size, packed.at + header, packed.size - header);
	if (ZSTD_isError(n)) {
		free(to);
		return (struct dwarf_bytes){0};
	}
	f->owned[section] = to;
	return (struct dwarf_bytes){to, n};
}

static struct dwarf_bytes section_bytes(struct dwarf_file *f, enum dwarf_section section, Elf_Scn *scn, const GElf_Shdr *header)
{
	struct dwarf_bytes raw;
	GElf_Chdr packed;

	if (header->sh_type == SHT_NOBITS)
		return (struct dwarf_bytes){0};
	if (!(header->sh_flags & SHF_COMPRESSED))
		return raw_bytes(scn);
	if (!gelf_getchdr(scn, &packed) || packed.ch_size > MAX_SECTION)
		return (struct dwarf_bytes){0};
	if (packed.ch_type == COMPRESSED_ZSTD)
		return unpack_zstd(f, section, scn, packed.ch_size);
	raw = raw_bytes(scn);
	if (elf_compress(scn, 0, 0) < 0)
		return (struct dwarf_bytes){0};
	elf_rest(f->elf, raw.at, raw.size); /* what it was unpacked from is not read again */
	return raw_bytes(scn);
}

/* In a relocatable file the numbers that matter are still to be filled in. */
static void relocate(struct dwarf_file *f, enum dwarf_section section, Elf_Scn *scn)
{
	struct dwarf_bytes *bytes = &f->sections[section];
	uint8_t *copy = bytes->size ? malloc(bytes->size) : NULL;

	if (copy) {
		memcpy(copy, bytes->at, bytes->size);
		free(f->owned[section]);
		f->owned[section] = copy;
		bytes->at = copy;
	}
	if (!copy || !relocatable_apply(f->elf, elf_ndxscn(scn), copy, bytes->size))
		*bytes = (struct dwarf_bytes){0};
}

void dwarf_work_begin(struct dwarf_work *work, size_t queries)
{
	work->left = WORK_AT_ALL + WORK_A_BYTE * work->bytes + WORK_A_QUERY * (uint64_t)queries;
}

static void load_section(struct dwarf_file *f, enum dwarf_section section)
{
	char name[64];
	GElf_Shdr header;
	Elf_Scn *scn;

	/* the index of a .dwp has no .dwo in its name */
	snprintf(name, sizeof(name), ".debug_%s%s", section_names[section], f->split && section != DWARF_CU_INDEX ? ".dwo" : "");
	scn = elf_section(f->elf, name, &header);
	if (scn) {
		f->sections[section] = section_bytes(f, section, scn, &header);
		if (f->relocatable && !f->split)
			relocate(f, section, scn);
		return;
	}
	/* the older way to compress: another name, and a header of its own */
	snprintf(name, sizeof(name), ".zdebug_%s%s", section_names[section], f->split ? ".dwo" : "");
	scn = elf_section(f->elf, name, &header);
	if (scn && header.sh_type != SHT_NOBITS && elf_compress_gnu(scn, 0, 0) >= 0)
		f->sections[section] = raw_bytes(scn);
}

struct dwarf_bytes dwarf_section(struct dwarf_file *f, enum dwarf_section section)
{
	if (!f->loaded[section]) {
		f->loaded[section] = true;
		load_section(f, section);
		f->work->bytes += f->sections[section].size;
		f->work->left += WORK_A_BYTE * (uint64_t)f->sections[section].size;
	}
	return f->sections[section];
}

void dwarf_file_init(struct dwarf_file *f, Elf *elf, bool split, struct dwarf_work *work)
{
	GElf_Ehdr header;

	memset(f, 0, sizeof(*f));
	f->elf = elf;
	f->split = split;
	f->work = work;
	if (gelf_getehdr(elf, &header)) {
		f->big = header.e_ident[EI_DATA] == ELFDATA2MSB;
		f->relocatable = header.e_type == ET_REL;
	}
}

void dwarf_file_release(struct dwarf_file *f)
{
	for (size_t i = 0; i < f->nunits; i++)
		dwarf_unit_rest(&f->units[i]);
	free(f->units);
	for (int i = 0; i < DWARF_NSECTIONS; i++)
		free(f->owned[i]);
	memset(f, 0, sizeof(*f));
}

/* ------------------------------------------------------------ units */

/* The header of the unit at the cursor, which is left at its first entry. */
static bool unit_header(struct dwarf_unit *u, struct dwarf_cursor *c, struct dwarf_bytes info)
{
	uint64_t length;

	u->offset = (uint64_t)(c->at - info.at);
	u->offset_size = 4;
	length = cursor_number(c, 4);
	if (length == 0xffffffff) {
		u->offset_size = 8;
		length = cursor_number(c, 8);
	} else if (length >= 0xfffffff0) {
		return false;
	}
	if (c->bad || length > (uint64_t)(c->end - c->at))
		return false;
	u->end = (uint64_t)(c->at - info.at) + length;
	u->version = (uint16_t)cursor_number(c, 2);
	u->type = DW_UT_compile;
	if (u->version >= 5)
		u->type = cursor_byte(c);
	else
		u->abbrev_offset = cursor_number(c, u->offset_size);
	u->address_size = cursor_byte(c);
	if (u->version >= 5)
		u->abbrev_offset = cursor_number(c, u->offset_size);
	if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
		u->dwo_id = cursor_number(c, 8);
	u->die = (uint64_t)(c->at - info.at);
	return !c->bad;
}

static bool has_entries(const struct dwarf_unit *u)
{
	return u->version >= 2 && u->version <= 5 && u->type != DW_UT_type && u->type != DW_UT_split_type &&
	       u->address_size >= 1 && u->address_size <= 8 && u->die < u->end;
}

int dwarf_file_units(struct dwarf_file *f)
{
	struct dwarf_bytes info = dwarf_section(f, DWARF_INFO);
	struct dwarf_cursor c = cursor_at(info, 0, f->big);

	if (f->units_read)
		return 0;
	f->units_read = true;
	while (c.at < c.end && f->nunits < MAX_UNITS) {
		struct dwarf_unit u = {.file = f};

		if (!unit_header(&u, &c, info))
			break;
		c.at = info.at + u.end;
		if (!has_entries(&u))
			continue;
		if (f->nunits == f->unit_room) {
			size_t room = f->unit_room ? f->unit_room * 2 : 64;
			struct dwarf_unit *v = realloc(f->units, room * sizeof(*v));

			if (!v)
				return -1;
			f->units = v;
			f->unit_room = room;
		}
		f->units[f->nunits++] = u;
	}
	return 0;
}

struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset)
{
	size_t low = 0, high;

	if (dwarf_file_units(f))
		return NULL;
	high = f->nunits;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->units[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset >= f->units[low - 1].die && offset < f->units[low - 1].end ? &f->units[low - 1] : NULL;
}

struct dwarf_cursor dwarf_unit_cursor(const struct dwarf_unit *u, uint64_t offset)
{
	struct dwarf_bytes info = u->file->sections[DWARF_INFO];
	struct dwarf_cursor c = cursor_at(info, offset, u->file->big);

	if (offset < u->die || offset >= u->end)
		return (struct dwarf_cursor){.bad = true};
	c.end = info.at + u->end;
	return c;
}

void dwarf_unit_rest(struct dwarf_unit *u)
{
	if (u->abbrevs) {
		u->file->abbrev_bytes -= u->abbrevs->bytes;
		free(u->abbrevs->v);
		free(u->abbrevs->attrs);
		free(u->abbrevs->skips);
		free(u->abbrevs->constants);
		free(u->abbrevs);
		u->abbrevs = NULL;
	}
	dwarf_lines_free(u);
}

void dwarf_file_rest(struct dwarf_file *f)
{
	if (f->abbrev_bytes < MAX_ABBREV_BYTES)
		return;
	for (size_t i = 0; i < f->nunits; i++)
		dwarf_unit_rest(&f->units[i]);
}
