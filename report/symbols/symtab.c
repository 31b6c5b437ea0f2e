/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbol tables to disjoint named ranges, by the rules in symtab.h.  Owns
 * nothing of the file: names point into it.
 */
#include "symtab.h"

#include <stdlib.h>
#include <string.h>

#include "relocatable.h"

#define MAX_SYMBOLS (1u << 24)
#define MAX_NAME 65536
/* Names may overlap: how many bytes they can have for each of their table, and to begin with. */
#define NAMES_A_BYTE 16
#define NAMES_AT_ALL (UINT64_C(1) << 26)
#define SIZELESS_REACH 4096

enum raw_class { RAW_FUNC = 0, RAW_IFUNC = 1, RAW_NOTYPE = 2, RAW_BOUND = 3 /* no name, but something else begins here */ };

struct symtab_raw {
	uint64_t value, size;
	uint64_t room;        /* bytes from value to the end of its section */
	const char *name;
	uint32_t name_size;
	uint8_t class, local, kind, underscores;
};

/* ------------------------------------------------------------ collecting */

struct sections { /* of one file, by index */
	GElf_Shdr *v;
	size_t n;
	bool relative; /* symbols count from their sections */
};

/* A kernel module's sections get the addresses that the kernel gives them. */
static int sections_place(struct sections *s, Elf *elf)
{
	uint64_t *addresses = malloc((s->n + 1) * sizeof(*addresses));

	if (!addresses)
		return -1;
	relocatable_layout(elf, addresses, s->n);
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].sh_addr = addresses[i];
		if (addresses[i] == RELOCATABLE_NOWHERE)
			s->v[i].sh_flags = 0;
	}
	free(addresses);
	return 0;
}

static int sections_read(struct sections *s, Elf *elf)
{
	size_t n;

	*s = (struct sections){0};
	if (elf_getshdrnum(elf, &n) || !n)
		return 0;
	s->v = calloc(n, sizeof(*s->v));
	if (!s->v)
		return -1;
	for (s->n = 0; s->n < n; s->n++) {
		Elf_Scn *scn = elf_getscn(elf, s->n);

		if (!scn || !gelf_getshdr(scn, &s->v[s->n]))
			break;
	}
	s->relative = relocatable(elf);
	return s->relative ? sections_place(s, elf) : 0;
}

/* A name in the table, which has `left` bytes of names left; "" where that is too little. */
static const char *name_at(struct elf_strings strings, uint64_t offset, uint64_t *left)
{
	const char *name = *left ? elf_string(strings, offset, MAX_NAME) : NULL;
	uint64_t n = name ? strlen(name) : MAX_NAME; /* so many were looked at */

	*left -= n < *left ? n : *left;
	return name ? name : "";
}

/* "memcpy@@GLIBC_2.14" is memcpy. */
static uint32_t unversioned(const char *name)
{
	const char *at = *name ? strchr(name + 1, '@') : NULL;
	size_t n = at ? (size_t)(at - name) : strlen(name);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static enum raw_class class_of(const GElf_Sym *sym, const char *name)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
		return *name ? RAW_FUNC : RAW_BOUND;
	case STT_GNU_IFUNC:
		return *name ? RAW_IFUNC : RAW_BOUND;
	case STT_NOTYPE:
		return *name && *name != '$' && *name != '.' ? RAW_NOTYPE : RAW_BOUND;
	default:
		return RAW_BOUND;
	}
}

static struct symtab_raw *raw_push(struct symtab *t)
{
	if (t->nraw == t->room) {
		size_t room = t->room ? t->room * 2 : 1024;
		struct symtab_raw *v;

		if (room > MAX_SYMBOLS)
			return NULL;
		v = realloc(t->raw, room * sizeof(*v));
		if (!v)
			return NULL;
		t->raw = v;
		t->room = room;
	}
	return &t->raw[t->nraw++];
}

static uint8_t leading_underscores(const char *name)
{
	size_t n = strspn(name, "_");

	return n > 255 ? 255 : (uint8_t)n;
}

/* False: out of memory. */
static bool add_symbol(struct symtab *t, const GElf_Sym *sym, const char *name, const GElf_Shdr *section,
		       bool thumb, enum symtab_kind kind)
{
	uint64_t value = sym->st_value, size = sym->st_size, room;
	struct symtab_raw *raw;
	enum raw_class class;

	if (thumb && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		value &= ~UINT64_C(1);
	if (value < section->sh_addr || value - section->sh_addr >= section->sh_size ||
	    section->sh_size > UINT64_MAX - section->sh_addr)
		return true;
	raw = raw_push(t);
	if (!raw)
		return false;
	class = class_of(sym, name);
	room = section->sh_addr + section->sh_size - value;
	if (class == RAW_BOUND)
		size = 0;
	*raw = (struct symtab_raw){
		.value = value,
		.size = size < room ? size : room, /* code does not leave its section */
		.room = room,
		.name = name,
		.name_size = unversioned(name),
		.class = (uint8_t)class,
		.local = GELF_ST_BIND(sym->st_info) == STB_LOCAL,
		.kind = (uint8_t)kind,
		.underscores = leading_underscores(name),
	};
	return true;
}

static long add_table(struct symtab *t, Elf *elf, Elf_Scn *scn, const struct sections *sections,
		      const GElf_Shdr *table, enum symtab_kind kind, uint64_t *entries)
{
	struct elf_strings strings = elf_strings(elf, table->sh_link);
	uint64_t left = NAMES_AT_ALL + NAMES_A_BYTE * (uint64_t)strings.size;
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t before = t->nraw, n;
	GElf_Ehdr header;

	if (!data || !strings.size || !gelf_getehdr(elf, &header))
		return 0;
	n = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 1; i < n && t->nraw < MAX_SYMBOLS && *entries; i++, --*entries) {
		const GElf_Shdr *section;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_name >= strings.size)
			continue;
		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= sections->n || sym.st_shndx >= SHN_LORESERVE)
			continue;
		section = &sections->v[sym.st_shndx];
		if (!(section->sh_flags & SHF_EXECINSTR) || GELF_ST_TYPE(sym.st_info) == STT_SECTION)
			continue;
		if (sections->relative)
			sym.st_value += section->sh_addr;
		if (!add_symbol(t, &sym, name_at(strings, sym.st_name, &left), section, header.e_machine == EM_ARM, kind))
			return -1;
	}
	return (long)(t->nraw - before);
}

long symtab_add(struct symtab *t, Elf *elf, enum symtab_kind kind)
{
	uint64_t entries = elf_entries(elf, sizeof(Elf32_Sym));
	struct sections sections;
	long total = 0;

	if (sections_read(&sections, elf)) {
		free(sections.v);
		return -1;
	}
	for (size_t i = 1; i < sections.n && total >= 0; i++) {
		long n;

		if (sections.v[i].sh_type != (kind == SYMTAB_FULL ? SHT_SYMTAB : SHT_DYNSYM))
			continue;
		n = add_table(t, elf, elf_getscn(elf, i), &sections, &sections.v[i], kind, &entries);
		total = n < 0 ? -1 : total + n;
	}
	free(sections.v);
	return total;
}

int symtab_add_range(struct symtab *t, uint64_t start, uint64_t size, const char *name, enum symtab_kind kind)
{
	struct symtab_raw *raw;

	if (!size || size > UINT64_MAX - start)
		return 0;
	raw = raw_push(t);
	if (!raw)
		return -1;
	*raw = (struct symtab_raw){
		.value = start, .size = size, .room = size, .name = name, .name_size = (uint32_t)strlen(name),
		.class = RAW_NOTYPE, .kind = (uint8_t)kind, .underscores = leading_underscores(name),
	};
	return 0;
}

/* ------------------------------------------------------------ ordering */

/* Negative: `a` is the better name for the same range. */
static int compare_names(const struct symtab_raw *a, const struct symtab_raw *b)
{
	int order;

	if (a->class != b->class)
		return a->class - b->class;
	if (a->local != b->local)
		return a->local - b->local;
	if (a->underscores != b->underscores)
		return a->underscores - b->underscores;
	if (a->name_size != b->name_size)
		return a->name_size < b->name_size ? -1 : 1;
	order = memcmp(a->name, b->name, a->name_size);
	return order ? order : a->kind - b->kind;
}

/* By address; sizeless ones after all others; at one address the longer range
 * first, so that a stack of open ranges has the shorter one on top. */
static int compare_raw(const void *x, const void *y)
{
	const struct symtab_raw *a = x, *b = y;

	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return compare_names(a, b);
}

/* Keep the best name of each range; `sized` gets how many have a size. */
static void drop_aliases(struct symtab *t, size_t *sized)
{
	size_t n = 0;

	*sized = 0;
	for (size_t i = 0; i < t->nraw; i++) {
		const struct symtab_raw *raw = &t->raw[i], *last = n ? &t->raw[n - 1] : NULL;

		if (last && last->value == raw->value && last->size == raw->size)
			continue;
		*sized += raw->size != 0;
		t->raw[n++] = *raw;
	}
	t->nraw = n;
}

/*
 * Labels inside sized symbols get the size that they name, and so become ranges
 * that begin later than the one around them.  `raw` is sorted and has `sized`
 * with a size in front.  How many labels there were.
 */
static size_t size_labels(struct symtab_raw *raw, size_t sized, size_t n)
{
	uint64_t end = 0; /* of all sized ones that begin before the label */
	size_t s = 0, labels = 0;

	for (size_t i = sized; i < n; i++) {
		uint64_t value = raw[i].value, next = i + 1 < n ? raw[i + 1].value : UINT64_MAX;

		for (; s < sized && raw[s].value < value; s++)
			if (raw[s].value + raw[s].size > end)
				end = raw[s].value + raw[s].size;
		if (s < sized && raw[s].value < next)
			next = raw[s].value;
		if (next > end)
			next = end;
		if (raw[i].class == RAW_BOUND || next <= value) /* none, outside, or a name of what begins here */
			continue;
		raw[i].size = next - value;
		labels++;
	}
	return labels;
}

/* ------------------------------------------------------------ flattening */

struct flattened {
	struct symtab_range *v;
	size_t n;
};

static void emit(struct flattened *out, uint64_t start, uint64_t end, const struct symtab_raw *raw)
{
	if (start >= end)
		return;
	out->v[out->n++] = (struct symtab_range){
		.start = start, .end = end, .value = raw->value,
		.name = raw->name, .name_size = raw->name_size, .kind = raw->kind,
	};
}

/* Each symbol is opened and closed once, so at most two ranges a symbol come
 * out however they overlap. */
static void flatten(struct flattened *out, const struct symtab_raw *raw, size_t n, const struct symtab_raw **open)
{
	uint64_t at = 0;
	size_t depth = 0;

	for (size_t i = 0; i <= n; i++) {
		uint64_t next = i < n ? raw[i].value : UINT64_MAX;

		while (depth && open[depth - 1]->value + open[depth - 1]->size <= next) {
			uint64_t end = open[depth - 1]->value + open[depth - 1]->size;

			emit(out, at, end, open[--depth]);
			at = end > at ? end : at;
		}
		if (i == n)
			break;
		if (depth)
			emit(out, at, next, open[depth - 1]);
		at = next;
		open[depth++] = &raw[i];
	}
	while (depth) { /* ranges that end at the very top of the address space */
		uint64_t end = open[depth - 1]->value + open[depth - 1]->size;

		emit(out, at, end, open[--depth]);
		at = end > at ? end : at;
	}
}

static uint64_t sizeless_end(const struct symtab_raw *raw, uint64_t next)
{
	uint64_t reach = raw->kind == SYMTAB_DYNAMIC ? 1 : SIZELESS_REACH;

	if (reach > raw->room)
		reach = raw->room;
	if (reach > UINT64_MAX - raw->value)
		reach = UINT64_MAX - raw->value;
	return next > raw->value && next - raw->value < reach ? next : raw->value + reach;
}

/* Sizeless symbols go into the gaps between the ranges of sized ones. */
static void fill_gaps(struct flattened *out, const struct flattened *sized, const struct symtab_raw *raw, size_t n)
{
	size_t s = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t next = i + 1 < n ? raw[i + 1].value : UINT64_MAX;

		while (s < sized->n && sized->v[s].start <= raw[i].value)
			out->v[out->n++] = sized->v[s++];
		if (s && sized->v[s - 1].end > raw[i].value)
			continue;
		if (s < sized->n && sized->v[s].start < next)
			next = sized->v[s].start;
		if (raw[i].class != RAW_BOUND)
			emit(out, raw[i].value, sizeless_end(&raw[i], next), &raw[i]);
	}
	for (; s < sized->n; s++)
		out->v[out->n++] = sized->v[s];
}

int symtab_finish(struct symtab *t)
{
	struct flattened sized = {0}, all = {0};
	const struct symtab_raw **open;
	size_t nsized;

	if (t->nraw)
		qsort(t->raw, t->nraw, sizeof(*t->raw), compare_raw);
	drop_aliases(t, &nsized);
	if (t->labels && size_labels(t->raw, nsized, t->nraw)) {
		qsort(t->raw, t->nraw, sizeof(*t->raw), compare_raw);
		drop_aliases(t, &nsized);
	}
	sized.v = malloc((2 * nsized + 1) * sizeof(*sized.v));
	open = malloc((nsized + 1) * sizeof(*open));
	if (sized.v && open) {
		flatten(&sized, t->raw, nsized, open);
		all.v = malloc((sized.n + t->nraw - nsized + 1) * sizeof(*all.v));
	}
	if (all.v)
		fill_gaps(&all, &sized, t->raw ? t->raw + nsized : NULL, t->nraw - nsized);
	t->v = all.v;
	t->n = all.n;
	free(sized.v);
	free(open);
	free(t->raw);
	t->raw = NULL;
	t->nraw = t->room = 0;
	return t->v ? 0 : -1;
}

void symtab_release(struct symtab *t)
{
	free(t->v);
	free(t->raw);
	memset(t, 0, sizeof(*t));
}

const struct symtab_range *symtab_find(const struct symtab *t, uint64_t address)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->v[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < t->v[low - 1].end ? &t->v[low - 1] : NULL;
}
