/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The golden files: good ones are read without complaint, each bad one is refused
 * for the reason and at the place that bad.expect tells.
 */
#include "test.h"
#include "format_made.h"
#include "../../format/check.h"

#include <dirent.h>

static const char *golden(const char *name)
{
	static char path[4096];
	const char *top = getenv("SRC");

	snprintf(path, sizeof(path), "%s/tests/golden/%s", top ? top : ".", name);
	return path;
}

static bool load(const char *name, struct buf *to)
{
	FILE *f = fopen(golden(name), "rb");
	uint8_t bytes[4096];
	size_t n;

	if (!f) {
		fprintf(stderr, "%s does not open\n", golden(name));
		return false;
	}
	while ((n = fread(bytes, 1, sizeof(bytes), f)))
		buf_raw(to, bytes, n);
	fclose(f);
	return true;
}

struct complaints {
	struct fold_fault first;
	uint64_t n;
	struct check_result result;
};

static void complain(void *state, const struct fold_fault *fault)
{
	struct complaints *c = state;

	if (!c->n++)
		c->first = *fault;
}

static struct complaints check(const char *name)
{
	struct complaints c = {0};
	struct memory_source memory;
	struct buf file = {0};

	CHECK(load(name, &file));
	memory = (struct memory_source){file.at, file.at + file.size};
	check_recording(source_memory(&memory), complain, &c, &c.result);
	buf_release(&file);
	return c;
}

TEST(good_files)
{
	static const struct {
		const char *name;
		uint64_t samples, chunks, segments;
		bool ended;
	} cases[] = {
		{"good/stored.foldrec", 15, 7, 1, true}, {"good/zstd.foldrec", 15, 7, 1, true}, {"good/no-end.foldrec", 5, 2, 1, false},
		{"good/aggregated.foldrec", 206, 3, 1, true}, {"good/no-samples.foldrec", 0, 2, 1, true}, {"good/later-minor.foldrec", 6, 5, 2, false},
		{"good/merged.foldrec", 5, 3, 1, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct complaints c = check(cases[i].name);
		char text[200];

		if (c.n)
			fprintf(stderr, "%s: %s\n", cases[i].name, fault_text(&c.first, text, sizeof(text)));
		CHECK_EQ(c.n, 0);
		CHECK_EQ(c.result.samples, cases[i].samples);
		CHECK_EQ(c.result.chunks, cases[i].chunks);
		CHECK_EQ(c.result.segments, cases[i].segments);
		CHECK_EQ(c.result.ended, cases[i].ended);
		CHECK_EQ(c.result.skipped, i == 5 ? 4 : 0);
	}
}

/* The writer of today makes the bytes of the day the golden files were made. */
TEST(same_structs_same_bytes)
{
	struct buf want = {0}, got = {0};

	CHECK(load("good/stored.foldrec", &want));
	made_recording(&got, -1, 2);
	CHECK(got.size == want.size && !memcmp(got.at, want.at, got.size));
	buf_release(&want);
	buf_release(&got);
}

static const char *error_name(enum fold_error code)
{
	switch (code) {
#define X(number, name, text) case number: return #name;
	FOLD_ERRORS(X)
#undef X
	default: return "?";
	}
}

static void check_bad(const char *name, const char *error, uint64_t offset, const char *rule)
{
	char path[128];
	struct complaints c;

	snprintf(path, sizeof(path), "bad/%s", name);
	c = check(path);
	CHECK(c.n > 0);
	if (strcmp(error_name(c.first.code), error) || c.first.offset != offset || strcmp(c.first.rule ? c.first.rule : "-", rule))
		fprintf(stderr, "%s:\n", name);
	CHECK_STR(error_name(c.first.code), error);
	CHECK_EQ(c.first.offset, offset);
	CHECK_STR(c.first.rule ? c.first.rule : "-", rule);
}

static size_t count_files(const char *folder)
{
	DIR *d = opendir(golden(folder));
	struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d)))
		n += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

TEST(bad_files)
{
	FILE *f = fopen(golden("bad.expect"), "r");
	char name[64], error[32], rule[16];
	uint64_t offset;
	size_t n = 0;

	CHECK(f != NULL);
	while (f && fscanf(f, "%63s %31s %" SCNu64 " %15s", name, error, &offset, rule) == 4) {
		check_bad(name, error, offset, rule);
		n++;
	}
	if (f)
		fclose(f);
	CHECK(n > 30);
	CHECK_EQ(count_files("bad"), n);
	CHECK_EQ(count_files("good"), 7);
}

TEST_MAIN()
