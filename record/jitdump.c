/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a dump, through a window on the file.  The file is the target's: it
 * may say anything, grow, and shrink while it is read.
 */
#include "jitdump.h"

#include <string.h>
#include <unistd.h>

#define MAGIC 0x4a695444u /* in our own byte order: who writes otherwise is no process of ours */
#define VERSION 1
#define HEADER 40
#define MAX_HEADER 4096
#define FLAG_ARCH_TIME 1u /* of a clock of the processor's */
#define RECORD 16
#define RECORD_LOAD 0
#define RECORD_MOVE 1
#define LOAD (RECORD + 40)
#define MOVE (RECORD + 48)
#define MAX_RECORDS (1u << 20)

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

bool jitdump_named(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	if (!name || strncmp(name, "/jit-", 5) != 0)
		return false;
	digits = strspn(name + 5, "0123456789");
	return digits && (!strcmp(name + 5 + digits, ".dump") || !strcmp(name + 5 + digits, ".dump (deleted)"));
}

/* `n` bytes at `at`, or NULL: not there (any more). */
static const uint8_t *jitdump_bytes(struct jitdump *d, uint64_t at, size_t n)
{
	ssize_t got;

	if (at >= d->window_at && at - d->window_at <= d->window_n && n <= d->window_n - (at - d->window_at))
		return d->window + (at - d->window_at);
	if (n > JITDUMP_WINDOW || at > INT64_MAX)
		return NULL;
	got = pread(d->fd, d->window, JITDUMP_WINDOW, (off_t)at);
	d->window_at = at;
	d->window_n = got > 0 ? (size_t)got : 0;
	return n <= d->window_n ? d->window : NULL;
}

bool jitdump_begin(struct jitdump *d, int fd, uint64_t size, uint64_t from)
{
	const uint8_t *header;
	uint32_t length;

	*d = (struct jitdump){.fd = fd, .size = size, .records = MAX_RECORDS};
	header = jitdump_bytes(d, 0, HEADER);
	if (!header || u32_at(header) != MAGIC || u32_at(header + 4) != VERSION)
		return false;
	length = u32_at(header + 8);
	if (length < HEADER || length > MAX_HEADER)
		return false;
	d->pid = u32_at(header + 20);
	d->timed = !(u64_at(header + 32) & FLAG_ARCH_TIME);
	d->next = from > length ? from : length;
	return true;
}

/* The name of a load of `length` bytes ends in it. */
static bool load_name(struct jitdump *d, uint32_t length, struct jitdump_code *out)
{
	size_t n = length - LOAD < JITDUMP_MAX_NAME ? length - LOAD : JITDUMP_MAX_NAME;
	const uint8_t *record = jitdump_bytes(d, out->at, LOAD + n);
	char *name;

	if (!record)
		return false;
	name = (char *)d->window + (record - d->window) + LOAD;
	if (!memchr(name, '\0', n)) {
		if (n < JITDUMP_MAX_NAME)
			return false;
		name[n] = '\0'; /* of a longer name or its code: both are read again when they are asked for */
		d->window_n = 0;
	}
	out->name = name;
	return *name;
}

/* What a record of `length` bytes tells; false: nothing for us. */
static bool jitdump_record(struct jitdump *d, uint32_t kind, uint32_t length, struct jitdump_code *out)
{
	bool load = kind == RECORD_LOAD;
	const uint8_t *p = jitdump_bytes(d, out->at, load ? LOAD : MOVE);

	if (!p || u32_at(p + 16) != d->pid) /* a child that writes into its parent's dump */
		return false;
	out->time = d->timed ? u64_at(p + 8) : 0;
	out->start = u64_at(p + (load ? 32 : 40));
	out->size = u64_at(p + (load ? 40 : 48));
	if (!out->size || out->start + out->size < out->start)
		return false;
	if (load)
		return load_name(d, length, out);
	/* Its name is in the record of when it was made, which may be long ago. */
	out->name = "[moved code]";
	return true;
}

bool jitdump_next(struct jitdump *d, struct jitdump_code *out)
{
	while (d->records && d->next < d->size && d->size - d->next >= RECORD) {
		const uint8_t *p = jitdump_bytes(d, d->next, RECORD);
		uint32_t kind, length;

		if (!p)
			return false;
		kind = u32_at(p);
		length = u32_at(p + 4);
		if (length < RECORD || length > d->size - d->next)
			return false;
		d->records--;
		*out = (struct jitdump_code){.at = d->next};
		d->next += length;
		if ((kind == RECORD_LOAD && length > LOAD) || (kind == RECORD_MOVE && length >= MOVE)) {
			if (jitdump_record(d, kind, length, out))
				return true;
		}
	}
	return false;
}
