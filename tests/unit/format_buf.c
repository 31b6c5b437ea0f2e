/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing byte strings, with lengths put in front afterwards. */
#include "test.h"
#include "../../format/buf.h"

TEST(nested_lengths)
{
	static const uint8_t want[] = {7, 5, 3, 'a', 'b', 'c', 9, 0x80, 0x01};
	struct buf b = {0};
	size_t outer, inner;

	outer = buf_open(&b);
	inner = buf_open(&b);
	buf_bytes(&b, (struct fold_bytes){(const uint8_t *)"abc", 3});
	buf_u8(&b, 9);
	buf_close(&b, inner);
	buf_raw(&b, "", 0);
	buf_u8(&b, 0x80);
	buf_close(&b, outer);
	buf_u8(&b, 1);
	CHECK_EQ(b.size, sizeof(want));
	CHECK(!memcmp(b.at, want, sizeof(want)));
	buf_release(&b);
}

TEST(length_of_several_bytes)
{
	struct buf b = {0};
	size_t mark = buf_open(&b);

	for (int i = 0; i < 300; i++)
		buf_u8(&b, (uint8_t)i);
	buf_close(&b, mark);
	CHECK_EQ(b.size, 302);
	CHECK_EQ(b.at[0], 0xac);
	CHECK_EQ(b.at[1], 0x02);
	for (int i = 0; i < 300; i++)
		CHECK_EQ(b.at[2 + i], (uint8_t)i);
	buf_release(&b);
}

TEST(no_memory_stays)
{
	struct buf b = {0};

	buf_u8(&b, 1);
	CHECK(!buf_extend(&b, SIZE_MAX - 1));
	CHECK(b.failed);
	buf_u8(&b, 2);
	CHECK_EQ(b.size, 1);
	buf_reset(&b);
	buf_u8(&b, 3);
	CHECK(!b.failed && b.size == 1 && b.at[0] == 3);
	buf_release(&b);
	buf_release(&b);
}

TEST(numbers)
{
	static const uint8_t want[] = {0xac, 0x02, 3, 4};
	struct buf b = {0};

	buf_uv(&b, 300);
	buf_sv(&b, -2);
	buf_sv(&b, 2);
	CHECK_EQ(b.size, sizeof(want));
	CHECK(!memcmp(b.at, want, sizeof(want)));
	buf_release(&b);
}

TEST_MAIN()
