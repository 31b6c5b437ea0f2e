/* SPDX-License-Identifier: BSD-2-Clause */
/* Call frame programs, written by hand, through the whole builder of unwind tables. */
#include "test.h"

#include <elf.h>
#include <sys/mman.h>

#include "../../record/unwind/pack.h"

#define TEXT 0x1000      /* address and offset of the code */
#define TEXT_SIZE 0x40000
#define FRAME (TEXT + TEXT_SIZE)
#define FRAME_ROOM 4096
#define NAMES "\0.eh_frame\0"

/* An ELF file in the making: code of zeros, then .eh_frame. */
struct file {
	uint8_t bytes[FRAME + FRAME_ROOM + 4096];
	size_t size;      /* of .eh_frame */
	size_t cie;       /* where the last CIE began */
};
static struct file file;
static struct packed *table;

static void put(const void *p, size_t n)
{
	memcpy(file.bytes + FRAME + file.size, p, n);
	file.size += n;
}

static void put32(uint32_t v)
{
	put(&v, 4);
}

/* Entries are padded with DW_CFA_nop, as assemblers do. */
static void put_program(size_t start, const void *program, size_t n)
{
	uint32_t length;

	put(program, n);
	while (file.size % 4)
		put("", 1);
	length = file.size - start - 4;
	memcpy(file.bytes + FRAME + start, &length, 4);
}

static void cie(const char *letters, const void *program, size_t n)
{
	static const uint8_t head[] = { 1, 0x78, 16 }; /* code 1, data -8, return address in column 16 */
	static const uint8_t augmentation[] = { 1, 0x1b }; /* pcrel sdata4 */

	file.cie = file.size;
	put32(0);
	put32(0);
	put("\1", 1);
	put(letters, strlen(letters) + 1);
	put(head, sizeof(head));
	put(augmentation, sizeof(augmentation));
	put_program(file.cie, program, n);
}

#define STANDARD "\x0c\x07\x08\x90\x01" /* CFA = rsp + 8, return address at CFA - 8 */

static void fde(uint64_t pc, uint32_t length, const void *program, size_t n)
{
	size_t start = file.size;

	put32(0);
	put32(file.size - file.cie);
	put32(pc - (FRAME + file.size));
	put32(length);
	put("", 1);
	put_program(start, program, n);
}
#define FDE(pc, length, program) fde(pc, length, program, sizeof(program) - 1)

static void begin(void)
{
	memset(&file, 0, sizeof(file));
	cie("zR", STANDARD, 5);
	if (!table)
		table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static size_t finish(void)
{
	size_t names = FRAME + FRAME_ROOM, sections = names + 64;
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 }, .e_type = ET_DYN, .e_machine = EM_X86_64,
			 .e_phoff = sizeof(e), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_shoff = sections,
			 .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 1 };
	Elf64_Phdr text = { .p_type = PT_LOAD, .p_flags = PF_X, .p_offset = TEXT, .p_vaddr = TEXT, .p_filesz = TEXT_SIZE, .p_memsz = TEXT_SIZE };
	Elf64_Shdr sh[3] = { [1] = { .sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = sizeof(NAMES) },
			     [2] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = FRAME, .sh_offset = FRAME, .sh_size = file.size } };

	memcpy(file.bytes, &e, sizeof(e));
	memcpy(file.bytes + sizeof(e), &text, sizeof(text));
	memcpy(file.bytes + names, NAMES, sizeof(NAMES));
	memcpy(file.bytes + sections, sh, sizeof(sh));
	return sections + sizeof(sh);
}

static void build_size(size_t size)
{
	table->status = table->nsegments = table->npages = table->nrows = table->nrules = 0;
	pack_image(table, file.bytes, size);
}

static void build(void)
{
	build_size(finish());
}

/* The rule in force at `pc`. */
static uint32_t word_at(uint64_t pc)
{
	uint32_t page = (pc >> UNWIND_PAGE_SHIFT) - table->first_page, i, end, word = 0;

	if (page >= table->npages)
		return 0;
	end = page + 1 < table->npages ? table->pages[page + 1] : table->nrows;
	for (i = table->pages[page]; i < end && unwind_row_pc(table->rows[i]) <= (pc & 0xffff); i++)
		word = unwind_row_rule(table->rows[i]);
	return word;
}

static const struct unwind_rule *rule_at(uint64_t pc)
{
	static const struct unwind_rule none;
	uint32_t word = word_at(pc);

	return word >> 14 == UNWIND_EXT ? &table->rules[word & (UNWIND_RULES - 1)] : &none;
}

static uint32_t sp(unsigned off, unsigned saved)
{
	return UNWIND_SP << 14 | saved << 10 | off / 8;
}
static uint32_t fp(unsigned off, unsigned saved)
{
	return UNWIND_FP << 14 | saved << 10 | off / 8;
}

TEST(prologue)
{
	begin();
	FDE(0x2000, 0x40, "\x41\x0e\x10\x86\x02\x43\x0d\x06\x70\x0c\x07\x08");
	build();
	CHECK_EQ(table->status, PACKED_OK);
	CHECK_EQ(word_at(0x1fff), UNWIND_GAP);
	CHECK_EQ(word_at(0x2000), sp(8, 0));
	CHECK_EQ(word_at(0x2001), sp(16, 2));
	CHECK_EQ(word_at(0x2004), fp(16, 2));
	CHECK_EQ(word_at(0x2033), fp(16, 2));
	CHECK_EQ(word_at(0x2034), sp(8, 2));
	CHECK_EQ(word_at(0x2040), UNWIND_GAP);
}

TEST(advance_of_every_width)
{
	begin();
	FDE(0x2000, 0x30000, "\x02\x10\x0e\x10\x03\x00\x01\x0e\x18\x04\x00\x00\x01\x00\x0e\x20");
	build();
	CHECK_EQ(word_at(0x200f), sp(8, 0));
	CHECK_EQ(word_at(0x2010), sp(16, 0));
	CHECK_EQ(word_at(0x2110), sp(24, 0));
	CHECK_EQ(word_at(0x12110), sp(32, 0));
	CHECK_EQ(word_at(0x20000), sp(32, 0)); /* the page begins with the rule in force */
	CHECK_EQ(word_at(0x32000), UNWIND_GAP);
	CHECK_EQ(table->npages, 4);
}

TEST(remember_and_restore)
{
	begin();
	FDE(0x2000, 0x40, "\x41\x0e\x10\x86\x02\x41\x0a\xc6\x0e\x08\x41\x0b\x41\x06\x06");
	build();
	CHECK_EQ(word_at(0x2001), sp(16, 2));
	CHECK_EQ(word_at(0x2002), sp(8, 0));
	CHECK_EQ(word_at(0x2003), sp(16, 2));
	CHECK_EQ(word_at(0x2004), sp(16, 0));
}

TEST(too_many_remembered_states_are_bad)
{
	uint8_t program[64];

	begin();
	memset(program, 0x0a, sizeof(program));
	fde(0x2000, 0x40, program, sizeof(program));
	fde(0x2040, 0x40, "\x0b", 1);
	build();
	CHECK_EQ(word_at(0x2000), UNWIND_BAD);
	CHECK_EQ(word_at(0x2050), UNWIND_BAD);
}

TEST(unknown_operation_spoils_what_follows)
{
	begin();
	FDE(0x2000, 0x40, "\x41\x0e\x10\x48\x3b");
	build();
	CHECK_EQ(word_at(0x2000), sp(8, 0));
	CHECK_EQ(word_at(0x2001), sp(16, 0));
	CHECK_EQ(word_at(0x2009), UNWIND_BAD);
	CHECK_EQ(word_at(0x203f), UNWIND_BAD);
	CHECK_EQ(word_at(0x2040), UNWIND_GAP);
}

TEST(outermost_frame)
{
	begin();
	FDE(0x2000, 0x20, "\x07\x10");
	build();
	CHECK_EQ(word_at(0x2000), UNWIND_END);
}

TEST(plt)
{
	begin();
	FDE(0x2000, 0x40, "\x0e\x10\x46\x0e\x18\x4a\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22");
	build();
	CHECK_EQ(word_at(0x2000), sp(16, 0));
	CHECK_EQ(word_at(0x2006), sp(24, 0));
	CHECK_EQ(word_at(0x2010), UNWIND_PLT | 11);
}

TEST(realigned_stack)
{
	begin();
	/* CFA = r10; rbp at *(rbp + 0); CFA = *(rbp - 8) */
	FDE(0x2000, 0x40, "\x45\x0c\x0a\x00\x4a\x10\x06\x02\x76\x00\x43\x0f\x03\x76\x78\x06");
	build();
	CHECK_EQ(rule_at(0x2005)->base, 10);
	CHECK_EQ(rule_at(0x2005)->flags, 0);
	CHECK_EQ(rule_at(0x200f)->saved, UNWIND_AT_FP);
	CHECK_EQ(rule_at(0x2012)->base, UNWIND_REG_FP);
	CHECK_EQ(rule_at(0x2012)->flags, UNWIND_DEREF);
	CHECK_EQ(rule_at(0x2012)->off, -8);
	CHECK_EQ(rule_at(0x2012)->saved, UNWIND_AT_FP);
	CHECK_EQ(rule_at(0x2012)->saved_off, 0);
}

/* As the linker's code for lazy binding: those that it calls say where rbx is. */
TEST(frame_found_by_rbx)
{
	begin();
	FDE(TEXT, 0x20, "\x41\x0e\x10\x83\x02\x43\x0d\x03"); /* push %rbx; CFA = rbx + 16 */
	FDE(TEXT + 0x20, 0x20, "\x41\x0e\x10\x86\x02\x41\x0e\x18\x83\x03\x41\xc3"); /* push %rbp; push %rbx; as it was */
	FDE(TEXT + 0x40, 0x20, "\x83\x80\x02\x41\x09\x03\x00"); /* too far; in another register */
	build();
	CHECK_EQ(rule_at(TEXT)->rbx, UNWIND_RBX_SAME);
	CHECK_EQ(rule_at(TEXT + 4)->base, UNWIND_REG_RBX);
	CHECK_EQ(rule_at(TEXT + 4)->rbx, 2);
	CHECK_EQ(rule_at(TEXT + 0x22)->base, UNWIND_REG_SP);
	CHECK_EQ(rule_at(TEXT + 0x22)->off, 24);
	CHECK_EQ(rule_at(TEXT + 0x22)->saved_off, -16);
	CHECK_EQ(rule_at(TEXT + 0x22)->rbx, 3);
	CHECK_EQ(rule_at(TEXT + 0x23)->rbx, UNWIND_RBX_SAME);
	CHECK_EQ(rule_at(TEXT + 0x40)->rbx, UNWIND_RBX_UNKNOWN);
	CHECK_EQ(rule_at(TEXT + 0x41)->rbx, UNWIND_RBX_UNKNOWN);
	begin();
	FDE(TEXT, 0x20, "\x41\x0e\x10\x83\x02"); /* the same without: short */
	build();
	CHECK_EQ(word_at(TEXT + 1), sp(16, 0));
}

TEST(table_of_saved_stack_pointers)
{
	begin();
	/* *(rsp + 8 + 8 * r9) + 8, as Montgomery multiplication has it */
	FDE(0x2000, 0x40, "\x0f\x0a\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08");
	build();
	CHECK_EQ(rule_at(0x2000)->base, UNWIND_REG_SP);
	CHECK_EQ(rule_at(0x2000)->index, 9);
	CHECK_EQ(rule_at(0x2000)->flags, UNWIND_DEREF | UNWIND_INDEXED);
	CHECK_EQ(rule_at(0x2000)->off, 8);
	CHECK_EQ(rule_at(0x2000)->add, 8);
}

TEST(return_address_in_register)
{
	begin();
	FDE(0x2000, 0x40, "\x41\x0e\x00\x09\x10\x05");
	build();
	CHECK_EQ(rule_at(0x2001)->flags, UNWIND_RA_REGISTER);
	CHECK_EQ(rule_at(0x2001)->ra, 5);
	CHECK_EQ(rule_at(0x2001)->base, UNWIND_REG_SP);
	CHECK_EQ(rule_at(0x2001)->off, 0);
}

TEST(return_address_elsewhere_is_bad)
{
	begin();
	FDE(0x2000, 0x40, "\x41\x90\x02\x41\x16\x10\x02\x77\x00");
	build();
	CHECK_EQ(word_at(0x2001), UNWIND_BAD);
	CHECK_EQ(word_at(0x2002), UNWIND_BAD);
}

TEST(big_frames_need_a_long_rule)
{
	begin();
	FDE(0x2000, 0x40, "\x41\x0e\xf8\x3f\x41\x0e\x80\x40\x41\x0e\x84\x01\x41\x86\x10");
	build();
	CHECK_EQ(word_at(0x2001), sp(8184, 0));
	CHECK_EQ(rule_at(0x2002)->off, 8192);
	CHECK_EQ(rule_at(0x2003)->off, 132);
	CHECK_EQ(rule_at(0x2004)->saved, UNWIND_AT_CFA);
	CHECK_EQ(rule_at(0x2004)->saved_off, -128);
}

TEST(equal_long_rules_are_one)
{
	begin();
	FDE(0x2000, 0x40, "\x0e\x80\x40\x41\x0e\x10");
	FDE(0x2100, 0x40, "\x0e\x80\x40\x41\x0e\x80\x41");
	build();
	CHECK_EQ(table->nrules, 2);
	CHECK_EQ(word_at(0x2000), word_at(0x2100));
}

TEST(signal_frame)
{
	begin();
	cie("zRS", STANDARD, 5);
	FDE(0x2000, 0x10, "\x0f\x04\x77\xa0\x01\x06\x10\x10\x03\x77\xa8\x01");
	FDE(0x2010, 0x10, "\x0e\x10"); /* marked, but an ordinary frame */
	build();
	CHECK_EQ(word_at(0x2000), UNWIND_SIGNAL);
	CHECK_EQ(rule_at(0x2010)->flags, UNWIND_EXACT);
	CHECK_EQ(rule_at(0x2010)->off, 16);
}

TEST(restorer_without_the_mark)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	begin();
	memcpy(file.bytes + 0x2010, code, sizeof(code));
	memcpy(file.bytes + 0x3001, code, sizeof(code));
	memcpy(file.bytes + 0x4006, code, sizeof(code));
	FDE(0x2000, 0x10, "");
	FDE(0x2010, 9, "");
	FDE(0x3000, 10, "");
	FDE(0x4000, 5, "");
	FDE(0x4010, 5, "");
	build();
	CHECK_EQ(word_at(0x200e), sp(8, 0));
	CHECK_EQ(word_at(0x200f), UNWIND_SIGNAL);
	CHECK_EQ(word_at(0x3000), UNWIND_SIGNAL);
	CHECK_EQ(word_at(0x4005), UNWIND_GAP); /* hidden in what looks like padding */
	CHECK_EQ(word_at(0x4010), sp(8, 0));
}

/* .init at the beginning of the code, .fini at its end: no unwind information tells of them. */
TEST(startup_code_is_known)
{
	static const uint8_t init[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08, 0x48, 0x8b, 0x05, 1, 2, 3, 4, 0x48, 0x85, 0xc0, 0x74, 0x02,
					0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
	static const uint8_t fini[] = { 0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
	const uint64_t end = TEXT + TEXT_SIZE;

	begin();
	memcpy(file.bytes + TEXT, init, sizeof(init));
	memcpy(file.bytes + end - sizeof(fini), fini, sizeof(fini));
	FDE(TEXT + 0x20, 0x20, "");
	build();
	CHECK_EQ(word_at(TEXT), sp(8, 0));
	CHECK_EQ(word_at(TEXT + 4), sp(8, 0));
	CHECK_EQ(word_at(TEXT + 8), sp(16, 0));
	CHECK_EQ(word_at(TEXT + sizeof(init) - 5), sp(16, 0));
	CHECK_EQ(word_at(TEXT + sizeof(init) - 1), sp(8, 0));
	CHECK_EQ(word_at(TEXT + 0x40), UNWIND_GAP);
	CHECK_EQ(word_at(end - 9), sp(8, 0));
	CHECK_EQ(word_at(end - 5), sp(16, 0));
	CHECK_EQ(word_at(end - 1), sp(8, 0));
	CHECK_EQ(word_at(end), UNWIND_GAP);
	/* Other code, and code that something is said of. */
	file.bytes[TEXT + 7] = 0x18;
	FDE(end - 8, 8, "\x41\x0e\x20");
	build();
	CHECK_EQ(word_at(TEXT + 8), UNWIND_GAP);
	CHECK_EQ(word_at(end - 9), UNWIND_GAP);
	CHECK_EQ(word_at(end - 7), sp(32, 0));
}

TEST(padding_is_no_gap)
{
	begin();
	FDE(0x2000, 0x31, "");
	FDE(0x2040, 0x30, "\x0e\x10");
	FDE(0x2080, 0x30, "");
	build();
	CHECK_EQ(word_at(0x203f), sp(8, 0));
	CHECK_EQ(word_at(0x2070), UNWIND_GAP);
	CHECK_EQ(word_at(0x207f), UNWIND_GAP);
}

TEST(order_and_overlap)
{
	begin();
	FDE(0x3000, 0x10, "\x0e\x18");
	FDE(0x2000, 0x30, "\x0e\x10");
	FDE(0x2020, 0x30, "\x0e\x20");
	FDE(0x3000, 0x20, "\x0e\x28"); /* the last of one address counts */
	build();
	CHECK_EQ(word_at(0x201f), sp(16, 0));
	CHECK_EQ(word_at(0x2020), sp(32, 0));
	CHECK_EQ(word_at(0x204f), sp(32, 0));
	CHECK_EQ(word_at(0x2050), UNWIND_GAP);
	CHECK_EQ(word_at(0x3000), sp(40, 0));
	CHECK_EQ(word_at(0x301f), sp(40, 0));
}

TEST(functions_outside_the_code_are_ignored)
{
	begin();
	FDE(0x0, 0x10, "");
	FDE(TEXT + TEXT_SIZE, 0x10, "");
	build();
	CHECK_EQ(table->status, PACKED_NO_FRAMES);
	begin();
	FDE(TEXT + TEXT_SIZE - 0x10, 0x7fffffff, "\x0e\x10");
	build();
	CHECK_EQ(table->npages, 1);
	CHECK_EQ(word_at(TEXT + TEXT_SIZE - 1), sp(16, 0));
	CHECK_EQ(word_at(TEXT + TEXT_SIZE), UNWIND_GAP);
}

TEST(unknown_augmentation_is_not_guessed)
{
	begin();
	cie("eh", STANDARD, 5);
	FDE(0x2000, 0x10, "");
	build();
	CHECK_EQ(table->status, PACKED_NO_FRAMES);
}

TEST(not_elf)
{
	begin();
	finish();
	file.bytes[4] = ELFCLASS32;
	build_size(sizeof(file.bytes));
	CHECK_EQ(table->status, PACKED_NOT_ELF);
	build_size(0);
	CHECK_EQ(table->status, PACKED_NOT_ELF);
}

TEST(without_section_headers)
{
	Elf64_Phdr ph[2] = { { .p_type = PT_LOAD, .p_flags = PF_X | PF_R, .p_offset = TEXT, .p_vaddr = TEXT, .p_filesz = TEXT_SIZE + FRAME_ROOM },
			     { .p_type = PT_GNU_EH_FRAME, .p_offset = 0x1800, .p_vaddr = 0x1800, .p_filesz = 8 } };
	uint8_t header[8] = { 1, 0x1b, 0xff, 0xff };
	int32_t distance = FRAME - 0x1804;
	size_t size;

	begin();
	FDE(0x2000, 0x10, "\x0e\x10");
	size = finish();
	memcpy(header + 4, &distance, 4);
	memcpy(file.bytes + 0x1800, header, 8);
	memcpy(file.bytes + sizeof(Elf64_Ehdr), ph, sizeof(ph));
	((Elf64_Ehdr *)(void *)file.bytes)->e_phnum = 2;
	((Elf64_Ehdr *)(void *)file.bytes)->e_shoff = 0;
	build_size(size);
	CHECK_EQ(table->status, PACKED_OK);
	CHECK_EQ(word_at(0x2000), sp(16, 0));
}

/* Every prefix of the file, and every byte of .eh_frame turned over. */
TEST(damage_is_survived)
{
	size_t size;

	begin();
	cie("zRS", STANDARD, 5);
	FDE(0x2000, 0x10, "\x0f\x04\x77\xa0\x01\x06\x10\x10\x03\x77\xa8\x01");
	FDE(0x2010, 0x40, "\x41\x0e\x10\x86\x02\x41\x0a\xc6\x0e\x08\x41\x0b\x41\x06\x06");
	size = finish();
	for (size_t i = 0; i < size; i += i < 256 || i >= FRAME ? 1 : 509)
		build_size(i);
	for (size_t i = 0; i < file.size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			file.bytes[FRAME + i] ^= 1u << bit;
			build_size(size);
			file.bytes[FRAME + i] ^= 1u << bit;
		}
	build_size(size);
	CHECK_EQ(word_at(0x2000), UNWIND_SIGNAL);
}

TEST_MAIN()
