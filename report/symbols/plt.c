/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From stubs over slots to names.  What does not decode to a slot that has a
 * relocation gets no name.
 */
#include "plt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/array.h"
#include "elf.h"
#include "plt_stub.h"

#define MAX_SLOTS (1u << 18)
#define MAX_NAME 4096 /* each stub's is copied */

struct slot {
	uint64_t address;
	const char *name;   /* NULL: an IFUNC's */
	uint64_t resolver;
};
struct slots {
	struct slot *v;
	size_t n, room;
};

/* ------------------------------------------------------------ relocations */

static bool fills_slot(const struct plt_machine *machine, uint64_t type, bool *ifunc)
{
	*ifunc = type == machine->irelative;
	return *ifunc || type == machine->jump_slot || type == machine->glob_dat;
}

/* The symbols that relocations refer to. */
struct symbols_of {
	Elf_Data *data;
	struct elf_strings names;
};

static struct symbols_of symbols_of(Elf *elf, const GElf_Shdr *relocations)
{
	Elf_Scn *scn = elf_getscn(elf, relocations->sh_link);
	struct symbols_of s = {.data = scn ? elf_getdata(scn, NULL) : NULL};
	GElf_Shdr header;

	if (s.data && gelf_getshdr(scn, &header))
		s.names = elf_strings(elf, header.sh_link);
	return s;
}

static const char *symbol_name(const struct symbols_of *s, uint64_t index)
{
	GElf_Sym sym;

	if (!s->data || index > INT32_MAX || !gelf_getsym(s->data, (int)index, &sym))
		return NULL;
	return elf_string(s->names, sym.st_name, MAX_NAME);
}

static bool read_relocation(Elf_Data *data, bool addends, size_t i, GElf_Rela *out)
{
	GElf_Rel rel;

	if (addends)
		return gelf_getrela(data, (int)i, out) != NULL;
	if (!gelf_getrel(data, (int)i, &rel))
		return false;
	*out = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}

static int add_relocations(struct slots *slots, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, const struct plt_machine *machine,
			   uint64_t *entries)
{
	struct symbols_of symbols = symbols_of(elf, header);
	Elf_Data *data = elf_getdata(scn, NULL);
	bool addends = header->sh_type == SHT_RELA, ifunc;
	size_t n = data ? data->d_size / gelf_fsize(elf, addends ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT) : 0;

	for (size_t i = 0; i < n && slots->n < MAX_SLOTS && *entries; i++, --*entries) {
		GElf_Rela r;
		struct slot slot = {0};

		if (!read_relocation(data, addends, i, &r))
			break;
		if (!fills_slot(machine, GELF_R_TYPE(r.r_info), &ifunc))
			continue;
		slot.address = r.r_offset;
		if (ifunc)
			slot.resolver = (uint64_t)r.r_addend;
		else
			slot.name = symbol_name(&symbols, GELF_R_SYM(r.r_info));
		if (array_room(slots->v, slots->room, slots->n + 1))
			return -1;
		slots->v[slots->n++] = slot;
	}
	return 0;
}

static int read_slots(struct slots *slots, Elf *elf, const struct plt_machine *machine)
{
	uint64_t entries = elf_entries(elf, sizeof(Elf32_Rel));
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) || (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		if (add_relocations(slots, elf, scn, &header, machine, &entries))
			return -1;
	}
	return 0;
}

static int compare_slots(const void *x, const void *y)
{
	const struct slot *a = x, *b = y;

	return a->address < b->address ? -1 : a->address > b->address;
}

static const struct slot *slot_at(const struct slots *slots, uint64_t address)
{
	struct slot key = {.address = address};

	return slots->n ? bsearch(&key, slots->v, slots->n, sizeof(*slots->v), compare_slots) : NULL;
}

/* ------------------------------------------------------------ stubs */

static bool next_jump(const struct plt_machine *machine, const struct plt_stubs *s, uint64_t *at, uint64_t *slot, uint64_t *start)
{
	for (; *at < s->size; ++*at)
		if (machine->jump(s, *at, slot, start))
			return true;
	return false;
}

static const char *slot_name(const struct slot *slot, const struct symtab *full, uint32_t *size)
{
	const struct symtab_range *range;

	if (slot->name && *slot->name) {
		*size = (uint32_t)strcspn(slot->name, "@");
		return slot->name;
	}
	range = slot->resolver ? symtab_find(full, slot->resolver) : NULL;
	*size = range && range->value == slot->resolver ? range->name_size : 0;
	return *size ? range->name : NULL;
}

static int add_stub(struct symtab *t, struct plt_names *names, uint64_t address, uint64_t size,
		    const struct slot *slot, const struct symtab *full)
{
	uint32_t name_size;
	const char *name = slot_name(slot, full, &name_size);
	char *text;

	if (!name)
		return 0;
	if (array_room(names->v, names->room, names->n + 1) || asprintf(&text, "%.*s@plt", (int)name_size, name) < 0)
		return -1;
	names->v[names->n++] = text;
	return symtab_add_range(t, address, size, text, SYMTAB_DYNAMIC);
}

/* Stubs have 8 to 24 bytes, and what says how many is often wrong: a stub ends
 * where the next begins, or where the longest kind would. */
static int add_stubs(struct symtab *t, struct plt_names *names, const struct plt_machine *machine, const struct plt_stubs *s,
		     const struct slots *slots, const struct symtab *full)
{
	uint64_t longest = machine->longest, at = 0, slot, start, next_slot, next;
	bool more = next_jump(machine, s, &at, &slot, &start);

	while (more) {
		const struct slot *found = slot_at(slots, slot);
		uint64_t end = start + longest < s->size ? start + longest : s->size;

		at++;
		more = next_jump(machine, s, &at, &next_slot, &next);
		if (more && next < end)
			end = next;
		if (found && add_stub(t, names, s->address + start, end - start, found, full))
			return -1;
		slot = next_slot;
		start = next;
	}
	return 0;
}

/* ------------------------------------------------------------ sections */

static const char *const stub_sections[] = {".plt", ".plt.sec", ".plt.bnd", ".plt.got", ".iplt"};

static uint64_t got_address(Elf *elf)
{
	GElf_Shdr header;

	if (elf_section(elf, ".got.plt", &header) || elf_section(elf, ".got", &header))
		return header.sh_addr;
	return 0;
}

static int add_section(struct symtab *t, struct plt_names *names, Elf *elf, const char *name, const struct plt_machine *machine,
		       const struct slots *slots, const struct symtab *full)
{
	GElf_Shdr header = {0};
	Elf_Scn *scn = elf_section(elf, name, &header);
	Elf_Data *data = scn && header.sh_type == SHT_PROGBITS ? elf_rawdata(scn, NULL) : NULL;
	struct plt_stubs stubs = {.machine = machine->elf, .address = header.sh_addr};

	if (!data || !data->d_buf)
		return 0;
	stubs.at = data->d_buf;
	stubs.size = data->d_size;
	stubs.got = machine->elf == EM_386 ? got_address(elf) : 0;
	return add_stubs(t, names, machine, &stubs, slots, full);
}

int plt_add(struct symtab *t, struct plt_names *names, Elf *elf, const struct symtab *full)
{
	const struct plt_machine *machine;
	struct slots slots = {0};
	GElf_Ehdr header;
	int err = 0;

	if (!gelf_getehdr(elf, &header) || !(machine = plt_machine(header.e_machine)))
		return 0;
	err = read_slots(&slots, elf, machine);
	if (slots.n)
		qsort(slots.v, slots.n, sizeof(*slots.v), compare_slots);
	for (size_t i = 0; !err && slots.n && i < sizeof(stub_sections) / sizeof(*stub_sections); i++)
		err = add_section(t, names, elf, stub_sections[i], machine, &slots, full);
	free(slots.v);
	return err;
}

void plt_names_release(struct plt_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	memset(names, 0, sizeof(*names));
}
