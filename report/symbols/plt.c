/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs of x86-64, i386 and aarch64.  What does not decode to a slot that has a
 * relocation gets no name.
 */
#include "plt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/array.h"
#include "elf.h"

#define MAX_SLOTS (1u << 20)

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

static bool fills_slot(uint32_t machine, uint64_t type, bool *ifunc)
{
	*ifunc = false;
	switch (machine) {
	case EM_X86_64:
		*ifunc = type == R_X86_64_IRELATIVE;
		return *ifunc || type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	case EM_386:
		*ifunc = type == R_386_IRELATIVE;
		return *ifunc || type == R_386_JMP_SLOT || type == R_386_GLOB_DAT;
	case EM_AARCH64:
		*ifunc = type == R_AARCH64_IRELATIVE;
		return *ifunc || type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	default:
		return false;
	}
}

static const char *symbol_name(Elf *elf, const GElf_Shdr *relocations, uint64_t index)
{
	Elf_Scn *scn = elf_getscn(elf, relocations->sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(scn, &header) || index > INT32_MAX || !gelf_getsym(data, (int)index, &sym))
		return NULL;
	return elf_strptr(elf, header.sh_link, sym.st_name);
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

static int add_relocations(struct slots *slots, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, uint32_t machine)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	bool addends = header->sh_type == SHT_RELA, ifunc;
	size_t n = data ? data->d_size / gelf_fsize(elf, addends ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT) : 0;

	for (size_t i = 0; i < n && slots->n < MAX_SLOTS; i++) {
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
			slot.name = symbol_name(elf, header, GELF_R_SYM(r.r_info));
		if (array_room(slots->v, slots->room, slots->n + 1))
			return -1;
		slots->v[slots->n++] = slot;
	}
	return 0;
}

static int read_slots(struct slots *slots, Elf *elf, uint32_t machine)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) || (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		if (add_relocations(slots, elf, scn, &header, machine))
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

struct stubs { /* a section of them */
	const uint8_t *at;
	uint64_t address, size;
	uint32_t machine;
	uint64_t got;          /* what i386's position-independent stubs count from */
};

static uint32_t word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A jump through a slot at `at`: the slot, and where the stub around it begins. */
static bool x86_jump(const struct stubs *s, uint64_t at, uint64_t *slot, uint64_t *start)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, endbr32[] = {0xf3, 0x0f, 0x1e, 0xfb};
	uint64_t displacement;

	if (s->size - at < 6 || s->at[at] != 0xff)
		return false;
	displacement = (uint64_t)(int64_t)(int32_t)word(s->at + at + 2);
	if (s->at[at + 1] == 0x25 && s->machine == EM_X86_64)
		*slot = s->address + at + 6 + displacement;
	else if (s->at[at + 1] == 0x25)
		*slot = (uint32_t)displacement;
	else if (s->at[at + 1] == 0xa3 && s->machine == EM_386)
		*slot = (uint32_t)(s->got + displacement);
	else
		return false;
	if (at && s->at[at - 1] == 0xf2) /* bnd */
		at--;
	if (at >= 4 && (!memcmp(s->at + at - 4, endbr64, 4) || !memcmp(s->at + at - 4, endbr32, 4)))
		at -= 4;
	*start = at;
	return true;
}

/* adrp x16, page; ldr x17, [x16, offset]; before it there can be a branch target */
static bool aarch64_jump(const struct stubs *s, uint64_t at, uint64_t *slot, uint64_t *start)
{
	uint64_t page = (s->address + at) & ~UINT64_C(0xfff), pages;
	uint32_t adrp, ldr;

	if (at % 4 || s->size - at < 8)
		return false;
	adrp = word(s->at + at);
	ldr = word(s->at + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	if (pages & 0x100000)
		pages |= ~UINT64_C(0x1fffff);
	*slot = page + (pages << 12) + ((ldr >> 10 & 0xfff) << 3);
	*start = at >= 4 && word(s->at + at - 4) == 0xd503245f ? at - 4 : at;
	return true;
}

static bool next_jump(const struct stubs *s, uint64_t *at, uint64_t *slot, uint64_t *start)
{
	for (; *at < s->size; ++*at)
		if (s->machine == EM_AARCH64 ? aarch64_jump(s, *at, slot, start) : x86_jump(s, *at, slot, start))
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
static int add_stubs(struct symtab *t, struct plt_names *names, const struct stubs *s, const struct slots *slots, const struct symtab *full)
{
	uint64_t longest = s->machine == EM_AARCH64 ? 24 : 16, at = 0, slot, start, next_slot, next;
	bool more = next_jump(s, &at, &slot, &start);

	while (more) {
		const struct slot *found = slot_at(slots, slot);
		uint64_t end = start + longest < s->size ? start + longest : s->size;

		at++;
		more = next_jump(s, &at, &next_slot, &next);
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

static int add_section(struct symtab *t, struct plt_names *names, Elf *elf, const char *name, uint32_t machine,
		       const struct slots *slots, const struct symtab *full)
{
	GElf_Shdr header = {0};
	Elf_Scn *scn = elf_section(elf, name, &header);
	Elf_Data *data = scn && header.sh_type == SHT_PROGBITS ? elf_rawdata(scn, NULL) : NULL;
	struct stubs stubs = {.machine = machine, .address = header.sh_addr};

	if (!data || !data->d_buf)
		return 0;
	stubs.at = data->d_buf;
	stubs.size = data->d_size;
	stubs.got = machine == EM_386 ? got_address(elf) : 0;
	return add_stubs(t, names, &stubs, slots, full);
}

int plt_add(struct symtab *t, struct plt_names *names, Elf *elf, const struct symtab *full)
{
	struct slots slots = {0};
	GElf_Ehdr header;
	int err = 0;

	if (!gelf_getehdr(elf, &header) ||
	    (header.e_machine != EM_X86_64 && header.e_machine != EM_386 && header.e_machine != EM_AARCH64))
		return 0;
	err = read_slots(&slots, elf, header.e_machine);
	if (slots.n)
		qsort(slots.v, slots.n, sizeof(*slots.v), compare_slots);
	for (size_t i = 0; !err && slots.n && i < sizeof(stub_sections) / sizeof(*stub_sections); i++)
		err = add_section(t, names, elf, stub_sections[i], header.e_machine, &slots, full);
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
