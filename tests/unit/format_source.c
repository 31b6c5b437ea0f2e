/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources, sinks, and the buffer in front of a source. */
#include "test.h"
#include "../../format/input.h"
#include "../../format/source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Gives `step` bytes at a time, counting up, and fails or ends after `size`. */
struct drip {
	size_t step, at, size;
	int err;
};
static ssize_t drip_read(void *state, void *to, size_t n)
{
	struct drip *d = state;
	uint8_t *p = to;
	size_t i;

	if (d->at == d->size && d->err)
		return -d->err;
	for (i = 0; i < n && i < d->step && d->at < d->size; i++)
		p[i] = (uint8_t)d->at++;
	return (ssize_t)i;
}

TEST(input_in_small_reads)
{
	struct drip drip = {.step = 3, .size = 1000};
	struct input in;

	input_init(&in, (struct fold_source){drip_read, &drip});
	CHECK_EQ(input_want(&in, 5), 5);
	CHECK_EQ(drip.at, 6);
	CHECK_EQ(input_at(&in)[4], 4);
	input_skip(&in, 5);
	CHECK_EQ(in.offset, 5);
	CHECK_EQ(input_held(&in), 1);
	CHECK_EQ(input_want(&in, 2000), 995);
	CHECK_EQ(input_at(&in)[0], 5);
	CHECK(in.eof && !in.err);
	input_skip(&in, 995);
	CHECK_EQ(input_want(&in, 1), 0);
	input_release(&in);
}

TEST(input_larger_than_its_first_buffer)
{
	struct drip drip = {.step = 100000, .size = 3000000};
	struct input in;

	input_init(&in, (struct fold_source){drip_read, &drip});
	for (size_t at = 0; at < 3000000; at += 250000) {
		CHECK_EQ(input_want(&in, 250000), 250000);
		for (size_t i = 0; i < 250000; i += 997)
			CHECK_EQ(input_at(&in)[i], (uint8_t)(at + i));
		input_skip(&in, 250000);
	}
	CHECK(in.room < 1500000);
	CHECK_EQ(input_want(&in, 1), 0);
	input_release(&in);
}

/* What is asked for is not allocated before it came. */
TEST(input_grows_with_what_came)
{
	struct drip drip = {.step = 1000, .size = 1000};
	struct input in;

	input_init(&in, (struct fold_source){drip_read, &drip});
	CHECK_EQ(input_want(&in, SIZE_MAX / 2), 1000);
	CHECK(in.room < 1000000);
	input_release(&in);
}

TEST(input_failure_stays)
{
	struct drip drip = {.step = 10, .size = 10, .err = EIO};
	struct input in;

	input_init(&in, (struct fold_source){drip_read, &drip});
	CHECK_EQ(input_want(&in, 20), 10);
	CHECK_EQ(in.err, EIO);
	drip.size = 100;
	CHECK_EQ(input_want(&in, 20), 10);
	input_release(&in);
}

TEST(descriptors)
{
	char got[16];
	int fd[2], closed;

	CHECK_EQ(pipe(fd), 0);
	CHECK_EQ(sink_fd(fd[1]).write(sink_fd(fd[1]).state, "fourteen bytes", 14), 0);
	CHECK_EQ(source_fd(fd[0]).read(source_fd(fd[0]).state, got, sizeof(got)), 14);
	close(fd[1]);
	CHECK_EQ(source_fd(fd[0]).read(source_fd(fd[0]).state, got, sizeof(got)), 0);
	closed = fd[0];
	close(fd[0]);
	CHECK_EQ(source_fd(closed).read(source_fd(closed).state, got, 1), -EBADF);
	CHECK_EQ(sink_fd(closed).write(sink_fd(closed).state, got, 1), -EBADF);
}

TEST(sink_on_a_full_device)
{
	int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		return;
	CHECK_EQ(sink_fd(fd).write(sink_fd(fd).state, "x", 1), -ENOSPC);
	close(fd);
}

TEST(memory)
{
	static const uint8_t bytes[] = "abcdef";
	struct memory_source m = {bytes, bytes + 6};
	struct fold_source source = source_memory(&m);
	char got[8];

	CHECK_EQ(source.read(source.state, got, 4), 4);
	CHECK_EQ(source.read(source.state, got + 4, 4), 2);
	CHECK_EQ(source.read(source.state, got, 4), 0);
	CHECK(!memcmp(got, "abcdef", 6));
}

TEST_MAIN()
