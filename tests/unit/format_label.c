/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels as they are given on command lines, and the order they end up in. */
#include "test.h"
#include "format_made.h"
#include "../../format/label.h"

TEST(keys_that_are_keys)
{
	static const char *const good[] = {"host", "a", "0", "a.b_c-d", "9lives"};
	static const char *const bad[] = {"", "Host", "a b", "a=b", "k\xc3\xa4se", "a\n"};
	char key[66];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		CHECK(label_key_valid(made_bytes(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!label_key_valid(made_bytes(bad[i])));
	memset(key, 'k', sizeof(key));
	CHECK(label_key_valid((struct fold_bytes){(uint8_t *)key, 64}));
	CHECK(!label_key_valid((struct fold_bytes){(uint8_t *)key, 65}));
}

TEST(lists_are_in_order_of_key)
{
	struct label_list list = {0};

	CHECK_EQ(label_list_parse(&list, "zone=1"), LABEL_ADDED);
	CHECK_EQ(label_list_parse(&list, "a=x=y"), LABEL_ADDED);
	CHECK_EQ(label_list_parse(&list, "a.b="), LABEL_ADDED);
	CHECK_EQ(label_list_parse(&list, "host=web1"), LABEL_ADDED);
	CHECK_EQ(list.n, 4);
	CHECK(!memcmp(list.v[0].key.at, "a=", 2) && list.v[0].value.size == 3 && !memcmp(list.v[0].value.at, "x=y", 3));
	CHECK(list.v[1].key.size == 3 && !list.v[1].value.size);
	CHECK(!memcmp(list.v[2].key.at, "host", 4) && !memcmp(list.v[3].key.at, "zone", 4));
	CHECK_EQ(label_find(list.v, list.n, made_bytes("host")).size, 4);
	CHECK(label_find(list.v, list.n, made_bytes("a.b")).at != NULL);
	CHECK(label_find(list.v, list.n, made_bytes("b")).at == NULL);
}

TEST(what_is_no_label)
{
	struct label_list list = {0};
	char text[300], keys[FOLD_MAX_LABELS][8];

	CHECK_EQ(label_list_parse(&list, "host"), LABEL_NO_KEY);
	CHECK_EQ(label_list_parse(&list, "=web1"), LABEL_NO_KEY);
	CHECK_EQ(label_list_parse(&list, "Host=web1"), LABEL_BAD_KEY);
	memset(text, 'v', sizeof(text));
	memcpy(text, "k=", 2);
	text[2 + 257] = '\0';
	CHECK_EQ(label_list_parse(&list, text), LABEL_LONG_VALUE);
	text[2 + 256] = '\0';
	CHECK_EQ(label_list_parse(&list, text), LABEL_ADDED);
	CHECK_EQ(label_list_parse(&list, "k="), LABEL_TWICE);
	for (int i = 1; i < FOLD_MAX_LABELS; i++) {
		snprintf(keys[i], sizeof(keys[i]), "k%d", i);
		CHECK_EQ(label_list_add(&list, made_bytes(keys[i]), made_bytes("")), LABEL_ADDED);
	}
	CHECK_EQ(label_list_parse(&list, "z=1"), LABEL_TOO_MANY);
	CHECK_EQ(list.n, FOLD_MAX_LABELS);
}

TEST(every_result_has_words)
{
	for (int r = LABEL_ADDED; r <= LABEL_TOO_MANY; r++)
		CHECK(strlen(label_result_text((enum label_result)r)) > 5);
}

TEST_MAIN()
