/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables built in another process, and what happens when that one dies. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../record/unwind/builder.h"

#define PATIENCE 120000

static const struct packed *build(struct builder *b, int file)
{
	CHECK_EQ(builder_begin(b, file), 0);
	return builder_end(b, PATIENCE);
}

static int file_of(const void *bytes, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	CHECK_EQ(write(fd, bytes, n), n);
	return fd;
}

TEST(one_table_after_the_other)
{
	int self = open("/proc/self/exe", O_RDONLY), text = file_of("no ELF file", 11), nothing = file_of("", 0);
	const struct packed *p;
	struct builder b;
	uint32_t rows;

	CHECK_EQ(builder_open(&b), 0);
	p = build(&b, self);
	CHECK(p && p->status == PACKED_OK && p->nrows > 100 && p->npages && p->nsegments);
	rows = p ? p->nrows : 0;
	p = build(&b, text);
	CHECK(p && p->status == PACKED_NOT_ELF && !p->nrows);
	p = build(&b, nothing);
	CHECK(p && p->status == PACKED_UNFINISHED);
	p = build(&b, self);
	CHECK(p && p->status == PACKED_OK && p->nrows == rows);
	builder_close(&b);
	close(self);
	close(text);
	close(nothing);
}

TEST(a_dead_builder_is_noticed)
{
	int self = open("/proc/self/exe", O_RDONLY);
	const struct packed *p;
	struct builder b;

	CHECK_EQ(builder_open(&b), 0);
	kill(b.pid, SIGKILL);
	if (!builder_begin(&b, self)) {
		p = builder_end(&b, PATIENCE);
		CHECK(p && p->status == PACKED_UNFINISHED);
	}
	CHECK(builder_begin(&b, self) < 0);
	builder_close(&b);
	close(self);
}

/* A file cut while it is read costs its table, not the builder. */
TEST(a_file_that_shrinks)
{
	static uint8_t bytes[1 << 20];
	int self = open("/proc/self/exe", O_RDONLY), cut;
	ssize_t n = read(self, bytes, sizeof(bytes));
	const struct packed *p;
	struct builder b;

	CHECK(n > 0);
	cut = file_of(bytes, n);
	CHECK_EQ(builder_open(&b), 0);
	CHECK_EQ(builder_begin(&b, cut), 0);
	CHECK_EQ(ftruncate(cut, 4096), 0);
	CHECK(builder_end(&b, PATIENCE) != NULL); /* before or after: either is right */
	p = build(&b, self);
	CHECK(p && p->status == PACKED_OK);
	builder_close(&b);
	close(self);
	close(cut);
}

TEST_MAIN()
