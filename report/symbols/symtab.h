/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function symbols of one module as disjoint address ranges: one binary search
 * per address.  Addresses are ELF virtual addresses, which a file shares with
 * its separate debug file.
 *
 * Which name an address gets:
 *  1. Candidates are STT_FUNC, STT_GNU_IFUNC and STT_NOTYPE symbols defined in an
 *     executable section.  Mapping symbols ($x, $d), local labels (.L) and other
 *     NOTYPE names that begin with "." or "$" are none.
 *  2. Sized match: a symbol names [value, value + size) and nothing else.  Where
 *     ranges nest or overlap, the one that begins last wins.
 *  3. A symbol without size names code that no sized symbol covers, as far as the
 *     next symbol of any type, the end of its section or 4096 bytes.  In .dynsym, where the
 *     symbols between may be missing, it names its own address only.
 *  4. In a kernel and its modules (`labels`), a symbol without size that lies inside
 *     a sized one names what is behind it there, as far as the next symbol of any
 *     type: assembly is full of entry points inside others, and the kernel's own
 *     kallsyms, which knows no sizes, calls them so.
 *  5. Of several names for one range: FUNC before IFUNC before NOTYPE, then not
 *     local before local, then fewer leading underscores, then shorter, then the
 *     smaller in byte order.  "@VERSION" and "@@VERSION" are taken off first.
 */
#ifndef FOLD_REPORT_SYMTAB_H
#define FOLD_REPORT_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

enum symtab_kind { SYMTAB_FULL, SYMTAB_DYNAMIC };

struct symtab_range {
	uint64_t start, end;  /* named addresses */
	uint64_t value;       /* where the function begins */
	const char *name;     /* lives as long as the Elf; not terminated: see name_size */
	uint32_t name_size;
	uint32_t kind;        /* enum symtab_kind */
};
struct symtab {
	bool labels; /* rule 4; to be set before symtab_finish */
	size_t n;
	struct symtab_range *v; /* sorted, disjoint */
	struct symtab_raw *raw; /* candidates, between symtab_add and symtab_finish */
	size_t nraw, room;
};

/* Candidates of every SHT_SYMTAB (FULL) or SHT_DYNSYM (DYNAMIC) of `elf`, which
 * must stay open.  How many there were, or -1: out of memory. */
long symtab_add(struct symtab *t, Elf *elf, enum symtab_kind kind);
/* One range that stands for itself, such as a PLT stub.  0 or -1. */
int symtab_add_range(struct symtab *t, uint64_t start, uint64_t size, const char *name, enum symtab_kind kind);
/* Candidates to ranges.  0, or -1: out of memory. */
int symtab_finish(struct symtab *t);
void symtab_release(struct symtab *t); /* accepts a zeroed struct */

/* The range that holds `address`; NULL none. */
const struct symtab_range *symtab_find(const struct symtab *t, uint64_t address);

#endif
