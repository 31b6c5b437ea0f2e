/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Payloads: repeated {uv section id, uv length, content}, ids ascending.  Per
 * kind of chunk there is one table of sections; encoding and decoding both walk
 * it.
 *
 * Decoding checks everything that can be checked with what stood before in the
 * segment; that is carried in `struct defined`.
 */
#ifndef FOLD_FORMAT_SECTION_H
#define FOLD_FORMAT_SECTION_H

#include "arena.h"
#include "buf.h"
#include "fold.h"
#include "wire.h"

#define FOLD_CRITICAL_IDS 64 /* section and column ids below this one must be known */

/* Offset spaces of modules in the linear module space, ascending. */
struct module_range {
	uint64_t base, span;
};
struct module_ranges {
	struct module_range *v;
	size_t room;
};
void module_ranges_release(struct module_ranges *ranges); /* accepts a zeroed struct */

/* What a segment has defined so far: how many of each kind, lost ones included. */
struct defined {
	uint64_t next[FOLD_SECTION_MAX]; /* by section id: the id that comes next */
	uint64_t space;                  /* end of the last module in the linear module space */
	uint64_t string_bytes, nodes;    /* against their limits */
	struct module_ranges *ranges;    /* the first nranges are known modules */
	size_t nranges;
	uint32_t torn;     /* bit 1 << section id: definitions may be lost */
	/* of META */
	uint32_t nevents, nweights, flags;
	uint64_t tick_ns;
};
void defined_init(struct defined *known, const struct fold_meta *meta, struct module_ranges *ranges);
void defined_tear(struct defined *known); /* a chunk was lost: any definition may be */

/* One chunk being decoded. */
struct decoding {
	struct arena *arena;
	struct defined known;  /* a copy: of use only when the whole chunk was good */
	/* on failure */
	int section;           /* where, 0 between sections */
	uint64_t detail;       /* the number refused */
	const char *rule;      /* of SPEC.md */
	/* for those who want to know more than whether it is good */
	uint64_t passed;       /* ancillary sections and columns passed over */
	bool high_marker;      /* a marker above FOLD_MARK_OTHER was read as that */
	uint32_t size[FOLD_SECTION_MAX]; /* bytes of each critical section */
};
/* The first thing that went wrong: the number that was wrong, the rule that it
 * breaks (NULL: the one that goes with `why` in general). */
void decoding_fail(struct decoding *d, struct span *s, enum fold_error why, uint64_t detail, const char *rule);
/* The next number, which must not be above `max`. */
uint64_t decoding_max(struct decoding *d, struct span *s, uint64_t max, enum fold_error why, const char *rule);
/* `n` things that live as long as the chunk; NULL and a bad span without memory. */
void *decoding_alloc(struct decoding *d, struct span *s, size_t n, size_t size);
/* References to what `section` defines lie below this number. */
uint64_t decoding_bound(const struct decoding *d, int section);
/* The rule that others break: after a loss there is only the limit left to keep. */
const char *decoding_bound_rule(const struct decoding *d, int section);
/* The next number, a reference to what `section` defines; decoding_refer_plus: as
 * id + 1, where 0 is none. */
uint64_t decoding_refer(struct decoding *d, struct span *s, int section, const char *rule);
uint64_t decoding_refer_plus(struct decoding *d, struct span *s, int section);
/* Is `id`, which was just read, a reference to what `section` defines?  Fails otherwise. */
void decoding_defined(struct decoding *d, struct span *s, uint64_t id, int section);

struct section {
	int id;
	bool required;
	void (*encode)(struct buf *to, const void *chunk, uint32_t meta_flags);
	void (*decode)(struct decoding *d, struct span *s, void *chunk);
};
struct section_table {
	const struct section *v;
	size_t n;
};
extern const struct section_table meta_sections;    /* struct fold_meta */
extern const struct section_table batch_sections;   /* struct fold_batch */
extern const struct section_table end_sections;     /* struct fold_end */
extern const struct section_table note_sections;    /* struct fold_note */
extern const struct section_table symbols_sections; /* struct fold_symbols */

#define ALL_SECTIONS UINT64_MAX

/* Encode the sections of `chunk` whose FOLD_HAVE() is in `have`. */
void sections_encode(const struct section_table *table, const void *chunk, uint64_t have, uint32_t meta_flags, struct buf *to);

/* Decode a payload into `chunk`, which is zeroed.  `have` gets a bit per known
 * section found.  Not OK: the reason; `d` says where. */
enum fold_error sections_decode(const struct section_table *table, struct fold_bytes payload, struct decoding *d, void *chunk, uint64_t *have);

/* ---- contents of sections, by section_*.c.  Decoding ends with the content. */

void strings_encode(struct buf *to, const struct fold_strings *strings);
void strings_decode(struct decoding *d, struct span *s, struct fold_strings *strings);
void modules_encode(struct buf *to, const struct fold_modules *modules);
void modules_decode(struct decoding *d, struct span *s, struct fold_modules *modules);
void procs_encode(struct buf *to, const struct fold_procs *procs);
void procs_decode(struct decoding *d, struct span *s, struct fold_procs *procs);
void mmaps_encode(struct buf *to, const struct fold_mmaps *mmaps, uint32_t meta_flags);
void mmaps_decode(struct decoding *d, struct span *s, struct fold_mmaps *mmaps);
void threads_encode(struct buf *to, const struct fold_threads *threads);
void threads_decode(struct decoding *d, struct span *s, struct fold_threads *threads);
void syms_encode(struct buf *to, const struct fold_syms *syms);
/* `name_rule`: the rule that a reference to no string breaks; NULL the general one. */
void syms_decode(struct decoding *d, struct span *s, struct fold_syms *syms, const char *name_rule);
void account_encode(struct buf *to, const struct fold_account *account);
void account_decode(struct decoding *d, struct span *s, struct fold_account *account);
void origins_encode(struct buf *to, const struct fold_origins *origins);
void origins_decode(struct decoding *d, struct span *s, struct fold_origins *origins);

void stacks_encode(struct buf *to, const struct fold_stacks *stacks);
void stacks_decode(struct decoding *d, struct span *s, int section, struct fold_stacks *stacks);

void samples_encode(struct buf *to, const struct fold_samples *samples);
void samples_decode(struct decoding *d, struct span *s, struct fold_samples *samples);
void counts_encode(struct buf *to, const struct fold_counts *counts);
void counts_decode(struct decoding *d, struct span *s, struct fold_counts *counts);

/* The first number of a defining section: its first id. */
uint64_t define_first(struct decoding *d, struct span *s, int section);
/* One definition more; false when that is one too many. */
bool define_next(struct decoding *d, struct span *s, int section);

#endif
