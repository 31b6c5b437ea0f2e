/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C against its check value, the bitwise definition, and itself in parts. */
#include "test.h"
#include "../../format/crc32c.h"

static uint32_t bitwise(const uint8_t *p, size_t n)
{
	uint32_t crc = ~UINT32_C(0);

	for (; n; n--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
	}
	return ~crc;
}

TEST(check_value)
{
	CHECK_EQ(crc32c(0, "123456789", 9), 0xe3069283);
	CHECK_EQ(crc32c(0, "", 0), 0);
}

TEST(same_as_bitwise_at_every_length_and_offset)
{
	uint8_t bytes[80];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + (i >> 3) * 11);
	for (size_t from = 0; from < 9; from++)
		for (size_t n = 0; from + n <= sizeof(bytes); n++)
			CHECK_EQ(crc32c(0, bytes + from, n), bitwise(bytes + from, n));
}

TEST(in_two_parts)
{
	uint8_t bytes[40] = {1, 2, 3, 0xff};

	for (size_t cut = 0; cut <= sizeof(bytes); cut++)
		CHECK_EQ(crc32c(crc32c(0, bytes, cut), bytes + cut, sizeof(bytes) - cut), crc32c(0, bytes, sizeof(bytes)));
}

TEST_MAIN()
