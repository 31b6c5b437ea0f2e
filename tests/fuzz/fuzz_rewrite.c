/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: any bytes as a recording to be redacted, or, when their number is
 * odd, to be merged with itself.  Whatever it was, what is written can be read
 * without a fault and holds all samples.  The number also chooses what is hidden.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/buf.h"
#include "../../format/reader.h"
#include "../../report/rewrite/merge.h"
#include "../../report/rewrite/redact.h"
#include "as_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "a recording written again breaks a promise: %s\n", what);
	abort();
}

static int keep(void *state, const void *from, size_t n)
{
	buf_raw(state, from, n);
	return 0;
}

struct found {
	uint64_t samples;
	bool faults, stopped;
};

static struct found read_all(const uint8_t *data, size_t size)
{
	struct memory_source memory = {data, data + size};
	struct found found = {0};
	struct fold_item item;
	struct reader *r;

	require(!reader_new(&r, source_memory(&memory), NULL), "memory");
	do {
		if (reader_next(r, &item)) {
			found.stopped = true;
			break;
		}
		found.faults |= item.fault.code != FOLD_E_OK;
		if (item.kind != FOLD_ITEM_BATCH)
			continue;
		found.samples += item.batch->samples.n;
		for (size_t i = 0; i < item.batch->counts.n; i++)
			found.samples += item.batch->counts.count[i];
	} while (item.kind != FOLD_ITEM_END_OF_FILE);
	reader_free(r);
	return found;
}

/* Only counts: no thread looks at it. */
static struct memory_watch watch;

static bool redact(char *path, size_t how, struct buf *out)
{
	struct veil veil;
	bool done;

	veil_init(&veil, (uint32_t)(how * 0x9e3779b1u >> 21));
	done = !redact_file(path, &veil, (struct fold_sink){keep, out}, &watch);
	veil_release(&veil);
	return done;
}

static bool merge(char *path, struct buf *out)
{
	const char *const files[] = {path, path};
	struct merge_options options = {.file_label = "file", .watch = &watch};
	struct merge_result result = {0};

	return !merge_files(files, 2, &options, (struct fold_sink){keep, out}, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool twice = size & 1;
	char *path = as_path(data, size);
	struct buf out = {0};

	if (twice ? merge(path, &out) : redact(path, size / 2, &out)) {
		struct found before = read_all(data, size), after = read_all(out.at, out.size);

		require(!out.failed && !after.stopped && !after.faults, "it can be read");
		require(after.samples == (twice ? 2 : 1) * before.samples, "all samples are in it");
	}
	buf_release(&out);
	return 0;
}
