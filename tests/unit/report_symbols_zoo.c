/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout zoo: one small program in every layout that linkers, strippers and
 * distributions make, each recorded by hand and symbolized from what is left of
 * it.  Truth is `nm` of the unstripped file.  Every function has its name where
 * there is one to find; no address ever has a wrong one.
 *
 * Recipes whose tools are not installed are left out and said to be.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../format/crc32c.h"
#include "../../report/symbols/symbolize.h"
#include "test.h"

static char top[] = "/tmp/fold-zoo-XXXXXX";
static char source[PATH_MAX + 64]; /* absolute: recipes run in directories of their own */

/* ------------------------------------------------------------ truth: nm */

struct truth {
	uint64_t address, size;
	char name[64];
};
struct truths {
	size_t n;
	struct truth v[4096];
};

static void truths_read(struct truths *t, const char *file)
{
	char command[4300], line[1024], kind;
	FILE *nm;

	snprintf(command, sizeof(command), "nm -S '%s'", file);
	nm = popen(command, "r");
	t->n = 0;
	while (nm && fgets(line, sizeof(line), nm) && t->n < 4096) {
		struct truth *one = &t->v[t->n];
		unsigned long long address, size = 0;

		if (sscanf(line, "%llx %llx %c %63s", &address, &size, &kind, one->name) != 4) {
			size = 0;
			if (sscanf(line, "%llx %c %63s", &address, &kind, one->name) != 3)
				continue;
		}
		if (!strchr("tTwWiI", kind) || one->name[0] == '$')
			continue;
		one->name[strcspn(one->name + 1, "@") + 1] = 0;
		one->address = address;
		one->size = size;
		t->n++;
	}
	if (nm)
		pclose(nm);
}

/* Symbol versions are not part of the name. */
static void add_stub(struct truths *t, uint64_t address, uint64_t size, const char *label)
{
	if (t->n == 4096)
		return;
	t->v[t->n] = (struct truth){.address = address, .size = size};
	snprintf(t->v[t->n++].name, sizeof(t->v[0].name), "%.63s", label);
}

/* Stubs as a disassembler labels them, with the instructions below each label. */
static void truths_read_stubs(struct truths *t, const char *file)
{
	char command[8700], line[1024], label[128] = "";
	unsigned long long address = 0, at, size = 0;
	FILE *objdump;

	snprintf(command, sizeof(command), "for d in objdump llvm-objdump s390x-linux-gnu-objdump riscv64-linux-gnu-objdump arm-linux-gnueabihf-objdump; do "
		 "$d -d -j .plt -j .plt.sec -j .plt.got -j .iplt '%s' 2>/dev/null | grep -q @plt && exec $d -d -j .plt -j .plt.sec -j .plt.got -j .iplt '%s'; done 2>/dev/null", file, file);
	objdump = popen(command, "r");
	while (objdump && fgets(line, sizeof(line), objdump)) {
		if (line[0] == ' ' && sscanf(line, " %llx:", &at) == 1) {
			const char *bytes = strchr(line, ':') + 1;

			bytes += strspn(bytes, " \t");
			for (size = at - address; strspn(bytes, "0123456789abcdef") == 2; bytes += 2 + strspn(bytes + 2, " "))
				size++;
			if (strspn(bytes, "0123456789abcdef") == 8) /* a word at a time */
				size += 4;
			continue;
		}
		if (sscanf(line, "%llx <%63[^>]>:", &at, label + 64) != 2)
			continue;
		if (strstr(label, "@plt"))
			add_stub(t, address, size, label);
		memmove(label, label + 64, 64);
		address = at;
	}
	if (strstr(label, "@plt"))
		add_stub(t, address, size, label);
	if (objdump)
		pclose(objdump);
}

struct jump { unsigned long long address, slot; };

/* In static programs stubs lead to IFUNCs: which instruction jumps through which
 * slot by objdump, whose slot it is by readelf, what that is called by nm. */
static void truths_read_ifuncs(struct truths *t, const char *file)
{
	struct jump jumps[256];
	size_t njumps = 0, n = t->n;
	unsigned long long slot, resolver;
	char command[4300], line[1024];
	FILE *pipe;

	snprintf(command, sizeof(command), "objdump -d -j .plt '%s' 2>/dev/null", file);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe) && njumps < 256) {
		const char *comment = strchr(line, '#');

		if (comment && sscanf(line, " %llx:", &jumps[njumps].address) == 1 && sscanf(comment, "# %llx", &jumps[njumps].slot) == 1)
			njumps++;
	}
	if (pipe)
		pclose(pipe);
	snprintf(command, sizeof(command), "readelf -rW '%s' | grep IRELATIV", file);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		if (sscanf(line, "%llx %*x %*s %llx", &slot, &resolver) != 2)
			continue;
		for (size_t j = 0; j < njumps; j++)
			for (size_t i = 0; jumps[j].slot == slot && i < n; i++) {
				char label[80];

				snprintf(label, sizeof(label), "%.59s@plt", t->v[i].name);
				if (t->v[i].address == resolver)
					add_stub(t, jumps[j].address, 8, label);
			}
	}
	if (pipe)
		pclose(pipe);
}

/* Some symbol of this name covers the address; a sizeless one may reach anywhere
 * behind it that no other symbol covers. */
static bool truth_allows(const struct truths *t, uint64_t address, const char *name)
{
	bool covered = false, sizeless = false;

	for (size_t i = 0; i < t->n; i++) {
		const struct truth *one = &t->v[i];

		if (address - one->address < one->size) {
			covered = true;
			if (!strcmp(one->name, name))
				return true;
		}
		if (!one->size && one->address <= address && !strcmp(one->name, name))
			sizeless = true;
	}
	return sizeless && !covered;
}

/* ------------------------------------------------------------ recording by hand */

struct raw_file {
	uint8_t *at;
	size_t size;
	bool wide, big;
};

static uint64_t raw_get(const struct raw_file *f, size_t at, size_t n)
{
	uint64_t x = 0;

	for (size_t i = 0; i < n && at + n <= f->size; i++)
		x |= (uint64_t)f->at[at + i] << 8 * (f->big ? n - 1 - i : i);
	return x;
}

static bool raw_load(struct raw_file *f, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat st;

	memset(f, 0, sizeof(*f));
	if (!file || fstat(fileno(file), &st))
		return false;
	f->size = (size_t)st.st_size;
	f->at = malloc(f->size + 1);
	if (fread(f->at, 1, f->size, file) != f->size)
		f->size = 0;
	fclose(file);
	if (f->size < EI_NIDENT)
		return false;
	f->wide = f->at[EI_CLASS] == ELFCLASS64;
	f->big = f->at[EI_DATA] == ELFDATA2MSB;
	return true;
}

static void raw_notes(const struct raw_file *f, size_t at, size_t end, size_t align, struct rec_module *m)
{
	while (at + 12 <= end) {
		size_t name = raw_get(f, at, 4), desc = raw_get(f, at + 4, 4), type = raw_get(f, at + 8, 4);
		size_t desc_at = at + 12 + ((name + align - 1) & ~(align - 1));

		if (type == NT_GNU_BUILD_ID && name == 4 && !m->nids && raw_get(f, desc_at, 4))
			m->ids[m->nids++] = (struct fold_module_id){FOLD_ID_GNU, {f->at + desc_at, desc}};
		if (type == 4 && name == 4 && f->at[at + 12] == 'G' && f->at[at + 13] == 'o' && desc > 64)
			m->ids[m->nids++] = (struct fold_module_id){FOLD_ID_GO, {f->at + desc_at + desc - 64, 64}};
		at = desc_at + ((desc + align - 1) & ~(align - 1));
	}
}

/* Files without build-id: size, CRC of the first and of the last 64 KiB. */
static void raw_hash(const struct raw_file *f, struct rec_module *m)
{
	static uint8_t id[16];
	size_t n = f->size < 65536 ? f->size : 65536;
	uint32_t head = crc32c(0, f->at, n), tail = crc32c(0, f->at + f->size - n, n);

	for (int i = 0; i < 8; i++)
		id[i] = (uint8_t)(f->size >> 8 * i);
	for (int i = 0; i < 4; i++) {
		id[8 + i] = (uint8_t)(head >> 8 * i);
		id[12 + i] = (uint8_t)(tail >> 8 * i);
	}
	m->ids[m->nids++] = (struct fold_module_id){FOLD_ID_HASH, {id, 16}};
}

/* What a recorder would have seen of this file. */
static void record_file(const struct raw_file *f, struct rec_module *m)
{
	size_t phoff = raw_get(f, f->wide ? 32 : 28, f->wide ? 8 : 4), phnum = raw_get(f, f->wide ? 56 : 44, 2);
	size_t phsize = f->wide ? 56 : 32, word = f->wide ? 8 : 4;

	m->kind = FOLD_MODULE_ELF;
	m->elf_type = (uint32_t)raw_get(f, 16, 2);
	m->machine = (uint32_t)raw_get(f, 18, 2);
	m->span = f->size;
	m->segments = calloc(FOLD_MAX_SEGMENTS, sizeof(*m->segments));
	for (size_t i = 0; i < phnum; i++) {
		size_t at = phoff + i * phsize;
		uint32_t flags = (uint32_t)raw_get(f, at + (f->wide ? 4 : 24), 4), type = (uint32_t)raw_get(f, at, 4);
		struct fold_segment s = {
			.offset = raw_get(f, at + (f->wide ? 8 : 4), word),
			.vaddr = raw_get(f, at + (f->wide ? 16 : 8), word),
			.filesz = raw_get(f, at + (f->wide ? 32 : 16), word),
			.align = raw_get(f, at + (f->wide ? 48 : 28), word),
		};

		if (type == PT_LOAD && (flags & PF_X))
			m->segments[m->nsegments++] = s;
		if (type == PT_NOTE)
			raw_notes(f, s.offset, s.offset + s.filesz, s.align == 8 ? 8 : 4, m);
	}
	if (!m->nids)
		raw_hash(f, m);
}

struct fixture {
	struct recording rec;
	struct rec_module module;
	struct rec_segment segment;
	struct raw_file file;
};

static bool fixture_init(struct fixture *x, const char *path, const char *recorded_as)
{
	memset(x, 0, sizeof(*x));
	if (!raw_load(&x->file, path))
		return false;
	intern_init(&x->rec.strings, 0);
	record_file(&x->file, &x->module);
	intern_add(&x->rec.strings, recorded_as, strlen(recorded_as), &x->module.name);
	x->segment.meta.page_size = 4096;
	x->rec.modules = &x->module;
	x->rec.nmodules = 1;
	x->rec.segments = &x->segment;
	x->rec.nsegments = 1;
	return true;
}

static void fixture_release(struct fixture *x)
{
	intern_release(&x->rec.strings);
	free(x->module.segments);
	free(x->file.at);
}

/* ------------------------------------------------------------ the check */

struct outcome {
	size_t addresses, named, wrong, stubs;
	size_t functions, functions_named; /* of the program's own */
	struct module_status status;
};

static const char *const own_functions[] = {"inner", "outer", "zoo_write_it", "far_away", "far_static", "frozen", "after_padding"};

static bool is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own_functions) / sizeof(*own_functions); i++)
		if (!strcmp(name, own_functions[i]))
			return true;
	return false;
}

static void check_address(struct outcome *o, struct symbolizer *s, const struct truths *t, uint64_t offset, uint64_t vaddr)
{
	struct symbols got = symbolize(s, 0, offset, true);
	char honest[64];

	o->addresses++;
	if (got.v[0].named) {
		o->named++;
		o->stubs += strstr(got.v[0].name, "@plt") != NULL;
		if (!truth_allows(t, vaddr, got.v[0].name)) {
			o->wrong++;
			fprintf(stderr, "wrong: offset 0x%" PRIx64 " address 0x%" PRIx64 " named %s\n", offset, vaddr, got.v[0].name);
		}
		return;
	}
	snprintf(honest, sizeof(honest), "[prog]+0x%" PRIx64, offset);
	CHECK_STR(got.v[0].name, honest);
}

static void check_function(struct outcome *o, struct symbolizer *s, const struct rec_module *m, const struct truth *f)
{
	uint64_t where[3] = {f->address, f->address + f->size / 2, f->address + f->size - 1};
	size_t right = 0;

	for (size_t i = 0; i < m->nsegments; i++) {
		const struct fold_segment *seg = &m->segments[i];

		if (f->address - seg->vaddr >= seg->filesz)
			continue;
		for (size_t k = 0; k < 3; k++) {
			struct symbols got = symbolize(s, 0, where[k] - seg->vaddr + seg->offset, true);

			right += got.v[0].named && !strcmp(got.v[0].name, f->name) &&
				 got.v[0].offset == where[k] - f->address;
		}
		/* the return address behind a call that ends the function */
		right += !strcmp(symbolize(s, 0, where[2] + 1 - seg->vaddr + seg->offset, false).v[0].name, f->name);
	}
	o->functions++;
	o->functions_named += right == 4;
}

static struct outcome check_module(struct fixture *x, const struct truths *t, const struct symbolizer_options *options)
{
	struct outcome o = {0};
	struct symbolizer *s;

	if (symbolizer_new(&s, &x->rec, options))
		return o;
	for (size_t i = 0; i < x->module.nsegments; i++) {
		const struct fold_segment *seg = &x->module.segments[i];

		for (uint64_t at = 0; at < seg->filesz; at += seg->filesz > 65536 ? 97 : 5)
			check_address(&o, s, t, seg->offset + at, seg->vaddr + at);
	}
	for (size_t i = 0; i < t->n; i++)
		if (is_own(t->v[i].name))
			check_function(&o, s, &x->module, &t->v[i]);
	o.status = symbolizer_module(s, 0);
	/* the path's string dies with the symbolizer */
	o.status.file = o.status.file ? "" : NULL;
	symbolizer_free(s);
	return o;
}

/* ------------------------------------------------------------ recipes */

enum expected { ALL, WEAK, EXPORTED, NOTHING };

struct recipe {
	const char *name;
	const char *tools;  /* all must be there */
	/* Makes `prog`, which was recorded, and what is found later: sym/ is --symbols,
	 * root/ is --sysroot.  `truth` is the unstripped file, `prog` when there is none. */
	const char *build;
	enum expected expected;
	enum module_state state;
};

#define BARE "-O1 -g -DFREESTANDING -ffreestanding -nostdlib -fno-pic -fno-asynchronous-unwind-tables"
#define CROSS(target) "clang --target=" target " " BARE " -fuse-ld=lld -Wl,--build-id=sha1 $Z -o truth && llvm-objcopy --strip-all truth prog && cp truth sym/anything"

#define FOREIGN_PLT(target, ld) "clang --target=" target " -O1 -g -DFREESTANDING -ffreestanding -fPIC -c $Z -o o && " ld " -shared --build-id=sha1 o -o truth && llvm-objcopy --strip-all truth prog && cp prog sym/"

/* no build-id in the debug file: only the checksum can prove it */
#define LINKED "gcc -O1 -g -shared -fPIC $Z -o truth && objcopy --only-keep-debug --remove-section=.note.gnu.build-id truth link.debug && strip -o prog truth && objcopy --add-gnu-debuglink=link.debug prog"
#define MINIDEBUG "gcc -O1 -g -shared -fPIC $Z -o truth && objcopy -S --remove-section=.gnu_debuglink --keep-symbol=inner --keep-symbol=far_static --only-keep-debug truth mini && xz -k mini && strip -o prog truth && objcopy --add-section .gnu_debugdata=mini.xz prog"

static const struct recipe recipes[] = {
	{"pie", "gcc", "gcc -O1 -g $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"no_pie", "gcc", "gcc -O1 -g -no-pie $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"static", "gcc", "gcc -O1 -g -static $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"static_pie", "gcc", "gcc -O1 -g -static-pie $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"shared", "gcc", "gcc -O1 -g -shared -fPIC $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"bfd_no_separate_code", "gcc", "gcc -O1 -g -Wl,-z,noseparate-code $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"bfd_2m_pages", "gcc", "gcc -O1 -g -Wl,-z,max-page-size=2097152,-z,common-page-size=2097152 $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"bfd_64k_pages", "gcc", "gcc -O1 -g -Wl,-z,max-page-size=65536 -Wl,-z,noseparate-code $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"first_segment_high", "gcc", "gcc -O1 -g -no-pie -Wl,-Ttext-segment=0x20000000 $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"several_executable_segments", "gcc", "gcc -O1 -g -no-pie -Wl,--section-start=.text.far=0x10000000 $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"several_executable_segments_debug_only", "gcc", "gcc -O1 -g -no-pie -Wl,--section-start=.text.far=0x10000000 $Z -o truth && objcopy --only-keep-debug truth sym/x.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"lld", "clang ld.lld", "clang -O1 -g -fuse-ld=lld -Wl,--build-id=sha1 $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"lld_no_rosegment", "clang ld.lld", "clang -O1 -g -fuse-ld=lld -Wl,--build-id=sha1,--no-rosegment $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"lld_separate_loadable", "clang ld.lld", "clang -O1 -g -fuse-ld=lld -Wl,--build-id=sha1,-z,separate-loadable-segments,-z,max-page-size=2097152 $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"lld_fast_id_8_bytes", "clang ld.lld", "clang -O1 -g -fuse-ld=lld -Wl,--build-id=fast $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"lld_debug_only", "clang ld.lld", "clang -O1 -g -fuse-ld=lld -Wl,--build-id=sha1 $Z -o truth && objcopy --only-keep-debug truth sym/prog.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"lld_icf", "clang ld.lld", "clang -O1 -g -ffunction-sections -fuse-ld=lld -Wl,--build-id=sha1,--icf=all $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"gold", "gcc ld.gold", "gcc -O1 -g -fuse-ld=gold -Wl,--build-id $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"id_8_bytes", "gcc", "gcc -O1 -g -Wl,--build-id=0x0102030405060708 $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"id_5_bytes_unpadded", "gcc", "gcc -O1 -g -Wl,--build-id=none -DSHORT_ID $Z -o truth && objcopy --only-keep-debug truth sym/anything && strip -o prog truth", ALL, MODULE_NAMED},
	{"id_16_bytes", "gcc", "gcc -O1 -g -Wl,--build-id=md5 $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"id_32_bytes", "gcc", "gcc -O1 -g -Wl,--build-id=0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"id_none", "gcc", "gcc -O1 -g -Wl,--build-id=none $Z -o prog && cp prog sym/", WEAK, MODULE_NAMED},
	{"id_none_found_by_name", "gcc", "gcc -O1 -g -Wl,--build-id=none $Z -o prog && mkdir sym/deep && cp prog sym/deep", WEAK, MODULE_NAMED},
	{"id_none_other_build", "gcc", "gcc -O1 -g -Wl,--build-id=none $Z -o prog && gcc -O0 -g -Wl,--build-id=none $Z -o sym/prog", NOTHING, MODULE_MISMATCH},
	{"id_none_same_size", "gcc", "gcc -O1 -g -Wl,--build-id=none $Z -o prog && cp prog sym/ && printf x | dd of=sym/prog bs=1 seek=9000 conv=notrunc 2>/dev/null", NOTHING, MODULE_MISMATCH},
	{"id_none_but_file_has_one", "gcc", "gcc -O1 -g -Wl,--build-id=none $Z -o prog && gcc -O1 -g $Z -o sym/prog", NOTHING, MODULE_MISMATCH},
	{"id_zero", "gcc", "gcc -O1 -g -Wl,--build-id=0x00000000 $Z -o prog && cp prog sym/", WEAK, MODULE_NAMED},
	{"id_zero_debug_only", "gcc", "gcc -O1 -g -Wl,--build-id=0x00000000 $Z -o truth && objcopy --only-keep-debug truth sym/prog.debug && strip -o prog truth", NOTHING, MODULE_MISMATCH},
	{"id_go", "gcc", "gcc -O1 -g -Wl,--build-id=none -DGO_ID=\\\"a\\\" $Z -o truth && objcopy --only-keep-debug truth sym/prog.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"id_go_other", "gcc", "gcc -O1 -g -Wl,--build-id=none -DGO_ID=\\\"a\\\" $Z -o prog && gcc -O1 -g -Wl,--build-id=none -DGO_ID=\\\"b\\\" $Z -o sym/prog", NOTHING, MODULE_MISMATCH},
	{"debug_only_by_name", "gcc", "gcc -O1 -g $Z -o truth && objcopy --only-keep-debug truth sym/prog.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"debug_only_anywhere", "gcc", "gcc -O1 -g $Z -o truth && mkdir -p sym/a/b && objcopy --only-keep-debug truth sym/a/b/c && strip -o prog truth", ALL, MODULE_NAMED},
	{"debug_only_build_id_tree", "gcc readelf", "gcc -O1 -g -Wl,--build-id=0xabcdef0102030405 $Z -o truth && mkdir -p sym/.build-id/ab && objcopy --only-keep-debug truth sym/.build-id/ab/cdef0102030405.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"debug_only_no_pie", "gcc", "gcc -O1 -g -no-pie $Z -o truth && objcopy --only-keep-debug truth sym/prog.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"debug_only_llvm_objcopy", "gcc llvm-objcopy", "gcc -O1 -g $Z -o truth && llvm-objcopy --only-keep-debug truth sym/prog.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"eu_strip", "gcc eu-strip", "gcc -O1 -g $Z -o truth && cp truth t && eu-strip -f sym/prog.debug -o prog t && rm t", ALL, MODULE_NAMED},
	{"compressed_debug", "gcc", "gcc -O1 -g -gz=zlib $Z -o truth && objcopy --only-keep-debug truth sym/prog.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"stripped", "gcc", "gcc -O1 -g -shared -fPIC $Z -o truth && strip -o prog truth && cp prog sym/", EXPORTED, MODULE_NAMED},
	{"plt_ibt", "gcc", "gcc -O1 -g -shared -fPIC -fcf-protection -Wl,-z,ibtplt $Z -o truth && strip -o prog truth && cp prog sym/", EXPORTED, MODULE_NAMED},
	{"plt_now", "gcc", "gcc -O1 -g -shared -fPIC -Wl,-z,now $Z -o truth && strip -o prog truth && cp prog sym/", EXPORTED, MODULE_NAMED},
	{"plt_lld", "clang ld.lld", "clang -O1 -g -shared -fPIC -fuse-ld=lld -Wl,--build-id=sha1 $Z -o truth && strip -o prog truth && cp prog sym/", EXPORTED, MODULE_NAMED},
	{"plt_aarch64", "clang ld.lld llvm-objcopy", "clang --target=aarch64-linux-gnu -O1 -g -DFREESTANDING -ffreestanding -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--build-id=sha1 $Z -o truth && "
	 "llvm-objcopy --strip-all truth prog && cp prog sym/", EXPORTED, MODULE_NAMED},
	{"plt_i386", "clang ld.lld llvm-objcopy", "clang --target=i386-linux-gnu -O1 -g -DFREESTANDING -ffreestanding -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--build-id=sha1 $Z -o truth && "
	 "llvm-objcopy --strip-all truth prog && cp prog sym/", EXPORTED, MODULE_NAMED},
	{"plt_arm", "clang arm-linux-gnueabihf-ld arm-linux-gnueabihf-objdump", FOREIGN_PLT("armv7-linux-gnueabihf", "arm-linux-gnueabihf-ld"), EXPORTED, MODULE_NAMED},
	{"plt_riscv64", "clang riscv64-linux-gnu-ld riscv64-linux-gnu-objdump", FOREIGN_PLT("riscv64-linux-gnu", "riscv64-linux-gnu-ld"), EXPORTED, MODULE_NAMED},
	{"plt_riscv64_lld", "clang ld.lld riscv64-linux-gnu-objdump", FOREIGN_PLT("riscv64-linux-gnu", "ld.lld"), EXPORTED, MODULE_NAMED},
	{"plt_s390x", "clang s390x-linux-gnu-ld s390x-linux-gnu-objdump", FOREIGN_PLT("s390x-linux-gnu", "s390x-linux-gnu-ld"), EXPORTED, MODULE_NAMED},
	{"minidebug", "gcc xz", MINIDEBUG " && cp prog sym/", ALL, MODULE_NAMED},
	{"minidebug_broken", "gcc xz", MINIDEBUG " && objcopy --update-section .gnu_debugdata=$Z prog sym/prog", EXPORTED, MODULE_NAMED},
	{"debuglink", "gcc", LINKED " && cp prog link.debug sym/", ALL, MODULE_NAMED},
	{"debuglink_in_sysroot", "gcc", LINKED " && mkdir -p root/opt/zoo root/usr/lib/debug/opt/zoo && cp prog root/opt/zoo/ && cp link.debug root/usr/lib/debug/opt/zoo/", ALL, MODULE_NAMED},
	{"debuglink_dot_debug", "gcc", LINKED " && mkdir sym/.debug && cp prog sym/ && cp link.debug sym/.debug/", ALL, MODULE_NAMED},
	{"debuglink_stale", "gcc", LINKED " && cp prog sym/ && gcc -O0 -g -shared -fPIC -Wl,--build-id=none $Z -o t && objcopy --only-keep-debug t sym/link.debug", EXPORTED, MODULE_NAMED},
	{"debuglink_absent", "gcc", LINKED " && cp prog sym/", EXPORTED, MODULE_NAMED},
	{"debuglink_other_id", "gcc", "gcc -O1 -g -shared -fPIC $Z -o truth && gcc -O1 -g -shared -fPIC -Wl,--build-id=0x01020304 $Z -o t && objcopy --only-keep-debug t link.debug && strip -o prog truth && "
	 "objcopy --add-gnu-debuglink=link.debug prog && cp prog link.debug sym/", EXPORTED, MODULE_NAMED},
	{"stripped_never_wins", "gcc", "gcc -O1 -g $Z -o truth && strip -o prog truth && cp prog sym/prog && mkdir sym/full && cp truth sym/full/x", ALL, MODULE_NAMED},
	{"stripped_program", "gcc", "gcc -O1 -g -static $Z -o truth && strip -o prog truth && cp prog sym/", NOTHING, MODULE_NO_SYMBOLS},
	{"section_headers_gone", "gcc", "gcc -O1 -g $Z -o truth && cp truth prog && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=prog bs=1 seek=40 conv=notrunc 2>/dev/null && "
	 "printf '\\0\\0\\0\\0' | dd of=prog bs=1 seek=60 conv=notrunc 2>/dev/null && cp prog sym/", NOTHING, MODULE_NO_SYMBOLS},
	{"objcopied", "gcc", "gcc -O1 -g $Z -o prog && objcopy --remove-section=.comment --add-section=.more=$Z prog sym/prog", ALL, MODULE_NAMED},
	{"split_sections", "gcc", "gcc -O1 -g -ffunction-sections -Wl,--gc-sections $Z -o prog && cp prog sym/", ALL, MODULE_NAMED},
	{"sysroot", "gcc", "gcc -O1 -g $Z -o prog && mkdir -p root/opt/zoo && cp prog root/opt/zoo/", ALL, MODULE_NAMED},
	{"sysroot_debug_tree", "gcc", "gcc -O1 -g -Wl,--build-id=0xabcdef0102030405 $Z -o truth && mkdir -p root/usr/lib/debug/.build-id/ab && "
	 "objcopy --only-keep-debug truth root/usr/lib/debug/.build-id/ab/cdef0102030405.debug && strip -o prog truth", ALL, MODULE_NAMED},
	{"same_path_other_build", "gcc", "gcc -O1 -g $Z -o prog && mkdir -p root/opt/zoo && gcc -O0 -g $Z -o root/opt/zoo/prog && cp root/opt/zoo/prog sym/", NOTHING, MODULE_MISMATCH},
	{"same_id_other_layout", "gcc", "gcc -O1 -g -Wl,--build-id=0x0102030405060708 $Z -o prog && gcc -O0 -g -Wl,--build-id=0x0102030405060708 -Wl,-z,noseparate-code $Z -o sym/prog", NOTHING, MODULE_MISMATCH},
	{"same_path_other_build_debug_file", "gcc", "gcc -O1 -g $Z -o prog && gcc -O0 -g $Z -o t && objcopy --only-keep-debug t sym/prog.debug", NOTHING, MODULE_MISMATCH},
	{"prefix_of_id", "gcc", "gcc -O1 -g -Wl,--build-id=0x0102030405060708 $Z -o prog && gcc -O1 -g -Wl,--build-id=0x01020304 $Z -o sym/prog", NOTHING, MODULE_MISMATCH},
	{"i386", "clang ld.lld llvm-objcopy", CROSS("i386-linux-gnu"), ALL, MODULE_NAMED},
	{"aarch64", "clang ld.lld llvm-objcopy", CROSS("aarch64-linux-gnu"), ALL, MODULE_NAMED},
	{"arm_thumb", "clang ld.lld llvm-objcopy", CROSS("thumbv7-linux-gnueabi"), ALL, MODULE_NAMED},
	{"mips64_big_endian", "clang ld.lld llvm-objcopy", CROSS("mips64-linux-gnu"), ALL, MODULE_NAMED},
	{"ppc64le", "clang ld.lld llvm-objcopy", CROSS("powerpc64le-linux-gnu"), ALL, MODULE_NAMED},
	{"riscv64", "clang ld.lld llvm-objcopy", CROSS("riscv64-linux-gnu") " ", ALL, MODULE_NAMED},
	{"s390x_object", "clang s390x-linux-gnu-ld objcopy", "clang --target=s390x-linux-gnu " BARE " -c $Z -o o && s390x-linux-gnu-ld --build-id o -o truth && s390x-linux-gnu-strip -o prog truth && cp truth sym/x", ALL, MODULE_NAMED},
};

static bool have_tools(const char *tools)
{
	char command[512];

	snprintf(command, sizeof(command), "for t in %s; do command -v $t >/dev/null || exit 1; done", tools);
	return system(command) == 0;
}

static bool build(const struct recipe *r, char *dir, size_t size)
{
	char command[16384];

	snprintf(dir, size, "%s/%s", top, r->name);
	snprintf(command, sizeof(command), "mkdir '%s' && cd '%s' && mkdir sym root && export Z='%s' && { %s; } >log 2>&1", dir, dir, source, r->build);
	return system(command) == 0;
}

static void check_recipe(const struct recipe *r, const char *dir)
{
	char prog[4200], truth[4200], sym[4200], root[4200];
	const char *dirs[] = {sym};
	struct symbolizer_options options = {.symbol_dirs = dirs, .nsymbol_dirs = 1, .sysroot = root, .no_demangle = true, .no_system = true};
	static struct truths truths;
	struct fixture x;
	struct outcome o;

	snprintf(prog, sizeof(prog), "%s/prog", dir);
	snprintf(truth, sizeof(truth), "%s/truth", dir);
	snprintf(sym, sizeof(sym), "%s/sym", dir);
	snprintf(root, sizeof(root), "%s/root", dir);
	truths_read(&truths, access(truth, R_OK) ? prog : truth);
	truths_read_stubs(&truths, access(truth, R_OK) ? prog : truth);
	truths_read_ifuncs(&truths, access(truth, R_OK) ? prog : truth);
	if (!fixture_init(&x, prog, "/opt/zoo/prog")) {
		CHECK(!"prog can be read");
		return;
	}
	o = check_module(&x, &truths, &options);
	CHECK(o.addresses > 20);
	CHECK_EQ(o.functions, 7);
	CHECK_EQ(o.wrong, 0);
	CHECK_EQ(o.status.state, r->state);
	CHECK(o.stubs >= (strncmp(r->name, "plt_", 4) ? 0 : 5 * 12 / 5));
	CHECK_EQ(o.status.weak, r->expected == WEAK);
	if (r->expected == ALL || r->expected == WEAK)
		CHECK_EQ(o.functions_named, o.functions);
	if (r->expected == EXPORTED)
		CHECK(o.functions_named == 5 && o.named);
	if (r->expected == NOTHING)
		CHECK_EQ(o.named, 0);
	fixture_release(&x);
}

int main(void)
{
	const char *src = getenv("SRC");
	int failed = 0;
	char here[PATH_MAX];

	(void)test_cases; /* recipes that are left out must not count as passed, as cases would */
	snprintf(source, sizeof(source), "%s/tests/elf/zoo.c", src ? src : getcwd(here, sizeof(here)));
	if (!mkdtemp(top))
		return 1;
	for (size_t i = 0; i < sizeof(recipes) / sizeof(*recipes); i++) {
		const struct recipe *r = &recipes[i];
		char dir[4096];

		test_failures = 0;
		if (!have_tools(r->tools)) {
			printf("# zoo_%s left out: needs %s\n", r->name, r->tools);
			continue;
		}
		CHECK(build(r, dir, sizeof(dir)));
		if (!test_failures)
			check_recipe(r, dir);
		printf("%sok zoo_%s\n", test_failures ? "not " : "", r->name);
		failed += test_failures != 0;
	}
	if (!failed) {
		char command[256];

		snprintf(command, sizeof(command), "rm -rf '%s'", top);
		failed = system(command) != 0;
	}
	return failed != 0;
}
