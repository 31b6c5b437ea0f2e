/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: any bytes as a recording that is given names, made up for all of its
 * modules.  Whatever it was, what is written can be read without a fault that was not
 * there before, holds the same samples, and knows the names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/reader.h"
#include "../../report/model/select.h"
#include "../../report/verbs/embed_copy.h"
#include "as_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_NAMES 64
#define NAME "a made up name"

static void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "a recording with names breaks a promise: %s\n", what);
	abort();
}

struct found {
	uint64_t samples, names;
	size_t faults;
	bool stopped;
};

static void count_names(struct found *found, const struct fold_symbols *symbols)
{
	for (size_t i = 0; i < symbols->strings.n; i++)
		found->names += symbols->strings.v[i].size == strlen(NAME) && !memcmp(symbols->strings.v[i].at, NAME, strlen(NAME));
}

static struct found read_all(const void *data, size_t size)
{
	const uint8_t *at = data;
	struct memory_source memory = {at, at + size};
	struct found found = {0};
	struct fold_item item;
	struct reader *r;

	require(!reader_new(&r, source_memory(&memory), NULL), "memory");
	do {
		if (reader_next(r, &item)) {
			found.stopped = true;
			break;
		}
		found.faults += item.fault.code != FOLD_E_OK && item.kind != FOLD_ITEM_CUT;
		if (item.kind == FOLD_ITEM_SYMBOLS)
			count_names(&found, item.symbols);
		if (item.kind != FOLD_ITEM_BATCH)
			continue;
		found.samples += item.batch->samples.n;
		for (size_t i = 0; i < item.batch->counts.n; i++)
			found.samples += item.batch->counts.count[i];
	} while (item.kind != FOLD_ITEM_END_OF_FILE);
	reader_free(r);
	return found;
}

/* For each module one, as long as it; what the recording says of its size may be anything. */
static size_t make_up(const struct recording *rec, struct embed_name *v)
{
	size_t n = 0;

	for (uint32_t m = 0; m < rec->nmodules && n < MAX_NAMES; m++) {
		if (rec->modules[m].span > 1)
			v[n++] = (struct embed_name){.module = m, .offset = 1, .size = rec->modules[m].span - 1, .name = NAME};
	}
	return n;
}

static void check(const struct found *before, const struct found *after, size_t names)
{
	require(before->stopped || (!after->stopped && after->faults <= before->faults), "it can be read as well as before");
	require(after->samples == before->samples, "all samples are in it");
	require(!names || after->stopped || after->faults || after->names > before->names, "names are in it");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct embed_name v[MAX_NAMES];
	struct embed_names names = {.v = v};
	struct outfile to = {0};
	struct recording rec = {0};
	struct select all = {0};
	struct rec_keep keep = {0};
	char *path = as_path(data, size), *text = NULL;
	size_t n = 0;

	to.stream = open_memstream(&text, &n);
	require(to.stream != NULL, "memory");
	if (!recording_load(&rec, &path, 1, &all, &keep)) {
		bool done;

		names.n = make_up(&rec, v);
		done = !embed_copy(path, &rec, &names, &to);
		fclose(to.stream);
		if (done) {
			struct found before = read_all(data, size), after = read_all(text, n);

			check(&before, &after, names.n);
		}
	} else {
		fclose(to.stream);
	}
	free(text);
	recording_release(&rec);
	return 0;
}
