/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses, sorts and searches kallsyms.  Only text symbols are kept; where several
 * stand at one address, the rule of symbol_rank.h chooses.
 */
#include "kallsyms.h"
#include "array.h"
#include "lines.h"
#include "symbol_rank.h"

#include <stdlib.h>
#include <string.h>

#define KALLSYMS_MAX_NAMES (256u << 20)
#define KALLSYMS_LAST (UINT64_C(64) << 10) /* the most that one without a successor covers */

bool kallsyms_parse(char *line, struct kallsyms_line *out)
{
	char *p = line, *end;
	uint64_t address = 0;

	for (; ; p++) {
		if (*p >= '0' && *p <= '9')
			address = address << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			address = address << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	if (p == line || p - line > 16 || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	*out = (struct kallsyms_line){.address = address, .type = p[1], .name = p + 3, .owner = ""};
	p = strchr(p + 3, '\t');
	if (!p)
		return true;
	*p++ = '\0';
	end = strchr(p, ']');
	if (*p != '[' || !end)
		return false;
	*end = '\0';
	out->owner = p + 1;
	return *out->name != '\0';
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static int kallsyms_add(struct kallsyms *k, const struct kallsyms_line *line)
{
	size_t n = strlen(line->name) + 1;
	struct kallsyms_symbol *v;
	char *names;

	if (k->names_size > KALLSYMS_MAX_NAMES - n)
		return 0;
	v = array_grow(k->v, &k->room, k->n + 1, sizeof(*v));
	names = array_grow(k->names, &k->names_room, k->names_size + n, 1);
	if (v)
		k->v = v;
	if (names)
		k->names = names;
	if (!v || !names)
		return -1;
	memcpy(names + k->names_size, line->name, n);
	v[k->n++] = (struct kallsyms_symbol){
		.start = line->address,
		.name = (uint32_t)k->names_size,
		.local = line->type == 't' || line->type == 'w',
		.program = !strcmp(line->owner, "bpf") || !strncmp(line->owner, "__builtin__", 11),
		.module = *line->owner != '\0',
	};
	k->names_size += n;
	return 0;
}

static int symbol_order(const void *va, const void *vb)
{
	const struct kallsyms_symbol *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* The kernel lists them in order, but for modules. */
static void kallsyms_sort(struct kallsyms *k)
{
	bool sorted = true;

	for (size_t i = 1; sorted && i < k->n; i++)
		sorted = k->v[i - 1].start <= k->v[i].start;
	if (!sorted)
		qsort(k->v, k->n, sizeof(*k->v), symbol_order);
}

/* A mark, not a function: what follows it is no code. */
static bool ends_text(const char *name)
{
	return !strcmp(name, "_etext") || !strcmp(name, "_einittext");
}

/* One symbol for each address, with its end; marks are taken out. */
static void kallsyms_pack(struct kallsyms *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++) {
		const struct kallsyms_symbol *sym = &k->v[i], *last = n ? &k->v[n - 1] : NULL;

		if (!last || last->start != sym->start)
			k->v[n++] = *sym;
		else if (symbol_better(k->names + sym->name, sym->local, k->names + last->name, last->local))
			k->v[n - 1] = *sym;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t next = i + 1 < n ? k->v[i + 1].start : UINT64_MAX;

		k->v[i].end = next - k->v[i].start > KALLSYMS_LAST && (i + 1 == n || k->v[i].module != k->v[i + 1].module) ?
			k->v[i].start + KALLSYMS_LAST : next;
		if (k->v[i].program && next - k->v[i].start > KALLSYMS_LAST)
			k->v[i].end = k->v[i].start + KALLSYMS_LAST;
	}
	k->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!ends_text(k->names + k->v[i].name))
			k->v[k->n++] = k->v[i];
	}
}

int kallsyms_load(struct kallsyms *k, int fd)
{
	struct kallsyms_line one;
	struct lines lines;
	size_t n;
	int err = 0;

	*k = (struct kallsyms){0};
	if (lines_init(&lines, fd))
		return -1;
	for (char *line; !err && (line = lines_next(&lines, &n));) {
		if (!kallsyms_parse(line, &one) || !one.address)
			continue;
		if (is_text(one.type))
			err = kallsyms_add(k, &one);
		else if (!strcmp(one.name, "_end"))
			k->image_end = one.address;
	}
	lines_release(&lines);
	kallsyms_sort(k);
	kallsyms_pack(k);
	return err;
}

void kallsyms_release(struct kallsyms *k)
{
	free(k->v);
	free(k->names);
	*k = (struct kallsyms){0};
}

struct kallsyms_symbol *kallsyms_find(const struct kallsyms *k, uint64_t address)
{
	size_t lo = 0, hi = k->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->v[mid].end > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo < k->n && k->v[lo].start <= address ? &k->v[lo] : NULL;
}
