/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: every reader of report/symbols on any bytes as an ELF file:
 * symbols, stubs, packed and split debug information, DWARF walks and lines.
 * Answers must keep their promises: ranges sorted and disjoint, frames inside
 * the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../report/symbols/debuglink.h"
#include "../../report/symbols/demangle.h"
#include "../../report/symbols/dwarf.h"
#include "../../report/symbols/minidebug.h"
#include "../../report/symbols/plt.h"
#include "../../report/symbols/symtab.h"

#define QUERIES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "promise broken: %s\n", what);
	abort();
}

static void check_symtab(const struct symtab *t)
{
	static char text[DEMANGLE_MAX_OUT + 1];

	for (size_t i = 0; i < t->n; i++) {
		const struct symtab_range *r = &t->v[i];
		char name[512];

		require(r->start < r->end && r->value <= r->start, "a range is a range of its function");
		require(!i || t->v[i - 1].end <= r->start, "ranges are sorted and disjoint");
		require(symtab_find(t, r->start) == r, "a range is found");
		snprintf(name, sizeof(name), "%.*s", r->name_size > 500 ? 500 : (int)r->name_size, r->name);
		demangle(name, text);
	}
}

/* The file itself plays the files that it refers to. */
static Elf *find_supplement(void *context, const char *name, const uint8_t *id, size_t id_size)
{
	return context;
}

static Elf *find_split(void *context, const char *comp_dir, const char *path)
{
	return context;
}

static int compare_queries(const void *x, const void *y)
{
	const struct dwarf_query *a = x, *b = y;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void check_dwarf(Elf *elf, const struct symtab *t)
{
	struct dwarf_finder finder = {elf, find_supplement, find_split};
	struct dwarf_query queries[QUERIES] = {0};
	struct dwarf_answer answer = {0};
	struct dwarf *d;

	for (size_t i = 0; i < QUERIES; i++)
		queries[i].address = i < t->n ? t->v[i].start : 0x1000 + i * 16;
	qsort(queries, QUERIES, sizeof(*queries), compare_queries);
	if (dwarf_new(&d, elf, &finder))
		return;
	if (!dwarf_resolve(d, queries, QUERIES, &answer))
		for (size_t i = 0; i < QUERIES; i++)
			require((size_t)queries[i].first + queries[i].n <= answer.n, "frames are in the answer");
	for (size_t i = 0; i < answer.n; i++)
		require((!answer.frames[i].name || strlen(answer.frames[i].name) < 1u << 30) &&
			(!answer.frames[i].file || strlen(answer.frames[i].file) < 1u << 30), "names are strings");
	dwarf_answer_release(&answer);
	dwarf_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab table = {0}, stubs = {0};
	struct plt_names names = {0};
	struct minidebug packed = {0};
	struct debuglink link;
	struct elf_file file;
	char *image;

	if (size < 64 || size > 1 << 20 || !(image = malloc(size)))
		return 0;
	memcpy(image, data, size);
	if (!elf_file_memory(&file, "fuzz", image, size)) {
		if (symtab_add(&table, file.elf, SYMTAB_FULL) >= 0 && symtab_add(&table, file.elf, SYMTAB_DYNAMIC) >= 0 &&
		    !minidebug_open(&packed, file.elf))
			symtab_add(&table, packed.file.elf, SYMTAB_FULL);
		if (!symtab_finish(&table) && !plt_add(&stubs, &names, file.elf, &table) && !symtab_finish(&stubs)) {
			check_symtab(&table);
			check_symtab(&stubs);
			check_dwarf(file.elf, &table);
		}
		if (debuglink_read(file.elf, &link))
			debuglink_proves(&link, &file);
		symtab_release(&table);
		symtab_release(&stubs);
		plt_names_release(&names);
		minidebug_release(&packed);
		elf_file_close(&file);
	}
	free(image);
	return 0;
}
