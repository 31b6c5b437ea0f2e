/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The header and the program of a line table, versions 2 to 5.  Rows that are no
 * statements count too: the address is where it is.
 */
#include "dwarf_line.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "../model/array.h"

#define MAX_FORMATS 32
#define MAX_PATH 4096

struct line_name { const char *name; uint64_t dir; };
struct line_names { struct line_name *v; size_t n, room; };

struct dwarf_lines {
	bool good;
	uint16_t version;
	uint8_t address_size, min_inst, line_range, opcode_base;
	int8_t line_base;
	uint8_t lengths[256];
	struct dwarf_cursor program;
	struct line_names dirs, files;
	char **paths;  /* made when asked for */
	size_t npaths;
};

/* ------------------------------------------------------------ header */

static int add_name(struct line_names *names, const char *name, uint64_t dir)
{
	if (array_room(names->v, names->room, names->n + 1))
		return -1;
	names->v[names->n++] = (struct line_name){name, dir};
	return 0;
}

/* Versions 2 to 4: index 0 is not in the lists. */
static bool read_lists_v4(struct dwarf_lines *l, struct dwarf_cursor *c, const char *comp_dir)
{
	const char *name;

	if (add_name(&l->dirs, comp_dir, 0) || add_name(&l->files, NULL, 0))
		return false;
	while (*(name = cursor_string(c)))
		if (add_name(&l->dirs, name, 0))
			return false;
	while (!c->bad && *(name = cursor_string(c))) {
		uint64_t dir = cursor_uleb(c);

		cursor_uleb(c);
		cursor_uleb(c);
		if (add_name(&l->files, name, dir))
			return false;
	}
	return !c->bad;
}

/* Version 5: a list says which forms its entries have. */
static bool read_list_v5(const struct dwarf_unit *u, struct line_names *names, struct dwarf_cursor *c)
{
	struct { uint64_t type; uint16_t form; } formats[MAX_FORMATS];
	unsigned nformats = cursor_byte(c);
	uint64_t n;

	if (nformats > MAX_FORMATS)
		return false;
	for (unsigned i = 0; i < nformats; i++) {
		formats[i].type = cursor_uleb(c);
		formats[i].form = (uint16_t)cursor_uleb(c);
	}
	n = cursor_uleb(c);
	if (!nformats || n > (uint64_t)(c->end - c->at))
		return !n;
	for (uint64_t i = 0; i < n && !c->bad; i++) {
		struct line_name name = {0};

		for (unsigned k = 0; k < nformats; k++) {
			struct dwarf_value v = {0};

			if (!dwarf_form_read(u, c, formats[k].form, 0, &v))
				return false;
			if (formats[k].type == DW_LNCT_path)
				name.name = dwarf_value_string(u, &v);
			if (formats[k].type == DW_LNCT_directory_index)
				name.dir = v.u;
		}
		if (add_name(names, name.name, name.dir))
			return false;
	}
	return !c->bad;
}

static bool read_header(struct dwarf_unit *u, struct dwarf_lines *l)
{
	struct dwarf_cursor c = cursor_at(dwarf_section(u->file, DWARF_LINE), u->stmt_list, u->file->big);
	struct dwarf_unit as = *u; /* offsets here may have another size than in the unit */
	uint64_t length = cursor_number(&c, 4), header;

	as.offset_size = length == 0xffffffff ? 8 : 4;
	if (as.offset_size == 8)
		length = cursor_number(&c, 8);
	if (c.bad || length > (uint64_t)(c.end - c.at))
		return false;
	c.end = c.at + length;
	l->version = (uint16_t)cursor_number(&c, 2);
	l->address_size = u->address_size;
	if (l->version >= 5) {
		l->address_size = cursor_byte(&c);
		cursor_byte(&c); /* segment selectors */
	}
	header = cursor_number(&c, as.offset_size);
	if (c.bad || l->version < 2 || l->version > 5 || header > (uint64_t)(c.end - c.at) ||
	    !l->address_size || l->address_size > 8)
		return false;
	l->program = c;
	l->program.at += header;
	c.end = l->program.at;
	if (!dwarf_spend(u, header))
		return false;
	l->min_inst = cursor_byte(&c);
	if (l->version >= 4)
		cursor_byte(&c); /* operations in an instruction: VLIW is not told apart */
	cursor_byte(&c); /* is_stmt */
	l->line_base = (int8_t)cursor_byte(&c);
	l->line_range = cursor_byte(&c);
	l->opcode_base = cursor_byte(&c);
	for (unsigned i = 1; i < l->opcode_base; i++)
		l->lengths[i] = cursor_byte(&c);
	if (c.bad || !l->line_range || !l->opcode_base)
		return false;
	if (l->version < 5)
		return read_lists_v4(l, &c, u->comp_dir);
	return read_list_v5(&as, &l->dirs, &c) && read_list_v5(&as, &l->files, &c);
}

static struct dwarf_lines *lines_of(struct dwarf_unit *u)
{
	if (!u->lines && dwarf_unit_root(u) && u->has_lines) {
		u->lines = calloc(1, sizeof(*u->lines));
		if (u->lines)
			u->lines->good = read_header(u, u->lines);
	}
	return u->lines && u->lines->good ? u->lines : NULL;
}

void dwarf_lines_free(struct dwarf_unit *u)
{
	struct dwarf_lines *l = u->lines;

	if (!l)
		return;
	for (size_t i = 0; i < l->npaths; i++)
		free(l->paths[i]);
	free(l->paths);
	free(l->dirs.v);
	free(l->files.v);
	free(l);
	u->lines = NULL;
}

/* ------------------------------------------------------------ file names */

static char *join(const char *comp_dir, const char *dir, const char *name)
{
	char *path;
	int n;

	if (strlen(name) + (dir ? strlen(dir) : 0) + (comp_dir ? strlen(comp_dir) : 0) > MAX_PATH)
		return NULL;
	if (name[0] == '/' || ((!dir || !*dir) && !comp_dir))
		return strdup(name);
	if (!dir || !*dir)
		n = asprintf(&path, "%s/%s", comp_dir, name);
	else if (dir[0] == '/' || !comp_dir)
		n = asprintf(&path, "%s/%s", dir, name);
	else
		n = asprintf(&path, "%s/%s/%s", comp_dir, dir, name);
	return n < 0 ? NULL : path;
}

const char *dwarf_lines_file(struct dwarf_unit *u, uint64_t index)
{
	struct dwarf_lines *l = lines_of(u);
	const struct line_name *file;
	const char *dir;

	if (!l || index >= l->files.n || !l->files.v[index].name)
		return NULL;
	if (!l->paths) {
		l->paths = calloc(l->files.n, sizeof(char *));
		if (!l->paths)
			return NULL;
		l->npaths = l->files.n;
	}
	file = &l->files.v[index];
	dir = file->dir < l->dirs.n ? l->dirs.v[file->dir].name : NULL;
	if (!l->paths[index]) /* directory 0 is the unit's own and needs no prefix */
		l->paths[index] = join(file->dir ? u->comp_dir : NULL, dir, file->name);
	return l->paths[index];
}

/* ------------------------------------------------------------ program */

struct machine {
	const struct dwarf_lines *lines;
	struct dwarf_row *rows;
	size_t n, next;    /* next: the first row at or behind the last line's address */
	uint64_t address;
	uint32_t file, line;
	bool dropped;      /* a sequence of code that the linker left out */
	bool may_be_zero;  /* in a relocatable file code begins at 0 */
	/* the line before, which reaches to this one */
	bool open;
	uint64_t from;
	uint32_t from_file, from_line;
};

static void seek(struct machine *m, uint64_t address)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->rows[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	m->next = low;
}

/* A line of the table: it ends the one before it. */
static void row(struct machine *m, bool end_of_sequence)
{
	if (!m->open || m->address < m->from) {
		seek(m, m->address);
	} else {
		for (; m->next < m->n && m->rows[m->next].address < m->address; m->next++) {
			struct dwarf_row *r = &m->rows[m->next];

			if (r->found)
				continue;
			r->file = m->from_file;
			r->line = m->from_line;
			r->found = true;
		}
	}
	m->open = !end_of_sequence && !m->dropped;
	m->from = m->address;
	m->from_file = m->file;
	m->from_line = m->line;
}

static void restart(struct machine *m)
{
	m->open = false;
	m->dropped = !m->may_be_zero;
	m->address = 0;
	m->file = 1;
	m->line = 1;
}

static void extended(struct machine *m, struct dwarf_cursor *c)
{
	uint64_t size = cursor_uleb(c);
	const uint8_t *end;

	if (!size || size > (uint64_t)(c->end - c->at)) {
		cursor_fail(c);
		return;
	}
	end = c->at + size;
	switch (cursor_byte(c)) {
	case DW_LNE_end_sequence:
		row(m, true);
		restart(m);
		break;
	case DW_LNE_set_address:
		if (size < 2 || size > 9)
			break;
		m->address = cursor_number(c, (unsigned)size - 1);
		m->dropped = (!m->address && !m->may_be_zero) || m->address >= (UINT64_MAX >> 8 * (9 - size)) - 1;
		break;
	default:
		break;
	}
	c->at = end;
}

static void standard(struct machine *m, struct dwarf_cursor *c, uint8_t op)
{
	const struct dwarf_lines *l = m->lines;

	switch (op) {
	case DW_LNS_copy:
		row(m, false);
		break;
	case DW_LNS_advance_pc:
		m->address += cursor_uleb(c) * l->min_inst;
		break;
	case DW_LNS_advance_line:
		m->line += (uint32_t)cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		m->file = (uint32_t)cursor_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		m->address += (uint64_t)((255 - l->opcode_base) / l->line_range) * l->min_inst;
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += cursor_number(c, 2);
		break;
	default: /* no effect on what matters here, or unknown */
		for (unsigned i = 0; i < l->lengths[op]; i++)
			cursor_uleb(c);
	}
}

void dwarf_lines_run(struct dwarf_unit *u, struct dwarf_row *rows, size_t n)
{
	struct dwarf_lines *l = lines_of(u);
	struct machine m = {.lines = l, .rows = rows, .n = n, .may_be_zero = u->file->relocatable};
	struct dwarf_cursor c;

	if (!l || !n)
		return;
	c = l->program;
	if (!dwarf_spend(u, (uint64_t)(c.end - c.at)))
		return;
	restart(&m);
	while (c.at < c.end) {
		uint8_t op = *c.at++;

		if (op >= l->opcode_base) {
			unsigned special = op - l->opcode_base;

			m.address += (uint64_t)(special / l->line_range) * l->min_inst;
			m.line += (uint32_t)(l->line_base + (int)(special % l->line_range));
			row(&m, false);
		} else if (op) {
			standard(&m, &c, op);
		} else {
			extended(&m, &c);
		}
	}
}
