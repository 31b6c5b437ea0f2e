/* SPDX-License-Identifier: BSD-2-Clause */
/* Identity of ELF files: made ones of every kind, broken ones, and real ones against readelf. */
#include "test.h"

#include "../../format/wire.h"
#include "../../record/identity.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A made ELF file: header, program headers, then notes at NOTES. */
#define NOTES 0x400
struct made {
	uint8_t at[0x2000];
	size_t phdrs, notes; /* bytes of notes so far */
	bool wide, big;
};

static void put(struct made *m, size_t at, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		m->at[at + (m->big ? n - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

static void make(struct made *m, bool wide, bool big)
{
	*m = (struct made){.wide = wide, .big = big};
	memcpy(m->at, ELFMAG, SELFMAG);
	m->at[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	m->at[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	put(m, 16, 2, ET_DYN);
	put(m, 18, 2, EM_S390);
	put(m, wide ? 32 : 28, wide ? 8 : 4, wide ? 64 : 52);
	put(m, wide ? 54 : 42, 2, wide ? 56 : 32);
}

static void phdr(struct made *m, uint32_t type, uint32_t flags, uint64_t offset, uint64_t vaddr, uint64_t filesz, uint64_t align)
{
	size_t at = (m->wide ? 64 : 52) + m->phdrs++ * (m->wide ? 56 : 32), w = m->wide ? 8 : 4;

	put(m, at, 4, type);
	put(m, at + (m->wide ? 4 : 24), 4, flags);
	put(m, at + (m->wide ? 8 : 4), w, offset);
	put(m, at + (m->wide ? 16 : 8), w, vaddr);
	put(m, at + (m->wide ? 32 : 16), w, filesz);
	put(m, at + (m->wide ? 48 : 28), w, align);
	put(m, m->wide ? 56 : 44, 2, m->phdrs);
}

static void note(struct made *m, const char *name, size_t namesz, uint32_t type, const void *desc, size_t n, size_t align)
{
	size_t at = NOTES + m->notes, d = (m->notes + 12 + namesz + align - 1) & ~(align - 1);

	put(m, at, 4, namesz);
	put(m, at + 4, 4, n);
	put(m, at + 8, 4, type);
	memcpy(m->at + at + 12, name, namesz);
	memcpy(m->at + NOTES + d, desc, n);
	m->notes = (d + n + align - 1) & ~(align - 1);
}

static struct identity read_made(const struct made *m, size_t size)
{
	struct identity_image image = {.fd = -1, .at = m->at, .size = size};
	struct identity id;

	CHECK_EQ(identity_read(&image, &id), 0);
	return id;
}

TEST(ids_of_any_length)
{
	static const size_t sizes[] = {1, 8, 16, 20, 32, 64};
	uint8_t bytes[64];

	for (size_t i = 0; i < 64; i++)
		bytes[i] = (uint8_t)(i + 1);
	for (int kind = 0; kind < 4; kind++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct identity id;
			struct made m;

			make(&m, kind & 1, kind & 2);
			note(&m, "GNU", 4, NT_GNU_BUILD_ID, bytes, sizes[i], 4);
			phdr(&m, PT_LOAD, PF_R, 0, 0x1000, 0x400, 0x1000);
			phdr(&m, PT_LOAD, PF_R | PF_X, 0x800, 0x3800, 0x700, 0x1000);
			phdr(&m, PT_NOTE, PF_R, NOTES, NOTES, m.notes, 4);
			id = read_made(&m, sizeof(m.at));
			CHECK(id.elf);
			CHECK_EQ(id.type, ET_DYN);
			CHECK_EQ(id.machine, EM_S390);
			CHECK_EQ(id.nids, 1);
			CHECK_EQ(id.ids[0].kind, FOLD_ID_GNU);
			CHECK_EQ(id.ids[0].size, sizes[i]);
			CHECK(!memcmp(id.ids[0].bytes, bytes, sizes[i]));
			CHECK_EQ(id.nsegments, 1);
			CHECK_EQ(id.segments[0].offset, 0x800);
			CHECK_EQ(id.segments[0].vaddr, 0x3800);
			CHECK_EQ(id.segments[0].filesz, 0x700);
			CHECK_EQ(id.segments[0].align, 0x1000);
			CHECK(identity_has(&id, bytes, sizes[i]));
			CHECK(!identity_has(&id, bytes, sizes[i] - 1));
		}
	}
}

TEST(ids_that_do_not_count)
{
	uint8_t zero[20] = {0}, big[65];
	struct identity id;
	struct made m;

	memset(big, 1, sizeof(big));
	make(&m, true, false);
	note(&m, "GNU", 4, NT_GNU_BUILD_ID, zero, 20, 4);
	note(&m, "GNU", 4, NT_GNU_BUILD_ID, big, 65, 4);
	note(&m, "GNU", 4, NT_GNU_BUILD_ID, big, 0, 4);
	note(&m, "XNU", 4, NT_GNU_BUILD_ID, big, 20, 4);
	note(&m, "GNU", 4, NT_GNU_ABI_TAG, big, 20, 4);
	phdr(&m, PT_NOTE, PF_R, NOTES, NOTES, m.notes, 4);
	id = read_made(&m, sizeof(m.at));
	CHECK_EQ(id.nids, 1);
	CHECK_EQ(id.ids[0].kind, FOLD_ID_HASH);
	CHECK_EQ(id.ids[0].size, 16);
	CHECK_EQ(le32_get(id.ids[0].bytes), sizeof(m.at));
}

TEST(several_notes_and_alignments)
{
	static const char go[] = "aaaaaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbbb/cccccccccccccccccccc/dddddddddddddddddddd";
	struct identity id;
	struct made m;

	make(&m, true, false);
	note(&m, "GNU", 4, 5, "property", 8, 8);
	note(&m, "Go\0", 4, 4, go, strlen(go), 8);
	note(&m, "GNU", 4, NT_GNU_BUILD_ID, "0123456789", 10, 8);
	note(&m, "longer name", 12, NT_GNU_BUILD_ID, "x", 1, 8);
	note(&m, "GNU", 4, NT_GNU_BUILD_ID, "0123456789", 10, 8);
	note(&m, "GNU", 4, NT_GNU_BUILD_ID, "another", 7, 8);
	phdr(&m, PT_NOTE, PF_R, NOTES, NOTES, m.notes, 8);
	phdr(&m, PT_NOTE, PF_R, NOTES, NOTES, m.notes, 8);
	id = read_made(&m, sizeof(m.at));
	CHECK_EQ(id.nids, 3);
	CHECK(identity_has(&id, (const uint8_t *)"0123456789", 10));
	CHECK(identity_has(&id, (const uint8_t *)"another", 7));
	CHECK_EQ(id.ids[0].kind, FOLD_ID_GNU);
	CHECK_EQ(id.ids[0].size, 10);
	CHECK_EQ(id.ids[2].kind, FOLD_ID_GO);
	CHECK_EQ(id.ids[2].size, 64);
	CHECK(!memcmp(id.ids[2].bytes, go + strlen(go) - 64, 64));
}

TEST(hostile_headers)
{
	struct identity id;
	struct made m, broken;

	make(&m, true, false);
	note(&m, "GNU", 4, NT_GNU_BUILD_ID, "0123456789", 10, 4);
	phdr(&m, PT_NOTE, PF_R, NOTES, NOTES, m.notes, 4);
	phdr(&m, PT_LOAD, PF_X, 0, 0, 0x500, 1);
	/* every byte of it cut off, and every byte of headers and notes turned */
	for (size_t size = 0; size < NOTES + m.notes; size++)
		read_made(&m, size);
	for (size_t at = 0; at < NOTES + m.notes; at++) {
		for (int bit = 0; bit < 8; bit++) {
			broken = m;
			broken.at[at] ^= (uint8_t)(1 << bit);
			read_made(&broken, sizeof(broken.at));
		}
	}
	/* numbers at their ends */
	broken = m;
	put(&broken, 32, 8, UINT64_MAX - 8); /* e_phoff */
	id = read_made(&broken, sizeof(broken.at));
	CHECK_EQ(id.nsegments, 0);
	broken = m;
	put(&broken, 54, 2, 0); /* e_phentsize */
	CHECK_EQ(read_made(&broken, sizeof(broken.at)).nsegments, 0);
	broken = m;
	put(&broken, 56, 2, 0xffff); /* e_phnum */
	CHECK_EQ(read_made(&broken, sizeof(broken.at)).nsegments, 1);
	broken = m;
	put(&broken, 64 + 8, 8, UINT64_MAX - 1); /* p_offset of the notes */
	CHECK_EQ(read_made(&broken, sizeof(broken.at)).ids[0].kind, FOLD_ID_HASH);
	broken = m;
	put(&broken, 64 + 32, 8, UINT64_MAX); /* p_filesz of the notes */
	CHECK_EQ(read_made(&broken, sizeof(broken.at)).ids[0].kind, FOLD_ID_GNU);
	broken = m;
	put(&broken, NOTES, 4, UINT32_MAX); /* n_namesz */
	CHECK_EQ(read_made(&broken, sizeof(broken.at)).ids[0].kind, FOLD_ID_HASH);
	broken = m;
	put(&broken, NOTES + 4, 4, UINT32_MAX); /* n_descsz */
	CHECK_EQ(read_made(&broken, sizeof(broken.at)).ids[0].kind, FOLD_ID_HASH);
}

TEST(more_segments_than_fit)
{
	struct identity id;
	struct made m;

	make(&m, false, true);
	for (size_t i = 0; i < 250; i++)
		phdr(&m, PT_LOAD, PF_X, i, i, 1, 1);
	id = read_made(&m, sizeof(m.at));
	CHECK_EQ(id.nsegments, FOLD_MAX_SEGMENTS);
	CHECK_EQ(id.segments[63].offset, 63);
}

TEST(no_elf_file)
{
	struct made m = {.at = "#!/bin/sh\n"};
	struct identity a = read_made(&m, 10), b;

	CHECK(!a.elf);
	CHECK_EQ(a.ids[0].kind, FOLD_ID_HASH);
	m.at[3]++;
	b = read_made(&m, 10);
	CHECK(memcmp(a.ids[0].bytes, b.ids[0].bytes, 16) != 0);
}

/* The same from an open file, and what readelf says of it. */
static void check_file(const char *path)
{
	struct identity_image image = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
	char command[512], line[512], hex[2 * FOLD_MAX_BUILD_ID + 1] = "", want[512] = "";
	struct identity id;
	struct stat st;
	FILE *p;

	if (image.fd < 0 || fstat(image.fd, &st))
		return;
	image.size = (uint64_t)st.st_size;
	CHECK_EQ(identity_read(&image, &id), 0);
	close(image.fd);
	for (size_t i = 0; id.ids[0].kind == FOLD_ID_GNU && i < id.ids[0].size; i++)
		sprintf(hex + 2 * i, "%02x", id.ids[0].bytes[i]);
	snprintf(command, sizeof(command), "readelf -n %s 2>/dev/null", path);
	p = popen(command, "r");
	while (p && fgets(line, sizeof(line), p)) {
		char *at = strstr(line, "Build ID: ");

		if (at && !*want)
			snprintf(want, sizeof(want), "%.*s", (int)strcspn(at + 10, "\n"), at + 10);
	}
	if (p)
		pclose(p);
	CHECK_STR(hex, want);
	CHECK(id.elf && id.nsegments > 0);
}

TEST(real_files)
{
	char self[400] = "";

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	check_file(self);
	check_file("/bin/ls");
	check_file("/lib64/ld-linux-x86-64.so.2");
	check_file("/usr/bin/readelf");
}
TEST_MAIN()
