/* SPDX-License-Identifier: BSD-2-Clause */
/* Smallest thing that makes a test program: TEST(name) { CHECK(...); } and TEST_MAIN(). */
#ifndef FOLD_TESTS_TEST_H
#define FOLD_TESTS_TEST_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
	const char *name;
	void (*run)(void);
	struct test_case *next;
};
static struct test_case *test_cases;
static int test_failures;

#define TEST(id) \
	static void test_##id(void); \
	static struct test_case case_##id = {#id, test_##id, NULL}; \
	__attribute__((constructor)) static void add_##id(void) { case_##id.next = test_cases; test_cases = &case_##id; } \
	static void test_##id(void)

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
			test_failures++; \
		} \
	} while (0)

#define CHECK_EQ(got, want) \
	do { \
		long long g_ = (long long)(got), w_ = (long long)(want); \
		if (g_ != w_) { \
			fprintf(stderr, "%s:%d: %s is %lld, want %lld\n", __FILE__, __LINE__, #got, g_, w_); \
			test_failures++; \
		} \
	} while (0)

#define CHECK_STR(got, want) \
	do { \
		const char *g_ = (got), *w_ = (want); \
		if (!g_ || strcmp(g_, w_)) { \
			fprintf(stderr, "%s:%d: %s is \"%s\", want \"%s\"\n", __FILE__, __LINE__, #got, g_ ? g_ : "(null)", w_); \
			test_failures++; \
		} \
	} while (0)

/* Runs every case; one "ok NAME" or "not ok NAME" a line, which tests/run counts. */
#define TEST_MAIN() \
	int main(void) \
	{ \
		int failed = 0; \
		for (struct test_case *t = test_cases; t; t = t->next) { \
			test_failures = 0; \
			t->run(); \
			printf("%sok %s\n", test_failures ? "not " : "", t->name); \
			failed += test_failures != 0; \
		} \
		return failed != 0; \
	}

#endif
