/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the symbolizer that need no ELF file: address arithmetic, names, recorded symbols, cache. */
#include "../../report/symbols/demangle.h"
#include "../../report/symbols/module.h"
#include "../../report/symbols/symbolize.h"
#include "test.h"

/* ------------------------------------------------------------ addresses */

static uint64_t vaddr(const struct fold_segment *v, size_t n, uint64_t page, uint64_t offset)
{
	uint64_t address;

	return module_vaddr(v, n, page, offset, &address) ? address : UINT64_MAX;
}

TEST(segment_not_at_its_offset)
{
	struct fold_segment v[] = {{0x1000, 0x202000, 0x500, 4096}};

	CHECK_EQ(vaddr(v, 1, 4096, 0x1000), 0x202000);
	CHECK_EQ(vaddr(v, 1, 4096, 0x14ff), 0x2024ff);
	CHECK_EQ(vaddr(v, 1, 4096, 0x1500), 0x202500); /* the page holds it */
	CHECK_EQ(vaddr(v, 1, 4096, 0x2000), UINT64_MAX);
	CHECK_EQ(vaddr(v, 1, 4096, 0xfff), UINT64_MAX);
}

TEST(segment_exact_before_rounded)
{
	/* two executable segments share the file's second page */
	struct fold_segment v[] = {{0x0, 0x10000, 0x1234, 4096}, {0x1234, 0x22234, 0x100, 4096}};

	CHECK_EQ(vaddr(v, 2, 4096, 0x1233), 0x11233);
	CHECK_EQ(vaddr(v, 2, 4096, 0x1234), 0x22234);
	CHECK_EQ(vaddr(v, 2, 4096, 0x1400), UINT64_MAX); /* either mapping could be meant */
}

TEST(segment_pages_of_the_target)
{
	struct fold_segment v[] = {{0x11000, 0x21000, 0x100, 65536}};

	CHECK_EQ(vaddr(v, 1, 65536, 0x10800), 0x20800);
	CHECK_EQ(vaddr(v, 1, 4096, 0x10800), UINT64_MAX);
}

TEST(segment_ambiguous)
{
	struct fold_segment v[] = {{0x1000, 0x1000, 0x100, 4096}, {0x1000, 0x5000, 0x100, 4096}};

	CHECK_EQ(vaddr(v, 2, 4096, 0x1010), UINT64_MAX);
}

TEST(segment_empty_or_absurd)
{
	struct fold_segment v[] = {
		{0x1000, 0x1000, 0, 4096},
		{UINT64_MAX - 10, 0, 100, 4096},
		{0, 0, UINT64_MAX, 4096},
	};

	CHECK_EQ(vaddr(v, 0, 4096, 0x1000), UINT64_MAX);
	CHECK_EQ(vaddr(v, 1, 4096, 0x1000), UINT64_MAX);
	CHECK_EQ(vaddr(v, 2, 4096, UINT64_MAX - 5), UINT64_MAX);
	CHECK_EQ(vaddr(v, 3, 4096, 0x1000), UINT64_MAX);
}

/* ------------------------------------------------------------ demangling */

static const char *pretty(const char *name)
{
	static char buf[DEMANGLE_MAX_OUT + 1];

	return demangle(name, buf) ? buf : "";
}

TEST(demangle_languages)
{
	CHECK_STR(pretty("_ZNSt6vectorIiSaIiEE9push_backERKi"), "std::vector<int, std::allocator<int> >::push_back(int const&)");
	CHECK_STR(pretty("_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$closure$u7d$$u7d$$GT$17h0123456789abcdefE"),
		  "core::ptr::drop_in_place<std::rt::lang_start<()>::{{closure}}>");
	CHECK_STR(pretty("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
	CHECK_STR(pretty("_RINvNtC3std3mem8align_ofdE"), "std::mem::align_of::<f64>");
	CHECK_STR(pretty("_D3std5stdio7writelnFZv"), "std.stdio.writeln()");
	CHECK_STR(pretty("_Dmain"), "D main");
	CHECK_STR(pretty("_Z3fooi.cold"), "foo(int) [clone .cold]");
	CHECK_STR(pretty("_ZNSt6vectorIiSaIiEE9push_backERKi@plt"), "std::vector<int, std::allocator<int> >::push_back(int const&)@plt");
	CHECK_STR(pretty("@plt"), "");
	CHECK_STR(pretty("_ZN@plt"), "");
}

TEST(demangle_leaves_others_alone)
{
	static const char *const plain[] = {"", "_", "__", "main", "_start", "_init", "_DYNAMIC", "_Zebra", "_Readline", "i",
		"go.(*T).m", "main.main", "__libc_start_main", "_ZN", "_R", "_D", "???", "_Z", "___Z", "____Z3foov"};

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		CHECK_STR(pretty(plain[i]), "");
}

TEST(demangle_a_crate_without_a_name)
{
	CHECK_STR(pretty("_RNvC03foo"), "::foo"); /* libiberty hands over an empty piece as NULL */
}

TEST(demangle_bounds)
{
	static char name[DEMANGLE_MAX_IN + 64];
	size_t n;

	/* each substitution doubles the type before it: 2^60 characters */
	n = (size_t)sprintf(name, "_Z1fSt4pairIiiE");
	for (int i = 0; i < 60; i++)
		n += (size_t)sprintf(name + n, "St4pairIS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36]);
	CHECK(strlen(pretty(name)) <= DEMANGLE_MAX_OUT);
	/* deep nesting */
	n = (size_t)sprintf(name, "_Z1f");
	memset(name + n, 'P', DEMANGLE_MAX_IN - n - 1);
	name[DEMANGLE_MAX_IN - 1] = 'i';
	name[DEMANGLE_MAX_IN] = 0;
	CHECK(strlen(pretty(name)) <= DEMANGLE_MAX_OUT);
	/* one byte too long */
	memset(name, 'a', sizeof(name) - 1);
	memcpy(name, "_Z4090", 6);
	name[DEMANGLE_MAX_IN + 1] = 0;
	CHECK_STR(pretty(name), "");
	/* D back references */
	n = (size_t)sprintf(name, "_D1a");
	for (int i = 0; i < 200; i++)
		n += (size_t)sprintf(name + n, "QbQd");
	CHECK_STR(pretty(name), "");
}

static const char *stripped(const char *name)
{
	static char buf[128];

	snprintf(buf, sizeof(buf), "%.*s", (int)name_without_suffix(name), name);
	return buf;
}

TEST(suffixes)
{
	CHECK_STR(stripped("foo.cold"), "foo");
	CHECK_STR(stripped("foo.part.0.isra.12.constprop.0"), "foo");
	CHECK_STR(stripped("_Z3foov.lto_priv.7.cold.1"), "_Z3foov");
	CHECK_STR(stripped("foo.llvm.1234567890"), "foo");
	CHECK_STR(stripped("main.main"), "main.main");
	CHECK_STR(stripped("type..eq.int"), "type..eq.int");
	CHECK_STR(stripped("foo.7"), "foo.7");
	CHECK_STR(stripped(".cold"), ".cold");
	CHECK_STR(stripped("cold"), "cold");
	CHECK_STR(stripped("7"), "7");
	CHECK_STR(stripped(""), "");
}

/* ------------------------------------------------------------ recorded names */

struct fixture {
	struct recording rec;
	struct rec_module modules[4];
	struct rec_segment segment;
	struct rec_sym syms[5];
	struct symbolizer *s;
};

static uint32_t string(struct fixture *x, const char *text)
{
	uint32_t id = 0;

	intern_add(&x->rec.strings, text, strlen(text), &id);
	return id;
}

static void fixture_init(struct fixture *x)
{
	struct symbolizer_options options = {.no_system = true};

	memset(x, 0, sizeof(*x));
	intern_init(&x->rec.strings, 0);
	string(x, "");
	x->segment.meta.page_size = 4096;
	x->rec.segments = &x->segment;
	x->rec.nsegments = 1;
	x->rec.modules = x->modules;
	x->rec.nmodules = 4;
	x->syms[0] = (struct rec_sym){0x100, 0x50, string(x, "do_sys_open"), false};
	x->syms[1] = (struct rec_sym){0x110, 0x10, string(x, "nested"), false};
	x->syms[2] = (struct rec_sym){0x150, 0x10, string(x, "next_one"), false};
	x->syms[3] = (struct rec_sym){0x200, 0, string(x, "sizeless"), false};
	x->syms[4] = (struct rec_sym){0x300, 0x10, string(x, "_ZN4java4lang6StringC2Ev"), false};
	x->modules[0] = (struct rec_module){.kind = FOLD_MODULE_KERNEL, .name = string(x, "[kernel]"), .span = 4096, .nsyms = 5, .syms = x->syms};
	x->modules[1] = (struct rec_module){.kind = FOLD_MODULE_KO, .name = string(x, "nf_conntrack"), .span = 4096};
	x->modules[2] = (struct rec_module){.kind = FOLD_MODULE_ELF, .name = string(x, "/usr/lib/libfoo.so.1"), .span = 1 << 20};
	x->modules[3] = (struct rec_module){.kind = FOLD_MODULE_JIT, .span = 4096};
	CHECK_EQ(symbolizer_new(&x->s, &x->rec, &options), 0);
}

static void fixture_release(struct fixture *x)
{
	symbolizer_free(x->s);
	intern_release(&x->rec.strings);
}

static struct symbol at(struct fixture *x, uint32_t module, uint64_t offset, bool exact)
{
	struct symbols got = symbolize(x->s, module, offset, exact);

	CHECK_EQ(got.n, 1);
	return got.v[0];
}

TEST(recorded_sized_match_only)
{
	struct fixture x;

	fixture_init(&x);
	CHECK_STR(at(&x, 0, 0x100, true).name, "do_sys_open");
	CHECK_STR(at(&x, 0, 0x118, true).name, "nested");
	CHECK_STR(at(&x, 0, 0x120, true).name, "do_sys_open");
	CHECK_EQ(at(&x, 0, 0x120, true).offset, 0x20);
	CHECK_STR(at(&x, 0, 0x160, true).name, "[kernel]+0x160");
	CHECK_STR(at(&x, 0, 0xff, true).name, "[kernel]+0xff");
	CHECK_STR(at(&x, 0, 0x200, true).name, "sizeless");
	CHECK_STR(at(&x, 0, 0x201, true).name, "[kernel]+0x201");
	CHECK_STR(at(&x, 0, 0x300, true).name, "java::lang::String::String()");
	CHECK_STR(at(&x, 0, 0x300, true).mangled, "_ZN4java4lang6StringC2Ev");
	CHECK_EQ(symbolizer_module(x.s, 0).state, MODULE_NAMED);
	fixture_release(&x);
}

TEST(return_addresses_belong_to_the_call)
{
	struct fixture x;

	fixture_init(&x);
	CHECK_STR(at(&x, 0, 0x150, true).name, "next_one");
	CHECK_STR(at(&x, 0, 0x150, false).name, "do_sys_open"); /* a call that never returns ends it */
	CHECK_EQ(at(&x, 0, 0x150, false).offset, 0x50);
	CHECK_STR(at(&x, 0, 0x100, false).name, "[kernel]+0x100");
	CHECK_STR(at(&x, 0, 0, false).name, "[kernel]+0x0");
	fixture_release(&x);
}

TEST(honest_offsets)
{
	struct fixture x;

	fixture_init(&x);
	CHECK_STR(at(&x, 1, 0x12, true).name, "[nf_conntrack]+0x12");
	CHECK_STR(at(&x, 2, 0x1234, true).name, "[libfoo.so.1]+0x1234");
	CHECK(!at(&x, 2, 0x1234, true).named && !at(&x, 2, 0x1234, true).mangled);
	CHECK_STR(at(&x, 3, 0x10, true).name, "[unknown]");
	CHECK_STR(at(&x, 99, 0x10, true).name, "[unknown]");
	CHECK_EQ(symbolizer_module(x.s, 2).state, MODULE_NO_ID);
	CHECK_EQ(symbolizer_module(x.s, 99).state, MODULE_UNTRIED);
	fixture_release(&x);
}

TEST(each_address_once)
{
	struct fixture x;
	const struct symbol *first;

	fixture_init(&x);
	first = symbolize(x.s, 0, 0x118, true).v;
	for (uint64_t i = 0; i < 100000; i++) /* the cache grows many times */
		symbolize(x.s, 2, i, i & 1);
	CHECK(symbolize(x.s, 0, 0x118, true).v == first);
	CHECK_EQ(symbolizer_stats(x.s).addresses, 100001);
	CHECK_EQ(symbolizer_stats(x.s).named, 1);
	CHECK_EQ(symbolizer_stats(x.s).modules, 2);
	CHECK_EQ(symbolizer_stats(x.s).modules_named, 1);
	CHECK_EQ(symbolizer_module(x.s, 2).unnamed, 100000);
	fixture_release(&x);
}

TEST(servers_are_not_asked)
{
	struct fixture x;

	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	fixture_init(&x);
	CHECK(!getenv("DEBUGINFOD_URLS"));
	fixture_release(&x);
}

TEST_MAIN()
