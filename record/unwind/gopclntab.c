/* SPDX-License-Identifier: BSD-2-Clause */
/* Go's table of functions -> rows.  See gopclntab.h. */
#include "gopclntab.h"

#define MAGIC_1_18 0xfffffff0
#define MAGIC_1_20 0xfffffff1
#define HEADER_WORDS 8 /* after 8 bytes of magic and sizes */
#define FUNCTION_NAME 4
#define FUNCTION_PCSP 16
#define FUNCTION_FLAG_1_18 37 /* id, flag; 1.20 has a line number before them */
#define FUNCTION_FLAG_1_20 41
#define CALL_INSN 5

enum { GO_TOP_FRAME = 1, GO_WRITES_SP = 2 };

struct function {
	uint64_t pc, end;
	uint32_t name, pcsp;
	uint8_t flag;
};

static struct bytes bytes_from(const struct image_section *s, uint64_t offset)
{
	return offset <= s->size ? bytes_of(s->at + offset, s->size - offset) : (struct bytes){ s->at, s->at, true };
}

static bool function_get(const struct gopclntab *t, uint64_t i, struct function *out)
{
	struct bytes entry = t->functions, record = t->table, flag;
	uint64_t offset;

	bytes_take(&entry, i * 8);
	out->pc = t->text + bytes_uint(&entry, 4);
	offset = bytes_uint(&entry, 4);
	out->end = t->text + bytes_uint(&entry, 4); /* the next one's; one entry more than functions */
	bytes_take(&record, offset);
	flag = record;
	bytes_take(&record, FUNCTION_NAME);
	out->name = bytes_uint(&record, 4);
	bytes_take(&record, FUNCTION_PCSP - FUNCTION_NAME - 4);
	out->pcsp = bytes_uint(&record, 4);
	bytes_take(&flag, t->flag_offset);
	out->flag = bytes_uint(&flag, 1);
	return !entry.bad && !record.bad && !flag.bad && out->pc < out->end && out->end <= t->end;
}

/*
 * What goroutines return to, in every Go program:
 *     nop; call goexit1; nop
 * If the outermost function with this code is not where the table says, the table is
 * about other code, or about code that the linker moved.
 */
static bool is_goexit(const struct image *img, uint64_t pc)
{
	const uint8_t *code = image_code(img, pc, CALL_INSN + 2);

	return code && code[0] == 0x90 && code[1] == 0xe8 && code[CALL_INSN + 1] == 0x90;
}

static bool fits(const struct gopclntab *t, const struct image *img)
{
	struct function f;

	for (uint64_t i = 0; i < t->nfunctions; i++)
		if (function_get(t, i, &f) && f.flag & GO_TOP_FRAME && is_goexit(img, f.pc))
			return true;
	return false;
}

static bool text_set(struct gopclntab *t, const struct image *img, uint64_t text)
{
	struct bytes last = t->functions;
	const struct image_segment *s = image_segment_at(img, text);

	bytes_take(&last, t->nfunctions * 8);
	t->text = text;
	t->end = text + bytes_uint(&last, 4);
	return s && !last.bad && t->end >= text && t->end - s->vaddr <= s->filesz && fits(t, img);
}

bool gopclntab_open(struct gopclntab *out, const struct image *img)
{
	const struct image_section *s = &img->go;
	uint64_t magic, head, words[HEADER_WORDS];
	struct bytes b;

	*out = (struct gopclntab){0};
	if (!s->size)
		return false;
	b = bytes_of(s->at, s->size);
	magic = bytes_uint(&b, 4);
	head = bytes_uint(&b, 4);
	for (unsigned i = 0; i < HEADER_WORDS; i++)
		words[i] = bytes_uint(&b, 8);
	/* two zeroes, the unit of pc, the size of a pointer */
	if (b.bad || (magic != MAGIC_1_18 && magic != MAGIC_1_20) || head != 0x08010000)
		return false;
	out->flag_offset = magic == MAGIC_1_18 ? FUNCTION_FLAG_1_18 : FUNCTION_FLAG_1_20;
	out->nfunctions = words[0];
	out->names = bytes_from(s, words[3]);
	out->deltas = bytes_from(s, words[6]);
	out->functions = out->table = bytes_from(s, words[7]);
	if (out->nfunctions > bytes_left(&out->functions) / 8)
		return false;
	/* A program that can be loaded anywhere has no address in its file. */
	return text_set(out, img, words[2]) || text_set(out, img, img->text);
}

static bool name_is(const struct gopclntab *t, const struct function *f, const char *name)
{
	struct bytes b = t->names;
	const uint8_t *is;

	bytes_take(&b, f->name);
	is = bytes_take(&b, strlen(name) + 1);
	return is && !memcmp(is, name, strlen(name) + 1);
}

/* Functions that no distance describes: what is to be done there is in bpf/unwind_go.h. */
static uint16_t special_of(const struct gopclntab *t, const struct function *f)
{
	if (name_is(t, f, "runtime.systemstack"))
		return UNWIND_GO_SYSTEMSTACK;
	if (name_is(t, f, "runtime.asmcgocall"))
		return UNWIND_GO_ASMCGOCALL;
	if (name_is(t, f, "runtime.mcall"))
		return UNWIND_GO_MCALL;
	return name_is(t, f, "runtime.systemstack_switch") ? UNWIND_GO_SWITCHED : 0;
}

static struct cfi_rule rule_at(int64_t delta, bool saved)
{
	struct cfi_rule r = { .rule = { .base = UNWIND_REG_SP, .off = delta + 8 } };

	if (delta < 0 || delta > INT32_MAX - 8)
		return (struct cfi_rule){ .special = UNWIND_BAD };
	if (saved) {
		r.rule.saved = UNWIND_AT_CFA;
		r.rule.saved_off = -16;
	}
	return r;
}

/* The length of `mov %rbp,N(%rsp)` at `pc`: until it has run, the frame is made but
 * the caller's rbp not yet in it.  0: it is something else. */
static unsigned save_length(const struct image *img, uint64_t pc)
{
	const uint8_t *code = image_code(img, pc, 4);

	if (!code || code[0] != 0x48 || code[1] != 0x89 || code[3] != 0x24)
		return 0;
	return code[2] == 0x6c ? 5 : code[2] == 0xac ? 8 : 0;
}

struct emit {
	const struct image *img;
	cfi_row_fn row;
	void *context;
	int64_t before; /* the delta of the row before */
	bool switched;  /* this is systemstack_switch */
};

static bool emit_rule(struct emit *e, uint64_t pc, uint64_t end, int64_t delta)
{
	unsigned save = !e->before && delta ? save_length(e->img, pc) : 0;
	struct cfi_rule rule = rule_at(delta, false);

	e->before = delta;
	if (e->switched && delta >= 0 && delta <= 15 * UNWIND_RULE_UNIT && delta % UNWIND_RULE_UNIT == 0) {
		rule = (struct cfi_rule){ .special = UNWIND_GO_SWITCHED | delta / UNWIND_RULE_UNIT };
		return e->row(e->context, pc, &rule);
	}
	if (save && save < end - pc) {
		if (!e->row(e->context, pc, &rule))
			return false;
		pc += save;
	}
	rule = rule_at(delta, delta);
	return e->row(e->context, pc, &rule);
}

/* Changes of the distance, each with how long it holds; 0 ends them. */
static bool function_deltas(const struct gopclntab *t, struct emit *e, const struct function *f)
{
	struct bytes b = t->deltas;
	uint64_t pc = f->pc, v, length;
	int64_t delta = -1;

	bytes_take(&b, f->pcsp);
	while (pc < f->end) {
		v = bytes_uleb(&b);
		if (b.bad || (!v && pc != f->pc))
			break;
		delta += (int32_t)(v & 1 ? ~(v >> 1) : v >> 1);
		length = bytes_uleb(&b);
		if (b.bad || !length)
			break;
		if (length > f->end - pc)
			length = f->end - pc;
		if (!emit_rule(e, pc, pc + length, delta))
			return false;
		pc += length;
	}
	return true;
}

static bool function_rows(const struct gopclntab *t, struct emit *e, const struct function *f)
{
	const struct cfi_rule top = { .special = UNWIND_END }, bad = { .special = UNWIND_BAD }, signal = { .special = UNWIND_SIGNAL };
	const struct cfi_rule special = { .special = special_of(t, f) };

	if (image_is_restorer(e->img, f->pc)) /* looked up at the byte before */
		return e->row(e->context, f->pc > t->text ? f->pc - 1 : f->pc, &signal);
	e->switched = special.special == UNWIND_GO_SWITCHED;
	if (special.special && !e->switched)
		return e->row(e->context, f->pc, &special);
	/* Go's runtime looks no further than a signal's first function; the kernel's frame is behind it. */
	if (f->flag & GO_TOP_FRAME && !name_is(t, f, "runtime.sigtramp"))
		return e->row(e->context, f->pc, &top);
	if (f->flag & GO_WRITES_SP)
		return e->row(e->context, f->pc, &bad);
	return function_deltas(t, e, f);
}

bool gopclntab_read(const struct gopclntab *t, const struct image *img, cfi_row_fn row, void *context)
{
	const struct cfi_rule gap = { .special = UNWIND_GAP };
	struct emit e = { .img = img, .row = row, .context = context };
	uint64_t at = t->text;
	struct function f;

	if (!row(context, at, &gap))
		return false;
	for (uint64_t i = 0; i < t->nfunctions; i++) {
		if (!function_get(t, i, &f) || f.pc < at)
			continue;
		e.before = 0;
		if (!function_rows(t, &e, &f))
			return false;
		at = f.end;
	}
	return row(context, t->end, &gap);
}
