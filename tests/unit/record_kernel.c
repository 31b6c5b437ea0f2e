/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel addresses: text, modules, programs, names, and a kernel that hides all that. */
#include "test.h"
#include "session_fixture.h"

#include "../../record/kernel.h"
#include "../../record/vdso.h"

#include <link.h>
#include <sys/auxv.h>

#define K FIX_KERNEL
#define KO UINT64_C(0xffffffffc0300000)
#define BPF UINT64_C(0xffffffffc0400000)

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T srso_alias_untrain_ret\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t do_one\n"
	"ffffffff81000200 t __two\n"
	"ffffffff81000200 T two_longer\n"
	"ffffffff81000200 T two\n"
	"ffffffff81000200 W tow\n"
	"ffffffff81000300 D data_here\n"
	"ffffffff81000400 T last\n"
	"ffffffff81000500 T _etext\n"
	"ffffffff81900000 B _end\n"
	"ffffffffc0300000 t ko_init\t[my_mod]\n"
	"ffffffffc0300040 T ko_work\t[my_mod]\n"
	"ffffffffc0300900 d ko_data\t[my_mod]\n"
	"ffffffffc0302000 t other_fn\t[other]\n"
	"ffffffffc0400000 t bpf_prog_0123456789abcdef_prog\t[bpf]\n"
	"ffffffffc0400100 t bpf_trampoline_1\t[bpf]\n"
	"ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n";

static void notes(const struct tree *t, const char *name, uint8_t id)
{
	uint8_t note[36] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};

	memset(note + 16, id, 20);
	tree_write(t, name, note, sizeof(note));
}

static void shown(const struct tree *t)
{
	tree_text(t, "proc/kallsyms", kallsyms);
	/* the size of a module counts more than its text: they overlap */
	tree_text(t, "proc/modules", "my_mod 16384 1 other, Live 0xffffffffc0300000 (OE)\n"
		"other 8192 0 - Live 0xffffffffc0302000\n");
	notes(t, "sys/kernel/notes", 0xaa);
	notes(t, "sys/module/my_mod/notes/.note.gnu.build-id", 0xbb);
}

static void hidden(const struct tree *t)
{
	tree_text(t, "proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T _text\n0000000000000000 t do_one\n");
	tree_text(t, "proc/modules", "my_mod 16384 1 other, Live 0x0000000000000000 (OE)\n");
	notes(t, "sys/kernel/notes", 0xaa);
}

static void ksymbol(struct fix *f, uint64_t start, uint32_t length, const char *name, bool unregister)
{
	struct event e = fix_event(f, EVENT_KSYMBOL, 0, 0);

	e.ksymbol = (struct event_ksymbol){.start = start, .length = length, .type = 1, .unregister = unregister, .name = name};
	fix_send(f, &e);
}

static const char *ksym(const struct back *b, const char *module, uint64_t offset, uint64_t *size)
{
	size_t m = back_find_module(b, module);

	for (size_t i = 0; i < b->nksyms; i++) {
		if (b->ksyms[i].module == m && b->ksyms[i].offset == offset) {
			*size = b->ksyms[i].size;
			return back_string(b, b->ksyms[i].name);
		}
	}
	return NULL;
}

TEST(kernel_text_and_names)
{
	struct fix f;
	struct back *b;
	uint64_t size;

	fix_begin(&f, NULL, shown);
	fix_running(&f, 3, 3, 2);
	fix_comm(&f, 3, 3, "kthread", false);
	KSAMPLE(&f, 3, K + 0x210, K + 0x200, K + 0x405);
	KSAMPLE(&f, 3, K + 0x211, K + 0x1ff);
	b = fix_end(&f);
	CHECK_STR(back_row(b, 0), "kthread 3/3 - [kernel]+0x405;[kernel]+0x200;[kernel]+0x210");
	CHECK_STR(b->modules[0].id, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	CHECK(!(b->flags & FOLD_FLAG_KERNEL_ANCHORED));
	/* the return address K+0x200 belongs to the call before it */
	CHECK_EQ(b->nksyms, 3);
	CHECK_STR(ksym(b, "[kernel]", 0x100, &size), "do_one");
	CHECK_EQ(size, 0x100);
	CHECK_STR(ksym(b, "[kernel]", 0x200, &size), "tow");
	CHECK_EQ(size, 0x200);
	CHECK_STR(ksym(b, "[kernel]", 0x400, &size), "last");
	CHECK_EQ(size, 0x100);
	CHECK_EQ(b->account[0][FOLD_NOTE_KTHREAD], 2);
	back_free(b);
}

TEST(kernel_interrupted_at_first_byte)
{
	struct fix f;
	struct back *b;
	uint64_t size;

	fix_begin(&f, NULL, shown);
	fix_running(&f, 3, 3, 2);
	KSAMPLE(&f, 3, K + 0x210, K + 0x400);
	b = fix_end(&f);
	/* called from the end of one function, or stopped at the beginning of the next */
	CHECK_EQ(b->nksyms, 2);
	CHECK_STR(ksym(b, "[kernel]", 0x200, &size), "tow");
	CHECK_STR(ksym(b, "[kernel]", 0x400, &size), "last");
	back_free(b);
}

TEST(kernel_modules_and_programs)
{
	struct fix f;
	struct back *b;
	uint64_t size;

	fix_begin(&f, NULL, shown);
	KSAMPLE(&f, 3, KO + 0x50, KO + 0x2010, BPF + 0x10, BPF + 0x110, UINT64_C(0xffffffffc0201008));
	KSAMPLE(&f, 3, UINT64_C(0xffffffffc0900000), K + 0x901000, K + 0x100);
	b = fix_end(&f);
	CHECK(strstr(back_row(b, 0), " - ftrace_trampoline+0x8;bpf_trampoline_1+0x10;bpf_prog_0123456789abcdef_prog+0x10;other+0x10;my_mod+0x50"));
	CHECK(strstr(back_row(b, 1), " - [kernel]+0x100;[kernel]+0x901000;?") || strstr(back_row(b, 1), " - [kernel]+0x100;?"));
	CHECK_STR(b->modules[back_find_module(b, "my_mod")].id, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
	CHECK_EQ(b->modules[back_find_module(b, "my_mod")].kind, FOLD_MODULE_KO);
	CHECK_EQ(b->modules[back_find_module(b, "bpf_trampoline_1")].kind, FOLD_MODULE_BPF);
	CHECK_STR(ksym(b, "my_mod", 0x40, &size), "ko_work");
	CHECK_STR(ksym(b, "other", 0, &size), "other_fn");
	CHECK_STR(ksym(b, "bpf_prog_0123456789abcdef_prog", 0, &size), "bpf_prog_0123456789abcdef_prog");
	CHECK_EQ(size, 0x100);
	back_free(b);
}

/* Somebody else knows names: one function in the image, one in a module, no more. */
static bool name_of(void *state, uint64_t address, struct kernel_symbol *out)
{
	int *asked = state;

	++*asked;
	if (address >= K + 0x100 && address < K + 0x200)
		*out = (struct kernel_symbol){.start = K + 0x100, .size = 0x100, .name = "one"};
	else if (address >= KO + 0x40 && address < KO + 0x900)
		*out = (struct kernel_symbol){.start = KO + 0x40, .size = 0x8c0, .name = "work"};
	else
		return false;
	return true;
}

TEST(names_that_are_asked_for)
{
	int asked = 0;
	struct session_options options = {.kernel_symbols = true, .paths = SESSION_PATHS_FULL, .kernel_name = name_of, .kernel_name_state = &asked};
	struct fix f;
	struct back *b;
	uint64_t size;

	fix_begin(&f, &options, hidden);
	KSAMPLE(&f, 3, K + 0x110, K + 0x150, K + 0x405);
	KSAMPLE(&f, 3, K + 0x120, K + 0x407);
	b = fix_end(&f);
	CHECK(b->flags & FOLD_FLAG_KERNEL_ANCHORED);
	CHECK_EQ(b->nksyms, 1);
	CHECK_STR(back_string(b, b->ksyms[0].name), "one");
	CHECK_EQ(b->ksyms[0].size, 0x100);
	/* each nameless address, of a call and behind it; the function once */
	CHECK_EQ(asked, 5);
	back_free(b);
#ifdef __x86_64__
	asked = 0;
	fix_begin(&f, &options, shown);
	KSAMPLE(&f, 3, K + 0x110, K + 0x150, KO + 0x50);
	/* and the list of all has what nobody else tells of */
	KSAMPLE(&f, 3, BPF + 0x10, UINT64_C(0xffffffffc0201008), KO + 0x60);
	b = fix_end(&f);
	CHECK(strstr(back_row(b, 0), " - my_mod+0x50;[kernel]+0x150;[kernel]+0x110"));
	CHECK(strstr(back_row(b, 1), " - my_mod+0x60;ftrace_trampoline+0x8;bpf_prog_0123456789abcdef_prog+0x10"));
	CHECK_STR(ksym(b, "[kernel]", 0x100, &size), "one");
	CHECK_STR(ksym(b, "my_mod", 0x40, &size), "work");
	CHECK_EQ(size, 0x8c0);
	CHECK_STR(ksym(b, "bpf_prog_0123456789abcdef_prog", 0, &size), "bpf_prog_0123456789abcdef_prog");
	CHECK_EQ(asked, 2);
	back_free(b);
#endif
}

TEST(programs_that_come_and_go)
{
	struct fix f;
	struct back *b;
	uint64_t at = BPF + 0x100000;

	fix_begin(&f, NULL, shown);
	KSAMPLE(&f, 3, K + 1, at + 4);
	ksymbol(&f, at, 0x80, "bpf_prog_one", false);
	KSAMPLE(&f, 3, K + 1, at + 4);
	ksymbol(&f, at, 0x80, "bpf_prog_one", true);
	KSAMPLE(&f, 3, K + 1, at + 4);
	ksymbol(&f, at, 0x40, "bpf_prog_two", false);
	KSAMPLE(&f, 3, K + 1, at + 4);
	ksymbol(&f, BPF + 0x200, 0x40, "bpf_prog_three", false); /* where the size of the one before was a guess */
	KSAMPLE(&f, 3, K + 1, BPF + 0x208, BPF + 0x110);
	b = fix_end(&f);
	CHECK(strstr(back_row(b, 0), "- ?;[kernel]+0x1"));
	CHECK(strstr(back_row(b, 1), "- bpf_prog_one+0x4;[kernel]+0x1"));
	CHECK(strstr(back_row(b, 2), "- ?;[kernel]+0x1"));
	CHECK(strstr(back_row(b, 3), "- bpf_prog_two+0x4;[kernel]+0x1"));
	CHECK(strstr(back_row(b, 4), "- bpf_trampoline_1+0x10;bpf_prog_three+0x8;[kernel]+0x1"));
	back_free(b);
}

TEST(module_loaded_meanwhile)
{
	struct fix f;
	struct back *b;
	uint64_t size;

	fix_begin(&f, NULL, shown);
	KSAMPLE(&f, 3, K + 1, KO + 0x10040);
	tree_text(&f.tree, "proc/modules", "late 4096 0 - Live 0xffffffffc0310000\n");
	tree_text(&f.tree, "proc/kallsyms", "ffffffff81000000 T _text\nffffffff81900000 B _end\nffffffffc0310020 t late_fn\t[late]\n");
	CHECK_EQ(session_flush(f.session, FIX_START, f.time), 0);
	KSAMPLE(&f, 3, K + 1, KO + 0x10040);
	KSAMPLE(&f, 3, K + 1, KO + 0x40); /* my_mod is gone */
	b = fix_end(&f);
	CHECK(strstr(back_row(b, 0), "- ?;[kernel]+0x1"));
	CHECK(strstr(back_row(b, 1), "- late+0x10040") || strstr(back_row(b, 1), "- late+0x40;[kernel]+0x1"));
	CHECK(strstr(back_row(b, 2), "- ?;[kernel]+0x1"));
	CHECK_STR(ksym(b, "late", 0x20, &size), "late_fn");
	back_free(b);
}

TEST(names_not_wanted)
{
	struct session_options o = {.paths = SESSION_PATHS_FULL};
	struct fix f;
	struct back *b;

	fix_begin(&f, &o, shown);
	KSAMPLE(&f, 3, K + 0x210, KO + 0x50);
	b = fix_end(&f);
	CHECK_EQ(b->nksyms, 0);
	CHECK(strstr(back_row(b, 0), "my_mod+0x50;[kernel]+0x210"));
	back_free(b);
}

TEST(hidden_addresses)
{
	struct fix f;
	struct back *b;
	unsigned long long a = 0, c = 0, ko = 0;

	fix_begin(&f, NULL, hidden);
	KSAMPLE(&f, 3, K + 0x345678, K - 0x1000000, KO + 0x50);
	b = fix_end(&f);
	CHECK(b->flags & FOLD_FLAG_KERNEL_ANCHORED);
	CHECK_EQ(b->nksyms, 0);
	CHECK_EQ(sscanf(strstr(back_row(b, 0), " - ") + 3, "[modules]+0x%llx;[kernel]+0x%llx;[kernel]+0x%llx", &ko, &c, &a), 3);
	/* differences hold, and so do the bits below 2 MiB; nothing else tells the base */
	CHECK_EQ(a - c, 0x1345678);
	CHECK_EQ(a % KERNEL_ANCHOR_ALIGN, (K + 0x345678) % KERNEL_ANCHOR_ALIGN);
	CHECK(a < KERNEL_SPAN && c < KERNEL_SPAN);
	CHECK_EQ(b->modules[back_find_module(b, "[modules]")].kind, FOLD_MODULE_KO);
	back_free(b);
}

static bool kernel_knows(void *state, uint64_t address, struct kernel_symbol *out)
{
	uint64_t start = address & ~UINT64_C(0x1ff);

	*out = (struct kernel_symbol){.start = start, .size = 0x200, .name = start == K + 0x200 ? "two" : "other"};
	return true;
}

TEST(hidden_and_interrupted_at_first_byte)
{
	struct session_options options = {.kernel_symbols = true, .paths = SESSION_PATHS_FULL, .kernel_name = kernel_knows};
	unsigned long long leaf = 0, outer = 0;
	struct fix f;
	struct back *b;
	uint64_t size;

	fix_begin(&f, &options, hidden);
	KSAMPLE(&f, 3, K + 0x210, K + 0x400);
	b = fix_end(&f);
	CHECK_EQ(sscanf(strstr(back_row(b, 0), " - ") + 3, "[kernel]+0x%llx;[kernel]+0x%llx", &outer, &leaf), 2);
	CHECK_EQ(b->nksyms, 2);
	CHECK_STR(ksym(b, "[kernel]", leaf - 0x10, &size), "two");
	CHECK_STR(ksym(b, "[kernel]", outer, &size), "other");
	back_free(b);
}

TEST(no_kallsyms_at_all)
{
	struct fix f;
	struct back *b;

	fix_begin(&f, NULL, NULL);
	KSAMPLE(&f, 3, K + 0x345678, K + 0x200);
	b = fix_end(&f);
	CHECK(b->flags & FOLD_FLAG_KERNEL_ANCHORED);
	CHECK(strstr(back_row(b, 0), " - [kernel]+0x"));
	CHECK_EQ(b->account[0][FOLD_NOTE_UNMAPPED], 0);
	back_free(b);
}

TEST(lines_of_proc)
{
	struct kallsyms_line k;
	struct modules_line m;
	char a[] = "ffffffff81000100 t do_one\n", b[] = "ffffffffc0000000 t f\t[mod]", c[] = "zz t f", d[] = "1 t ", e[] = "1 tt f";
	char f[] = "nfs 1 2 a,b, Live 0xffffffffc0000000 (E)", g[] = "nfs 1 2 a,b, Live", h[] = "nfs x 2 - Live 0x1", i[] = "12345678901234567 t f";
	char j[] = "1 t f\t[mod", k2[] = "";

	CHECK(kallsyms_parse(a, &k) && k.address == K + 0x100 && k.type == 't');
	CHECK(kallsyms_parse(b, &k) && !strcmp(k.name, "f") && !strcmp(k.owner, "mod"));
	CHECK(!kallsyms_parse(c, &k));
	CHECK(!kallsyms_parse(d, &k));
	CHECK(!kallsyms_parse(e, &k));
	CHECK(!kallsyms_parse(i, &k));
	CHECK(!kallsyms_parse(j, &k));
	CHECK(!kallsyms_parse(k2, &k));
	CHECK(modules_parse(f, &m) && m.size == 1 && m.address == UINT64_C(0xffffffffc0000000) && !strcmp(m.name, "nfs"));
	CHECK(!modules_parse(g, &m));
	CHECK(!modules_parse(h, &m));
}

TEST(vdso_of_our_own)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR);
	struct vdso_symbol sym;
	struct vdso v;
	struct fix f;
	struct back *b;
	uint64_t offset = 0;

	if (!base)
		return;
	vdso_init(&v);
	CHECK(v.at != NULL);
	CHECK_EQ(v.identity.ids[0].kind, FOLD_ID_GNU);
	while (offset < v.size && !vdso_symbol(&v, offset, &sym))
		offset++;
	CHECK(offset < v.size);
	fix_begin(&f, NULL, NULL);
	fix_exec(&f, 10, 1, "x", "/x", 0x555500000000);
	fix_mmap(&f, 10, 0x7ffe00000000, 0x2000, 0, "[vdso]", 0);
	SAMPLE(&f, 10, 10, 0x7ffe00000000 + offset);
	b = fix_end(&f);
	CHECK_EQ(b->modules[back_find_module(b, "[vdso]")].kind, FOLD_MODULE_VDSO);
	CHECK(b->modules[back_find_module(b, "[vdso]")].nsegments > 0);
	CHECK_EQ(b->njitsyms, 1);
	CHECK_EQ(b->jitsyms[0].module, back_find_module(b, "[vdso]"));
	CHECK_STR(back_string(b, b->jitsyms[0].name), sym.name);
	back_free(b);
}

TEST(vdso_with_headers_out_of_line)
{
	struct vdso_symbol sym;
	struct vdso v, moved;
	ElfW(Ehdr) *eh;
	uint8_t *image;

	vdso_init(&v);
	if (!v.at || !(image = malloc(v.size + 8)))
		return;
	memcpy(image, v.at, v.size);
	eh = (ElfW(Ehdr) *)image;
	memmove(image + eh->e_shoff + 4, image + eh->e_shoff, (size_t)eh->e_shnum * eh->e_shentsize);
	eh->e_shoff += 4;
	vdso_init_image(&moved, image, v.size + 8);
	for (uint64_t offset = 0; offset < v.size; offset++)
		CHECK(!vdso_symbol(&moved, offset, &sym));
	free(image);
}
TEST_MAIN()
