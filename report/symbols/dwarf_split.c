/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Split units by their id: from the .dwp package when there is one, else from
 * the .dwo file that the skeleton names.  Files stay open until the end: one
 * .dwo holds one unit, and is asked for once.
 */
#include "dwarf_split.h"

#include <dwarf.h>
#include <stdlib.h>

#include "../model/array.h"

#define MAX_PACKAGE_SECTIONS 8
#define MAX_SPLIT_FILES 65536

struct dwarf_split {
	struct dwarf_work *work;
	const struct dwarf_finder *finder;
	bool tried_package, has_package;
	struct dwarf_file package;
	struct dwarf_file **files; /* .dwo */
	size_t nfiles, file_room;
};

int dwarf_split_new(struct dwarf_split **out, struct dwarf_work *work, const struct dwarf_finder *finder)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -1;
	(*out)->work = work;
	(*out)->finder = finder;
	return 0;
}

void dwarf_split_free(struct dwarf_split *s)
{
	if (!s)
		return;
	dwarf_file_release(&s->package);
	for (size_t i = 0; i < s->nfiles; i++) {
		dwarf_file_release(s->files[i]);
		free(s->files[i]);
	}
	free(s->files);
	free(s);
}

/* ------------------------------------------------------------ packages */

/* Section numbers of the columns: version 2 is GNU's, version 5 DWARF's. */
static void take_share(struct dwarf_unit *u, uint64_t version, uint32_t section, uint64_t offset)
{
	switch (section) {
	case 3:
		u->abbrev_offset += offset;
		break;
	case 4:
		u->line_base = offset;
		break;
	case 6:
		u->str_offsets = offset;
		break;
	case 8:
		if (version >= 5)
			u->rnglists = offset;
		break;
	default:
		break;
	}
}

/* Row of an id in the package's hash table; 0 none. */
static uint32_t package_row(struct dwarf_file *p, uint64_t id, uint32_t slots, size_t ids_at)
{
	struct dwarf_bytes index = dwarf_section(p, DWARF_CU_INDEX);
	uint64_t mask = slots - 1, at = id & mask, step = ((id >> 32) & mask) | 1;

	for (uint32_t tries = 0; tries < slots; tries++, at = (at + step) & mask) {
		struct dwarf_cursor c = cursor_at(index, ids_at + at * 8, p->big), r;
		uint64_t found = cursor_number(&c, 8), row;

		r = cursor_at(index, ids_at + (uint64_t)slots * 8 + at * 4, p->big);
		row = cursor_number(&r, 4);
		if (c.bad || r.bad || !row)
			return 0;
		if (found == id)
			return (uint32_t)row;
	}
	return 0;
}

static struct dwarf_unit *unit_beginning_at(struct dwarf_file *p, uint64_t offset)
{
	size_t low = 0, high = p->nunits;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->units[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->nunits && p->units[low].offset == offset ? &p->units[low] : NULL;
}

static struct dwarf_unit *package_unit(struct dwarf_file *p, uint64_t id)
{
	struct dwarf_bytes index = dwarf_section(p, DWARF_CU_INDEX);
	struct dwarf_cursor c = cursor_at(index, 0, p->big), offsets;
	uint64_t version = cursor_number(&c, 2), columns, units, slots, info = UINT64_MAX;
	uint32_t sections[MAX_PACKAGE_SECTIONS], row;
	uint64_t shares[MAX_PACKAGE_SECTIONS];
	struct dwarf_unit *u;

	cursor_skip(&c, 2); /* padding in version 5, the upper half of the number in version 2 */
	columns = cursor_number(&c, 4);
	units = cursor_number(&c, 4);
	slots = cursor_number(&c, 4);
	if (c.bad || (version != 2 && version != 5) || columns > MAX_PACKAGE_SECTIONS || !slots || slots & (slots - 1) ||
	    slots > index.size / 12)
		return NULL;
	row = package_row(p, id, (uint32_t)slots, 16);
	if (!row || row > units)
		return NULL;
	c = cursor_at(index, 16 + slots * 12, p->big);
	offsets = cursor_at(index, 16 + slots * 12 + (uint64_t)row * columns * 4, p->big);
	for (uint64_t i = 0; i < columns; i++) {
		sections[i] = (uint32_t)cursor_number(&c, 4);
		shares[i] = cursor_number(&offsets, 4);
		if (sections[i] == 1)
			info = shares[i];
	}
	if (c.bad || offsets.bad || dwarf_file_units(p))
		return NULL;
	u = unit_beginning_at(p, info);
	for (uint64_t k = 0; u && k < columns && !u->skeleton; k++)
		take_share(u, version, sections[k], shares[k]);
	return u;
}

/* ------------------------------------------------------------ single files */

static struct dwarf_unit *unit_with_id(struct dwarf_file *f, uint64_t id)
{
	if (dwarf_file_units(f))
		return NULL;
	for (size_t i = 0; i < f->nunits; i++) {
		struct dwarf_unit *u = &f->units[i];

		/* before version 5 the id is an attribute */
		if (u->version < 5 && !dwarf_unit_root(u))
			continue;
		if (u->dwo_id == id)
			return u;
	}
	return NULL;
}

static struct dwarf_unit *file_unit(struct dwarf_split *s, const struct dwarf_unit *skeleton)
{
	Elf *elf = s->finder->split(s->finder->context, skeleton->comp_dir, skeleton->dwo_name);
	struct dwarf_file *f;
	struct dwarf_unit *u;

	if (!elf || s->nfiles >= MAX_SPLIT_FILES || array_room(s->files, s->file_room, s->nfiles + 1))
		return NULL;
	f = malloc(sizeof(*f));
	if (!f)
		return NULL;
	dwarf_file_init(f, elf, true, s->work);
	s->files[s->nfiles++] = f;
	u = unit_with_id(f, skeleton->dwo_id);
	return u;
}

static struct dwarf_unit *find_split(struct dwarf_split *s, struct dwarf_unit *skeleton)
{
	struct dwarf_unit *u = NULL;
	Elf *elf;

	if (!s->finder->split)
		return NULL;
	if (!s->tried_package) {
		s->tried_package = true;
		elf = s->finder->split(s->finder->context, NULL, NULL);
		if (elf) {
			dwarf_file_init(&s->package, elf, true, s->work);
			s->has_package = true;
		}
	}
	if (s->has_package)
		u = package_unit(&s->package, skeleton->dwo_id);
	return u ? u : file_unit(s, skeleton);
}

struct dwarf_unit *dwarf_split_unit(struct dwarf_split *s, struct dwarf_unit *u)
{
	struct dwarf_unit *split;

	if (!dwarf_unit_root(u) || !u->dwo_name || !u->dwo_id)
		return u;
	if (u->split_sought)
		return u->split;
	u->split_sought = true;
	split = find_split(s, u);
	if (split && split->skeleton != u) {
		split->skeleton = u;
		split->root_read = false; /* its addresses come from the skeleton */
		if (!dwarf_unit_root(split))
			split = NULL;
	}
	u->split = split;
	return split;
}

/* ------------------------------------------------------------ supplementary file */

void dwarf_find_supplement(struct dwarf_file *file, struct dwarf_file *supplement, const struct dwarf_finder *finder)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_section(file->elf, ".gnu_debugaltlink", &header);
	Elf_Data *data = scn && header.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	const char *end;
	size_t name;
	Elf *elf;

	if (!data || !data->d_buf || !finder->supplement)
		return;
	end = memchr(data->d_buf, 0, data->d_size);
	if (!end)
		return;
	name = (size_t)(end - (const char *)data->d_buf) + 1;
	elf = finder->supplement(finder->context, data->d_buf, (const uint8_t *)data->d_buf + name, data->d_size - name);
	if (!elf)
		return;
	dwarf_file_init(supplement, elf, false, file->work);
	file->alt = supplement;
}
