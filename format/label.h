/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Labels: what a user calls a recording, "host=web1".  Their rules, and lists
 * that are in the order that the format wants.
 */
#ifndef FOLD_FORMAT_LABEL_H
#define FOLD_FORMAT_LABEL_H

#include "fold.h"

bool label_key_valid(struct fold_bytes key);
/* Below 0, 0 or above 0, byte by byte; a key that the other begins with comes first. */
int label_key_compare(struct fold_bytes a, struct fold_bytes b);

struct label_list { /* ascending by key; zeroed is empty; owns no bytes */
	size_t n;
	struct fold_label v[FOLD_MAX_LABELS];
};
enum label_result { LABEL_ADDED, LABEL_NO_KEY, LABEL_BAD_KEY, LABEL_LONG_VALUE, LABEL_TWICE, LABEL_TOO_MANY };

enum label_result label_list_add(struct label_list *list, struct fold_bytes key, struct fold_bytes value);
/* "KEY=VALUE", which must outlive the list. */
enum label_result label_list_parse(struct label_list *list, const char *text);
/* The value of `key`; one with `at` NULL when there is none. */
struct fold_bytes label_find(const struct fold_label *v, size_t n, struct fold_bytes key);

/* What a result other than ADDED means, as the end of a sentence; a static string. */
const char *label_result_text(enum label_result result);

#endif
