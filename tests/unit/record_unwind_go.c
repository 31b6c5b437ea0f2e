/* SPDX-License-Identifier: BSD-2-Clause */
/* From the stack of Go's g0 to that of a goroutine, in a few words of memory. */
#include "test.h"

#include "../../bpf/unwind.h"

#define SYSTEMSTACK 0x401010 /* return addresses */
#define ASMCGOCALL 0x401110
#define SWITCHED 0x401200
#define CALLER 0x401310
#define G 0x10000
#define G0 0x11000
#define M 0x12000
#define HIGH 0x21000  /* of the goroutine's stack */
#define WAITS 0x20f00 /* there */
#define SP 0x30000    /* of g0 */

struct word {
	ev_u64 at, value;
};
static struct word memory[32];
static size_t nmemory;

static void put(ev_u64 at, ev_u64 value)
{
	for (size_t i = 0; i < nmemory; i++)
		if (memory[i].at == at) {
			memory[i].value = value;
			return;
		}
	memory[nmemory++] = (struct word){ at, value };
}

static long get(ev_u64 *to, ev_u64 at)
{
	for (size_t i = 0; i < nmemory; i++)
		if (memory[i].at == at) {
			*to = memory[i].value;
			return 0;
		}
	return -1;
}

static long unwind_read(struct unwind_state *u, void *to, ev_u32 size, ev_u64 at)
{
	ev_u64 *words = to;

	for (ev_u32 i = 0; i < size / 8; i++)
		if (get(words + i, at + i * 8))
			return -1;
	return 0;
}

static long unwind_read_far(struct unwind_state *u, ev_u64 *to, ev_u64 at)
{
	return get(to, at);
}

static long unwind_read_code(struct unwind_state *u, ev_u64 *to, ev_u64 at)
{
	return -1;
}

static const struct unwind_mapping text = { .start = 0x400000, .end = 0x500000, .flags = UNWIND_HAS_TABLE, .npages = 0x100 };

static int unwind_mapping_find(struct unwind_state *u, ev_u64 pc)
{
	return pc >= text.start && pc < text.end ? 0 : -1;
}

static const struct unwind_mapping *unwind_mapping_at(struct unwind_state *u, int index)
{
	return &text;
}

static int unwind_rule_find(struct unwind_state *u, ev_u32 page, ev_u32 pc_lo)
{
	switch (pc_lo & 0xff00) {
	case 0x1000: return UNWIND_GO_SYSTEMSTACK;
	case 0x1100: return UNWIND_GO_ASMCGOCALL;
	case 0x1200: return UNWIND_GO_SWITCHED;
	}
	return -1;
}

static const struct unwind_rule *unwind_rule_at(struct unwind_state *u, ev_u32 index)
{
	return NULL;
}

#include "../../bpf/unwind_step.h"

/* A goroutine that waits where it called what switched stacks. */
static void make(void)
{
	nmemory = 0;
	put(G + 8, HIGH);
	put(G + 48, M);
	put(G + 56, WAITS);
	put(G + 64, SWITCHED);
	put(G0 + 8, SP + 0x100);
	put(G0 + 48, M);
	put(M, G0);
	put(M + 192, G);
	put(WAITS, CALLER);
}

static int step(ev_u64 pc, ev_u64 r14, struct unwind_state *u)
{
	*u = (struct unwind_state){ .ip = pc, .sp = SP, .regs[14] = r14 };
	return unwind_step(u);
}

TEST(systemstack)
{
	struct unwind_state u;

	make();
	CHECK_EQ(step(SYSTEMSTACK, G0, &u), UNWIND_GO_ON);
	CHECK_EQ(u.ip, CALLER);
	CHECK_EQ(u.sp, WAITS + 8);
	CHECK_EQ(step(SYSTEMSTACK, G, &u), UNWIND_ENDED_BAD_RULE); /* a g that is no g0 */
	put(G + 64, CALLER);                                       /* it does not wait */
	CHECK_EQ(step(SYSTEMSTACK, G0, &u), UNWIND_ENDED_BAD_RULE);
}

TEST(asmcgocall)
{
	static const int places[] = { 0, 40 };
	struct unwind_state u;

	for (int i = 0; i < 2; i++) {
		make();
		put(SP + places[i], HIGH - WAITS);
		put(SP + places[i] + 8, G);
		CHECK_EQ(step(ASMCGOCALL, 0, &u), UNWIND_GO_ON);
		CHECK_EQ(u.ip, CALLER);
		CHECK_EQ(u.sp, WAITS + 8);
		put(M + 192, 0); /* it is not what the thread runs */
		CHECK_EQ(step(ASMCGOCALL, 0, &u), UNWIND_ENDED_BAD_RULE);
	}
}

/* It was called on the stack of g0, where it keeps no g but rsp; the current g, which waits
 * in systemstack, happens to lie where another layout would have it. */
TEST(asmcgocall_without_a_switch)
{
	static const int places[] = { 0, 40 };
	struct unwind_state u;

	for (int i = 0; i < 2; i++) {
		make();
		put(SP + places[i], SP + 0x20);
		put(SP + places[i] + 8, 0);
		put(SP + places[!i], 0x123);
		put(SP + places[!i] + 8, G);
		CHECK_EQ(step(ASMCGOCALL, 0, &u), UNWIND_ENDED_BAD_RULE);
	}
}

TEST_MAIN()
