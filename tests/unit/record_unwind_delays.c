/* SPDX-License-Identifier: BSD-2-Clause */
/* Percentiles of durations are right to an eighth, from nanoseconds to years. */
#include "../../record/unwind/delays.h"
#include "test.h"

TEST(empty)
{
	struct delays d = {0};

	CHECK(delays_percentile(&d, 50) == 0);
}

TEST(one)
{
	for (unsigned power = 0; power < 64; power++)
		for (int off = -1; off <= 1; off++) {
			uint64_t ns = (UINT64_C(1) << power) + (uint64_t)off, got;
			struct delays d = {0};

			delays_add(&d, ns);
			got = delays_percentile(&d, 99);
			CHECK(got >= ns && got - ns <= ns / 8);
		}
}

TEST(percentiles)
{
	struct delays d = {0};

	for (unsigned i = 0; i < 98; i++)
		delays_add(&d, 1000);
	delays_add(&d, 1000000);
	delays_add(&d, 1000000000);
	CHECK(delays_percentile(&d, 50) >= 1000 && delays_percentile(&d, 50) < 1200);
	CHECK(delays_percentile(&d, 99) >= 1000000 && delays_percentile(&d, 99) < 1200000);
	CHECK(delays_percentile(&d, 100) >= 1000000000);
}

TEST_MAIN()
