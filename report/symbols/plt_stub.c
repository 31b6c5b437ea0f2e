/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code of stubs.  Each is known by the instructions that load the slot
 * and jump; what stands around them differs between linkers and their options.
 */
#include "plt_stub.h"

#include <gelf.h>
#include <string.h>

static uint32_t word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* jmp *slot; before it there can be a bnd prefix and a branch target */
static bool x86_jump(const struct plt_stubs *s, uint64_t at, uint64_t *slot, uint64_t *start)
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
static bool aarch64_jump(const struct plt_stubs *s, uint64_t at, uint64_t *slot, uint64_t *start)
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

/* An immediate of 8 bits, turned right by twice the 4 bits above it. */
static uint32_t arm_immediate(uint32_t instruction)
{
	uint32_t value = instruction & 0xff, turn = (instruction >> 8 & 15) * 2;

	return turn ? value >> turn | value << (32 - turn) : value;
}

/* add ip, pc, #a; add ip, ip, #b, once or twice; ldr pc, [ip, #c]!; before it Thumb
 * code can change over: bx pc; nop */
static bool arm_jump(const struct plt_stubs *s, uint64_t at, uint64_t *slot, uint64_t *start)
{
	uint64_t next = at + 4;
	uint32_t target;

	if (at % 4 || s->size - at < 12 || (word(s->at + at) & 0xfffff000) != 0xe28fc000)
		return false;
	target = (uint32_t)(s->address + at) + 8 + arm_immediate(word(s->at + at));
	while (next < at + 12 && s->size - next >= 8 && (word(s->at + next) & 0xfffff000) == 0xe28cc000) {
		target += arm_immediate(word(s->at + next));
		next += 4;
	}
	if ((word(s->at + next) & 0xfffff000) != 0xe5bcf000)
		return false;
	*slot = target + (word(s->at + next) & 0xfff);
	*start = at >= 4 && word(s->at + at - 4) == 0x46c04778 ? at - 4 : at;
	return true;
}

/* auipc t3, page; ld t3, offset(t3), or lw where words are short */
static bool riscv_jump(const struct plt_stubs *s, uint64_t at, uint64_t *slot, uint64_t *start)
{
	uint32_t auipc, load;

	if (at % 2 || s->size - at < 8)
		return false;
	auipc = word(s->at + at);
	load = word(s->at + at + 4);
	if ((auipc & 0xfff) != 0xe17 || ((load & 0xfffff) != 0xe3e03 && (load & 0xfffff) != 0xe2e03))
		return false;
	*slot = s->address + at + (uint64_t)(int64_t)(int32_t)(auipc & 0xfffff000) + (uint64_t)(int64_t)((int32_t)load >> 20);
	*start = at;
	return true;
}

/* larl %r1, slot; lg %r1, 0(%r1) */
static bool s390_jump(const struct plt_stubs *s, uint64_t at, uint64_t *slot, uint64_t *start)
{
	static const uint8_t load[] = {0xe3, 0x10, 0x10, 0x00, 0x00, 0x04};
	const uint8_t *p = s->at + at;
	uint32_t halfwords;

	if (at % 2 || s->size - at < 12 || p[0] != 0xc0 || p[1] != 0x10 || memcmp(p + 6, load, sizeof(load)))
		return false;
	halfwords = (uint32_t)p[2] << 24 | (uint32_t)p[3] << 16 | (uint32_t)p[4] << 8 | p[5];
	*slot = s->address + at + 2 * (uint64_t)(int64_t)(int32_t)halfwords;
	*start = at;
	return true;
}

static const struct plt_machine machines[] = {
	{EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, 16, x86_jump},
	{EM_386, R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_IRELATIVE, 16, x86_jump},
	{EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE, 24, aarch64_jump},
	{EM_ARM, R_ARM_JUMP_SLOT, R_ARM_GLOB_DAT, R_ARM_IRELATIVE, 16, arm_jump},
	{EM_RISCV, R_RISCV_JUMP_SLOT, R_RISCV_JUMP_SLOT, R_RISCV_IRELATIVE, 16, riscv_jump},
	{EM_S390, R_390_JMP_SLOT, R_390_GLOB_DAT, R_390_IRELATIVE, 32, s390_jump},
};

const struct plt_machine *plt_machine(uint32_t machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].elf == machine)
			return &machines[i];
	return NULL;
}
