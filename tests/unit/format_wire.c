/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers to bytes and back; spans that remember failure. */
#include "test.h"
#include "../../format/wire.h"

static const uint64_t edges[] = {
	0, 1, 127, 128, 129, 16383, 16384, 2097151, 2097152, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX,
};

TEST(uv_round_trip_and_every_prefix)
{
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++) {
		uint8_t bytes[UV_MAX_BYTES + 4] = {0};
		size_t n = uv_put(bytes, edges[i]);

		for (size_t tail = 0; tail <= 4; tail++) {
			struct span s = span_of(bytes, n + tail);

			CHECK(span_uv(&s) == edges[i]);
			CHECK_EQ(s.bad, 0);
			CHECK_EQ(span_left(&s), tail);
		}
		for (size_t cut = 0; cut < n; cut++) {
			struct span s = span_of(bytes, cut);

			CHECK_EQ(span_uv(&s), 0);
			CHECK_EQ(s.bad, FOLD_E_SECTION);
		}
	}
}

static enum fold_error uv_error(const char *bytes, size_t n)
{
	struct span s = span_of((const uint8_t *)bytes, n);

	CHECK_EQ(span_uv(&s), 0);
	CHECK_EQ(span_left(&s), 0);
	return s.bad;
}

TEST(uv_longer_than_needed)
{
	CHECK_EQ(uv_error("\x80\x00", 2), FOLD_E_LEB128);
	CHECK_EQ(uv_error("\x80\x00\x01", 3), FOLD_E_LEB128);
	CHECK_EQ(uv_error("\xff\x00", 2), FOLD_E_LEB128);
	CHECK_EQ(uv_error("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10), FOLD_E_LEB128);
}

TEST(uv_beyond_64_bits)
{
	CHECK_EQ(uv_error("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10), FOLD_E_LEB128);
	CHECK_EQ(uv_error("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10), FOLD_E_LEB128);
	CHECK_EQ(uv_error("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11), FOLD_E_LEB128);
	CHECK_EQ(uv_error("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12), FOLD_E_LEB128);
}

TEST(zigzag_round_trip)
{
	static const int64_t values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN, INT64_MIN + 1};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		CHECK(unzigzag(zigzag(values[i])) == values[i]);
	CHECK_EQ(zigzag(0), 0);
	CHECK_EQ(zigzag(-1), 1);
	CHECK_EQ(zigzag(1), 2);
	CHECK(zigzag(INT64_MIN) == UINT64_MAX);
}

TEST(u32_refuses_more)
{
	uint8_t bytes[UV_MAX_BYTES];
	struct span s = span_of(bytes, uv_put(bytes, UINT32_MAX));

	CHECK(span_u32(&s) == UINT32_MAX);
	s = span_of(bytes, uv_put(bytes, UINT64_C(1) << 32));
	CHECK_EQ(span_u32(&s), 0);
	CHECK_EQ(s.bad, FOLD_E_RANGE);
}

TEST(fixed_words)
{
	uint8_t b[8] = {1, 2, 3, 4, 5, 6, 7, 0xff};

	CHECK_EQ(le16_get(b), 0x0201);
	CHECK_EQ(le32_get(b), 0x04030201);
	CHECK(le64_get(b) == UINT64_C(0xff07060504030201));
	le32_put(b, 0xfedcba98);
	CHECK(le32_get(b) == 0xfedcba98);
	CHECK_EQ(b[0], 0x98);
}

TEST(failure_stays)
{
	struct span s = span_of((const uint8_t *)"abc", 3);
	struct span part;

	CHECK(span_take(&s, 4) == NULL);
	CHECK_EQ(s.bad, FOLD_E_SECTION);
	CHECK(span_take(&s, 0) == NULL);
	span_fail(&s, FOLD_E_RANGE);
	CHECK_EQ(s.bad, FOLD_E_SECTION);
	part = span_cut(&s, 0);
	CHECK_EQ(part.bad, FOLD_E_SECTION);
	CHECK_EQ(span_u8(&part), 0);
}

/* An empty payload may have no address.  Found by fuzzing. */
TEST(span_of_nothing)
{
	struct span s = span_of(NULL, 0);

	CHECK_EQ(span_left(&s), 0);
	CHECK_EQ(span_uv(&s), 0);
	CHECK_EQ(s.bad, FOLD_E_SECTION);
}

TEST(bytes_of_absurd_length)
{
	uint8_t bytes[UV_MAX_BYTES + 3];
	size_t n = uv_put(bytes, UINT64_MAX);
	struct span s = span_of(bytes, n + 3);
	struct fold_bytes got = span_bytes(&s);

	CHECK(!got.at && !got.size);
	CHECK_EQ(s.bad, FOLD_E_SECTION);
	s = span_of((const uint8_t *)"\x03" "abcd", 5);
	got = span_bytes(&s);
	CHECK_EQ(got.size, 3);
	CHECK(!memcmp(got.at, "abc", 3));
	CHECK_EQ(span_left(&s), 1);
}

TEST_MAIN()
