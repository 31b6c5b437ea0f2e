/* SPDX-License-Identifier: BSD-2-Clause */
/* Interpreter of call frame programs, x86-64 registers.  See cfi.h. */
#include "cfi.h"

#include "expression.h"

#define SAVED_STATES 32

enum {
	DW_CFA_nop = 0x00, DW_CFA_set_loc, DW_CFA_advance_loc1, DW_CFA_advance_loc2, DW_CFA_advance_loc4,
	DW_CFA_offset_extended, DW_CFA_restore_extended, DW_CFA_undefined, DW_CFA_same_value, DW_CFA_register,
	DW_CFA_remember_state, DW_CFA_restore_state, DW_CFA_def_cfa, DW_CFA_def_cfa_register, DW_CFA_def_cfa_offset,
	DW_CFA_def_cfa_expression, DW_CFA_expression, DW_CFA_offset_extended_sf, DW_CFA_def_cfa_sf,
	DW_CFA_def_cfa_offset_sf, DW_CFA_val_offset, DW_CFA_val_offset_sf, DW_CFA_val_expression,
	DW_CFA_GNU_window_save = 0x2d, DW_CFA_GNU_args_size = 0x2e, DW_CFA_GNU_negative_offset_extended = 0x2f,
	DW_CFA_advance_loc = 0x40, DW_CFA_offset = 0x80, DW_CFA_restore = 0xc0, /* operand in the low six bits */
};

struct run {
	const struct cfi_cie *cie;
	const struct image_section *section;
	struct bytes program;
	struct cfi_state state;
	struct cfi_state *saved; /* SAVED_STATES of them */
	unsigned nsaved;
	uint64_t pc, end;
	cfi_row_fn row;     /* NULL: the program of a CIE, which has no places */
	void *context;
	bool stopped;
};

/* Offsets are scaled with wrap-around: the bytes may say anything. */
static int64_t scaled(uint64_t v, int64_t by)
{
	return (int64_t)(v * (uint64_t)by);
}

/* The register's slot; registers that nobody asks for share a dummy. */
static struct cfi_register *slot(struct run *r, uint64_t reg, struct cfi_register *dummy)
{
	if (reg == UNWIND_REG_FP)
		return &r->state.fp;
	if (reg == UNWIND_REG_RBX)
		return &r->state.rbx;
	return reg == r->cie->ra ? &r->state.ra : dummy;
}

static void register_set(struct run *r, uint64_t reg, enum cfi_where where, int64_t off)
{
	struct cfi_register dummy;

	*slot(r, reg, &dummy) = (struct cfi_register){ .where = where, .off = off };
}

static void register_restore(struct run *r, uint64_t reg)
{
	if (reg == UNWIND_REG_FP)
		r->state.fp = r->cie->initial.fp;
	else if (reg == UNWIND_REG_RBX)
		r->state.rbx = r->cie->initial.rbx;
	else if (reg == r->cie->ra)
		r->state.ra = r->cie->initial.ra;
}

static void register_expression(struct run *r, enum cfi_where where)
{
	uint64_t reg = bytes_uleb(&r->program);
	struct bytes expression = bytes_cut(&r->program, bytes_uleb(&r->program));
	struct cfi_register dummy;

	*slot(r, reg, &dummy) = (struct cfi_register){ .where = where, .expression = expression };
}

static bool fits(int64_t v, int64_t low, int64_t high)
{
	return v >= low && v <= high;
}

static struct cfi_rule special(enum unwind_special word)
{
	return (struct cfi_rule){ .special = word };
}

static void saved_rule(struct unwind_rule *rule, const struct cfi_register *fp)
{
	rule->saved = UNWIND_UNKNOWN;
	switch (fp->where) {
	case CFI_SAME:
		rule->saved = UNWIND_SAME;
		break;
	case CFI_AT_CFA:
		if (!fits(fp->off, INT32_MIN, INT32_MAX))
			break;
		rule->saved = UNWIND_AT_CFA;
		rule->saved_off = fp->off;
		break;
	case CFI_EXPRESSION:
		if (expression_is_fp_offset(fp->expression, &rule->saved_off))
			rule->saved = UNWIND_AT_FP;
		break;
	default:
		break;
	}
}

static uint8_t rbx_word(const struct cfi_register *rbx)
{
	if (rbx->where == CFI_SAME)
		return UNWIND_RBX_SAME;
	if (rbx->where != CFI_AT_CFA || !fits(rbx->off, -8 * (UNWIND_RBX_SAME - 1), -8) || rbx->off % 8)
		return UNWIND_RBX_UNKNOWN;
	return -rbx->off / 8;
}

static struct cfi_rule rule_of(const struct cfi_cie *cie, const struct cfi_state *s)
{
	struct cfi_rule out = {0};

	if (s->ra.where == CFI_UNDEFINED)
		return special(UNWIND_END);
	if (s->by_expression) {
		out = expression_cfa(s->expression);
		if (cie->signal && expression_is_sigframe(s->expression))
			return special(UNWIND_SIGNAL);
	} else if (s->reg < UNWIND_REG_RA && fits(s->off, INT32_MIN, INT32_MAX)) {
		out.rule = (struct unwind_rule){ .base = s->reg, .off = s->off };
	} else {
		return special(UNWIND_BAD);
	}
	if (s->ra.where == CFI_IN_REGISTER && s->ra.off >= 0 && s->ra.off < UNWIND_REG_RA) {
		out.rule.flags |= UNWIND_RA_REGISTER;
		out.rule.ra = s->ra.off;
	} else if (s->ra.where != CFI_AT_CFA || s->ra.off != -8) {
		return special(UNWIND_BAD);
	}
	if (cie->signal)
		out.rule.flags |= UNWIND_EXACT;
	saved_rule(&out.rule, &s->fp);
	out.rule.rbx = rbx_word(&s->rbx);
	/* The short word for a call through the PLT holds nothing but itself. */
	if (out.special && (out.rule.flags || out.rule.saved != UNWIND_SAME))
		return special(UNWIND_BAD);
	return out;
}

/* The rule up to `to` is complete. */
static void advance(struct run *r, uint64_t to)
{
	struct cfi_rule rule;

	if (!r->row || to == r->pc)
		return;
	if (to < r->pc) {
		r->program.bad = true;
		return;
	}
	if (to > r->end)
		to = r->end;
	rule = rule_of(r->cie, &r->state);
	if (!r->row(r->context, r->pc, &rule))
		r->stopped = true;
	r->pc = to;
}

static void advance_by(struct run *r, uint64_t units)
{
	uint64_t step;

	if (__builtin_mul_overflow(units, r->cie->code_align, &step) || step > r->end - r->pc)
		step = r->end - r->pc;
	advance(r, r->pc + step);
}

static void state_push(struct run *r)
{
	if (r->nsaved == SAVED_STATES)
		r->program.bad = true;
	else
		r->saved[r->nsaved++] = r->state;
}

static void state_pop(struct run *r)
{
	if (!r->nsaved)
		r->program.bad = true;
	else
		r->state = r->saved[--r->nsaved];
}

static void cfa_set(struct run *r, uint64_t reg, int64_t off)
{
	r->state.by_expression = false;
	r->state.reg = reg;
	r->state.off = off;
}

static void cfa_expression(struct run *r)
{
	r->state.expression = bytes_cut(&r->program, bytes_uleb(&r->program));
	r->state.by_expression = true;
}

/* Operations on places and states.  False: it is none of them. */
static bool step_place(struct run *r, uint8_t op)
{
	struct bytes *p = &r->program;

	switch (op) {
	case DW_CFA_set_loc: {
		uint64_t at = r->section->vaddr + (uint64_t)(p->at - r->section->at);

		advance(r, bytes_pointer(p, r->cie->encoding, at));
		return true;
	}
	case DW_CFA_advance_loc1: advance_by(r, bytes_uint(p, 1)); return true;
	case DW_CFA_advance_loc2: advance_by(r, bytes_uint(p, 2)); return true;
	case DW_CFA_advance_loc4: advance_by(r, bytes_uint(p, 4)); return true;
	case DW_CFA_remember_state: state_push(r); return true;
	case DW_CFA_restore_state: state_pop(r); return true;
	case DW_CFA_nop: case DW_CFA_GNU_window_save: return true;
	case DW_CFA_GNU_args_size: bytes_uleb(p); return true;
	default: return false;
	}
}

static bool step_cfa(struct run *r, uint8_t op)
{
	struct bytes *p = &r->program;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = bytes_uleb(p);
		cfa_set(r, reg, bytes_uleb(p));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = bytes_uleb(p);
		cfa_set(r, reg, scaled(bytes_sleb(p), r->cie->data_align));
		return true;
	case DW_CFA_def_cfa_register: cfa_set(r, bytes_uleb(p), r->state.off); return true;
	case DW_CFA_def_cfa_offset: r->state.off = bytes_uleb(p); return true;
	case DW_CFA_def_cfa_offset_sf: r->state.off = scaled(bytes_sleb(p), r->cie->data_align); return true;
	case DW_CFA_def_cfa_expression: cfa_expression(r); return true;
	default: return false;
	}
}

static bool step_register(struct run *r, uint8_t op)
{
	struct bytes *p = &r->program;
	int64_t align = r->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_expression: register_expression(r, CFI_EXPRESSION); return true;
	case DW_CFA_val_expression: register_expression(r, CFI_ELSEWHERE); return true;
	default: break;
	}
	if (op < DW_CFA_offset_extended || op > DW_CFA_GNU_negative_offset_extended)
		return false;
	reg = bytes_uleb(p);
	switch (op) {
	case DW_CFA_offset_extended: register_set(r, reg, CFI_AT_CFA, scaled(bytes_uleb(p), align)); return true;
	case DW_CFA_offset_extended_sf: register_set(r, reg, CFI_AT_CFA, scaled(bytes_sleb(p), align)); return true;
	case DW_CFA_GNU_negative_offset_extended: register_set(r, reg, CFI_AT_CFA, scaled(-bytes_uleb(p), align)); return true;
	case DW_CFA_restore_extended: register_restore(r, reg); return true;
	case DW_CFA_undefined: register_set(r, reg, CFI_UNDEFINED, 0); return true;
	case DW_CFA_same_value: register_set(r, reg, CFI_SAME, 0); return true;
	case DW_CFA_register: register_set(r, reg, CFI_IN_REGISTER, bytes_uleb(p)); return true;
	case DW_CFA_val_offset: bytes_uleb(p); register_set(r, reg, CFI_ELSEWHERE, 0); return true;
	case DW_CFA_val_offset_sf: bytes_sleb(p); register_set(r, reg, CFI_ELSEWHERE, 0); return true;
	default: return false;
	}
}

static void step(struct run *r)
{
	uint8_t op = bytes_uint(&r->program, 1), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc: advance_by(r, low); return;
	case DW_CFA_offset: register_set(r, low, CFI_AT_CFA, scaled(bytes_uleb(&r->program), r->cie->data_align)); return;
	case DW_CFA_restore: register_restore(r, low); return;
	}
	if (!step_place(r, op) && !step_cfa(r, op) && !step_register(r, op))
		r->program.bad = true;
}

bool cfi_run(const struct cfi_cie *cie, struct bytes program, const struct image_section *section, uint64_t pc, uint64_t end,
	     cfi_row_fn row, void *context)
{
	const struct cfi_rule bad = { .special = UNWIND_BAD };
	struct cfi_state saved[SAVED_STATES];
	struct run r = { .cie = cie, .section = section, .program = program, .state = cie->initial, .saved = saved,
			 .pc = pc, .end = end, .row = row, .context = context };

	while (bytes_left(&r.program) && !r.program.bad && !r.stopped && r.pc < end)
		step(&r);
	if (r.stopped || r.pc >= end)
		return !r.stopped;
	if (r.program.bad)
		return row(context, r.pc, &bad);
	advance(&r, end);
	return !r.stopped;
}

/* The augmentation: letters, and their data in the same order. */
static bool augmentation_read(struct cfi_cie *cie, struct bytes *body, const char *letters)
{
	struct bytes data;
	uint8_t encoding;

	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	cie->augmented = true;
	data = bytes_cut(body, bytes_uleb(body));
	for (; *letters && !data.bad; letters++) {
		switch (*letters) {
		case 'R': cie->encoding = bytes_uint(&data, 1); break;
		case 'S': cie->signal = true; break;
		case 'L': bytes_uint(&data, 1); break;
		case 'P':
			encoding = bytes_uint(&data, 1);
			/* Only to step over it: where it points does not matter. */
			bytes_pointer(&data, encoding & 0x0f, 0);
			break;
		case 'B': case 'G': break;
		default: return !body->bad; /* the size tells where the program begins */
		}
	}
	return !body->bad && !data.bad;
}

bool cfi_cie_read(struct cfi_cie *out, struct bytes body, const struct image_section *section)
{
	struct cfi_state saved[SAVED_STATES];
	struct run r = { .cie = out, .section = section, .saved = saved };
	const uint8_t *letters, *zero;
	uint8_t version;

	*out = (struct cfi_cie){0};
	version = bytes_uint(&body, 1);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = body.at;
	zero = memchr(letters, 0, bytes_left(&body));
	if (!zero)
		return false;
	bytes_take(&body, zero + 1 - letters);
	if (version == 4 && bytes_uint(&body, 2) != 8) /* bytes of an address, no segments */
		return false;
	out->code_align = bytes_uleb(&body);
	out->data_align = bytes_sleb(&body);
	out->ra = version == 1 ? bytes_uint(&body, 1) : bytes_uleb(&body);
	if (body.bad || !augmentation_read(out, &body, (const char *)letters))
		return false;
	r.program = body;
	while (bytes_left(&r.program) && !r.program.bad)
		step(&r);
	out->initial = r.state;
	return !r.program.bad;
}
