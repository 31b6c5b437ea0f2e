/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Demangling with libiberty, which has survived a decade of fuzzing but promises
 * no bound on time or output: substitutions can double a name at every step.  So
 * output is streamed and cut off, and D, which cannot be streamed, is only tried
 * when it has few back references.
 */
#include "demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#define OPTIONS (DMGL_PARAMS | DMGL_ANSI)
#define MAX_D_REFERENCES 40 /* two for each doubling: a million characters at worst */

struct sink {
	char *at;
	size_t n;
	jmp_buf full;
};

static void sink_put(const char *text, size_t n, void *opaque)
{
	struct sink *sink = opaque;

	if (n > DEMANGLE_MAX_OUT - sink->n)
		longjmp(sink->full, 1); /* the demanglers keep their state on the stack */
	if (n) /* an empty piece may be NULL */
		memcpy(sink->at + sink->n, text, n);
	sink->n += n;
}

typedef int streamed(const char *name, int options, demangle_callbackref callback, void *opaque);

static size_t stream(streamed *demangler, const char *name, char *buf)
{
	struct sink sink = {.at = buf};

	if (setjmp(sink.full))
		return 0;
	if (!demangler(name, OPTIONS, sink_put, &sink))
		return 0;
	buf[sink.n] = 0;
	return sink.n;
}

static size_t demangle_d(const char *name, char *buf)
{
	size_t references = 0, n = 0;
	char *text;

	for (const char *p = name; *p; p++)
		references += *p == 'Q';
	if (references > MAX_D_REFERENCES)
		return 0;
	text = dlang_demangle(name, OPTIONS);
	if (text)
		n = strlen(text);
	if (n > DEMANGLE_MAX_OUT)
		n = 0;
	memcpy(buf, text ? text : "", n);
	buf[n] = 0;
	free(text);
	return n;
}

/* Linkers and compilers of some systems put more underscores before _Z and _R. */
static const char *without_extra_underscores(const char *name)
{
	size_t n = strspn(name, "_");

	return n == 2 || n == 3 ? name + n - 1 : name;
}

static size_t demangle_plain(const char *name, char *buf)
{
	const char *plain = without_extra_underscores(name);
	size_t n = 0;

	switch (plain[1]) {
	case 'Z': /* legacy Rust looks like C++ with a hash in the last component */
		n = stream(rust_demangle_callback, plain, buf);
		return n ? n : stream(cplus_demangle_v3_callback, plain, buf);
	case 'R':
		return stream(rust_demangle_callback, plain, buf);
	case 'D':
		return demangle_d(plain, buf);
	default:
		return 0;
	}
}

/* What stands behind the name of a stub that leads to another file; see plt.h. */
#define STUB "@plt"

size_t demangle(const char *name, char *buf)
{
	size_t n = strnlen(name, DEMANGLE_MAX_IN + 1), tail = strlen(STUB);
	char head[DEMANGLE_MAX_IN + 1];

	if (name[0] != '_' || n > DEMANGLE_MAX_IN)
		return 0;
	if (n <= tail || strcmp(name + n - tail, STUB))
		return demangle_plain(name, buf);
	memcpy(head, name, n - tail);
	head[n - tail] = 0;
	n = demangle_plain(head, buf);
	if (!n || n + tail > DEMANGLE_MAX_OUT)
		return 0;
	memcpy(buf + n, STUB, tail + 1);
	return n + tail;
}

/* Is [at, at + n) one of them, with or without its number? */
static bool is_suffix(const char *at, size_t n)
{
	static const char *const words[] = {"cold", "part", "isra", "constprop", "lto_priv", "llvm", "localalias", "warm", "org", "clone"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], at, n))
			return true;
	return false;
}

size_t name_without_suffix(const char *name)
{
	size_t end = strlen(name);

	for (;;) {
		size_t word_end = end, at;

		while (word_end && name[word_end - 1] >= '0' && name[word_end - 1] <= '9')
			word_end--;
		if (word_end == end || !word_end || name[word_end - 1] != '.')
			word_end = end; /* no number */
		else
			word_end--;
		for (at = word_end; at && name[at - 1] != '.'; at--)
			;
		if (at < 2 || !is_suffix(name + at, word_end - at))
			return end;
		end = at - 1;
	}
}
