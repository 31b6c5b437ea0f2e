/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What attribute values mean: strings, addresses, references to other entries
 * and range lists.  Indirections go through the tables of the unit, or of the
 * skeleton that a split unit belongs to.
 */
#include <dwarf.h>

#include "dwarf_file.h"

const char *dwarf_value_string(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	struct dwarf_cursor c;
	uint64_t offset;

	switch (v->form) {
	case DW_FORM_string:
		return (const char *)(uintptr_t)v->u;
	case DW_FORM_strp:
		return string_at(dwarf_section(u->file, DWARF_STR), v->u);
	case DW_FORM_line_strp:
		return string_at(dwarf_section(u->file, DWARF_LINE_STR), v->u);
	case DW_FORM_GNU_strp_alt: case DW_FORM_strp_sup:
		return u->file->alt ? string_at(dwarf_section(u->file->alt, DWARF_STR), v->u) : NULL;
	case DW_FORM_strx: case DW_FORM_strx1: case DW_FORM_strx2: case DW_FORM_strx3: case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (v->u > UINT32_MAX)
			return NULL;
		c = cursor_at(dwarf_section(u->file, DWARF_STR_OFFSETS), u->str_offsets + v->u * u->offset_size, u->file->big);
		offset = cursor_number(&c, u->offset_size);
		return c.bad ? NULL : string_at(dwarf_section(u->file, DWARF_STR), offset);
	default:
		return NULL;
	}
}

static bool indexed_address(const struct dwarf_unit *u, uint64_t index, uint64_t *address)
{
	const struct dwarf_unit *owner = u->skeleton ? u->skeleton : u;
	struct dwarf_cursor c;

	if (index > UINT32_MAX)
		return false;
	c = cursor_at(dwarf_section(owner->file, DWARF_ADDR), owner->addr + index * u->address_size, u->file->big);
	*address = cursor_number(&c, u->address_size);
	return !c.bad;
}

bool dwarf_value_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *address)
{
	switch (v->form) {
	case DW_FORM_addr:
		*address = v->u;
		return true;
	case DW_FORM_addrx: case DW_FORM_addrx1: case DW_FORM_addrx2: case DW_FORM_addrx3: case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return indexed_address(u, v->u, address);
	default:
		return false;
	}
}

bool dwarf_value_reference(const struct dwarf_unit *u, const struct dwarf_value *v, struct dwarf_unit **unit, uint64_t *offset)
{
	struct dwarf_file *file = u->file;

	switch (v->form) {
	case DW_FORM_ref1: case DW_FORM_ref2: case DW_FORM_ref4: case DW_FORM_ref8: case DW_FORM_ref_udata:
		*offset = u->offset + v->u;
		break;
	case DW_FORM_ref_addr:
		*offset = v->u;
		break;
	case DW_FORM_GNU_ref_alt: case DW_FORM_ref_sup4: case DW_FORM_ref_sup8:
		*offset = v->u;
		file = file->alt;
		break;
	default:
		return false;
	}
	*unit = file ? dwarf_unit_at(file, *offset) : NULL;
	return *unit != NULL;
}

/* ------------------------------------------------------------ ranges */

static uint64_t address_mask(const struct dwarf_unit *u)
{
	return u->address_size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * u->address_size) - 1;
}

/* Linkers leave the debug info of sections that they dropped, and put it at 0 or
 * at the end of the address space, where it must not claim code. */
static bool dropped(const struct dwarf_unit *u, uint64_t low)
{
	return (!low && !u->file->relocatable) || low >= address_mask(u) - 1;
}

static void ranges_list(struct dwarf_ranges *r, const struct dwarf_die *die)
{
	struct dwarf_unit *u = r->unit, *owner = u->skeleton ? u->skeleton : u;
	uint64_t offset = die->ranges.u;
	struct dwarf_bytes lists;

	r->base = owner->low;
	if (u->version < 5) {
		r->shape = RANGES_V4;
		r->cursor = cursor_at(dwarf_section(owner->file, DWARF_RANGES), offset + (u->skeleton ? owner->ranges_base : 0), u->file->big);
		return;
	}
	r->shape = RANGES_V5;
	lists = dwarf_section(u->file, DWARF_RNGLISTS);
	if (die->ranges.form == DW_FORM_rnglistx) {
		if (offset > UINT32_MAX)
			r->shape = RANGES_NONE;
		r->cursor = cursor_at(lists, u->rnglists + offset * u->offset_size, u->file->big);
		offset = u->rnglists + cursor_number(&r->cursor, u->offset_size);
		if (r->cursor.bad)
			r->shape = RANGES_NONE;
	}
	r->cursor = cursor_at(lists, offset, u->file->big);
}

void dwarf_ranges_begin(struct dwarf_ranges *r, struct dwarf_unit *u, const struct dwarf_die *die)
{
	*r = (struct dwarf_ranges){.unit = u};
	if (die->ranges.form) {
		ranges_list(r, die);
		return;
	}
	if (!die->high.form || !dwarf_value_address(u, &die->low, &r->low))
		return;
	if (!dwarf_value_address(u, &die->high, &r->high))
		r->high = r->low + die->high.u;
	r->shape = RANGES_PAIR;
}

/* One entry of .debug_ranges.  False: the end. */
static bool next_v4(struct dwarf_ranges *r, uint64_t *low, uint64_t *high)
{
	unsigned size = r->unit->address_size;

	*low = cursor_number(&r->cursor, size);
	*high = cursor_number(&r->cursor, size);
	if (r->cursor.bad || (!*low && !*high))
		return false;
	if (*low == address_mask(r->unit)) {
		r->base = *high;
		*low = *high = 0;
		return true;
	}
	*low += r->base;
	*high += r->base;
	return true;
}

static uint64_t indexed(struct dwarf_ranges *r)
{
	uint64_t address = 0;

	if (!indexed_address(r->unit, cursor_uleb(&r->cursor), &address))
		cursor_fail(&r->cursor);
	return address;
}

/* One entry of .debug_rnglists; one that is no range leaves low = high. */
static bool next_v5(struct dwarf_ranges *r, uint64_t *low, uint64_t *high)
{
	struct dwarf_cursor *c = &r->cursor;
	unsigned size = r->unit->address_size;

	*low = *high = 0;
	switch (cursor_byte(c)) {
	case DW_RLE_base_addressx:
		r->base = indexed(r);
		break;
	case DW_RLE_startx_endx:
		*low = indexed(r);
		*high = indexed(r);
		break;
	case DW_RLE_startx_length:
		*low = indexed(r);
		*high = *low + cursor_uleb(c);
		break;
	case DW_RLE_offset_pair:
		*low = cursor_uleb(c) + r->base;
		*high = cursor_uleb(c) + r->base;
		if (r->base >= address_mask(r->unit) - 1)
			*low = *high = 0;
		break;
	case DW_RLE_base_address:
		r->base = cursor_number(c, size);
		break;
	case DW_RLE_start_end:
		*low = cursor_number(c, size);
		*high = cursor_number(c, size);
		break;
	case DW_RLE_start_length:
		*low = cursor_number(c, size);
		*high = *low + cursor_uleb(c);
		break;
	default: /* DW_RLE_end_of_list, or unknown */
		return false;
	}
	return !c->bad;
}

bool dwarf_ranges_next(struct dwarf_ranges *r, uint64_t *low, uint64_t *high)
{
	if (r->shape == RANGES_PAIR) {
		r->shape = RANGES_NONE;
		*low = r->low;
		*high = r->high;
		return *low < *high && !dropped(r->unit, *low);
	}
	while (dwarf_spend(r->unit, 1) && (r->shape == RANGES_V4 ? next_v4(r, low, high) : r->shape == RANGES_V5 && next_v5(r, low, high)))
		if (*low < *high && !dropped(r->unit, *low))
			return true;
	return false;
}
