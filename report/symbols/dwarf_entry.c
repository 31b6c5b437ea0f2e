/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Abbreviations, and entries read or passed over by them.  For each abbreviation
 * there is a short list of steps that pass over an entry, with all fixed sizes
 * summed up: most entries are types and variables that nobody asks for.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "../model/array.h"
#include "dwarf_file.h"

enum { SKIP_FIXED, SKIP_LEB, SKIP_STRING, SKIP_BLOCK, SKIP_SIBLING, SKIP_INDIRECT };

#define MAX_ABBREVS (1u << 20)
#define MAX_INDIRECT 4

/* ------------------------------------------------------------ abbreviations */

static int add_skip(struct dwarf_abbrevs *a, struct dwarf_abbrev *abbrev, uint8_t op, unsigned n)
{
	struct dwarf_skip *last = abbrev->nskips ? &a->skips[a->nskips - 1] : NULL;

	if (op == SKIP_FIXED && (!n || (last && last->op == SKIP_FIXED && last->n + n <= UINT8_MAX))) {
		if (n)
			last->n = (uint8_t)(last->n + n);
		return 0;
	}
	if (array_room(a->skips, a->skip_room, a->nskips + 1))
		return -1;
	a->skips[a->nskips++] = (struct dwarf_skip){op, (uint8_t)n};
	abbrev->nskips++;
	return 0;
}

/* Bytes of a form of fixed size; -1 when its size varies. */
static int form_size(const struct dwarf_unit *u, uint16_t form)
{
	switch (form) {
	case DW_FORM_flag_present: case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1: case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_addrx4: case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return u->address_size;
	case DW_FORM_ref_addr:
		return u->version == 2 ? u->address_size : u->offset_size;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset: case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt: case DW_FORM_GNU_ref_alt:
		return u->offset_size;
	default:
		return -1;
	}
}

/* False: a form whose size is not known. */
static bool add_form_skip(const struct dwarf_unit *u, struct dwarf_abbrevs *a, struct dwarf_abbrev *abbrev, uint16_t form)
{
	int size = form_size(u, form);

	if (size >= 0)
		return !add_skip(a, abbrev, SKIP_FIXED, (unsigned)size);
	switch (form) {
	case DW_FORM_sdata: case DW_FORM_udata: case DW_FORM_ref_udata: case DW_FORM_strx: case DW_FORM_addrx:
	case DW_FORM_loclistx: case DW_FORM_rnglistx: case DW_FORM_GNU_addr_index: case DW_FORM_GNU_str_index:
		return !add_skip(a, abbrev, SKIP_LEB, 0);
	case DW_FORM_string:
		return !add_skip(a, abbrev, SKIP_STRING, 0);
	case DW_FORM_block1:
		return !add_skip(a, abbrev, SKIP_BLOCK, 1);
	case DW_FORM_block2:
		return !add_skip(a, abbrev, SKIP_BLOCK, 2);
	case DW_FORM_block4:
		return !add_skip(a, abbrev, SKIP_BLOCK, 4);
	case DW_FORM_block: case DW_FORM_exprloc:
		return !add_skip(a, abbrev, SKIP_BLOCK, 0);
	case DW_FORM_indirect:
		return !add_skip(a, abbrev, SKIP_INDIRECT, 0);
	default:
		return false;
	}
}

static bool add_attribute(const struct dwarf_unit *u, struct dwarf_cursor *c, struct dwarf_abbrevs *a,
			  struct dwarf_abbrev *abbrev, uint64_t name, uint64_t form)
{
	struct dwarf_attr attr = {(uint16_t)name, (uint16_t)form, 0};
	int size;

	if (name > UINT16_MAX || form > UINT16_MAX)
		return false;
	if (form == DW_FORM_implicit_const) {
		if (array_room(a->constants, a->constant_room, a->nconstants + 1))
			return false;
		attr.constant = (uint32_t)a->nconstants;
		a->constants[a->nconstants++] = cursor_sleb(c);
	}
	if (array_room(a->attrs, a->attr_room, a->nattrs + 1))
		return false;
	a->attrs[a->nattrs++] = attr;
	abbrev->nattrs++;
	size = form_size(u, attr.form);
	if (name == DW_AT_sibling && ((size > 0 && size <= 8) || form == DW_FORM_ref_udata) && form != DW_FORM_ref_addr)
		return !add_skip(a, abbrev, SKIP_SIBLING, size > 0 ? (unsigned)size : 0);
	return add_form_skip(u, a, abbrev, attr.form);
}

static bool add_abbrev(const struct dwarf_unit *u, struct dwarf_cursor *c, struct dwarf_abbrevs *a, uint64_t code)
{
	uint64_t name, form, tag = cursor_uleb(c);
	bool children = cursor_byte(c);
	struct dwarf_abbrev *abbrev;

	if (a->n == MAX_ABBREVS || array_room(a->v, a->room, a->n + 1))
		return false;
	abbrev = &a->v[a->n++];
	*abbrev = (struct dwarf_abbrev){
		.code = code, .tag = tag > UINT16_MAX ? 0 : (uint16_t)tag, .children = children,
		.attr = (uint32_t)a->nattrs, .skip = (uint32_t)a->nskips,
	};
	for (;;) {
		name = cursor_uleb(c);
		form = cursor_uleb(c);
		if (c->bad)
			return false;
		if (!name && !form)
			return true;
		if (!add_attribute(u, c, a, abbrev, name, form))
			return false;
	}
}

static int compare_codes(const void *x, const void *y)
{
	const struct dwarf_abbrev *a = x, *b = y;

	return a->code < b->code ? -1 : a->code > b->code;
}

static void abbrevs_release(struct dwarf_abbrevs *a)
{
	free(a->v);
	free(a->attrs);
	free(a->skips);
	free(a->constants);
	memset(a, 0, sizeof(*a));
}

/* Read the table of `u`, as far as the code `last` when that is not 0.  What
 * stands before a broken entry is good. */
static void abbrevs_read(const struct dwarf_unit *u, struct dwarf_abbrevs *a, uint64_t last)
{
	struct dwarf_cursor c = cursor_at(dwarf_section(u->file, DWARF_ABBREV), u->abbrev_offset, u->file->big);
	bool sorted = true;
	uint64_t code;

	while (!c.bad && (code = cursor_uleb(&c))) {
		if (!add_abbrev(u, &c, a, code)) {
			a->n -= a->n != 0;
			break;
		}
		if (!dwarf_spend(u, 1 + a->v[a->n - 1].nattrs))
			break;
		sorted = sorted && (a->n < 2 || a->v[a->n - 2].code < code);
		if (code == last)
			break;
	}
	if (!sorted)
		qsort(a->v, a->n, sizeof(*a->v), compare_codes);
}

struct dwarf_abbrevs *dwarf_unit_abbrevs(struct dwarf_unit *u)
{
	if (u->abbrevs)
		return u->abbrevs;
	u->abbrevs = calloc(1, sizeof(*u->abbrevs));
	if (!u->abbrevs)
		return NULL;
	abbrevs_read(u, u->abbrevs, 0);
	u->abbrevs->bytes = u->abbrevs->room * sizeof(struct dwarf_abbrev) + u->abbrevs->attr_room * sizeof(struct dwarf_attr) + u->abbrevs->skip_room;
	u->file->abbrev_bytes += u->abbrevs->bytes;
	return u->abbrevs;
}

const struct dwarf_abbrev *dwarf_abbrev(const struct dwarf_abbrevs *a, uint64_t code)
{
	size_t low = 0, high = a->n;

	/* nearly always they count from 1 */
	if (code - 1 < a->n && a->v[code - 1].code == code)
		return &a->v[code - 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->v[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->n && a->v[low].code == code ? &a->v[low] : NULL;
}

/* ------------------------------------------------------------ passing over */

static void form_skip_indirect(const struct dwarf_unit *u, struct dwarf_cursor *c)
{
	struct dwarf_value v;

	if (!dwarf_form_read(u, c, DW_FORM_indirect, 0, &v))
		cursor_fail(c);
}

void dwarf_die_skip(const struct dwarf_unit *u, struct dwarf_cursor *c, const struct dwarf_abbrev *abbrev, uint64_t *sibling)
{
	const struct dwarf_skip *skip = abbrev->nskips ? &u->abbrevs->skips[abbrev->skip] : NULL;

	*sibling = 0;
	for (uint32_t i = 0; i < abbrev->nskips; i++) {
		switch (skip[i].op) {
		case SKIP_FIXED:
			cursor_skip(c, skip[i].n);
			break;
		case SKIP_LEB:
			while (cursor_byte(c) & 0x80)
				;
			break;
		case SKIP_STRING:
			cursor_string(c);
			break;
		case SKIP_BLOCK:
			cursor_skip(c, skip[i].n ? cursor_number(c, skip[i].n) : cursor_uleb(c));
			break;
		case SKIP_SIBLING:
			*sibling = u->offset + (skip[i].n ? cursor_number(c, skip[i].n) : cursor_uleb(c));
			break;
		default:
			form_skip_indirect(u, c);
		}
	}
}

void dwarf_children_skip(const struct dwarf_unit *u, struct dwarf_cursor *c)
{
	uint64_t depth = 1, code, sibling;

	while (depth && !c->bad) {
		const struct dwarf_abbrev *abbrev;

		code = cursor_uleb(c);
		if (!code) {
			depth--;
			continue;
		}
		abbrev = dwarf_abbrev(u->abbrevs, code);
		if (!abbrev) {
			cursor_fail(c);
			return;
		}
		dwarf_die_skip(u, c, abbrev, &sibling);
		if (!abbrev->children)
			continue;
		/* forward only, or it would never end */
		if (sibling > dwarf_offset(u, c) && sibling <= u->end)
			c->at = u->file->sections[DWARF_INFO].at + sibling;
		else
			depth++;
	}
}

/* ------------------------------------------------------------ reading */

static bool form_read_odd(const struct dwarf_unit *u, struct dwarf_cursor *c, uint16_t form, struct dwarf_value *v)
{
	switch (form) {
	case DW_FORM_sdata:
		v->u = (uint64_t)cursor_sleb(c);
		return true;
	case DW_FORM_udata: case DW_FORM_ref_udata: case DW_FORM_strx: case DW_FORM_addrx: case DW_FORM_loclistx:
	case DW_FORM_rnglistx: case DW_FORM_GNU_addr_index: case DW_FORM_GNU_str_index:
		v->u = cursor_uleb(c);
		return true;
	case DW_FORM_string:
		v->u = (uintptr_t)cursor_string(c);
		return true;
	case DW_FORM_block1:
		cursor_skip(c, cursor_number(c, 1));
		return true;
	case DW_FORM_block2:
		cursor_skip(c, cursor_number(c, 2));
		return true;
	case DW_FORM_block4:
		cursor_skip(c, cursor_number(c, 4));
		return true;
	case DW_FORM_block: case DW_FORM_exprloc:
		cursor_skip(c, cursor_uleb(c));
		return true;
	default:
		return false;
	}
}

bool dwarf_form_read(const struct dwarf_unit *u, struct dwarf_cursor *c, uint16_t form, int64_t constant, struct dwarf_value *v)
{
	int size;

	for (int i = 0; form == DW_FORM_indirect && i < MAX_INDIRECT; i++)
		form = (uint16_t)cursor_uleb(c);
	v->form = form;
	size = form_size(u, form);
	if (form == DW_FORM_implicit_const)
		v->u = (uint64_t)constant;
	else if (form == DW_FORM_flag_present)
		v->u = 1;
	else if (size > 8)
		cursor_skip(c, (uint64_t)size);
	else if (size > 0)
		v->u = cursor_number(c, (unsigned)size);
	else if (!form_read_odd(u, c, form, v))
		return false;
	return !c->bad;
}

static struct dwarf_value *die_slot(struct dwarf_die *die, uint16_t name)
{
	switch (name) {
	case DW_AT_name: return &die->name;
	case DW_AT_linkage_name: case DW_AT_MIPS_linkage_name: return &die->linkage_name;
	case DW_AT_abstract_origin: return &die->origin;
	case DW_AT_specification: return &die->specification;
	case DW_AT_low_pc: return &die->low;
	case DW_AT_high_pc: return &die->high;
	case DW_AT_ranges: return &die->ranges;
	case DW_AT_call_file: return &die->call_file;
	case DW_AT_call_line: return &die->call_line;
	default: return NULL;
	}
}

static int64_t constant_of(const struct dwarf_abbrevs *a, const struct dwarf_attr *attr)
{
	return attr->form == DW_FORM_implicit_const ? a->constants[attr->constant] : 0;
}

bool dwarf_die_read(const struct dwarf_unit *u, struct dwarf_cursor *c, const struct dwarf_abbrev *abbrev, struct dwarf_die *die)
{
	const struct dwarf_attr *attr = abbrev->nattrs ? &u->abbrevs->attrs[abbrev->attr] : NULL;

	memset(die, 0, sizeof(*die));
	if (!dwarf_spend(u, 1 + abbrev->nattrs))
		return false;
	for (uint32_t i = 0; i < abbrev->nattrs; i++) {
		struct dwarf_value other = {0}, *v = die_slot(die, attr[i].name);

		if (!dwarf_form_read(u, c, attr[i].form, constant_of(u->abbrevs, &attr[i]), v ? v : &other))
			return false;
		if (attr[i].name == DW_AT_sibling && other.form != DW_FORM_ref_addr)
			die->sibling = u->offset + other.u;
	}
	return true;
}

/* ------------------------------------------------------------ the unit's own entry */

struct root_values {
	struct dwarf_value stmt_list, comp_dir, dwo_name, str_offsets, addr, rnglists, ranges_base;
};

static void root_attribute(struct dwarf_unit *u, struct root_values *root, uint16_t name, const struct dwarf_value *v)
{
	struct dwarf_value *slot = die_slot(&u->root, name);

	if (slot)
		*slot = *v;
	switch (name) {
	case DW_AT_stmt_list: root->stmt_list = *v; break;
	case DW_AT_comp_dir: root->comp_dir = *v; break;
	case DW_AT_dwo_name: case DW_AT_GNU_dwo_name: root->dwo_name = *v; break;
	case DW_AT_GNU_dwo_id: u->dwo_id = v->u; break;
	case DW_AT_str_offsets_base: root->str_offsets = *v; break;
	case DW_AT_addr_base: case DW_AT_GNU_addr_base: root->addr = *v; break;
	case DW_AT_rnglists_base: root->rnglists = *v; break;
	case DW_AT_GNU_ranges_base: root->ranges_base = *v; break;
	default: break;
	}
}

/* Bases first: strings and addresses are found with them. */
static void root_apply(struct dwarf_unit *u, const struct root_values *root)
{
	u->has_lines = root->stmt_list.form != 0;
	u->stmt_list = root->stmt_list.u + u->line_base;
	if (root->str_offsets.form)
		u->str_offsets = root->str_offsets.u;
	else if (u->file->split && u->version >= 5)
		u->str_offsets += u->offset_size == 8 ? 16 : 8;
	if (root->rnglists.form)
		u->rnglists = root->rnglists.u;
	else if (u->file->split && u->version >= 5)
		u->rnglists += u->offset_size == 8 ? 20 : 12;
	u->addr = root->addr.u;
	u->ranges_base = root->ranges_base.u;
	u->comp_dir = dwarf_value_string(u, &root->comp_dir);
	u->dwo_name = dwarf_value_string(u, &root->dwo_name);
	if (!dwarf_value_address(u, &u->root.low, &u->low))
		u->low = 0;
}

static bool root_read(struct dwarf_unit *u, struct dwarf_abbrevs *a)
{
	struct dwarf_cursor c = dwarf_unit_cursor(u, u->die);
	uint64_t code = cursor_uleb(&c);
	const struct dwarf_abbrev *abbrev;
	struct root_values root = {0};

	abbrevs_read(u, a, code);
	abbrev = code ? dwarf_abbrev(a, code) : NULL;
	if (c.bad || !abbrev || !dwarf_spend(u, 1 + abbrev->nattrs))
		return false;
	for (uint32_t i = 0; i < abbrev->nattrs; i++) {
		const struct dwarf_attr *attr = &a->attrs[abbrev->attr + i];
		struct dwarf_value v = {0};

		if (!dwarf_form_read(u, &c, attr->form, constant_of(a, attr), &v))
			return false;
		root_attribute(u, &root, attr->name, &v);
	}
	root_apply(u, &root);
	return true;
}

bool dwarf_unit_root(struct dwarf_unit *u)
{
	struct dwarf_abbrevs a = {0};

	if (u->root_read)
		return u->root_good;
	u->root_read = true;
	u->root_good = root_read(u, &a);
	abbrevs_release(&a);
	return u->root_good;
}
