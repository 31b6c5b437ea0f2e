/* SPDX-License-Identifier: BSD-2-Clause */
/* Go's table of functions, made by hand, into rows. */
#include "test.h"

#include "../../record/unwind/gopclntab.h"

#define TEXT 0x401000
#define MAX_ROWS 32

struct made {
	uint8_t code[0x100];
	uint8_t table[512];
	size_t size;
	struct image img;
};
struct rows {
	size_t n;
	uint64_t pc[MAX_ROWS];
	struct cfi_rule rule[MAX_ROWS];
};

static void put(struct made *m, size_t at, uint64_t v, unsigned size)
{
	memcpy(m->table + at, &v, size);
	if (at + size > m->size)
		m->size = at + size;
}

enum { FUNCTIONS = 72, RECORDS = 80, RECORD = 44, DELTAS = 400 };

static void function(struct made *m, unsigned i, uint32_t entry, uint32_t pcsp, uint8_t flag)
{
	uint32_t offset = RECORDS + i * RECORD;

	put(m, FUNCTIONS + i * 8, entry, 4);
	put(m, FUNCTIONS + i * 8 + 4, offset, 4);
	put(m, FUNCTIONS + offset, entry, 4);
	put(m, FUNCTIONS + offset + 16, pcsp, 4);
	put(m, FUNCTIONS + offset + 41, flag, 1);
	put(m, FUNCTIONS + offset + 43, 0, 1);
}

/* goexit, a function with a frame, one that writes rsp, a signal's restorer */
static void make(struct made *m)
{
	static const uint8_t goexit[] = { 0x90, 0xe8, 0, 0, 0, 0, 0x90 };
	static const uint8_t save[] = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24, 0x10 }; /* sub $24,%rsp; mov %rbp,16(%rsp) */
	static const uint8_t restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t deltas[] = { 2, 4, 48, 40, 47, 2, 0 }; /* 0 for 4 bytes, 24 for 40, 0 for 2 */

	memset(m, 0, sizeof(*m));
	memcpy(m->code, goexit, sizeof(goexit));
	memcpy(m->code + 0x20, save, sizeof(save));
	memcpy(m->code + 0xc0, restorer, sizeof(restorer));
	put(m, 0, 0xfffffff1, 4);
	put(m, 4, 0x08010000, 4);
	put(m, 8, 4, 8);
	put(m, 24, TEXT, 8);
	put(m, 56, DELTAS, 8);
	put(m, 64, FUNCTIONS, 8);
	function(m, 0, 0, 1, 1);
	function(m, 1, 0x20, 1, 0);
	function(m, 2, 0x80, 1, 2);
	function(m, 3, 0xc0, 1, 0);
	put(m, FUNCTIONS + 32, sizeof(m->code), 4);
	memcpy(m->table + DELTAS + 1, deltas, sizeof(deltas));
	m->size = DELTAS + 1 + sizeof(deltas);
	m->img = (struct image){ .at = m->code, .size = sizeof(m->code), .nsegments = 1, .segments = {{ 0, TEXT, sizeof(m->code) }},
				 .go = { m->table, m->size, 0x500000 } };
}

static bool keep(void *context, uint64_t pc, const struct cfi_rule *rule)
{
	struct rows *r = context;

	if (r->n == MAX_ROWS)
		return false;
	CHECK(!r->n || pc >= r->pc[r->n - 1]);
	r->pc[r->n] = pc;
	r->rule[r->n++] = *rule;
	return true;
}

/* The rule at `pc`. */
static const struct cfi_rule *at(const struct rows *r, uint64_t pc)
{
	const struct cfi_rule *rule = NULL;

	for (size_t i = 0; i < r->n && r->pc[i] <= pc; i++)
		rule = &r->rule[i];
	return rule;
}

static bool cfa_is(const struct rows *r, uint64_t pc, int64_t off, bool saved)
{
	const struct cfi_rule *rule = at(r, pc);

	return rule && !rule->special && rule->rule.base == UNWIND_REG_SP && rule->rule.off == off &&
	       rule->rule.saved == (saved ? UNWIND_AT_CFA : UNWIND_SAME) && (!saved || rule->rule.saved_off == -16);
}

TEST(rules_of_functions)
{
	struct gopclntab t;
	struct rows r = {0};
	struct made m;

	make(&m);
	CHECK(gopclntab_open(&t, &m.img));
	CHECK_EQ(t.text, TEXT);
	CHECK_EQ(t.end, TEXT + sizeof(m.code));
	CHECK(gopclntab_read(&t, &m.img, keep, &r));
	CHECK_EQ(at(&r, TEXT + 1)->special, UNWIND_END);
	CHECK(cfa_is(&r, TEXT + 0x20, 8, false));
	CHECK(cfa_is(&r, TEXT + 0x24, 32, false)); /* rbp is not saved yet */
	CHECK(cfa_is(&r, TEXT + 0x29, 32, true));
	CHECK(cfa_is(&r, TEXT + 0x4c, 8, false));
	CHECK_EQ(at(&r, TEXT + 0x90)->special, UNWIND_BAD);
	CHECK_EQ(at(&r, TEXT + 0xbf)->special, UNWIND_SIGNAL); /* the byte before it is looked up */
	CHECK_EQ(at(&r, TEXT + sizeof(m.code))->special, UNWIND_GAP);
}

/* Functions that change stacks are known by their names. */
TEST(switches_of_stacks_have_rules_of_their_own)
{
	static const char *const names[] = { "runtime.systemstack", "runtime.mcall", "runtime.systemstack_switch", "runtime.sigtramp", "runtime.asmcgocall" };
	static const uint8_t flags[] = { 2, 2, 0, 1, 2 };
	static const uint16_t rules[] = { UNWIND_GO_SYSTEMSTACK, UNWIND_GO_MCALL, UNWIND_GO_SWITCHED, 0, UNWIND_GO_ASMCGOCALL };
	struct gopclntab t;
	struct rows r;
	struct made m;

	for (unsigned i = 0; i < 5; i++) {
		make(&m);
		put(&m, 32, DELTAS + 32, 8);
		memcpy(m.table + DELTAS + 32 + 5, names[i], strlen(names[i]) + 1);
		m.img.go.size = DELTAS + 96;
		function(&m, 1, 0x20, 1, flags[i]);
		put(&m, FUNCTIONS + RECORDS + RECORD + 4, 5, 4); /* its name */
		r.n = 0;
		CHECK(gopclntab_open(&t, &m.img));
		CHECK(gopclntab_read(&t, &m.img, keep, &r));
		CHECK_EQ(at(&r, TEXT + 0x21)->special, rules[i]);
		CHECK_EQ(at(&r, TEXT + 0x2a)->special, rules[i] == UNWIND_GO_SWITCHED ? UNWIND_GO_SWITCHED + 3 : rules[i]);
		CHECK_EQ(at(&r, TEXT + 0x90)->special, UNWIND_BAD);
	}
}

TEST(a_program_that_moves_has_its_text_elsewhere)
{
	struct gopclntab t;
	struct made m;

	make(&m);
	put(&m, 24, 0, 8);
	CHECK(!gopclntab_open(&t, &m.img));
	m.img.text = TEXT;
	CHECK(gopclntab_open(&t, &m.img));
	CHECK_EQ(t.text, TEXT);
}

TEST(the_code_must_fit_the_table)
{
	struct gopclntab t;
	struct made m;

	make(&m);
	m.code[6] = 0;
	CHECK(!gopclntab_open(&t, &m.img));
	make(&m);
	put(&m, 0, 0xfffffffa, 4); /* Go 1.16 */
	CHECK(!gopclntab_open(&t, &m.img));
	make(&m);
	m.img.segments[0].filesz--;
	CHECK(!gopclntab_open(&t, &m.img));
}

/* Damage ends or changes what is read; keep() checks the order. */
TEST(damaged_tables)
{
	struct gopclntab t;
	struct made m;

	make(&m);
	for (size_t size = 0; size < m.size; size++) {
		struct rows r = {0};

		m.img.go.size = size;
		if (gopclntab_open(&t, &m.img))
			gopclntab_read(&t, &m.img, keep, &r);
	}
	for (size_t i = 0; i < m.size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct rows r = {0};

			make(&m);
			m.table[i] ^= 1 << bit;
			if (gopclntab_open(&t, &m.img))
				gopclntab_read(&t, &m.img, keep, &r);
		}
}

TEST_MAIN()
