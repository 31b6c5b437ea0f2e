/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols and names that have been found, where they stay until the end: equal names once, demangled once. */
#ifndef FOLD_REPORT_STORE_H
#define FOLD_REPORT_STORE_H

#include "../../format/arena.h"
#include "symbolize.h"

#define STORE_MAX_SYMBOLS 1024 /* side by side */

struct store {
	struct store_block *blocks;
	struct intern names;     /* terminators are part of the bytes */
	const char **demangled;  /* by id of a name: NULL not tried; itself when there is nothing to demangle */
	size_t demangled_room;
	char *text;              /* what is being demangled */
	struct arena texts;      /* that equal no other */
	char *texts_at, *texts_end;
};

int store_init(struct store *s); /* 0, or -1: out of memory */
void store_release(struct store *s); /* accepts a zeroed struct */

/* `n` zeroed symbols side by side; NULL without memory, or beyond STORE_MAX_SYMBOLS. */
struct symbol *store_symbols(struct store *s, size_t n);
/* A terminated copy of `size` bytes, as far as the first zero; NULL without memory. */
const char *store_name(struct store *s, const char *at, size_t size);
/* Room for a text of `n` bytes that equals no other; NULL without memory.  What was used of it ends at `end`. */
char *store_text(struct store *s, size_t n);
void store_text_end(struct store *s, char *end);
/* What a name of store_name() is demangled; the name itself when it is not mangled. */
const char *store_demangled(struct store *s, const char *name);

#endif
