/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: a jitdump, which the recorder reads while it has privileges.  What is
 * told has a place, a name and an end; going on later tells the same as at once.
 */
#include "../../record/jitdump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "a dump breaks its promise: %s\n", what);
	abort();
}

static int as_file(const uint8_t *data, size_t size)
{
	static int file = -1;
	static size_t before;

	if (file < 0)
		file = memfd_create("fuzz", MFD_CLOEXEC);
	require(pwrite(file, data, size, 0) == (ssize_t)size && (size >= before || !ftruncate(file, (off_t)size)), "a file in memory");
	before = size;
	return file;
}

/* The file said to be longer than it is, as when it shrinks meanwhile, or shorter. */
static void read_all(int fd, size_t said, size_t size)
{
	static struct jitdump d, again;
	struct jitdump_code code, same;
	uint64_t last = 0;

	if (!jitdump_begin(&d, fd, said, 0))
		return;
	for (uint64_t before = d.next; jitdump_next(&d, &code); before = d.next) {
		require(code.at >= before && code.at >= last && d.next > code.at && d.next <= said && code.at < size, "a record has a place");
		require(code.start + code.size > code.start, "code has an end");
		require(*code.name && strlen(code.name) <= JITDUMP_MAX_NAME, "code has a name");
		require(jitdump_begin(&again, fd, said, code.at) && jitdump_next(&again, &same), "a record is read again");
		require(same.at == code.at && same.start == code.start && same.size == code.size && same.time == code.time &&
			!strcmp(same.name, code.name) && again.next == d.next, "it says the same again");
		last = d.next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = as_file(data, size);

	read_all(fd, size, size);
	read_all(fd, size + 300, size);
	read_all(fd, size / 2, size);
	return 0;
}
