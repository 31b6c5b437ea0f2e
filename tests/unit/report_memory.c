/* SPDX-License-Identifier: BSD-2-Clause */
/* The watch over memory gives back what it opened, whether it ran or not. */
#include <errno.h>
#include <fcntl.h>

#include "../../report/memory.h"

#include "test.h"

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0 || errno != EBADF;
}

TEST(a_watch_that_ran_is_closed)
{
	struct memory_watch watch;

	CHECK_EQ(memory_watch_open(&watch, UINT64_MAX), 0);
	CHECK_EQ(memory_watch_start(&watch), 0);
	CHECK(watch.runs);
	memory_watch_release(&watch);
	CHECK(!is_open(watch.statm));
}

/* As when no thread could be started. */
TEST(a_watch_that_never_ran_is_closed)
{
	struct memory_watch watch;

	CHECK_EQ(memory_watch_open(&watch, 0), 0);
	CHECK(is_open(watch.statm));
	memory_watch_release(&watch);
	CHECK(!is_open(watch.statm));
	memory_watch_release(&watch);
}

TEST(nothing_is_closed_that_was_not_opened)
{
	struct memory_watch watch = {0};
	bool before = is_open(0);

	memory_watch_release(&watch);
	CHECK_EQ(is_open(0), before);
}

TEST_MAIN()
