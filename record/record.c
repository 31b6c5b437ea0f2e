/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layouts of perf records, one function each.  A cursor keeps within the
 * body, which ends where the trailer (pid, tid, time, cpu) begins.
 */
#include "record.h"

#include <stdbool.h>
#include <string.h>

#include "../bpf/event.h"
#include "../format/fold.h"

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

#define MMAP_BUILD_ID_MAX 20
#define NO_NUMBER UINT32_MAX /* pid, tid of a thread that is past its end */
#define BPF_EVENT_SIZE 24 /* header, type, flags, id, tag */

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static void take(struct cursor *c, void *to, size_t n)
{
	if (c->bad || (size_t)(c->end - c->at) < n) {
		c->bad = true;
		memset(to, 0, n);
		return;
	}
	memcpy(to, c->at, n);
	c->at += n;
}

static uint16_t take16(struct cursor *c)
{
	uint16_t v;

	take(c, &v, sizeof(v));
	return v;
}

static uint32_t take32(struct cursor *c)
{
	uint32_t v;

	take(c, &v, sizeof(v));
	return v;
}

static uint64_t take64(struct cursor *c)
{
	uint64_t v;

	take(c, &v, sizeof(v));
	return v;
}

/* Text to the end of the body; must be terminated within it. */
static const char *take_text(struct cursor *c)
{
	const char *text = (const char *)c->at;

	if (c->bad || !memchr(c->at, 0, (size_t)(c->end - c->at))) {
		c->bad = true;
		return "";
	}
	return text;
}

bool record_name_ends(uint64_t word)
{
	/* Is one of its bytes 0? */
	return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

size_t record_time_offset(uint32_t type, size_t size)
{
	if (type == PERF_RECORD_BPF_EVENT)
		return BPF_EVENT_SIZE + 8;
	/* header, pid, tid, time; or pid, tid, time, cpu at the end */
	return type == PERF_RECORD_SAMPLE ? sizeof(struct perf_event_header) + 8 : size - RECORD_TRAILER + 8;
}

/* ---- samples */

/* Zero words at the root are where a walk ran off; a stack map does not keep them
 * either. */
static void set_stack(struct event_stack *stack, uint64_t id, int32_t err, uint32_t end, const uint64_t *words, uint32_t n, uint32_t max)
{
	stack->id = id;
	stack->err = err;
	stack->end = end;
	if (n && n >= max && end == FOLD_STACK_END_UNKNOWN)
		stack->end = FOLD_STACK_END_DEPTH;
	while (n > 1 && !words[n - 1])
		n--;
	stack->words = n ? words : NULL;
	stack->n = n;
}

static void set_sample(struct event *event, const struct event_raw_sample *raw, const uint64_t *words, uint32_t max_frames)
{
	event->kind = EVENT_SAMPLE;
	event->sample.ip = raw->ip;
	event->sample.flags = raw->flags;
	event->sample.event = raw->event;
	set_stack(&event->sample.kernel, raw->kstack, raw->kerr, 0, words, raw->nkstack, max_frames);
	set_stack(&event->sample.user, raw->ustack, raw->uerr, raw->user_end, words + raw->nkstack, raw->nustack, max_frames);
}

/* A sample that came through perf's ring brings no copy. */
static void decode_sample(struct cursor *c, uint32_t max_frames, struct record_frames *frames, struct event *event)
{
	struct event_raw_sample raw;
	size_t n;

	event->kind = EVENT_SAMPLE;
	event->pid = take32(c);
	event->tid = take32(c);
	event->time = take64(c);
	take64(c); /* cpu */
	take32(c); /* size of the raw data with its padding; the record's own is checked */
	take(c, &raw, sizeof(raw));
	if ((event->pid == NO_NUMBER || event->tid == NO_NUMBER) && raw.pid) {
		event->pid = raw.pid;
		event->tid = raw.tid;
	}
	n = (size_t)raw.nkstack + raw.nustack;
	if (c->bad || raw.kind != EVENT_RAW_SAMPLE || raw.flags & EVENT_STACK_COPY || n > sizeof(frames->v) / sizeof(frames->v[0])) {
		c->bad = true;
		return;
	}
	take(c, frames->v, n * sizeof(frames->v[0]));
	set_sample(event, &raw, frames->v, max_frames);
}

enum record_result record_sample(const struct event_raw_sample *raw, uint32_t max_frames, struct event *event)
{
	const uint64_t *words = (const uint64_t *)(raw + 1);
	size_t n = (size_t)raw->nkstack + raw->nustack, left = raw->size - sizeof(*raw);
	const struct event_raw_copy *copy = (const struct event_raw_copy *)(words + n);

	memset(event, 0, sizeof(*event));
	if (raw->kind != EVENT_RAW_SAMPLE || n * sizeof(*words) > left)
		return RECORD_MALFORMED;
	left -= n * sizeof(*words);
	if (raw->flags & EVENT_STACK_COPY) {
		if (left < sizeof(*copy) || copy->size > left - sizeof(*copy))
			return RECORD_MALFORMED;
		event->sample.copy = copy;
	}
	event->pid = raw->pid;
	event->tid = raw->tid;
	event->time = raw->time;
	set_sample(event, raw, words, max_frames);
	return RECORD_EVENT;
}

/* ---- mappings, processes, kernel text */

static void decode_mmap(struct cursor *c, uint16_t misc, struct event *event)
{
	struct event_mmap *m = &event->mmap;

	event->kind = EVENT_MMAP;
	event->pid = take32(c);
	event->tid = take32(c);
	m->start = take64(c);
	m->length = take64(c);
	m->offset = take64(c);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		uint8_t size[4]; /* and three unused bytes */

		take(c, size, sizeof(size));
		take(c, m->build_id, MMAP_BUILD_ID_MAX);
		m->build_id_size = size[0] <= MMAP_BUILD_ID_MAX ? size[0] : 0;
	} else {
		m->major = take32(c);
		m->minor = take32(c);
		m->inode = take64(c);
		take64(c); /* generation */
	}
	m->prot = take32(c);
	take32(c); /* MAP_ flags */
	m->path = take_text(c);
}

static void decode_comm(struct cursor *c, uint16_t misc, struct event *event)
{
	event->kind = EVENT_COMM;
	event->pid = take32(c);
	event->tid = take32(c);
	event->comm.exec = misc & PERF_RECORD_MISC_COMM_EXEC;
	event->comm.comm = take_text(c);
}

/* FORK and EXIT: pid, parent's pid, tid, parent's tid */
static void decode_task(struct cursor *c, enum event_kind kind, struct event *event)
{
	event->kind = kind;
	event->pid = take32(c);
	event->fork.ppid = take32(c);
	event->tid = take32(c);
	event->fork.ptid = take32(c);
}

static void decode_ksymbol(struct cursor *c, struct event *event)
{
	struct event_ksymbol *k = &event->ksymbol;

	event->kind = EVENT_KSYMBOL;
	k->start = take64(c);
	k->length = take32(c);
	k->type = take16(c);
	k->unregister = take16(c) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	k->name = take_text(c);
}

static void decode_lost(struct cursor *c, struct event *event)
{
	event->kind = EVENT_LOST;
	take64(c); /* id of the event */
	event->lost.records = take64(c);
}

/* Where the trailer begins in a record that is no sample. */
static const uint8_t *find_trailer(const struct perf_event_header *header)
{
	const uint8_t *begin = (const uint8_t *)header, *end = begin + header->size - RECORD_TRAILER;
	uint64_t word;

	for (const uint8_t *p = begin + RECORD_KSYMBOL_NAME; header->type == PERF_RECORD_KSYMBOL && p + sizeof(word) < end; p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		if (record_name_ends(word))
			return p + sizeof(word);
	}
	return end;
}

/* pid, tid, time, cpu: what ends every record that is no sample */
static void decode_trailer(const uint8_t *trailer, struct event *event)
{
	struct cursor c = { .at = trailer, .end = trailer + RECORD_TRAILER };

	event->pid = take32(&c);
	event->tid = take32(&c);
	event->time = take64(&c);
}

enum record_result record_decode(const struct perf_event_header *header, uint32_t max_frames, struct record_frames *frames, struct event *event)
{
	const uint8_t *begin = (const uint8_t *)header, *end = begin + header->size;
	struct cursor c = { .at = begin + sizeof(*header), .end = find_trailer(header) };

	memset(event, 0, sizeof(*event));
	if (header->type != PERF_RECORD_SAMPLE)
		decode_trailer(c.end, event);
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		c.end = end;
		decode_sample(&c, max_frames, frames, event);
		break;
	case PERF_RECORD_MMAP2:
		decode_mmap(&c, header->misc, event);
		break;
	case PERF_RECORD_COMM:
		decode_comm(&c, header->misc, event);
		break;
	case PERF_RECORD_FORK:
		decode_task(&c, EVENT_FORK, event);
		break;
	case PERF_RECORD_EXIT:
		decode_task(&c, EVENT_EXIT, event);
		break;
	case PERF_RECORD_KSYMBOL:
		decode_ksymbol(&c, event);
		break;
	case PERF_RECORD_LOST:
		decode_lost(&c, event);
		break;
	case PERF_RECORD_THROTTLE:
		event->kind = EVENT_THROTTLE;
		break;
	default:
		return RECORD_IGNORED;
	}
	return c.bad ? RECORD_MALFORMED : RECORD_EVENT;
}
