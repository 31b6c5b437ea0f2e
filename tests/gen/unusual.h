/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording being made up: what it has defined so far, and the random values
 * that all of it is made of.
 */
#ifndef FOLD_TESTS_UNUSUAL_H
#define FOLD_TESTS_UNUSUAL_H

#include "gen.h"

enum { MAX_MODULES = 64 };

struct recording {
	struct random random;
	struct writer *w;
	struct pool pool;
	struct fold_meta meta;
	size_t nweights;                  /* the largest of the events */
	uint64_t strings;                 /* next id */
	size_t nmodules;
	uint32_t kind[MAX_MODULES];
	uint64_t base[MAX_MODULES], span[MAX_MODULES];
	uint64_t space;                   /* end of the last module */
	uint64_t procs, threads, kstacks, ustacks;
	uint64_t origin_end;              /* processes below it have an origin */
	struct fold_total totals[FOLD_MAX_EVENTS];
};

/* ---- any.c */

/* 0 .. n - 1; 0 when n is 0. */
uint64_t below(struct recording *g, uint64_t n);
/* True once in `n` times. */
bool once_in(struct recording *g, uint64_t n);
/* Of any magnitude: each number of bits is as likely. */
uint64_t any(struct recording *g);
uint32_t any32(struct recording *g);
/* An enumeration with values up to `last`; sometimes one that is unknown. */
uint32_t any_of(struct recording *g, uint32_t last);
/* Ticks whose nanoseconds fit. */
int64_t any_time(struct recording *g);
struct fold_bytes any_bytes(struct recording *g, size_t size);
/* Often one that breaks outputs; not empty. */
struct fold_bytes any_string(struct recording *g);

/* ---- sections.c: each fills its section and takes note of what it defines */

void any_strings(struct recording *g, struct fold_strings *strings);
void any_modules(struct recording *g, struct fold_modules *modules);
void any_procs(struct recording *g, struct fold_procs *procs);
void any_mmaps(struct recording *g, struct fold_mmaps *mmaps);
void any_threads(struct recording *g, struct fold_threads *threads);
/* `next`: the id that comes next on this side. */
void any_stacks(struct recording *g, struct fold_stacks *stacks, uint64_t *next);
void any_samples(struct recording *g, struct fold_samples *s);
void any_counts(struct recording *g, struct fold_counts *c);
void any_account(struct recording *g, struct fold_account *account);
/* Of modules that KSYMS may name, or of the others; names below `names`. */
void any_syms(struct recording *g, struct fold_syms *syms, bool kernel, uint64_t names);

/* Which processes came from where, of those that no origin was given yet. */
void any_origins(struct recording *g, struct fold_origins *origins);

#endif
