/* SPDX-License-Identifier: BSD-2-Clause */
/* R-LBL-1 to R-LBL-3 of SPEC.md. */
#include "label.h"

#include <string.h>

static const char key_bytes[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";

bool label_key_valid(struct fold_bytes key)
{
	for (size_t i = 0; i < key.size; i++)
		if (!memchr(key_bytes, key.at[i], sizeof(key_bytes) - 1))
			return false;
	return key.size && key.size <= FOLD_MAX_LABEL_KEY;
}

int label_key_compare(struct fold_bytes a, struct fold_bytes b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int order = n ? memcmp(a.at, b.at, n) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

enum label_result label_list_add(struct label_list *list, struct fold_bytes key, struct fold_bytes value)
{
	size_t at = 0;

	if (!label_key_valid(key))
		return LABEL_BAD_KEY;
	if (value.size > FOLD_MAX_LABEL_VALUE)
		return LABEL_LONG_VALUE;
	while (at < list->n && label_key_compare(list->v[at].key, key) < 0)
		at++;
	if (at < list->n && !label_key_compare(list->v[at].key, key))
		return LABEL_TWICE;
	if (list->n == FOLD_MAX_LABELS)
		return LABEL_TOO_MANY;
	memmove(&list->v[at + 1], &list->v[at], (list->n - at) * sizeof(*list->v));
	list->v[at] = (struct fold_label){key, value};
	list->n++;
	return LABEL_ADDED;
}

enum label_result label_list_parse(struct label_list *list, const char *text)
{
	const char *equals = strchr(text, '=');
	struct fold_bytes key = {(const uint8_t *)text, equals ? (size_t)(equals - text) : 0};

	if (!key.size)
		return LABEL_NO_KEY;
	return label_list_add(list, key, (struct fold_bytes){(const uint8_t *)equals + 1, strlen(equals + 1)});
}

struct fold_bytes label_find(const struct fold_label *v, size_t n, struct fold_bytes key)
{
	for (size_t i = 0; i < n; i++)
		if (!label_key_compare(v[i].key, key))
			return v[i].value;
	return (struct fold_bytes){0};
}

const char *label_result_text(enum label_result result)
{
	switch (result) {
	case LABEL_NO_KEY:
		return "is not KEY=VALUE";
	case LABEL_BAD_KEY:
		return "has a key that is not 1 to 64 characters of a-z, 0-9, \".\", \"_\" and \"-\"";
	case LABEL_LONG_VALUE:
		return "has a value of more than 256 bytes";
	case LABEL_TWICE:
		return "has a key that was given before";
	case LABEL_TOO_MANY:
		return "is one label too many: there can be 16";
	default:
		return "is a label";
	}
}
