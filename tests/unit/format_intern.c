/* SPDX-License-Identifier: BSD-2-Clause */
/* Interned strings, the keyed hash under them, and the arena of the reader. */
#include "test.h"
#include "../../format/arena.h"
#include "../../format/intern.h"

TEST(equal_bytes_equal_id)
{
	struct intern in;
	uint32_t id, again;
	char name[32];

	intern_init(&in, 1);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "string %u", i);
			CHECK_EQ(intern_add(&in, name, strlen(name), &id), 0);
			CHECK_EQ(id, i + 1);
		}
	}
	CHECK_EQ(in.n, 5000);
	CHECK_EQ(intern_add(&in, "a\0b", 3, &id), 0);
	CHECK_EQ(intern_add(&in, "a\0c", 3, &again), 0);
	CHECK(id != again);
	CHECK_EQ(intern_get(&in, id).size, 3);
	CHECK(!memcmp(intern_get(&in, id).at, "a\0b", 3));
	CHECK_EQ(intern_get(&in, 5000).size, 11);
	CHECK(!memcmp(intern_get(&in, 5000).at, "string 4999", 11));
	intern_release(&in);
	intern_release(&in);
}

TEST(empty_and_large)
{
	struct intern in;
	uint32_t empty, again, large;
	static uint8_t bytes[300000];

	intern_init(&in, 0);
	CHECK_EQ(intern_add(&in, NULL, 0, &empty), 0);
	CHECK_EQ(intern_add(&in, "", 0, &again), 0);
	CHECK_EQ(empty, 0);
	CHECK_EQ(again, 0);
	memset(bytes, 7, sizeof(bytes));
	CHECK_EQ(intern_add(&in, bytes, sizeof(bytes), &large), 0);
	CHECK_EQ(intern_add(&in, bytes, sizeof(bytes), &again), 0);
	CHECK_EQ(large, again);
	CHECK_EQ(intern_get(&in, large).size, sizeof(bytes));
	CHECK(in.bytes >= sizeof(bytes));
	intern_release(&in);
}

TEST(release_of_a_zeroed_one)
{
	struct intern in = {0};

	intern_release(&in);
	CHECK_EQ(in.n, 0);
}

/* SipHash-1-3 of the bytes 0, 1, 2, ... with the key 00 01 .. 0f. */
TEST(hash_vectors)
{
	struct hash_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	uint8_t bytes[16];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	CHECK(hash_bytes(&key, bytes, 0) == UINT64_C(0xabac0158050fc4dc));
	CHECK(hash_bytes(&key, bytes, 7) != hash_bytes(&key, bytes, 8));
}

TEST(hash_depends_on_the_key)
{
	struct hash_key a, b;

	hash_key_init(&a);
	hash_key_init(&b);
	CHECK(a.a != b.a || a.b != b.b);
	CHECK(hash_bytes(&a, "x", 1) != hash_bytes(&b, "x", 1));
}

TEST(arena_settles_on_one_block)
{
	struct arena a = {0};
	uint8_t *v[100];
	void *first;

	for (size_t i = 0; i < 100; i++) {
		v[i] = arena_alloc(&a, i * 100, 7);
		memset(v[i], (int)i, i * 700);
	}
	for (size_t i = 0; i < 100; i++)
		for (size_t j = 0; j < i * 700; j++)
			if (v[i][j] != i)
				CHECK_EQ(v[i][j], i);
	arena_reset(&a);
	first = arena_alloc(&a, 1, 8);
	arena_reset(&a);
	CHECK(arena_alloc(&a, 1000, 1000) != NULL);
	arena_reset(&a);
	CHECK((uintptr_t)arena_alloc(&a, 3, 1) % 16 == 0);
	CHECK((uintptr_t)arena_alloc(&a, 3, 1) % 16 == 0);
	CHECK(first != NULL);
	CHECK(!arena_alloc(&a, SIZE_MAX / 8, 16));
	CHECK(arena_alloc(&a, 0, 16) != NULL);
	arena_release(&a);
	arena_release(&a);
}

TEST_MAIN()
