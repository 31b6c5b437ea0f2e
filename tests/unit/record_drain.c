/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings and queues made by hand: merging by time, what is too young, records that
 * wrap, records that lie about their lengths.
 */
#include "../../record/drain.h"
#include "test.h"

#include "../../format/fold.h"

#define RING_BYTES 4096
#define MAX_EVENTS 256
#define QUEUE_BYTES 1024
#define QUEUE_MARGIN 2048

struct fake {
	struct perf_event_mmap_page page;
	uint64_t data[RING_BYTES / 8];
};
struct got {
	struct event v[MAX_EVENTS];
	uint64_t words[MAX_EVENTS][8];
	size_t n;
};
struct fake_queue {
	struct event_queue shared;
	uint64_t data[(QUEUE_BYTES + QUEUE_MARGIN) / 8]; /* shared.bytes */
};
struct bench {
	struct fake fakes[2];
	struct ring v[2];
	struct rings rings;
	struct fake_queue fake_queues[2];
	struct queue qv[2];
	struct queues queues;
	struct drain drain;
	struct got got;
};

static int keep(void *state, const struct event *event)
{
	struct got *got = state;
	const struct event_stack *user = &event->sample.user;

	if (event->kind == EVENT_SAMPLE && user->words && user->n <= 8)
		memcpy(got->words[got->n], user->words, user->n * 8);
	got->v[got->n++] = *event;
	return 0;
}

/* Rings whose positions begin at `at`, as after many rounds. */
static struct bench *begin(uint64_t at)
{
	struct bench *b = calloc(1, sizeof(*b));

	for (uint32_t i = 0; i < 2; i++) {
		b->fakes[i].page.data_head = b->fakes[i].page.data_tail = at;
		b->v[i] = (struct ring){ .page = &b->fakes[i].page, .data = (uint8_t *)b->fakes[i].data, .size = RING_BYTES, .cpu = 10 + i };
		b->fake_queues[i].shared.head = b->fake_queues[i].shared.tail = at;
		b->qv[i] = (struct queue){ .shared = &b->fake_queues[i].shared, .size = QUEUE_BYTES, .margin = QUEUE_MARGIN, .cpu = 10 + i };
	}
	b->rings = (struct rings){ .v = b->v, .n = 2 };
	b->queues = (struct queues){ .v = b->qv, .n = 2, .size = QUEUE_BYTES, .margin = QUEUE_MARGIN };
	CHECK(!drain_init(&b->drain, &b->rings, &b->queues, 127, keep, &b->got));
	for (uint32_t i = 0; i < 4; i++)
		b->drain.v[i].tail = at;
	return b;
}

static void end(struct bench *b)
{
	drain_release(&b->drain);
	free(b);
}

static void push(struct bench *b, int ring, const void *record, size_t size)
{
	struct fake *f = &b->fakes[ring];
	uint8_t *data = (uint8_t *)f->data;

	for (size_t i = 0; i < size; i++)
		data[(f->page.data_head + i) % RING_BYTES] = ((const uint8_t *)record)[i];
	f->page.data_head += size;
}

struct __attribute__((packed)) trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
};

static void push_comm(struct bench *b, int ring, uint64_t time, uint32_t tid)
{
	struct __attribute__((packed)) {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		struct trailer trailer;
	} r = { .header = { .type = PERF_RECORD_COMM, .size = sizeof(r) }, .pid = 7, .tid = tid, .comm = "name", .trailer = { .time = time } };

	push(b, ring, &r, sizeof(r));
}

static void push_fork(struct bench *b, int ring, uint64_t time, uint32_t tid, uint32_t ptid)
{
	struct __attribute__((packed)) {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
		struct trailer trailer;
	} r = { .header = { .type = PERF_RECORD_FORK, .size = sizeof(r) }, .pid = 7, .ppid = 7, .tid = tid, .ptid = ptid, .trailer = { .time = time } };

	push(b, ring, &r, sizeof(r));
}

/* `claim` frames are announced, `n` <= 8 are there. */
static void push_sample(struct bench *b, int ring, uint64_t time, uint16_t claim, uint16_t n, const uint64_t *words)
{
	struct __attribute__((packed)) {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, pad, size;
		struct event_raw_sample raw;
		uint64_t words[8];
		uint32_t end;
	} r = { 0 };
	size_t size = offsetof(__typeof__(r), words) + 8u * n + 4;

	r.header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = (uint16_t)size };
	r.pid = 7;
	r.tid = 8;
	r.time = time;
	r.size = (uint32_t)(size - offsetof(__typeof__(r), raw));
	r.raw = (struct event_raw_sample){ .kind = EVENT_RAW_SAMPLE, .flags = EVENT_USER_MODE | EVENT_USTACK_INLINE, .nustack = claim, .ustack = 99, .ip = 0x1000 };
	memcpy(r.words, words, 8u * n);
	push(b, ring, &r, size);
}

/* What a program does: user words, and a copy of `copied` bytes, if any. */
static struct event_raw_sample *queue_sample(struct bench *b, int queue, uint64_t time, uint16_t n, const uint64_t *words, uint32_t copied)
{
	struct event_queue *q = b->qv[queue].shared;
	struct event_raw_sample *raw = (void *)(q->bytes + q->head % QUEUE_BYTES);

	*raw = (struct event_raw_sample){ .kind = EVENT_RAW_SAMPLE, .flags = EVENT_USER_MODE | EVENT_USTACK_INLINE, .nustack = n, .ustack = 99, .ip = 0x1000,
					  .pid = 7, .tid = 8, .time = time, .size = (uint32_t)sizeof(*raw) + 8u * n };
	memcpy(raw + 1, words, 8u * n);
	if (copied) {
		struct event_raw_copy *copy = (void *)((uint8_t *)raw + raw->size);

		raw->flags |= EVENT_STACK_COPY;
		raw->size += (uint32_t)sizeof(*copy) + (copied + 7) / 8 * 8;
		*copy = (struct event_raw_copy){ .size = copied };
	}
	q->head = event_queue_next(q->head, raw->size, QUEUE_BYTES);
	return raw;
}

TEST(merges_by_time)
{
	struct bench *b = begin(0);

	push_comm(b, 0, 10, 1);
	push_comm(b, 0, 30, 3);
	push_comm(b, 1, 20, 2);
	push_comm(b, 1, 40, 4);
	CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
	CHECK_EQ(b->got.n, 4);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_EQ(b->got.v[i].tid, i + 1);
	CHECK_EQ(b->got.v[0].cpu, 10);
	CHECK_EQ(b->got.v[1].cpu, 11);
	CHECK_EQ(b->got.v[0].pid, 7);
	CHECK_EQ(b->fakes[0].page.data_tail, b->fakes[0].page.data_head);
	end(b);
}

TEST(leaves_what_is_too_young)
{
	struct bench *b = begin(0);

	push_comm(b, 0, 10, 1);
	push_comm(b, 0, 30, 3);
	push_comm(b, 1, 20, 2);
	CHECK_EQ(drain_until(&b->drain, 20, NULL, 0), 0);
	CHECK_EQ(b->got.n, 2);
	CHECK(b->fakes[0].page.data_tail < b->fakes[0].page.data_head);
	push_comm(b, 1, 25, 4);
	CHECK_EQ(drain_until(&b->drain, 30, NULL, 0), 0);
	CHECK_EQ(b->got.n, 4);
	CHECK_EQ(b->got.v[2].tid, 4);
	CHECK_EQ(b->got.v[3].tid, 3);
	end(b);
}

TEST(wraps)
{
	uint64_t words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (uint64_t before = 8; before < 200; before += 8) {
		struct bench *b = begin(5 * RING_BYTES - before);

		push_sample(b, 0, 10, 8, 8, words);
		push_comm(b, 0, 11, 3);
		CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
		CHECK_EQ(b->got.n, 2);
		CHECK_EQ(b->got.v[0].kind, EVENT_SAMPLE);
		CHECK_EQ(b->got.v[0].sample.user.n, 8);
		CHECK(!memcmp(b->got.words[0], words, sizeof(words)));
		CHECK_STR(b->got.v[1].kind == EVENT_COMM ? "comm" : "", "comm");
		end(b);
	}
}

TEST(sample_fields)
{
	uint64_t words[8] = { 0x1000, 0, 0x2000, 0, 0 };
	struct bench *b = begin(0);
	const struct event *e = &b->got.v[0];

	push_sample(b, 1, 10, 5, 5, words);
	drain_until(&b->drain, DRAIN_ALL, NULL, 0);
	CHECK_EQ(e->pid, 7);
	CHECK_EQ(e->tid, 8);
	CHECK_EQ(e->time, 10);
	CHECK_EQ(e->sample.ip, 0x1000);
	CHECK_EQ(e->sample.user.id, 99);
	CHECK_EQ(e->sample.user.n, 3); /* zero words at the root are dropped, others kept */
	CHECK_EQ(e->sample.user.end, FOLD_STACK_END_UNKNOWN);
	CHECK_EQ(e->sample.kernel.id, 0);
	CHECK(!e->sample.kernel.words);
	CHECK_EQ(b->drain.v[1].samples, 1);
	end(b);
}

TEST(depth_limit_is_an_end)
{
	uint64_t words[8] = { 1, 2, 3, 4 };
	struct bench *b = begin(0);

	b->drain.max_frames = 4;
	push_sample(b, 0, 10, 4, 4, words);
	push_sample(b, 0, 11, 3, 3, words);
	drain_until(&b->drain, DRAIN_ALL, NULL, 0);
	CHECK_EQ(b->got.v[0].sample.user.end, FOLD_STACK_END_DEPTH);
	CHECK_EQ(b->got.v[1].sample.user.end, FOLD_STACK_END_UNKNOWN);
	end(b);
}

TEST(lies_about_frames)
{
	uint64_t words[8] = { 1, 2, 3, 4 };
	struct bench *b = begin(0);

	push_sample(b, 0, 10, 5, 4, words);
	push_sample(b, 0, 10, 65535, 4, words);
	push_sample(b, 0, 11, 4, 4, words);
	drain_until(&b->drain, DRAIN_ALL, NULL, 0);
	CHECK_EQ(b->got.n, 1);
	CHECK_EQ(b->drain.v[0].malformed, 2);
	CHECK_EQ(b->drain.v[0].samples, 1);
	end(b);
}

TEST(header_that_makes_no_sense)
{
	static const uint16_t sizes[] = { 0, 7, 8, 24, 33, 60000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event_header header = { .type = PERF_RECORD_COMM, .size = sizes[i] };
		uint8_t zeros[64] = { 0 };
		struct bench *b = begin(0);

		push(b, 0, &header, sizeof(header));
		push(b, 0, zeros, sizeof(zeros));
		push_comm(b, 1, 20, 2);
		CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
		CHECK_EQ(b->got.n, 1);
		CHECK_EQ(b->drain.v[0].malformed, 1);
		CHECK_EQ(b->fakes[0].page.data_tail, b->fakes[0].page.data_head);
		push_comm(b, 0, 30, 3);
		CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
		CHECK_EQ(b->got.n, 2);
		end(b);
	}
}

TEST(unknown_records_are_passed_over)
{
	struct __attribute__((packed)) {
		struct perf_event_header header;
		uint64_t body[4];
	} r = { .header = { .type = 200, .size = sizeof(r) } };
	struct bench *b = begin(0);

	push(b, 0, &r, sizeof(r));
	push_comm(b, 0, 20, 2);
	drain_until(&b->drain, DRAIN_ALL, NULL, 0);
	CHECK_EQ(b->got.n, 1);
	CHECK_EQ(b->drain.other_malformed, 0);
	end(b);
}

TEST(disorder_in_a_ring_does_not_go_back_in_time)
{
	struct bench *b = begin(0);

	push_comm(b, 0, 20, 1);
	push_comm(b, 0, 15, 2);
	push_comm(b, 1, 18, 3);
	drain_until(&b->drain, DRAIN_ALL, NULL, 0);
	CHECK_EQ(b->got.n, 3);
	for (size_t i = 1; i < b->got.n; i++)
		CHECK(b->got.v[i].time >= b->got.v[i - 1].time);
	end(b);
}

TEST(a_time_from_nowhere_holds_up_nothing)
{
	struct bench *b = begin(0);

	push_comm(b, 0, 10, 1);
	push_comm(b, 0, UINT64_C(0xffff888012345678), 2);
	push_comm(b, 0, 20, 3);
	push_comm(b, 0, 40, 4);
	drain_until(&b->drain, 30, NULL, 0);
	CHECK_EQ(b->got.n, 3);
	CHECK_EQ(b->got.v[2].tid, 3);
	CHECK_EQ(b->got.v[2].time, 20);
	end(b);
}

TEST(counts_go_where_they_belong)
{
	struct event counts[2] = { { .kind = EVENT_COUNT, .time = 15 }, { .kind = EVENT_COUNT, .time = 50 } };
	struct bench *b = begin(0);

	push_comm(b, 0, 10, 1);
	push_comm(b, 1, 20, 2);
	push_comm(b, 1, 60, 3);
	drain_until(&b->drain, 55, counts, 2);
	CHECK_EQ(b->got.n, 4);
	CHECK_EQ(b->got.v[1].kind, EVENT_COUNT);
	CHECK_EQ(b->got.v[2].tid, 2);
	CHECK_EQ(b->got.v[3].time, 50);
	end(b);
}

TEST(finds_who_made_a_thread)
{
	struct bench *b = begin(RING_BYTES - 24);
	uint32_t parent = 0;
	uint64_t time = 0;

	push_comm(b, 0, 5, 77);
	push_fork(b, 1, 10, 77, 70);
	push_fork(b, 1, 12, 78, 77);
	CHECK(drain_find_fork(&b->rings, 78, &parent, &time));
	CHECK_EQ(parent, 77);
	CHECK_EQ(time, 12);
	CHECK(!drain_find_fork(&b->rings, 79, &parent, &time));
	CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
	CHECK_EQ(b->got.n, 3);
	CHECK_EQ(b->got.v[1].fork.ptid, 70);
	end(b);
}

TEST(samples_of_queues_among_records_of_rings)
{
	uint64_t words[8] = { 0x1000, 0x2000, 0x3000 };
	struct bench *b = begin(0);

	queue_sample(b, 0, 30, 3, words, 0);
	queue_sample(b, 0, 50, 0, words, 0);
	push_comm(b, 0, 30, 1); /* of equal times the record comes first: it may tell of a mapping */
	push_comm(b, 1, 40, 2);
	queue_sample(b, 1, 20, 1, words, 0);
	CHECK_EQ(drain_until(&b->drain, 45, NULL, 0), 0);
	CHECK_EQ(b->got.n, 4);
	CHECK_EQ(b->got.v[0].kind, EVENT_SAMPLE);
	CHECK_EQ(b->got.v[0].cpu, 11);
	CHECK_EQ(b->got.v[1].kind, EVENT_COMM);
	CHECK_EQ(b->got.v[2].kind, EVENT_SAMPLE);
	CHECK_EQ(b->got.v[2].pid, 7);
	CHECK_EQ(b->got.v[2].tid, 8);
	CHECK_EQ(b->got.v[2].time, 30);
	CHECK_EQ(b->got.v[2].sample.user.n, 3);
	CHECK(!memcmp(b->got.words[2], words, 24));
	CHECK_EQ(b->got.v[3].kind, EVENT_COMM);
	CHECK_EQ(b->qv[0].shared->tail, sizeof(struct event_raw_sample) + 24);
	CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
	CHECK_EQ(b->got.n, 5);
	CHECK_EQ(b->qv[0].shared->tail, b->qv[0].shared->head);
	end(b);
}

/* The last of a round reaches behind it, and the next one begins the next round. */
TEST(rounds_of_a_queue)
{
	uint64_t words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct bench *b = begin(0);
	size_t i = 0;

	while (b->qv[0].shared->head < 5 * QUEUE_BYTES) {
		uint64_t place = b->qv[0].shared->head % QUEUE_BYTES;
		uint16_t n = (uint16_t)(i % 9);

		queue_sample(b, 0, 10 + i, n, words, i % 13 == 5 ? 1000 : 0);
		CHECK(b->qv[0].shared->head % QUEUE_BYTES == 0 || b->qv[0].shared->head % QUEUE_BYTES > place);
		b->got.n = 0;
		CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
		CHECK_EQ(b->got.n, 1);
		CHECK_EQ(b->got.v[0].time, 10 + i);
		CHECK_EQ(b->got.v[0].sample.user.n, n);
		CHECK(!n || !memcmp(b->got.words[0], words, 8u * n));
		CHECK_EQ(b->got.v[0].sample.copy ? b->got.v[0].sample.copy->size : 0, i % 13 == 5 ? 1000 : 0);
		i++;
	}
	CHECK_EQ(b->drain.v[2].samples, i);
	CHECK_EQ(b->drain.v[2].malformed, 0);
	end(b);
}

static void lie_about_size(struct event_raw_sample *raw, int how)
{
	static const uint32_t sizes[] = { 0, 8, 63, 76, 4096, UINT32_MAX - 7 };

	raw->size = sizes[how];
}

TEST(sizes_of_queued_samples_that_make_no_sense)
{
	uint64_t words[8] = { 1, 2, 3 };

	for (int how = 0; how < 6; how++) {
		struct bench *b = begin(QUEUE_BYTES - 128);

		lie_about_size(queue_sample(b, 0, 10, 3, words, 0), how);
		queue_sample(b, 1, 11, 3, words, 0);
		CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
		CHECK_EQ(b->got.n, 1);
		CHECK_EQ(b->drain.v[2].malformed, 1);
		CHECK_EQ(b->qv[0].shared->tail, b->qv[0].shared->head);
		queue_sample(b, 0, 12, 3, words, 0);
		CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
		CHECK_EQ(b->got.n, 2);
		end(b);
	}
}

TEST(queued_samples_that_lie)
{
	uint64_t words[8] = { 1, 2, 3 }, samples, malformed;
	struct bench *b = begin(0);
	struct event_raw_sample *raw;

	queue_sample(b, 0, 10, 3, words, 0)->nustack = 4;
	queue_sample(b, 0, 11, 3, words, 0)->nkstack = UINT16_MAX;
	queue_sample(b, 0, 12, 3, words, 0)->kind = 2;
	queue_sample(b, 0, 13, 3, words, 0)->flags |= EVENT_STACK_COPY; /* there is none */
	raw = queue_sample(b, 1, 14, 1, words, 100);
	((struct event_raw_copy *)((uint64_t *)(raw + 1) + 1))->size = 105;
	queue_sample(b, 1, 15, 3, words, 0);
	CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 0);
	CHECK_EQ(b->got.n, 1);
	CHECK_EQ(b->got.v[0].time, 15);
	drain_count(&b->drain, 10, &samples, &malformed);
	CHECK_EQ(samples, 0);
	CHECK_EQ(malformed, 4);
	drain_count(&b->drain, 11, &samples, &malformed);
	CHECK_EQ(samples, 1);
	CHECK_EQ(malformed, 1);
	end(b);
}

static int stop(void *state, const struct event *event)
{
	(*(int *)state)++;
	return 5;
}

TEST(the_sink_can_stop_it)
{
	struct bench *b = begin(0);
	int calls = 0;

	b->drain.sink = stop;
	b->drain.state = &calls;
	push_comm(b, 0, 10, 1);
	push_comm(b, 0, 11, 2);
	CHECK_EQ(drain_until(&b->drain, DRAIN_ALL, NULL, 0), 5);
	CHECK_EQ(calls, 1);
	end(b);
}

TEST_MAIN()
