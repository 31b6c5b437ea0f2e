/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows as they come -> 4-byte rows in pages, equal neighbours merged, long rules
 * kept once.  See pack.h. */
#include "pack.h"

#include <elf.h>

#include "ehframe.h"
#include "gopclntab.h"

#define SLOTS (UNWIND_RULES * 2) /* of the hash over extended rules */
#define MAX_ROWS_WITH_RBX 16384

struct packer {
	struct packed *out;
	uint32_t word;          /* the rule in force, 16 bits */
	bool by_rbx;            /* there is a CFA that is found by rbx */
	bool with_rbx;          /* rules say where rbx is: all are long */
	uint16_t slots[SLOTS];  /* index of a rule + 1 */
};

static uint32_t rule_hash(const struct unwind_rule *rule)
{
	uint64_t v[2];

	memcpy(v, rule, sizeof(v));
	return ((v[0] * UINT64_C(0x9e3779b97f4a7c15)) ^ (v[1] * UINT64_C(0xc2b2ae3d27d4eb4f))) >> 40;
}

/* A table full of rules costs the row that came last, not the file. */
static uint32_t extended_word(struct packer *p, const struct unwind_rule *rule)
{
	struct packed *out = p->out;

	for (uint32_t i = rule_hash(rule); ; i++) {
		uint16_t *slot = &p->slots[i % SLOTS];

		if (*slot && memcmp(&out->rules[*slot - 1], rule, sizeof(*rule)))
			continue;
		if (!*slot) {
			if (out->nrules == UNWIND_RULES)
				return UNWIND_BAD;
			out->rules[out->nrules++] = *rule;
			*slot = out->nrules;
		}
		return UNWIND_EXT << 14 | (*slot - 1);
	}
}

static uint32_t rule_word(struct packer *p, const struct cfi_rule *r)
{
	struct unwind_rule without = r->rule;
	const struct unwind_rule *rule = &without;
	uint32_t saved = 0, class;

	if (r->special)
		return r->special;
	p->by_rbx = p->by_rbx || rule->base == UNWIND_REG_RBX;
	if (p->with_rbx)
		return extended_word(p, &r->rule);
	without.rbx = UNWIND_RBX_UNKNOWN;
	class = rule->base == UNWIND_REG_SP ? UNWIND_SP : rule->base == UNWIND_REG_FP ? UNWIND_FP : UNWIND_EXT;
	if (class == UNWIND_EXT || rule->flags || rule->off < 0 || rule->off > UNWIND_MAX_CFA || rule->off % UNWIND_RULE_UNIT)
		return extended_word(p, rule);
	if (rule->saved == UNWIND_AT_CFA && rule->saved_off < 0 && rule->saved_off >= -UNWIND_MAX_SAVED * UNWIND_RULE_UNIT &&
	    rule->saved_off % UNWIND_RULE_UNIT == 0)
		saved = -rule->saved_off / UNWIND_RULE_UNIT;
	else if (rule->saved != UNWIND_SAME)
		return extended_word(p, rule);
	return class << 14 | saved << 10 | rule->off / UNWIND_RULE_UNIT;
}

static bool row_append(struct packer *p, uint32_t pc_lo, uint32_t word)
{
	uint32_t first = p->out->pages[p->out->npages - 1];

	if (p->out->nrows == PACK_MAX_ROWS || p->out->nrows - first == UNWIND_PAGE_ROWS)
		return false;
	p->out->rows[p->out->nrows++] = unwind_row(pc_lo, word);
	return true;
}

/* Open pages up to `page`, each with the rule in force. */
static bool pages_open(struct packer *p, uint64_t page)
{
	struct packed *out = p->out;

	if (!out->npages)
		out->first_page = page;
	if (page < out->first_page || page - out->first_page >= PACK_MAX_PAGES)
		return false;
	while (out->npages <= page - out->first_page) {
		out->pages[out->npages++] = out->nrows;
		if (!row_append(p, 0, p->word))
			return false;
	}
	return true;
}

static bool row_add(void *context, uint64_t pc, const struct cfi_rule *rule)
{
	struct packer *p = context;
	struct packed *out = p->out;
	uint32_t pc_lo = pc & (UNWIND_PAGE_SIZE - 1), word, first, *last;

	if (!pages_open(p, pc >> UNWIND_PAGE_SHIFT))
		return false;
	word = rule_word(p, rule);
	first = out->pages[out->npages - 1];
	last = &out->rows[out->nrows - 1];
	p->word = word;
	if (unwind_row_pc(*last) == pc_lo) {
		*last = unwind_row(pc_lo, word);
		if (out->nrows - 1 > first && unwind_row_rule(last[-1]) == word)
			out->nrows--;
		return true;
	}
	return unwind_row_rule(*last) == word || row_append(p, pc_lo, word);
}

/* A program of Go and C has two tables, each for its own part of the code. */
static bool rows_read(struct packer *p, const struct image *img)
{
	struct gopclntab go;

	if (!gopclntab_open(&go, img))
		return ehframe_read(img, 0, UINT64_MAX, row_add, p);
	return ehframe_read(img, 0, go.text, row_add, p) && gopclntab_read(&go, img, row_add, p) && ehframe_read(img, go.end, UINT64_MAX, row_add, p);
}

/* Once more, if it is needed and small: long rules cost a walk more. */
static bool rows_read_again(struct packer *p, const struct image *img)
{
	if (!p->by_rbx || p->out->nrows > MAX_ROWS_WITH_RBX)
		return true;
	*p = (struct packer){ .out = p->out, .word = UNWIND_GAP, .with_rbx = true };
	p->out->npages = p->out->nrows = p->out->nrules = 0;
	return rows_read(p, img);
}

void pack_image(struct packed *out, const uint8_t *bytes, size_t size)
{
	struct packer p = { .out = out, .word = UNWIND_GAP };
	struct image img;
	bool done;

	if (!image_open(&img, bytes, size) || img.machine != EM_X86_64) {
		out->status = PACKED_NOT_ELF;
		return;
	}
	memcpy(out->segments, img.segments, sizeof(out->segments));
	out->nsegments = img.nsegments;
	done = rows_read(&p, &img) && rows_read_again(&p, &img);
	if (!done)
		out->status = PACKED_CAP;
	else
		out->status = out->nrows ? PACKED_OK : PACKED_NO_FRAMES;
}
