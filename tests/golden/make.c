/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the golden files:  make DIR  writes DIR/good/, DIR/bad/ and DIR/bad.expect.
 *
 * good/ is read without complaint.  bad/ has one file per error of format/error.h
 * that a file can cause; bad.expect says what the first complaint of check is:
 *     FILE ERROR OFFSET RULE
 * The offsets come from how a file was put together, not from a reader.  Made once
 * and committed: readers of all times have to read them.
 */
#include "../unit/format_made.h"
#include "../../format/chunk.h"
#include "../../format/crc32c.h"
#include "../../format/section.h"

#include <stdio.h>
#include <sys/stat.h>

/* ---- a recording, chunk by chunk */

struct file {
	struct buf bytes;
	uint32_t seq, headers_crc;
	size_t last; /* offset of the chunk added last */
};

static void begin(struct file *f)
{
	*f = (struct file){0};
	file_header_put(buf_extend(&f->bytes, FOLD_HEADER_SIZE));
}

static void add(struct file *f, int type, struct buf *payload, int level)
{
	struct chunk_header header = {.type = (uint16_t)type, .seq = f->seq};
	struct packer *p;

	f->last = f->bytes.size;
	if (packer_new(&p, level) || packer_add(p, &header, payload, &f->bytes))
		abort();
	packer_free(p);
	f->seq++;
	f->headers_crc = header_crc_add(f->headers_crc, header.header_crc);
	buf_release(payload);
}

static void add_bytes(struct file *f, int type, const void *at, size_t n)
{
	struct buf payload = {0};

	buf_raw(&payload, at, n);
	add(f, type, &payload, -1);
}

/* The header of the chunk added last, changed by hand. */
static void seal_last(struct file *f)
{
	uint8_t *header = f->bytes.at + f->last;

	le32_put(header + 28, crc32c(0, header, 28));
}

static struct buf encoded(const struct section_table *table, const void *chunk, uint64_t have)
{
	struct buf payload = {0};

	sections_encode(table, chunk, have, 0, &payload);
	return payload;
}

static void add_meta(struct file *f, const struct fold_meta *meta)
{
	uint64_t have = meta->nlabels ? ALL_SECTIONS : ALL_SECTIONS & ~FOLD_HAVE(FOLD_META_LABELS);

	for (int i = 0; i < 2; i++) {
		struct buf payload = encoded(&meta_sections, meta, have);

		add(f, FOLD_META, &payload, -1);
	}
}

static void add_batch(struct file *f, void (*make)(struct made *), int level)
{
	struct made m;
	struct buf payload;

	make(&m);
	payload = encoded(&batch_sections, &m.batch, m.batch.have);
	add(f, FOLD_BATCH, &payload, level);
}

static void add_end(struct file *f, struct fold_end end)
{
	struct buf payload;

	end.chunks = f->seq;
	end.headers_crc = f->headers_crc;
	payload = encoded(&end_sections, &end, ALL_SECTIONS);
	add(f, FOLD_END, &payload, -1);
}

static void begin_made(struct file *f)
{
	struct fold_meta meta = made_meta();

	begin(f);
	add_meta(f, &meta);
	add_batch(f, made_batch, -1);
}

/* ---- where they go */

static const char *top;

static FILE *open_in(const char *folder, const char *name)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", top, folder);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", top, folder, name);
	out = fopen(path, "wb");
	if (!out) {
		perror(path);
		exit(1);
	}
	return out;
}

static void save(const char *folder, const char *name, struct file *f)
{
	FILE *out = open_in(folder, name);

	if (f->bytes.failed || fwrite(f->bytes.at, 1, f->bytes.size, out) != f->bytes.size || fclose(out))
		abort();
	buf_release(&f->bytes);
}

static FILE *expectations;

static void bad(const char *error, struct file *f, size_t offset, const char *rule)
{
	char name[64];
	size_t n = 0;

	for (; error[n]; n++)
		name[n] = error[n] == '_' ? '-' : (char)(error[n] | 0x20);
	strcpy(name + n, ".foldrec");
	fprintf(expectations, "%s %s %zu %s\n", name, error, offset, rule ? rule : "-");
	save("bad", name, f);
}

/* ---- good */

static void make_good(void)
{
	struct fold_meta meta = made_meta();
	struct fold_end end = made_end();
	struct file f = {0};

	made_recording(&f.bytes, -1, 2);
	save("good", "stored.foldrec", &f);
	made_recording(&f.bytes, 3, 2);
	save("good", "zstd.foldrec", &f);

	begin_made(&f);
	save("good", "no-end.foldrec", &f);

	begin(&f);
	meta.mode = FOLD_MODE_AGGREGATED;
	meta.tick_ns = 1000000000;
	add_meta(&f, &meta);
	add_batch(&f, made_counts, -1);
	end.totals[0] = (struct fold_total){.taken = 205, .written = 202, .lost = 3};
	end.totals[1] = (struct fold_total){.taken = 4, .written = 4, .lost = 0};
	add_end(&f, end);
	save("good", "aggregated.foldrec", &f);

	begin(&f);
	meta = made_meta();
	add_meta(&f, &meta);
	end.totals[0] = end.totals[1] = (struct fold_total){0};
	add_end(&f, end);
	save("good", "no-samples.foldrec", &f);
}

static void make_merged(void)
{
	struct fold_meta meta = made_merged_meta();
	struct file f;

	begin(&f);
	add_meta(&f, &meta);
	add_batch(&f, made_origins, -1);
	add_end(&f, made_end());
	save("good", "merged.foldrec", &f);
}

/* A second segment, and what a later minor version might add: a minor number, a
 * chunk, a section, a column, fields behind the last one known. */
static void make_later(void)
{
	static const uint8_t batch[] = {
		FOLD_PROCS, 8, 0, 6, 2, 0, 0, 0, 0, 99,
		FOLD_MMAPS, 4, 3, 0, 0, 99,
		FOLD_THREADS, 6, 0, 4, 0, 14, 0, 99,
		FOLD_USTACKS, 12, 0, 1, FOLD_COL_FRESH, 1, 1, FOLD_COL_TOKENS, 1, 1, 64, 2, 7, 7,
		FOLD_SAMPLES, 10, 1, FOLD_COL_TIME, 1, 2, FOLD_COL_THREAD, 1, 0, 64, 1, 7,
		FOLD_ACCOUNT, 6, 5, 0, 0, 0, 1, 99,
		64, 3, 1, 2, 3,
	};
	struct fold_meta meta = made_meta();
	struct fold_end end = made_end();
	struct file f, first;

	begin_made(&first);
	begin(&f);
	f.bytes.at[9] = 1;
	le32_put(f.bytes.at + 12, crc32c(0, f.bytes.at, 12));
	meta.id[15] = 1;
	add_meta(&f, &meta);
	add_bytes(&f, 0x8004, "from the future", 15);
	add_bytes(&f, FOLD_BATCH, batch, sizeof(batch));
	end.totals[0] = (struct fold_total){.taken = 1, .written = 1};
	end.totals[1] = (struct fold_total){0};
	add_end(&f, end);
	buf_raw(&first.bytes, f.bytes.at, f.bytes.size);
	buf_release(&f.bytes);
	save("good", "later-minor.foldrec", &first);
}

/* ---- bad: the file */

static void make_bad_headers(void)
{
	struct fold_meta meta = made_meta();
	struct file f, crlf;

	f = (struct file){0};
	buf_raw(&f.bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
	bad("MAGIC", &f, 0, "R-REC-1");

	begin_made(&crlf);
	f = (struct file){0};
	for (size_t i = 0; i < crlf.bytes.size; i++)
		if (crlf.bytes.at[i] != '\r' || crlf.bytes.at[i + 1] != '\n')
			buf_u8(&f.bytes, crlf.bytes.at[i]);
	buf_release(&crlf.bytes);
	bad("MAGIC_TEXT", &f, 0, "R-REC-1");

	begin_made(&f);
	f.bytes.at[13] ^= 0x10;
	bad("HEADER_CRC", &f, 0, "R-HDR-1");

	begin_made(&f);
	f.bytes.at[8] = 2;
	le32_put(f.bytes.at + 12, crc32c(0, f.bytes.at, 12));
	bad("VERSION", &f, 0, "R-HDR-2");

	begin_made(&f);
	f.bytes.at[11] = 1;
	le32_put(f.bytes.at + 12, crc32c(0, f.bytes.at, 12));
	bad("RESERVED", &f, 0, "R-HDR-2");

	begin(&f);
	meta.draft = 200;
	add_meta(&f, &meta);
	bad("DRAFT", &f, FOLD_HEADER_SIZE, "R-META-2");

	begin_made(&f);
	f.bytes.size -= 1;
	bad("CUT", &f, f.last, NULL);
}

/* ---- bad: chunks */

static void make_bad_chunk_headers(void)
{
	struct file f;
	size_t at;

	begin_made(&f);
	at = f.bytes.size;
	buf_raw(&f.bytes, "forty bytes that nobody knows, in between", 40);
	add_batch(&f, made_later_batch, -1);
	bad("CHUNK_HEADER", &f, at, "R-CHK-1");

	begin_made(&f);
	f.bytes.at[f.last + 100] ^= 4;
	bad("CHUNK_CRC", &f, f.last, "R-CHK-1");

	begin_made(&f);
	add_bytes(&f, 0x0004, "", 0);
	bad("CHUNK_TYPE", &f, f.last, "R-CHK-8");

	begin_made(&f);
	add_bytes(&f, FOLD_BATCH, "", 0);
	f.bytes.at[f.last + 6] = 2;
	seal_last(&f);
	bad("CHUNK_CODEC", &f, f.last, "R-CHK-8");

	begin_made(&f);
	add_bytes(&f, FOLD_BATCH, "", 0);
	f.bytes.at[f.last + 7] = 1;
	seal_last(&f);
	bad("CHUNK_FLAGS", &f, f.last, "R-CHK-8");

	begin_made(&f);
	add_bytes(&f, FOLD_BATCH, "", 0);
	le32_put(f.bytes.at + f.last + 16, FOLD_MAX_RAW + 1);
	seal_last(&f);
	bad("CHUNK_SIZE", &f, f.last, "R-CHK-3");

	begin_made(&f);
	add_bytes(&f, FOLD_BATCH, "no frame", 8);
	f.bytes.at[f.last + 6] = FOLD_ZSTD;
	seal_last(&f);
	bad("CHUNK_ZSTD", &f, f.last, "R-CHK-5");
}

static void make_bad_sequences(void)
{
	struct fold_meta meta = made_meta();
	struct fold_end end = made_end();
	struct buf payload;
	struct file f;

	begin_made(&f);
	f.seq += 3;
	add_batch(&f, made_later_batch, -1);
	bad("CHUNK_GAP", &f, f.last, "R-CHK-2");

	begin_made(&f);
	f.seq--;
	add_batch(&f, made_later_batch, -1);
	bad("CHUNK_REPEATED", &f, f.last, "R-CHK-2");

	begin_made(&f);
	meta.id[3] ^= 1;
	payload = encoded(&meta_sections, &meta, ALL_SECTIONS & ~FOLD_HAVE(FOLD_META_LABELS));
	add(&f, FOLD_META, &payload, -1);
	bad("CHUNK_ORDER", &f, f.last, "R-ORD-2");

	begin(&f);
	add_batch(&f, made_batch, -1);
	bad("NO_META", &f, f.last, "R-ORD-1");

	begin_made(&f);
	add_end(&f, end);
	add_batch(&f, made_later_batch, -1);
	bad("AFTER_END", &f, f.last, "R-ORD-3");

	begin_made(&f);
	end.totals[0].taken++;
	add_end(&f, end);
	bad("SUM", &f, f.last, "R-END-3");

	begin_made(&f);
	f.headers_crc ^= 1;
	add_end(&f, made_end());
	bad("END_CRC", &f, f.last, "R-END-1");
}

/* ---- bad: payloads of a BATCH behind a good one */

static void bad_batch(const char *error, const char *rule, const char *payload, size_t n)
{
	struct file f;

	begin_made(&f);
	add_bytes(&f, FOLD_BATCH, payload, n);
	bad(error, &f, f.last, rule);
}
#define BAD_BATCH(error, rule, payload) bad_batch(error, rule, payload, sizeof(payload) - 1)

static void make_bad_payloads(void)
{
	static uint8_t string[FOLD_MAX_STRING + 1];
	struct fold_bytes strings[] = {{string, sizeof(string)}};
	struct fold_batch batch = {.strings = {.first_id = 11, .n = 1, .v = strings}};
	struct fold_meta meta = made_meta();
	struct buf payload = encoded(&meta_sections, &meta, ~(FOLD_HAVE(FOLD_META_SCOPE) | FOLD_HAVE(FOLD_META_LABELS)));
	struct file f;

	begin(&f);
	add(&f, FOLD_META, &payload, -1);
	bad("SECTION_MISSING", &f, f.last, "R-PAY-4");

	memset(string, 's', sizeof(string));
	payload = encoded(&batch_sections, &batch, 1u << FOLD_STRINGS);
	begin_made(&f);
	add(&f, FOLD_BATCH, &payload, 3);
	bad("LIMIT", &f, f.last, "R-STR-1");

	BAD_BATCH("SECTION", "R-PAY-2", "\x05\x05\x03\x04\x00\x02\x00");
	BAD_BATCH("SECTION_UNKNOWN", "R-PAY-5", "\x0d\x00");
	BAD_BATCH("SECTION_TWICE", "R-PAY-1", "\x04\x00\x04\x00");
	BAD_BATCH("COLUMN_UNKNOWN", "R-COL-5", "\x08\x03\x00\x07\x00");
	BAD_BATCH("COLUMN_LENGTH", "R-COL-2", "\x08\x04\x02\x01\x01\x00");
	BAD_BATCH("COLUMN_MISSING", "R-COL-3", "\x08\x05\x02\x01\x02\x00\x01");
	BAD_BATCH("COLUMN_TWICE", "R-COL-1", "\x08\x09\x02\x01\x02\x00\x01\x01\x02\x00\x01");
	BAD_BATCH("LEB128", "R-INT-1", "\x0a\x06\x05\x00\x00\x00\x81\x00");
	BAD_BATCH("REFERENCE", "R-DEF-2", "\x05\x05\x03\x03\x06\x02\x00");
	BAD_BATCH("FIRST_ID", "R-DEF-1", "\x05\x05\x02\x03\x00\x02\x00");
	BAD_BATCH("RANGE", "R-INT-2", "\x05\x09\x03\x07\x00\x80\x80\x80\x80\x20\x00");
	BAD_BATCH("ORDER", "R-CNT-2", "\x09\x0b\x00\x02\x02\x03\x02\x04\x01\x07\x02\x01\x01");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make DIR\n");
		return 2;
	}
	top = argv[1];
	expectations = open_in(".", "bad.expect");
	make_good();
	make_merged();
	make_later();
	make_bad_headers();
	make_bad_chunk_headers();
	make_bad_sequences();
	make_bad_payloads();
	return fclose(expectations) != 0;
}
