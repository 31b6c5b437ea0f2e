/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels: names from a matching vmlinux when the recording knows _text, when it
 * hides it, and when there is not enough to tell.  The kernel is made here: 96
 * functions that call each other, spread over 24 MiB of noise.  And kernel modules
 * from .ko files, packed and not.
 */
#include <unistd.h>

#include "../../report/symbols/symbolize.h"
#include "test.h"

#define FUNCTIONS 96
#define STEP (2u << 20)

static char dir[] = "/tmp/fold-kernel-XXXXXX";
static uint64_t entry, text, starts[FUNCTIONS], returns[FUNCTIONS];

/* ------------------------------------------------------------ a kernel */

static void write_noise(const char *path)
{
	FILE *f = fopen(path, "wb");
	uint64_t x = 88172645463325252u;

	for (int i = 0; f && i < (256 << 10) / 8; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		fwrite(&x, 8, 1, f);
	}
	if (f)
		fclose(f);
}

static void write_source(const char *path)
{
	FILE *f = fopen(path, "w");

	fprintf(f, ".text\n.globl _text\n_text:\n.fill 64, 1, 0x90\n");
	fprintf(f, ".type asm_exc_test, @function\nasm_exc_test: call do_1\nret\n.size asm_exc_test, . - asm_exc_test\n");
	for (int i = 0; f && i < FUNCTIONS; i++) {
		fprintf(f, ".globl do_%d\n.type do_%d, @function\ndo_%d:\n", i, i, i);
		fprintf(f, ".fill %d, 1, 0x90\n", 3 + i * 7 % 40);
		if (i % 3)
			fprintf(f, "call do_%d\n", (i * 31 + 7) % FUNCTIONS);
		else
			fprintf(f, "call *%d(%%rax)\n", i % 2 ? 16 : 4096);
		fprintf(f, "ret_%d: nop\nret\n.size do_%d, . - do_%d\n.incbin \"noise\"\n", i, i, i);
	}
	fprintf(f, ".section .note.GNU-stack,\"\",@progbits\n");
	fclose(f);
}

static bool read_symbols(void)
{
	char line[256], name[128];
	unsigned long long value;
	FILE *nm;
	int i;

	nm = popen("nm vmlinux", "r");
	while (nm && fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%llx %*c %127s", &value, name) != 2)
			continue;
		if (!strcmp(name, "_text"))
			text = value;
		if (!strcmp(name, "asm_exc_test"))
			entry = value;
		if (sscanf(name, "do_%d", &i) == 1 && i < FUNCTIONS)
			starts[i] = value;
		if (sscanf(name, "ret_%d", &i) == 1 && i < FUNCTIONS)
			returns[i] = value;
	}
	return nm && !pclose(nm) && text;
}

static bool build(void)
{
	if (!mkdtemp(dir) || chdir(dir))
		return false;
	write_noise("noise");
	write_source("kernel.S");
	return !system("gcc -nostdlib -static -no-pie -Wl,--build-id=0x0102030405060708 -Wl,-Ttext=0xffffffff81000000 "
		       "-Wl,-e,_text kernel.S -o vmlinux") &&
	       !system("mkdir other && gcc -nostdlib -static -no-pie -Wl,--build-id=0x0102030405060709 "
		       "-Wl,-Ttext=0xffffffff81000000 -Wl,-e,_text kernel.S -o other/vmlinux") &&
	       read_symbols();
}

/* ------------------------------------------------------------ a recording of it */

struct fixture {
	struct recording rec;
	struct rec_module module;
	struct rec_segment segment;
	struct rec_node nodes[2 * FUNCTIONS];
	struct symbolizer *s;
};

/* `n` stacks of two frames, offsets counted from `base`. */
static void fixture_init(struct fixture *x, uint64_t base, size_t n, bool hidden, const char *symbols)
{
	static const uint8_t id[] = {1, 2, 3, 4, 5, 6, 7, 8};
	const char *dirs[] = {symbols};
	struct symbolizer_options options = {.no_system = true, .symbol_dirs = dirs, .nsymbol_dirs = 1};

	memset(x, 0, sizeof(*x));
	intern_init(&x->rec.strings, 0);
	intern_add(&x->rec.strings, "", 0, &x->module.name);
	intern_add(&x->rec.strings, "[kernel]", 8, &x->module.name);
	x->module.kind = FOLD_MODULE_KERNEL;
	x->module.machine = 62;
	x->module.nids = 1;
	x->module.ids[0] = (struct fold_module_id){FOLD_ID_GNU, {id, sizeof(id)}};
	x->segment.meta.flags = hidden ? FOLD_FLAG_KERNEL_ANCHORED : 0;
	x->segment.meta.page_size = 4096;
	for (size_t i = 0; i < n; i++) {
		x->nodes[2 * i] = (struct rec_node){.parent = REC_NONE, .offset = returns[i * 37 % FUNCTIONS] - base};
		x->nodes[2 * i + 1] = (struct rec_node){.parent = (uint32_t)(2 * i), .offset = starts[i] - base};
	}
	x->rec.modules = &x->module, x->rec.nmodules = 1;
	x->rec.segments = &x->segment, x->rec.nsegments = 1;
	x->rec.nodes = x->nodes, x->rec.nnodes = 2 * n;
	CHECK_EQ(symbolizer_new(&x->s, &x->rec, &options), 0);
}

static void fixture_release(struct fixture *x)
{
	symbolizer_free(x->s);
	intern_release(&x->rec.strings);
}

/* How many of the functions get their name; a wrong one fails. */
static size_t named(struct fixture *x, uint64_t base)
{
	size_t n = 0;

	for (int i = 0; i < FUNCTIONS; i++) {
		struct symbols got = symbolize(x->s, 0, returns[i] - base, false);
		char want[32];

		snprintf(want, sizeof(want), "do_%d", i);
		if (!got.v[0].named)
			continue;
		CHECK_STR(got.v[0].name, want);
		n++;
	}
	return n;
}

TEST(text_known)
{
	struct fixture x;

	fixture_init(&x, text, 1, false, ".");
	CHECK_EQ(named(&x, text), FUNCTIONS);
	CHECK_EQ(symbolizer_module(x.s, 0).state, MODULE_NAMED);
	fixture_release(&x);
}

/* Entry points in the middle of others are called what kallsyms calls them. */
TEST(labels_in_functions)
{
	struct fixture x;

	fixture_init(&x, text, 1, false, ".");
	for (int i = 0; i < FUNCTIONS; i++) {
		char want[32];

		snprintf(want, sizeof(want), "ret_%d", i);
		CHECK_STR(symbolize(x.s, 0, returns[i] - text, true).v[0].name, want);
		CHECK_STR(symbolize(x.s, 0, returns[i] + 1 - text, true).v[0].name, want);
		CHECK(!symbolize(x.s, 0, returns[i] + 2 - text, true).v[0].named); /* behind the function */
		snprintf(want, sizeof(want), "do_%d", i);
		CHECK_STR(symbolize(x.s, 0, starts[i] - text, true).v[0].name, want);
	}
	fixture_release(&x);
}

/* Of what an interrupt stopped, the address is no return address: at its first
 * byte it is not the function before. */
TEST(interrupted_code_is_exact)
{
	static const struct { const char *name; bool exact; } symbols[] = {
		{"asm_exc_test", true}, {"another_entry", false},
	};

	for (size_t i = 0; i < 3; i++) { /* named by a file, then by the recording */
		struct fixture x;
		struct rec_sym sym = {.offset = entry - text, .size = 6};

		fixture_init(&x, text, 0, false, ".");
		x.nodes[0] = (struct rec_node){.parent = REC_NONE, .offset = starts[3] - text};
		x.nodes[1] = (struct rec_node){.parent = 0, .offset = entry - text + 5};
		x.nodes[2] = (struct rec_node){.parent = 1, .offset = returns[1] - text};
		x.nodes[3] = (struct rec_node){.parent = 2, .offset = starts[4] - text};
		x.nodes[4] = (struct rec_node){.parent = REC_NONE, .offset = starts[5] - text};
		x.nodes[5] = (struct rec_node){.parent = 4, .offset = entry - text + 5};
		x.nodes[6] = (struct rec_node){.parent = 4, .offset = returns[7] - text}; /* called from there, too */
		x.rec.nnodes = 7;
		if (i) {
			intern_add(&x.rec.strings, symbols[i - 1].name, strlen(symbols[i - 1].name), &sym.name);
			x.module.syms = &sym;
			x.module.nsyms = 1;
		}
		CHECK_EQ(symbolizer_interrupted(x.s, &x.rec), 0);
		CHECK_EQ(x.nodes[0].exact, !i || symbols[i - 1].exact);
		for (size_t k = 1; k < 7; k++)
			CHECK(!x.nodes[k].exact);
		if (x.nodes[0].exact)
			CHECK_STR(symbolize(x.s, 0, x.nodes[0].offset, true).v[0].name, "do_3");
		fixture_release(&x);
	}
}

TEST(text_hidden)
{
	for (uint64_t steps = 0; steps < 40; steps += 13) {
		struct fixture x;
		uint64_t base = text - steps * STEP;

		fixture_init(&x, base, 60, true, ".");
		CHECK_EQ(named(&x, base), FUNCTIONS);
		fixture_release(&x);
	}
}

TEST(text_hidden_few_returns)
{
	struct fixture x;

	fixture_init(&x, text, 7, true, ".");
	CHECK_EQ(named(&x, text), 0);
	fixture_release(&x);
}

TEST(text_hidden_by_another_alignment)
{
	struct fixture x;

	/* offsets that no aligned anchor explains: nothing may be named */
	fixture_init(&x, text + 4096 + 1, 60, true, ".");
	CHECK_EQ(named(&x, text + 4096 + 1), 0);
	fixture_release(&x);
}

TEST(another_kernel)
{
	struct fixture x;

	fixture_init(&x, text, 60, true, "other");
	CHECK_EQ(named(&x, text), 0);
	CHECK_EQ(symbolizer_module(x.s, 0).state, MODULE_MISMATCH);
	fixture_release(&x);
}

/* ------------------------------------------------------------ modules */

/* A module of two sections of code and one for initialization. */
static bool build_module(void)
{
	FILE *f = fopen("m.c", "w");

	if (!f)
		return false;
	fputs("int x;\n"
	      "__attribute__((noinline)) void first(void) { x = 1; }\n"
	      "__attribute__((noinline, section(\".init.text\"))) void at_start(void) { x = 2; first(); }\n"
	      "__attribute__((noinline, section(\".text.unlikely\"))) void rarely(void) { x = 3; first(); }\n"
	      "static inline __attribute__((always_inline)) void in(int n) { x = n; }\n"
	      "__attribute__((noinline)) void second(void) {\n in(5);\n first();\n}\n", f);
	fclose(f);
	return !system("gcc -O1 -g -c m.c -o m.o && mkdir -p plain root/lib/modules/6.6/kernel/net && ld -r --build-id=0x0a0b0c0d m.o -o plain/my_mod.ko && "
		       "xz -k -c plain/my_mod.ko >root/lib/modules/6.6/kernel/net/my-mod.ko.xz && "
		       "printf 'kernel/net/other.ko.xz:\\nkernel/net/my-mod.ko.xz: kernel/net/other.ko.xz\\n' >root/lib/modules/6.6/modules.dep");
}

static unsigned long long in_section(const char *section, const char *name)
{
	unsigned long long value = 0;
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "objdump -t plain/my_mod.ko | grep ' %s\\b.* %s$'", section, name);
	f = popen(command, "r");
	CHECK(f && fscanf(f, "%llx", &value) == 1);
	if (f)
		pclose(f);
	return value;
}

static void check_module(const char *symbols, const char *sysroot)
{
	static const uint8_t id[] = {10, 11, 12, 13};
	const char *dirs[] = {symbols};
	struct symbolizer_options options = {
		.no_system = true, .inlines = true, .lines = true, .sysroot = sysroot, .symbol_dirs = dirs, .nsymbol_dirs = symbols != NULL,
	};
	struct fixture x;
	struct symbols got;

	memset(&x, 0, sizeof(x));
	intern_init(&x.rec.strings, 0);
	intern_add(&x.rec.strings, "", 0, &x.module.name);
	intern_add(&x.rec.strings, "my_mod", 6, &x.module.name);
	x.module.kind = FOLD_MODULE_KO;
	x.module.nids = 1;
	x.module.ids[0] = (struct fold_module_id){FOLD_ID_GNU, {id, sizeof(id)}};
	x.segment.meta.kernel_release = (struct fold_bytes){(const uint8_t *)"6.6", 3};
	x.rec.modules = &x.module, x.rec.nmodules = 1;
	x.rec.segments = &x.segment, x.rec.nsegments = 1;
	CHECK_EQ(symbolizer_new(&x.s, &x.rec, &options), 0);
	CHECK_STR(symbolize(x.s, 0, in_section(".text", "first"), true).v[0].name, "first");
	got = symbolize(x.s, 0, in_section(".text", "second"), true);
	CHECK_STR(got.v[got.n - 1].name, "second");
	CHECK(got.v[got.n - 1].file && strstr(got.v[got.n - 1].file, "m.c"));
	CHECK(got.v[got.n - 1].line == 6 || got.v[got.n - 1].line == 7);
	/* the far end of the module: what is for initialization is not there, nothing is guessed */
	CHECK_STR(symbolize(x.s, 0, 0x10000, true).v[0].name, "[my_mod]+0x10000");
	symbolizer_free(x.s);
	intern_release(&x.rec.strings);
}

TEST(module_by_directory)
{
	check_module("plain", NULL);
}

TEST(module_packed_in_sysroot)
{
	check_module(NULL, "root");
}

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

int main(void)
{
	int failed = 0;

	if (!build() || !build_module()) {
		printf("not ok build_a_kernel\n");
		return 1;
	}
	for (struct test_case *t = test_cases; t; t = t->next) {
		test_failures = 0;
		t->run();
		printf("%sok %s\n", test_failures ? "not " : "", t->name);
		failed += test_failures != 0;
	}
	clean();
	return failed != 0;
}
