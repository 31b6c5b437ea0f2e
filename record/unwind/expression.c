/* SPDX-License-Identifier: BSD-2-Clause */
/* Shapes of DWARF expressions in call frame programs.  See expression.h. */
#include "expression.h"

#define SIGFRAME_SP 160 /* rsp in the ucontext, from rsp in the restorer */

enum {
	DW_OP_deref = 0x06, DW_OP_and = 0x1a, DW_OP_mul = 0x1e, DW_OP_plus = 0x22, DW_OP_plus_uconst = 0x23, DW_OP_shl = 0x24,
	DW_OP_ge = 0x2a, DW_OP_lit0 = 0x30, DW_OP_breg0 = 0x70, DW_OP_bregx = 0x92,
};

static uint8_t peek(const struct bytes *e)
{
	return bytes_left(e) ? *e->at : 0; /* 0 is no operation */
}

static bool take(struct bytes *e, uint8_t op)
{
	if (peek(e) != op)
		return false;
	e->at++;
	return true;
}

/* "register + off" */
static bool take_register(struct bytes *e, uint64_t *reg, int64_t *off)
{
	uint8_t op = peek(e);

	if (op == DW_OP_bregx) {
		e->at++;
		*reg = bytes_uleb(e);
	} else if (op >= DW_OP_breg0 && op < DW_OP_bregx) {
		e->at++;
		*reg = op - DW_OP_breg0;
	} else {
		return false;
	}
	*off = bytes_sleb(e);
	return !e->bad;
}

/*
 * What linkers write for the PLT: an entry pushes its index in its second half,
 *     rsp + 8 + ((rip & 15) >= threshold) << 3
 */
static bool is_plt(struct bytes e, unsigned *threshold)
{
	static const uint8_t head[] = { DW_OP_breg0 + UNWIND_REG_SP, 8, DW_OP_breg0 + UNWIND_REG_RA, 0, DW_OP_lit0 + 15, DW_OP_and };
	static const uint8_t tail[] = { DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl, DW_OP_plus };
	const uint8_t *p = e.at;

	if (bytes_left(&e) != sizeof(head) + 1 + sizeof(tail) || memcmp(p, head, sizeof(head)) || memcmp(p + sizeof(head) + 1, tail, sizeof(tail)))
		return false;
	*threshold = p[sizeof(head)] - DW_OP_lit0;
	return *threshold < 16;
}

/* "+ 8 * register", as a multiplication or a shift */
static bool take_index(struct bytes *e, uint64_t *reg)
{
	struct bytes at = *e;
	int64_t off;

	if (!take_register(&at, reg, &off) || off || *reg >= UNWIND_REG_RA)
		return false;
	if (!(take(&at, DW_OP_lit0 + 8) && take(&at, DW_OP_mul)) && !(take(&at, DW_OP_lit0 + 3) && take(&at, DW_OP_shl)))
		return false;
	if (!take(&at, DW_OP_plus))
		return false;
	*e = at;
	return true;
}

static bool take_add(struct bytes *e, uint64_t *add)
{
	if (take(e, DW_OP_plus_uconst)) {
		*add = bytes_uleb(e);
		return !e->bad;
	}
	if (peek(e) >= DW_OP_lit0 && peek(e) < DW_OP_lit0 + 32) {
		*add = *e->at++ - DW_OP_lit0;
		return take(e, DW_OP_plus);
	}
	return false;
}

struct cfi_rule expression_cfa(struct bytes e)
{
	const struct cfi_rule bad = { .special = UNWIND_BAD };
	struct cfi_rule out = {0};
	uint64_t base, index, add = 0;
	unsigned threshold;
	int64_t off;

	if (is_plt(e, &threshold))
		return (struct cfi_rule){ .special = UNWIND_PLT | threshold };
	if (!take_register(&e, &base, &off) || base >= UNWIND_REG_RA || off < INT32_MIN || off > INT32_MAX)
		return bad;
	out.rule.base = base;
	out.rule.off = off;
	if (take_index(&e, &index)) {
		out.rule.index = index;
		out.rule.flags |= UNWIND_INDEXED;
	}
	if (take(&e, DW_OP_deref)) {
		out.rule.flags |= UNWIND_DEREF;
		if (bytes_left(&e) && !take_add(&e, &add))
			return bad;
	}
	if (bytes_left(&e) || e.bad || add > UINT16_MAX)
		return bad;
	out.rule.add = add;
	return out;
}

bool expression_is_sigframe(struct bytes e)
{
	struct cfi_rule r = expression_cfa(e);

	return !r.special && r.rule.base == UNWIND_REG_SP && r.rule.flags == UNWIND_DEREF && r.rule.off == SIGFRAME_SP && !r.rule.add;
}

bool expression_is_fp_offset(struct bytes e, int32_t *off)
{
	uint64_t reg;
	int64_t v;

	if (!take_register(&e, &reg, &v) || reg != UNWIND_REG_FP || bytes_left(&e) || v < INT32_MIN || v > INT32_MAX)
		return false;
	*off = v;
	return true;
}
