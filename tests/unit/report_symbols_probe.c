/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbolizer on one ELF file, as addr2line -afi would be used: addresses on
 * stdin, frames on stdout.  What tests/elf/truth.sh and tests/bench/symbols.sh
 * compare with other tools.  Without arguments it is a unit test of itself.
 *
 *   report_symbols_probe [-i] [-l] [-C] [-d] [-n] [-k] [-s DIR] FILE   -i inlines, -l lines, -C demangle,
 *   -d --debuginfod, -n --no-system, -s --symbols, -k FILE is a kernel or a module of it
 */
#include <limits.h>
#include <unistd.h>

#include "../../report/symbols/elf.h"
#include "../../report/symbols/symbolize.h"
#include "test.h"

struct probe {
	struct recording rec;
	struct rec_module module;
	struct rec_segment segment;
	struct fold_segment segments[FOLD_MAX_SEGMENTS];
	struct elf_file file;
	struct symbolizer *s;
};

static int probe_init(struct probe *p, const char *path, const struct symbolizer_options *options)
{
	memset(p, 0, sizeof(*p));
	if (elf_file_open(&p->file, path))
		return -1;
	intern_init(&p->rec.strings, 0);
	p->module.kind = FOLD_MODULE_ELF;
	intern_add(&p->rec.strings, path, strlen(path), &p->module.name);
	p->module.machine = p->file.machine;
	p->module.span = p->file.size;
	p->module.ids[p->module.nids++] = (struct fold_module_id){FOLD_ID_GNU, {p->file.gnu.bytes, p->file.gnu.size}};
	p->module.ids[p->module.nids++] = (struct fold_module_id){FOLD_ID_GO, {p->file.go.bytes, p->file.go.size}};
	p->module.segments = p->segments;
	p->module.nsegments = elf_segments(p->file.elf, p->segments, FOLD_MAX_SEGMENTS);
	p->segment.meta.page_size = 4096;
	p->rec.modules = &p->module;
	p->rec.nmodules = 1;
	p->rec.segments = &p->segment;
	p->rec.nsegments = 1;
	return symbolizer_new(&p->s, &p->rec, options);
}

static void probe_release(struct probe *p)
{
	symbolizer_free(p->s);
	intern_release(&p->rec.strings);
	elf_file_close(&p->file);
}

static uint64_t offset_of(const struct probe *p, uint64_t vaddr)
{
	if (p->module.kind == FOLD_MODULE_KO)
		return vaddr;
	if (p->module.kind == FOLD_MODULE_KERNEL) /* counts from _text, where its first code is */
		return vaddr - p->segments[0].vaddr;
	for (size_t i = 0; i < p->module.nsegments; i++)
		if (vaddr - p->segments[i].vaddr < p->segments[i].filesz)
			return vaddr - p->segments[i].vaddr + p->segments[i].offset;
	return UINT64_MAX;
}

static void print(const struct symbols *got, uint64_t vaddr, bool lines)
{
	printf("0x%016" PRIx64 "\n", vaddr);
	for (uint32_t i = 0; i < got->n; i++) {
		puts(got->v[i].named ? got->v[i].name : "??");
		if (lines)
			printf("%s:%u\n", got->v[i].file ? got->v[i].file : "??", got->v[i].line);
	}
}

static int run(struct probe *p, bool lines)
{
	size_t n = 0, room = 0;
	struct symbol_address *v = NULL;
	struct symbols *got;
	uint64_t *vaddrs = NULL;
	char text[64];

	while (fgets(text, sizeof(text), stdin)) {
		if (n == room) {
			room = room ? room * 2 : 1024;
			v = realloc(v, room * sizeof(*v));
			vaddrs = realloc(vaddrs, room * sizeof(*vaddrs));
			if (!v || !vaddrs)
				return 1;
		}
		vaddrs[n] = strtoull(text, NULL, 16);
		v[n] = (struct symbol_address){0, offset_of(p, vaddrs[n]), true};
		n++;
	}
	got = malloc((n + 1) * sizeof(*got));
	if (!got)
		return 1;
	symbolize_many(p->s, v, n, got);
	for (size_t i = 0; i < n; i++)
		print(&got[i], vaddrs[i], lines);
	free(got);
	free(v);
	free(vaddrs);
	return 0;
}

__attribute__((noinline, used)) static int line_here(void)
{
	return __LINE__;
}

TEST(own_lines)
{
	struct symbolizer_options options = {.inlines = true, .lines = true};
	struct symbols got = {0};
	struct probe p;
	char self[PATH_MAX] = "";
	FILE *nm;
	char command[PATH_MAX + 64];
	unsigned long long vaddr = 0;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(command, sizeof(command), "nm '%s' | sed -n 's/ t line_here$//p'", self);
	nm = popen(command, "r");
	CHECK(nm && fscanf(nm, "%llx", &vaddr) == 1);
	if (nm)
		pclose(nm);
	CHECK_EQ(probe_init(&p, self, &options), 0);
	got = symbolize(p.s, 0, offset_of(&p, vaddr), true);
	CHECK_EQ(got.n, 1);
	CHECK_STR(got.v[0].name, "line_here");
	CHECK(got.v[0].file && strstr(got.v[0].file, "report_symbols_probe.c"));
	CHECK(got.v[0].line + 2 >= (uint32_t)line_here() && got.v[0].line <= (uint32_t)line_here() + 1);
	probe_release(&p);
}

static int self_test(void)
{
	test_failures = 0;
	for (struct test_case *t = test_cases; t; t = t->next) {
		t->run();
		printf("%sok %s\n", test_failures ? "not " : "", t->name);
	}
	return test_failures != 0;
}

int main(int argc, char **argv)
{
	struct symbolizer_options options = {.no_demangle = true};
	const char *dirs[16];
	struct probe p;
	bool kernel = false;
	int option, result;

	if (argc == 1)
		return self_test();
	options.symbol_dirs = dirs;
	while ((option = getopt(argc, argv, "ilCdnks:")) != -1) {
		options.inlines |= option == 'i';
		options.lines |= option == 'l';
		options.no_demangle &= option != 'C';
		options.debuginfod |= option == 'd';
		options.no_system |= option == 'n';
		kernel |= option == 'k';
		if (option == 's' && options.nsymbol_dirs < 16)
			dirs[options.nsymbol_dirs++] = optarg;
	}
	if (optind + 1 != argc || probe_init(&p, argv[optind], &options)) {
		fprintf(stderr, "usage: report_symbols_probe [-i] [-l] [-C] [-d] [-n] [-k] [-s DIR] FILE <ADDRESSES\n");
		return 2;
	}
	if (kernel)
		p.module.kind = p.file.type == ET_REL ? FOLD_MODULE_KO : FOLD_MODULE_KERNEL;
	result = run(&p, options.lines);
	probe_release(&p);
	return result;
}
