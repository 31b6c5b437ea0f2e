/* SPDX-License-Identifier: BSD-2-Clause */
/* Known code, byte by byte.  See startup.h. */
#include "startup.h"

#include <string.h>

#define ENDBR_SIZE 4
#define SUB_SIZE 4
#define ADD_RET_SIZE 5
#define CALL_SIZE 14

static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
static const uint8_t sub[] = { 0x48, 0x83, 0xec, 0x08 };           /* sub $8,%rsp */
static const uint8_t add_ret[] = { 0x48, 0x83, 0xc4, 0x08, 0xc3 }; /* add $8,%rsp; ret */

/* mov __gmon_start__,%rax (from a table, or 0 in static programs); test %rax,%rax;
 * je over the next; call *%rax */
static bool is_call(const uint8_t *code)
{
	static const uint8_t rest[] = { 0x48, 0x85, 0xc0, 0x74, 0x02, 0xff, 0xd0 };

	return code[0] == 0x48 && ((code[1] == 0x8b && code[2] == 0x05) || (code[1] == 0xc7 && code[2] == 0xc0)) &&
	       !memcmp(code + CALL_SIZE - sizeof(rest), rest, sizeof(rest));
}

/* Bytes of the function at `pc`, 0: it is neither. */
static uint64_t size_at(const struct image *img, uint64_t pc)
{
	const uint8_t *code = image_code(img, pc, ENDBR_SIZE);
	uint64_t at = code && !memcmp(code, endbr, sizeof(endbr)) ? ENDBR_SIZE : 0;

	code = image_code(img, pc + at, SUB_SIZE + ADD_RET_SIZE);
	if (!code || memcmp(code, sub, sizeof(sub)))
		return 0;
	if (!memcmp(code + SUB_SIZE, add_ret, sizeof(add_ret)))
		return at + SUB_SIZE + ADD_RET_SIZE;
	code = image_code(img, pc + at, SUB_SIZE + CALL_SIZE + ADD_RET_SIZE);
	if (!code || !is_call(code + SUB_SIZE) || memcmp(code + SUB_SIZE + CALL_SIZE, add_ret, sizeof(add_ret)))
		return 0;
	return at + SUB_SIZE + CALL_SIZE + ADD_RET_SIZE;
}

bool startup_init_find(const struct image *img, const struct image_segment *s, uint64_t *pc)
{
	*pc = s->vaddr;
	return size_at(img, *pc) != 0;
}

bool startup_fini_find(const struct image *img, const struct image_segment *s, uint64_t *pc)
{
	static const uint64_t sizes[] = { ENDBR_SIZE + SUB_SIZE + ADD_RET_SIZE, SUB_SIZE + ADD_RET_SIZE };

	for (int i = 0; i < 2; i++) {
		*pc = s->vaddr + s->filesz - sizes[i];
		if (sizes[i] <= s->filesz && size_at(img, *pc) == sizes[i])
			return true;
	}
	return false;
}

static bool row_give(cfi_row_fn row, void *context, uint64_t pc, int32_t cfa)
{
	const struct cfi_rule rule = { .rule = { .base = UNWIND_REG_SP, .off = cfa, .rbx = UNWIND_RBX_SAME } };

	return row(context, pc, &rule);
}

bool startup_rows(const struct image *img, uint64_t pc, uint64_t limit, uint64_t *end, cfi_row_fn row, void *context)
{
	const uint8_t *code = image_code(img, pc, ENDBR_SIZE);
	uint64_t size = size_at(img, pc), head = SUB_SIZE;

	*end = pc;
	if (!size || size > limit - pc)
		return true;
	*end += size;
	if (!memcmp(code, endbr, sizeof(endbr)))
		head += ENDBR_SIZE;
	return row_give(row, context, pc, 8) && row_give(row, context, pc + head, 16) && row_give(row, context, *end - 1, 8);
}
