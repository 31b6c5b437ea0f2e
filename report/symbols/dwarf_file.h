/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DWARF of one ELF file: its sections, units and abbreviations, and how
 * attribute values are read.  Versions 2 to 5, both byte orders, 32- and 64-bit
 * offsets, compressed sections.  Knows nothing of addresses that are asked for.
 *
 * Read by hand and not with libdw: a report looks at many million entries to
 * find the few that cover an address, and libdw walks a tenth as fast.
 */
#ifndef FOLD_REPORT_DWARF_FILE_H
#define FOLD_REPORT_DWARF_FILE_H

#include "dwarf_read.h"
#include "elf.h"

enum dwarf_section {
	DWARF_INFO, DWARF_ABBREV, DWARF_LINE, DWARF_STR, DWARF_LINE_STR, DWARF_STR_OFFSETS,
	DWARF_ADDR, DWARF_RANGES, DWARF_RNGLISTS, DWARF_CU_INDEX, DWARF_NSECTIONS
};

struct dwarf_attr { uint16_t name, form; uint32_t constant; /* index of an implicit constant */ };
struct dwarf_skip { uint8_t op, n; };
struct dwarf_abbrev {
	uint64_t code;
	uint16_t tag;
	bool children;
	uint32_t attr, nattrs;   /* in abbrevs->attrs */
	uint32_t skip, nskips;   /* in abbrevs->skips: how to pass over an entry */
};
struct dwarf_abbrevs {
	size_t n; struct dwarf_abbrev *v; /* sorted by code */
	struct dwarf_attr *attrs; size_t nattrs, attr_room;
	struct dwarf_skip *skips; size_t nskips, skip_room;
	int64_t *constants; size_t nconstants, constant_room;
	size_t room;
	uint64_t bytes; /* of memory, about */
};

struct dwarf_value {
	uint64_t u;           /* number, offset or index, as the form says; of inline strings where they are in memory */
	uint16_t form;        /* 0: the attribute is absent */
};
/* The attributes of functions, inlined functions and blocks that matter here. */
struct dwarf_die {
	struct dwarf_value name, linkage_name, origin, specification, low, high, ranges, call_file, call_line;
	uint64_t sibling;     /* offset of the next sibling; 0 not said */
};

/*
 * Entries, ranges and tables can be referred to from anywhere, as often as a hostile
 * file likes: what it costs to follow that is bounded by a multiple of the bytes that
 * files have, and by what is asked for.  Shared by files that belong together.
 */
struct dwarf_work {
	uint64_t left;
	uint64_t bytes;              /* of the sections read so far */
};

struct dwarf_file;
struct dwarf_unit {
	struct dwarf_file *file;
	uint64_t offset, die, end;   /* in .debug_info: header, first entry, behind the last */
	uint64_t abbrev_offset;
	uint16_t version;
	uint8_t type, offset_size, address_size;
	uint64_t dwo_id;             /* 0 none */
	struct dwarf_abbrevs *abbrevs;
	/* from its first entry, by dwarf_unit_root() */
	bool root_read, root_good, has_lines;
	uint64_t stmt_list, low;
	struct dwarf_die root;       /* low, high and ranges only */
	uint64_t str_offsets, addr, rnglists, ranges_base;
	const char *comp_dir, *dwo_name;
	/* where a part of a .dwp file has its share of the other sections */
	uint64_t line_base;
	struct dwarf_unit *skeleton; /* a split unit's: it has the addresses */
	struct dwarf_unit *split;    /* a skeleton's, when it was looked for; NULL: not found */
	bool split_sought;
	struct dwarf_lines *lines;   /* owned by dwarf_line.c */
};

struct dwarf_file {
	Elf *elf;
	struct dwarf_work *work;      /* borrowed */
	uint64_t abbrev_bytes;        /* memory of all units' abbreviations */
	bool big, split, relocatable, units_read;
	struct dwarf_bytes sections[DWARF_NSECTIONS];
	void *owned[DWARF_NSECTIONS]; /* decompressed */
	bool loaded[DWARF_NSECTIONS];
	struct dwarf_unit *units;
	size_t nunits, unit_room;
	struct dwarf_file *alt;       /* dwz's supplementary file; NULL none.  Borrowed */
};

/* `elf` is borrowed.  `split`: take the .dwo sections. */
void dwarf_file_init(struct dwarf_file *f, Elf *elf, bool split, struct dwarf_work *work);
void dwarf_file_release(struct dwarf_file *f); /* accepts a zeroed struct */

/* Loaded and decompressed at the first use; empty when there is none. */
struct dwarf_bytes dwarf_section(struct dwarf_file *f, enum dwarf_section section);

/* So many queries are asked from now on. */
void dwarf_work_begin(struct dwarf_work *work, size_t queries);
/* False: what was allowed is spent, and files are broken from here on. */
static inline bool dwarf_spend(const struct dwarf_unit *u, uint64_t n)
{
	struct dwarf_work *work = u->file->work;

	if (work->left < n) {
		work->left = 0;
		return false;
	}
	work->left -= n;
	return true;
}

/* Read all unit headers.  0, or -1: out of memory.  Broken units end the list. */
int dwarf_file_units(struct dwarf_file *f);
/* The unit that holds an offset of .debug_info; NULL none. */
struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset);
/* Read the attributes of the unit's own entry, once.  False: broken. */
bool dwarf_unit_root(struct dwarf_unit *u);
/* The unit's abbreviations, read when they are needed; NULL broken or no memory. */
struct dwarf_abbrevs *dwarf_unit_abbrevs(struct dwarf_unit *u);
/* Give the memory of the abbreviations back; of all units, when it is much. */
void dwarf_unit_rest(struct dwarf_unit *u);
void dwarf_file_rest(struct dwarf_file *f);

const struct dwarf_abbrev *dwarf_abbrev(const struct dwarf_abbrevs *a, uint64_t code);

/* ------------------------------------------------------------ entries and values */

/* Any value: false when the form is unknown, which breaks the unit. */
bool dwarf_form_read(const struct dwarf_unit *u, struct dwarf_cursor *c, uint16_t form, int64_t constant, struct dwarf_value *v);

/* Read the entry whose code was just read.  False: broken. */
bool dwarf_die_read(const struct dwarf_unit *u, struct dwarf_cursor *c, const struct dwarf_abbrev *abbrev, struct dwarf_die *die);
/* Pass over an entry's attributes; *sibling gets where the next sibling begins, 0 not said. */
void dwarf_die_skip(const struct dwarf_unit *u, struct dwarf_cursor *c, const struct dwarf_abbrev *abbrev, uint64_t *sibling);
/* Pass over the children of an entry. */
void dwarf_children_skip(const struct dwarf_unit *u, struct dwarf_cursor *c);
/* A cursor over the entries of `u` from `offset` of .debug_info; bad when it is outside. */
struct dwarf_cursor dwarf_unit_cursor(const struct dwarf_unit *u, uint64_t offset);
static inline uint64_t dwarf_offset(const struct dwarf_unit *u, const struct dwarf_cursor *c)
{
	return (uint64_t)(c->at - u->file->sections[DWARF_INFO].at);
}

/* NULL when the value is absent or no string. */
const char *dwarf_value_string(const struct dwarf_unit *u, const struct dwarf_value *v);
bool dwarf_value_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *address);
/* The entry that a value refers to: its unit and offset.  False: none, or broken. */
bool dwarf_value_reference(const struct dwarf_unit *u, const struct dwarf_value *v, struct dwarf_unit **unit, uint64_t *offset);

/* ------------------------------------------------------------ ranges */

struct dwarf_ranges {
	struct dwarf_unit *unit;
	enum { RANGES_NONE, RANGES_PAIR, RANGES_V4, RANGES_V5 } shape;
	uint64_t low, high, base;
	struct dwarf_cursor cursor;
};
/* Ranges of an entry; `base` as its unit says. */
void dwarf_ranges_begin(struct dwarf_ranges *r, struct dwarf_unit *u, const struct dwarf_die *die);
/* The next one that is not empty and not one of a dropped section.  False: no more. */
bool dwarf_ranges_next(struct dwarf_ranges *r, uint64_t *low, uint64_t *high);

#endif
