/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug information and tables that have the same things looked at again and again:
 * small files that would take hours, or all memory.  Each must come to an end by itself; the limit
 * of the test runner is what says no.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "../../format/buf.h"
#include "../../report/symbols/dwarf.h"
#include "../../report/symbols/plt.h"
#include "../../report/symbols/symtab.h"
#include "test.h"

#define MANY 100000
#define CODE UINT64_C(0x10000)

enum part { INFO, ABBREV, LINE, RANGES, PARTS };
struct made {
	struct buf part[PARTS];
	struct buf image;
	struct elf_file file;
	struct dwarf *dwarf;
};

static void number(struct buf *b, uint64_t v, size_t n)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	buf_raw(b, bytes, n);
}

static void uleb(struct buf *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		number(b, (v & 0x7f) | 0x80, 1);
	number(b, v, 1);
}

/* Pairs of attribute and form, 0 at the end. */
static void abbrev(struct made *m, uint64_t code, unsigned tag, bool children, const unsigned *pairs)
{
	struct buf *b = &m->part[ABBREV];

	uleb(b, code);
	uleb(b, tag);
	number(b, children, 1);
	for (; *pairs; pairs += 2) {
		uleb(b, pairs[0]);
		uleb(b, pairs[1]);
	}
	number(b, 0, 2);
}

/* Of version 4; returns where its length is to be written when it is known. */
static size_t unit(struct made *m)
{
	struct buf *b = &m->part[INFO];
	size_t at = b->size;

	number(b, 0, 4);
	number(b, 4, 2);
	number(b, 0, 4);
	number(b, 8, 1);
	return at;
}

static void unit_end(struct made *m, size_t at)
{
	struct buf *b = &m->part[INFO];
	uint32_t length = (uint32_t)(b->size - at - 4);

	memcpy(b->at + at, &length, sizeof(length));
}

static void section(struct buf *b, uint32_t name, uint32_t type, uint64_t offset, uint64_t size)
{
	Elf64_Shdr h = {.sh_name = name, .sh_type = type, .sh_offset = offset, .sh_size = size, .sh_addralign = 1};

	buf_raw(b, &h, sizeof(h));
}

static void open_image(struct made *m)
{
	static const char names[] = "\0.debug_info\0.debug_abbrev\0.debug_line\0.debug_ranges\0.shstrtab";
	Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(header), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = PARTS + 2, .e_shstrndx = PARTS + 1,
	};
	uint64_t offset = sizeof(header) + (PARTS + 2) * sizeof(Elf64_Shdr), at = offset;
	const char *name = names + 1;

	header.e_shoff = sizeof(header);
	buf_raw(&m->image, &header, sizeof(header));
	section(&m->image, 0, SHT_NULL, 0, 0);
	for (int i = 0; i < PARTS; i++, name += strlen(name) + 1) {
		section(&m->image, (uint32_t)(name - names), SHT_PROGBITS, at, m->part[i].size);
		at += m->part[i].size;
	}
	section(&m->image, (uint32_t)(name - names), SHT_STRTAB, at, sizeof(names));
	for (int i = 0; i < PARTS; i++)
		buf_raw(&m->image, m->part[i].at, m->part[i].size);
	buf_raw(&m->image, names, sizeof(names));
	CHECK(!m->image.failed);
	CHECK_EQ(elf_file_memory(&m->file, "made", (char *)m->image.at, m->image.size), 0);
	CHECK_EQ(dwarf_new(&m->dwarf, m->file.elf, NULL), 0);
}

/* Ask for `n` addresses, one byte after the other; frames that came back. */
static size_t ask(struct made *m, size_t n)
{
	struct dwarf_query *queries = calloc(n, sizeof(*queries));
	struct dwarf_answer answer = {0};
	size_t frames = 0;

	open_image(m);
	for (size_t i = 0; queries && i < n; i++)
		queries[i].address = CODE + i;
	CHECK_EQ(dwarf_resolve(m->dwarf, queries, n, &answer), 0);
	for (size_t i = 0; i < n; i++)
		frames += queries[i].n;
	CHECK(frames <= answer.n);
	free(queries);
	dwarf_answer_release(&answer);
	dwarf_free(m->dwarf);
	elf_file_close(&m->file);
	for (int i = 0; i < PARTS; i++)
		buf_release(&m->part[i]);
	buf_release(&m->image);
	return frames;
}

static const unsigned nothing[] = {0}, somewhere[] = {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0};

static void place(struct made *m, uint64_t low, uint64_t size)
{
	number(&m->part[INFO], low, 8);
	number(&m->part[INFO], size, 8);
}

/* What all of this is made like, and that it is right apart from its size. */
TEST(an_honest_file)
{
	struct made m = {0};
	size_t at;

	abbrev(&m, 1, DW_TAG_compile_unit, true, somewhere);
	abbrev(&m, 2, DW_TAG_subprogram, false, somewhere);
	at = unit(&m);
	uleb(&m.part[INFO], 1);
	place(&m, CODE, 16);
	uleb(&m.part[INFO], 2);
	place(&m, CODE, 16);
	number(&m.part[INFO], 0, 1);
	unit_end(&m, at);
	CHECK_EQ(ask(&m, 20), 16);
}

TEST(units_that_share_a_long_table_of_abbreviations)
{
	struct made m = {0};

	for (uint64_t i = 2; i < MANY; i++)
		abbrev(&m, i, DW_TAG_base_type, false, nothing);
	abbrev(&m, 1, DW_TAG_compile_unit, false, nothing);
	for (int i = 0; i < MANY; i++) {
		size_t at = unit(&m);

		uleb(&m.part[INFO], 1);
		unit_end(&m, at);
	}
	CHECK_EQ(ask(&m, 10), 0);
}

TEST(units_that_share_a_long_list_of_ranges)
{
	static const unsigned by_list[] = {DW_AT_ranges, DW_FORM_sec_offset, 0};
	struct made m = {0};

	abbrev(&m, 1, DW_TAG_compile_unit, false, by_list);
	for (int i = 0; i < MANY; i++) {
		size_t at = unit(&m);

		uleb(&m.part[INFO], 1);
		number(&m.part[INFO], 0, 4);
		unit_end(&m, at);
		number(&m.part[RANGES], 8, 8);
		number(&m.part[RANGES], 8, 8);
	}
	CHECK_EQ(ask(&m, 10), 0);
}

TEST(functions_that_all_cover_all)
{
	struct made m = {0};
	size_t at;

	abbrev(&m, 1, DW_TAG_compile_unit, true, somewhere);
	abbrev(&m, 2, DW_TAG_subprogram, false, somewhere);
	at = unit(&m);
	uleb(&m.part[INFO], 1);
	place(&m, CODE, MANY);
	for (int i = 0; i < 2 * MANY; i++) {
		uleb(&m.part[INFO], 2);
		place(&m, CODE, MANY);
	}
	unit_end(&m, at);
	CHECK_EQ(ask(&m, MANY), MANY); /* the first one has them, before it gets long */
}

TEST(entries_with_a_hundred_thousand_attributes)
{
	struct made m = {0};
	unsigned *pairs = calloc(2 * MANY + 1, sizeof(*pairs));
	size_t at;

	for (int i = 0; pairs && i < MANY; i++) {
		pairs[2 * i] = DW_AT_external;
		pairs[2 * i + 1] = DW_FORM_flag_present;
	}
	abbrev(&m, 1, DW_TAG_compile_unit, true, somewhere);
	abbrev(&m, 2, DW_TAG_subprogram, false, pairs);
	free(pairs);
	at = unit(&m);
	uleb(&m.part[INFO], 1);
	place(&m, CODE, MANY);
	for (int i = 0; i < 2 * MANY; i++)
		uleb(&m.part[INFO], 2);
	unit_end(&m, at);
	CHECK_EQ(ask(&m, 10), 0);
}

TEST(units_that_share_a_long_line_program)
{
	static const unsigned with_lines[] = {
		DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0,
	};
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct made m = {0};
	struct buf *b = &m.part[LINE];

	abbrev(&m, 1, DW_TAG_compile_unit, false, with_lines);
	for (int i = 0; i < MANY / 2; i++) {
		size_t at = unit(&m);

		uleb(&m.part[INFO], 1);
		number(&m.part[INFO], 0, 4);
		place(&m, CODE, 2);
		unit_end(&m, at);
	}
	number(b, 2 + 4 + 6 + sizeof(lengths) + 2 + 20 * MANY, 4);
	number(b, 4, 2);
	number(b, 6 + sizeof(lengths) + 2, 4);
	number(b, 1 | 1 << 8 | 1 << 16, 3); /* minimum_instruction_length, operations, is_stmt */
	number(b, 0xfb, 1);
	number(b, 14, 1);
	number(b, 13, 1);
	buf_raw(b, lengths, sizeof(lengths));
	number(b, 0, 2);
	for (int i = 0; i < 20 * MANY; i++)
		number(b, DW_LNS_copy, 1);
	ask(&m, 2);
}

/* References in a circle: the chain is there, its names are not. */
TEST(origins_of_each_other)
{
	static const unsigned refers[] = {
		DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0,
	};
	struct made m = {0};
	uint32_t first, second;
	size_t at;

	abbrev(&m, 1, DW_TAG_compile_unit, true, somewhere);
	abbrev(&m, 2, DW_TAG_subprogram, true, refers);
	abbrev(&m, 3, DW_TAG_inlined_subroutine, false, refers);
	at = unit(&m);
	uleb(&m.part[INFO], 1);
	place(&m, CODE, 16);
	first = (uint32_t)m.part[INFO].size;
	second = first + 1 + 4 + 16;
	uleb(&m.part[INFO], 2);
	number(&m.part[INFO], second, 4);
	place(&m, CODE, 16);
	uleb(&m.part[INFO], 3);
	number(&m.part[INFO], first, 4);
	place(&m, CODE, 16);
	number(&m.part[INFO], 0, 2);
	unit_end(&m, at);
	CHECK_EQ(ask(&m, 16), 32);
}

/* A form of 16 bytes is no number. */
TEST(sibling_of_sixteen_bytes)
{
	static const unsigned wide[] = {DW_AT_sibling, DW_FORM_data16, 0};
	struct made m = {0};
	size_t at;

	abbrev(&m, 1, DW_TAG_compile_unit, true, somewhere);
	abbrev(&m, 2, DW_TAG_structure_type, true, wide);
	abbrev(&m, 3, DW_TAG_subprogram, false, somewhere);
	at = unit(&m);
	uleb(&m.part[INFO], 1);
	place(&m, CODE, 16);
	for (int i = 0; i < 2; i++) { /* one in the other: it is passed over, and gone through */
		uleb(&m.part[INFO], 2);
		place(&m, UINT64_MAX, UINT64_MAX);
	}
	number(&m.part[INFO], 0, 2);
	uleb(&m.part[INFO], 3);
	place(&m, CODE, 16);
	number(&m.part[INFO], 0, 1);
	unit_end(&m, at);
	CHECK_EQ(ask(&m, 16), 16);
}

/* ------------------------------------------------------------ tables */

/* A file of `n` sections of this type, all of them over the same `bytes`, behind one of
 * code and one of strings, which are the sections' names, too. */
static void shared_tables(struct made *m, uint32_t type, size_t n, const struct buf *bytes, const struct buf *strings)
{
	Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(header), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = (uint16_t)(n + 3),
		.e_shstrndx = 2, .e_shoff = sizeof(header),
	};
	uint64_t at = sizeof(header) + (n + 3) * sizeof(Elf64_Shdr);
	Elf64_Shdr code = {.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = CODE, .sh_offset = at, .sh_size = 64};
	Elf64_Shdr table = {
		.sh_name = 1, .sh_type = type, .sh_flags = SHF_ALLOC, .sh_offset = at, .sh_size = bytes->size, .sh_link = 2, .sh_addralign = 4,
		.sh_entsize = type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Sym),
	};

	buf_raw(&m->image, &header, sizeof(header));
	section(&m->image, 0, SHT_NULL, 0, 0);
	buf_raw(&m->image, &code, sizeof(code));
	section(&m->image, 0, SHT_STRTAB, at + bytes->size, strings->size);
	for (size_t i = 0; i < n; i++)
		buf_raw(&m->image, &table, sizeof(table));
	buf_raw(&m->image, bytes->at, bytes->size);
	buf_raw(&m->image, strings->at, strings->size);
	CHECK(!m->image.failed);
	CHECK_EQ(elf_file_memory(&m->file, "made", (char *)m->image.at, m->image.size), 0);
}

/* Symbols and stubs of it; how many ranges there are. */
static size_t read_tables(struct made *m)
{
	struct symtab table = {0}, stubs = {0};
	struct plt_names names = {0};
	size_t n;

	CHECK(symtab_add(&table, m->file.elf, SYMTAB_FULL) >= 0 && !symtab_finish(&table));
	CHECK(!plt_add(&stubs, &names, m->file.elf, &table) && !symtab_finish(&stubs));
	n = table.n;
	symtab_release(&table);
	symtab_release(&stubs);
	plt_names_release(&names);
	elf_file_close(&m->file);
	buf_release(&m->image);
	return n;
}

/* A string of `n` bytes with an end, and more of them without one behind it. */
static void long_string(struct buf *b, size_t n, size_t more)
{
	static const char letters[4096] = {[0 ... 4095] = 'n'};

	number(b, 0, 1);
	for (; n >= sizeof(letters); n -= sizeof(letters))
		buf_raw(b, letters, sizeof(letters));
	number(b, 0, 1);
	for (; more >= sizeof(letters); more -= sizeof(letters))
		buf_raw(b, letters, sizeof(letters));
}

static void symbols(struct buf *b, size_t n, uint16_t section)
{
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym sym = {
			.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = section, .st_value = CODE + i % 32, .st_size = 1,
		};

		buf_raw(b, &sym, sizeof(sym));
	}
}

static size_t tables(uint32_t type, size_t sections, size_t entries, uint16_t of, size_t name, size_t more)
{
	struct buf bytes = {0}, strings = {0};
	struct made m = {0};

	symbols(&bytes, entries, of);
	long_string(&strings, name, more);
	shared_tables(&m, type, sections, &bytes, &strings);
	buf_release(&bytes);
	buf_release(&strings);
	return read_tables(&m);
}

TEST(honest_tables)
{
	CHECK_EQ(tables(SHT_SYMTAB, 1, 33, 1, 4096, 0), 32);
}

TEST(symbols_that_share_a_long_name)
{
	CHECK_EQ(tables(SHT_SYMTAB, 1, 4 * MANY, 1, 32u << 20, 0), 0); /* no function is called like that */
}

TEST(tables_that_share_symbols)
{
	CHECK_EQ(tables(SHT_SYMTAB, 60000, 4 * MANY, SHN_UNDEF, 4096, 0), 0);
}

TEST(tables_that_share_relocations)
{
	CHECK_EQ(tables(SHT_RELA, 60000, 4 * MANY, SHN_UNDEF, 4096, 0), 0);
}

TEST(sections_whose_names_have_no_end_in_sight)
{
	CHECK_EQ(tables(SHT_SYMTAB, 60000, 1, SHN_UNDEF, 4096, 64u << 20), 0);
}
TEST_MAIN()
