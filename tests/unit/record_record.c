/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as the kernel lays them out, each kind read field by field and then in
 * every shorter size, in memory that ends where the record ends.
 */
#include "../../record/record.h"
#include "../../record/ring.h"
#include "../../bpf/event.h"
#include "test.h"

struct bytes {
	uint8_t v[512];
	size_t n;
};

static void put(struct bytes *b, const void *at, size_t size)
{
	memcpy(b->v + b->n, at, size);
	b->n += size;
}

static void put16(struct bytes *b, uint16_t v) { put(b, &v, sizeof(v)); }
static void put32(struct bytes *b, uint32_t v) { put(b, &v, sizeof(v)); }
static void put64(struct bytes *b, uint64_t v) { put(b, &v, sizeof(v)); }

static void put_text(struct bytes *b, const char *text)
{
	put(b, text, strlen(text) + 1);
	while (b->n % 8)
		b->v[b->n++] = 0;
}

static void begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	b->n = 0;
	put(b, &header, sizeof(header));
}

static void finish(struct bytes *b, uint64_t time)
{
	uint16_t size;

	put32(b, 901);
	put32(b, 902);
	put64(b, time);
	put32(b, 3);
	put32(b, 0);
	size = (uint16_t)b->n;
	memcpy(b->v + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

/* A copy with nothing behind it, so that a sanitizer sees a read beyond. */
static enum record_result decode(const struct bytes *b, size_t size, struct record_frames *frames, struct event *event, void **copy)
{
	struct perf_event_header *header = malloc(size);

	memcpy(header, b->v, size);
	header->size = (uint16_t)size;
	*copy = header;
	return record_decode(header, 127, frames, event);
}

static void try_all_sizes(const struct bytes *b)
{
	static struct record_frames frames;

	for (size_t size = RECORD_MIN; size < b->n; size += 8) {
		struct event event;
		void *copy;

		decode(b, size, &frames, &event, &copy);
		free(copy);
	}
}

TEST(mmap_with_inode)
{
	struct bytes b;
	struct event e;
	void *copy;

	begin(&b, PERF_RECORD_MMAP2, 0);
	put32(&b, 10);
	put32(&b, 11);
	put64(&b, 0x400000);
	put64(&b, 0x1000);
	put64(&b, 0x2000);
	put32(&b, 8);
	put32(&b, 1);
	put64(&b, 4711);
	put64(&b, 1);
	put32(&b, 5);
	put32(&b, 2);
	put_text(&b, "/usr/bin/x");
	finish(&b, 77);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
	CHECK_EQ(e.kind, EVENT_MMAP);
	CHECK_EQ(e.pid, 10);
	CHECK_EQ(e.tid, 11);
	CHECK_EQ(e.time, 77);
	CHECK_EQ(e.mmap.start, 0x400000);
	CHECK_EQ(e.mmap.length, 0x1000);
	CHECK_EQ(e.mmap.offset, 0x2000);
	CHECK_EQ(e.mmap.major, 8);
	CHECK_EQ(e.mmap.minor, 1);
	CHECK_EQ(e.mmap.inode, 4711);
	CHECK_EQ(e.mmap.prot, 5);
	CHECK_EQ(e.mmap.build_id_size, 0);
	CHECK_STR(e.mmap.path, "/usr/bin/x");
	free(copy);
	try_all_sizes(&b);
}

static void make_build_id(struct bytes *b, uint8_t size)
{
	uint8_t id[24] = { size };

	for (uint8_t i = 0; i < 20; i++)
		id[4 + i] = (uint8_t)(i + 1);
	begin(b, PERF_RECORD_MMAP2, 1 << 14);
	put32(b, 10);
	put32(b, 11);
	put64(b, 1);
	put64(b, 2);
	put64(b, 3);
	put(b, id, sizeof(id));
	put32(b, 5);
	put32(b, 2);
	put_text(b, "/x");
	finish(b, 77);
}

TEST(mmap_with_build_id)
{
	struct bytes b;
	struct event e;
	void *copy;

	make_build_id(&b, 20);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
	CHECK_EQ(e.mmap.build_id_size, 20);
	CHECK_EQ(e.mmap.build_id[0], 1);
	CHECK_EQ(e.mmap.build_id[19], 20);
	CHECK_EQ(e.mmap.inode, 0);
	CHECK_STR(e.mmap.path, "/x");
	free(copy);
	try_all_sizes(&b);

	make_build_id(&b, 21);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
	CHECK_EQ(e.mmap.build_id_size, 0);
	free(copy);
}

TEST(text_must_end)
{
	struct bytes b;
	struct event e;
	void *copy;

	begin(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(&b, 10);
	put32(&b, 11);
	put(&b, "sixteen bytes!!!", 16);
	finish(&b, 5);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_MALFORMED);
	free(copy);

	begin(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(&b, 10);
	put32(&b, 11);
	put_text(&b, "fifteen bytes!!");
	finish(&b, 5);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
	CHECK_EQ(e.kind, EVENT_COMM);
	CHECK(e.comm.exec);
	CHECK_STR(e.comm.comm, "fifteen bytes!!");
	free(copy);
	try_all_sizes(&b);
}

TEST(fork_and_exit)
{
	static const uint32_t types[] = { PERF_RECORD_FORK, PERF_RECORD_EXIT };

	for (size_t i = 0; i < 2; i++) {
		struct bytes b;
		struct event e;
		void *copy;

		begin(&b, types[i], 0);
		put32(&b, 10);
		put32(&b, 20);
		put32(&b, 11);
		put32(&b, 21);
		put64(&b, 4);
		finish(&b, 5);
		CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
		CHECK_EQ(e.kind, i ? EVENT_EXIT : EVENT_FORK);
		CHECK_EQ(e.pid, 10);
		CHECK_EQ(e.tid, 11);
		CHECK_EQ(e.fork.ppid, 20);
		CHECK_EQ(e.fork.ptid, 21);
		CHECK_EQ(e.time, 5);
		free(copy);
		try_all_sizes(&b);
	}
}

TEST(ksymbol)
{
	struct bytes b;
	struct event e;
	void *copy;

	begin(&b, PERF_RECORD_KSYMBOL, 0);
	put64(&b, 0xffffffffc0000000);
	put32(&b, 512);
	put16(&b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put16(&b, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	put_text(&b, "bpf_prog_x");
	finish(&b, 5);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
	CHECK_EQ(e.kind, EVENT_KSYMBOL);
	CHECK_EQ(e.ksymbol.length, 512);
	CHECK_EQ(e.ksymbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	CHECK(e.ksymbol.unregister);
	CHECK_STR(e.ksymbol.name, "bpf_prog_x");
	free(copy);
	try_all_sizes(&b);
}

/* What the kernel makes of one when `others` listened before. */
static void grow(struct bytes *b, size_t others)
{
	uint16_t size = (uint16_t)(b->n + others * RECORD_TRAILER);

	memset(b->v + b->n, 0x5a, size - b->n);
	memcpy(b->v + offsetof(struct perf_event_header, size), &size, sizeof(size));
	b->n = size;
}

TEST(ksymbol_with_other_listeners)
{
	for (size_t others = 0; others < 4; others++) {
		struct bytes b;
		struct event e;
		void *copy;

		begin(&b, PERF_RECORD_KSYMBOL, 0);
		put64(&b, 0xffffffffc0000000);
		put32(&b, 512);
		put16(&b, PERF_RECORD_KSYMBOL_TYPE_BPF);
		put16(&b, 0);
		put_text(&b, "bpf_prog_12345_x"); /* 17 bytes: its end is in a word of its own */
		finish(&b, 5);
		grow(&b, others);
		CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
		CHECK_EQ(e.time, 5);
		CHECK_EQ(e.pid, 901);
		CHECK_STR(e.ksymbol.name, "bpf_prog_12345_x");
		free(copy);
		try_all_sizes(&b);
	}
}

/* The kernel has no numbers any more for a thread that is past its end. */
TEST(sample_of_the_dead)
{
	struct event_raw_sample raw = { .kind = EVENT_RAW_SAMPLE, .flags = EVENT_USER_MODE | EVENT_USTACK_INLINE, .nustack = 1, .ustack = 9, .ip = 0x1000 };
	static const struct { uint32_t pid, tid, own_pid, own_tid, want_pid, want_tid; } cases[] = {
		{ 7, 8, 7, 8, 7, 8 },
		{ 7, 8, 0, 0, 7, 8 },
		{ UINT32_MAX, UINT32_MAX, 7, 8, 7, 8 },
		{ 7, UINT32_MAX, 7, 8, 7, 8 },
		{ UINT32_MAX, UINT32_MAX, 0, 0, UINT32_MAX, UINT32_MAX },
	};
	static struct record_frames frames;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b;
		struct event e;
		void *copy;

		raw.pid = cases[i].own_pid;
		raw.tid = cases[i].own_tid;
		begin(&b, PERF_RECORD_SAMPLE, 0);
		put32(&b, cases[i].pid);
		put32(&b, cases[i].tid);
		put64(&b, 77);
		put64(&b, 3);
		put32(&b, sizeof(raw) + 8 + 4);
		put(&b, &raw, sizeof(raw));
		put64(&b, 0x1000);
		put32(&b, 0);
		CHECK_EQ(decode(&b, b.n, &frames, &e, &copy), RECORD_EVENT);
		CHECK_EQ(e.pid, cases[i].want_pid);
		CHECK_EQ(e.tid, cases[i].want_tid);
		CHECK_EQ(e.sample.user.n, 1);
		free(copy);
	}
}

TEST(lost_and_throttle)
{
	struct bytes b;
	struct event e;
	void *copy;

	begin(&b, PERF_RECORD_LOST, 0);
	put64(&b, 1);
	put64(&b, 12);
	finish(&b, 5);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
	CHECK_EQ(e.kind, EVENT_LOST);
	CHECK_EQ(e.lost.records, 12);
	free(copy);
	try_all_sizes(&b);

	begin(&b, PERF_RECORD_THROTTLE, 0);
	put64(&b, 1);
	put64(&b, 2);
	put64(&b, 3);
	finish(&b, 5);
	CHECK_EQ(decode(&b, b.n, NULL, &e, &copy), RECORD_EVENT);
	CHECK_EQ(e.kind, EVENT_THROTTLE);
	free(copy);
}

TEST(time_is_found_without_decoding)
{
	struct bytes b;
	uint64_t time;

	begin(&b, PERF_RECORD_FORK, 0);
	put64(&b, 1);
	put64(&b, 2);
	finish(&b, 5);
	memcpy(&time, b.v + record_time_offset(PERF_RECORD_FORK, b.n), sizeof(time));
	CHECK_EQ(time, 5);
	CHECK_EQ(record_time_offset(PERF_RECORD_SAMPLE, b.n), 16);
}

TEST_MAIN()
