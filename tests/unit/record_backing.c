/* SPDX-License-Identifier: BSD-2-Clause */
/* Files behind mappings: which one is believed, below a made-up /proc. */
#include "test.h"
#include "session_fixture.h"

#include "../../record/backing.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/sysmacros.h>

/* A 64-bit ELF file with this build-id, which is all that it has. */
static void elf(const struct tree *t, const char *name, uint8_t id)
{
	struct { Elf64_Ehdr eh; Elf64_Phdr ph; uint32_t note[4]; uint8_t id[20]; } f = {
		.eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}, .e_type = ET_DYN, .e_machine = EM_X86_64,
		       .e_phoff = 64, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1},
		.ph = {.p_type = PT_NOTE, .p_offset = 120, .p_filesz = 36, .p_align = 4},
		.note = {4, 20, NT_GNU_BUILD_ID, 0x554e47},
	};

	memset(f.id, id, 20);
	tree_write(t, name, &f, sizeof(f));
}

static struct backing_request request(const char *path)
{
	return (struct backing_request){.pid = 7, .start = 0x1000, .end = 0x2000, .path = path, .mapped = INT64_MAX};
}

static struct stat stat_of(const struct tree *t, const char *name)
{
	char path[512];
	struct stat st = {0};

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	CHECK_EQ(stat(path, &st), 0);
	return st;
}

/* The first byte of the id that was found, or -1. */
static int found(struct backings *b, const struct backing_request *r)
{
	struct backing_result result;

	CHECK_EQ(backing_find(b, r, &result), 0);
	return result.read ? result.identity->ids[0].bytes[0] : -1;
}

TEST(order_of_places)
{
	uint8_t want[20];
	struct backing_request r;
	struct backings b;
	struct tree t;
	char path[128], link[256], target[256];

	tree_make(&t);
	backings_init(&b, t.proc);
	snprintf(path, sizeof(path), "%s/lib.so", t.root);
	r = request(path);
	memset(want, 3, 20);
	r.build_id = want;
	r.build_id_size = 20;
	CHECK_EQ(found(&b, &r), -1);
	/* the path itself, when its build-id is right */
	elf(&t, "lib.so", 2);
	CHECK_EQ(found(&b, &r), -1);
	elf(&t, "lib.so", 3);
	CHECK_EQ(found(&b, &r), 3);
	/* below the process's root */
	elf(&t, "lib.so", 9);
	snprintf(link, sizeof(link), "proc/7/root%s", path);
	elf(&t, link, 3);
	CHECK_EQ(found(&b, &r), 3);
	/* what the kernel says is mapped */
	elf(&t, link, 8);
	elf(&t, "mapped", 3);
	tree_text(&t, "proc/7/map_files/none", "");
	snprintf(target, sizeof(target), "%s/mapped", t.root);
	snprintf(link, sizeof(link), "%s/7/map_files/1000-2000", t.proc);
	CHECK_EQ(symlink(target, link), 0);
	CHECK_EQ(found(&b, &r), 3);
	/* and without a build-id that is what counts */
	r.build_id_size = 0;
	CHECK_EQ(found(&b, &r), 3);
	backings_release(&b);
	tree_remove(&t);
}

TEST(inode_where_there_is_no_build_id)
{
	struct backing_request r;
	struct backings b;
	struct tree t;
	struct stat st;
	char path[256];

	tree_make(&t);
	backings_init(&b, t.proc);
	elf(&t, "lib.so", 5);
	st = stat_of(&t, "lib.so");
	snprintf(path, sizeof(path), "%s/lib.so", t.root);
	r = request(path);
	CHECK_EQ(found(&b, &r), -1);
	r.inode = st.st_ino;
	CHECK_EQ(found(&b, &r), -1);
	r.major = major(st.st_dev);
	r.minor = minor(st.st_dev);
	CHECK_EQ(found(&b, &r), 5);
	/* changed after it was mapped: another file under a used inode */
	r.mapped = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec - 1;
	CHECK_EQ(found(&b, &r), -1);
	backings_release(&b);
	tree_remove(&t);
}

TEST(traps)
{
	struct backing_request r;
	struct backings b;
	struct tree t;
	struct stat st;
	char path[256], link[256], root[256];

	tree_make(&t);
	backings_init(&b, t.proc);
	/* a fifo does not block, a directory and a link are no files */
	snprintf(path, sizeof(path), "%s/fifo", t.root);
	CHECK_EQ(mkfifo(path, 0644), 0);
	r = request(path);
	r.inode = 1;
	CHECK_EQ(found(&b, &r), -1);
	CHECK_EQ(backing_open(NULL, path, &st), -1);
	CHECK_EQ(backing_open(NULL, t.root, &st), -1);
	CHECK_EQ(backing_open(NULL, "/dev/null", &st), -1);
	tree_text(&t, "file", "x");
	snprintf(path, sizeof(path), "%s/file", t.root);
	snprintf(link, sizeof(link), "%s/link", t.root);
	CHECK_EQ(symlink(path, link), 0);
	CHECK_EQ(backing_open(NULL, link, &st), -1);
	/* a link in the process's tree does not lead out of it */
	tree_text(&t, "proc/7/root/dir/inside", "x");
	snprintf(link, sizeof(link), "%s/7/root/out", t.proc);
	CHECK_EQ(symlink(t.root, link), 0);
	snprintf(root, sizeof(root), "%s/7/root", t.proc);
	CHECK_EQ(backing_open(root, "/out/file", &st), -1);
	CHECK_EQ(backing_open(root, "/../../../file", &st), -1);
	CHECK(backing_open(root, "/dir/inside", &st) >= 0);
	backings_release(&b);
	tree_remove(&t);
}

TEST(ourselves)
{
	struct backing_result result;
	struct backings b;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long start, end;
	struct backing_request r = {.pid = (uint32_t)getpid(), .path = "/nonexistent", .mapped = INT64_MAX};
	bool seen = false;

	if (!maps)
		return;
	backings_init(&b, "/proc");
	while (fgets(line, sizeof(line), maps)) {
		CHECK_EQ(sscanf(line, "%llx-%llx", &start, &end), 2);
		if ((uintptr_t)stat_of < start || (uintptr_t)stat_of >= end)
			continue;
		r.start = start;
		r.end = end;
		seen = true;
	}
	fclose(maps);
	CHECK(seen);
	CHECK_EQ(backing_find(&b, &r, &result), 0);
	if (result.read) /* without privileges only our own path would do */
		CHECK(result.identity->elf && result.identity->nsegments > 0);
	CHECK(!result.foreign);
	backings_release(&b);
}
TEST_MAIN()
