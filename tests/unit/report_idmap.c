/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids with gaps: what was defined is found, and where ranges begin and end. */
#include "../../report/model/idmap.h"

#include "test.h"

TEST(ids_on_both_sides_of_gaps)
{
	static const uint64_t ids[] = {3, 4, 5, 9, 20, 21};
	static const size_t above[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3};
	struct idmap map = {0};

	for (uint32_t i = 0; i < 6; i++)
		CHECK_EQ(idmap_add(&map, ids[i], 100 + i), 0);
	CHECK_EQ(map.nranges, 3);
	for (uint64_t id = 0; id < sizeof(above) / sizeof(*above); id++) {
		uint32_t want = IDMAP_LOST;

		for (uint32_t i = 0; i < 6; i++)
			if (ids[i] == id)
				want = 100 + i;
		CHECK_EQ(idmap_get(&map, id), want);
		CHECK_EQ(idmap_range_above(&map, id), above[id]);
	}
	idmap_release(&map);
}

TEST(nothing_is_found_in_nothing)
{
	struct idmap map = {0};

	CHECK_EQ(idmap_get(&map, 0), IDMAP_LOST);
	CHECK_EQ(idmap_range_above(&map, 0), 0);
	idmap_release(&map);
}

TEST_MAIN()
