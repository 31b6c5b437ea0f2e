/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From an offset in a recorded module to a function.  File offsets become ELF
 * addresses with the segments as they were recorded, never with those of a debug
 * file: separating it zeroed their offsets and sizes.
 */
#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "kernel.h"
#include "recorded.h"

#define DEFAULT_PAGE 4096
#define MAX_PAGE (1u << 24)

/* ------------------------------------------------------------ addresses */

static bool holds(const struct fold_segment *s, uint64_t page, uint64_t offset)
{
	uint64_t start = s->offset & ~(page - 1), end = s->offset + s->filesz;

	if (end < s->offset || end > UINT64_MAX - page)
		return false;
	end = (end + page - 1) & ~(page - 1);
	return offset >= start && offset < end;
}

static bool vaddr_rounded(const struct fold_segment *v, size_t n, uint64_t page, uint64_t offset, uint64_t *vaddr)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		uint64_t address = offset - v[i].offset + v[i].vaddr; /* may lie before the segment: wraps and comes back */

		if (!v[i].filesz || !holds(&v[i], page, offset))
			continue;
		if (found && address != *vaddr)
			return false;
		*vaddr = address;
		found = true;
	}
	return found;
}

bool module_vaddr(const struct fold_segment *v, size_t n, uint64_t page, uint64_t offset, uint64_t *vaddr)
{
	return vaddr_rounded(v, n, 1, offset, vaddr) || vaddr_rounded(v, n, page, offset, vaddr);
}

/* ------------------------------------------------------------ life */

int module_init(struct module *m, const struct recording *rec, uint32_t index)
{
	const struct rec_module *r = &rec->modules[index];
	struct fold_bytes name = recording_string(rec, r->name);
	struct fold_bytes release;
	uint64_t page = r->segment < rec->nsegments ? rec->segments[r->segment].meta.page_size : 0;

	memset(m, 0, sizeof(*m));
	m->rec = r;
	m->index = index;
	m->recording = rec;
	m->page = page && page <= MAX_PAGE && !(page & (page - 1)) ? page : DEFAULT_PAGE;
	m->path = strndup(name.size ? (const char *)name.at : "", name.size);
	release = r->segment < rec->nsegments ? rec->segments[r->segment].meta.kernel_release : (struct fold_bytes){0};
	m->release = strndup(release.size ? (const char *)release.at : "", release.size);
	return m->path && m->release ? 0 : -1;
}

void module_rest(struct module *m)
{
	dwarf_free(m->dwarf);
	companions_release(&m->companions);
	symtab_release(&m->symtab);
	symtab_release(&m->stubs);
	plt_names_release(&m->stub_names);
	minidebug_release(&m->minidebug);
	located_release(&m->found);
	m->dwarf = NULL;
	m->opened = m->dwarf_tried = false;
}

void module_release(struct module *m)
{
	module_rest(m);
	free(m->path);
	free(m->release);
	tries_release(&m->tries);
	free(m->file);
	memset(m, 0, sizeof(*m));
}

/* ------------------------------------------------------------ names from files */

static void choose_segments(struct module *m)
{
	const struct elf_file *code = located_with(&m->found, ELF_HAS_CODE);

	if (m->rec->nsegments) {
		m->nsegments = m->rec->nsegments < FOLD_MAX_SEGMENTS ? m->rec->nsegments : FOLD_MAX_SEGMENTS;
		memcpy(m->segments, m->rec->segments, m->nsegments * sizeof(*m->segments));
	} else if (code) {
		m->nsegments = elf_segments(code->elf, m->segments, FOLD_MAX_SEGMENTS);
		if (m->nsegments > FOLD_MAX_SEGMENTS)
			m->nsegments = 0;
	}
}

/* The file proven to be the kernel may still not tell where its code was. */
static void place_kernel(struct module *m)
{
	const struct elf_file *file = located_with(&m->found, ELF_HAS_CODE);

	if (!file)
		file = located_with(&m->found, ELF_HAS_SYMTAB);
	if (!file)
		return;
	switch (kernel_base(m->recording, m->index, file, &m->base)) {
	case KERNEL_FOUND:
		m->based = true;
		return;
	case KERNEL_NO_TEXT:
		log_warning("%s: has no _text, or no code: no kernel names from it", file->path);
		return;
	case KERNEL_TOO_FEW:
		log_warning("%s: too few kernel return addresses were recorded to find where this kernel was: no names from it", file->path);
		return;
	case KERNEL_AMBIGUOUS:
		log_warning("%s: the recorded addresses do not single out where this kernel was: no names from it", file->path);
		return;
	}
}

/* Nothing was found: why. */
static enum module_state state_without_file(const struct module *m)
{
	if (!m->rec->nids)
		return MODULE_NO_ID;
	if (m->found.refused)
		return MODULE_MISMATCH;
	return m->found.unreadable ? MODULE_UNREADABLE : MODULE_NOT_FOUND;
}

/* Symbols of all kinds that the files found have.  0, or -1: out of memory. */
static int read_symbols(struct module *m)
{
	const struct elf_file *full = located_with(&m->found, ELF_HAS_SYMTAB);
	const struct elf_file *dynamic = located_with(&m->found, ELF_HAS_DYNSYM);
	const struct elf_file *packed = full ? NULL : located_with(&m->found, ELF_HAS_MINIDEBUG);
	const struct elf_file *code = located_with(&m->found, ELF_HAS_CODE);

	m->symtab.labels = m->rec->kind == FOLD_MODULE_KERNEL || m->rec->kind == FOLD_MODULE_KO;
	if (full && symtab_add(&m->symtab, full->elf, SYMTAB_FULL) < 0)
		return -1;
	if (dynamic && symtab_add(&m->symtab, dynamic->elf, SYMTAB_DYNAMIC) < 0)
		return -1;
	if (packed && !minidebug_open(&m->minidebug, packed->elf) &&
	    symtab_add(&m->symtab, m->minidebug.file.elf, SYMTAB_FULL) < 0)
		return -1;
	if (symtab_finish(&m->symtab))
		return -1;
	if (code && plt_add(&m->stubs, &m->stub_names, code->elf, &m->symtab))
		return -1;
	return symtab_finish(&m->stubs);
}

/* The file that says most: its name is shown. */
static const char *main_file(const struct module *m)
{
	static const enum elf_offer order[] = {ELF_HAS_SYMTAB, ELF_HAS_MINIDEBUG, ELF_HAS_DYNSYM};
	const struct elf_file *file = NULL;

	for (size_t i = 0; !file && i < sizeof(order) / sizeof(*order); i++)
		file = located_with(&m->found, order[i]);
	return file ? file->path : m->found.files[0].path;
}

static void open_files(struct module *m, struct locator *locator)
{
	const char *file;

	if (locate(locator, m->rec, m->path, m->release, &m->found))
		return;
	tries_release(&m->tries);
	m->tries = m->found.tries;
	m->found.tries = (struct tries){0};
	choose_segments(m);
	if (m->rec->kind == FOLD_MODULE_KERNEL)
		place_kernel(m);
	if (read_symbols(m)) {
		symtab_release(&m->symtab);
		symtab_release(&m->stubs);
	}
	if (m->found.n) {
		m->state = m->symtab.n ? MODULE_NAMED : MODULE_NO_SYMBOLS;
		file = main_file(m);
	} else {
		m->state = state_without_file(m);
		file = m->found.refused ? m->found.refused : m->found.unreadable;
	}
	m->weak = m->found.weak && m->found.n;
	free(m->file);
	m->file = file ? strdup(file) : NULL;
}

static void module_open(struct module *m, struct locator *locator)
{
	m->opened = true;
	m->state = MODULE_NOT_FOUND;
	if (m->rec->kind == FOLD_MODULE_ELF || m->rec->kind == FOLD_MODULE_VDSO ||
	    m->rec->kind == FOLD_MODULE_KERNEL || m->rec->kind == FOLD_MODULE_KO)
		open_files(m, locator);
	if (m->rec->nsyms)
		m->state = MODULE_NAMED;
}

/* ------------------------------------------------------------ lookup */

static bool find_recorded(const struct module *m, uint64_t offset, struct module_hit *hit)
{
	const struct rec_sym *sym = recorded_find(m->rec, offset);
	struct fold_bytes name;

	if (!sym)
		return false;
	name = recording_string(m->recording, sym->name);
	*hit = (struct module_hit){
		.name = (const char *)name.at, .name_size = name.size, .into = offset - sym->offset,
		.source = sym->embedded ? SYMBOL_EMBEDDED : SYMBOL_RECORDED,
	};
	return name.size != 0;
}

static enum symbol_source source_of(const struct module *m, const struct symtab_range *range)
{
	const struct elf_file *full = located_with(&m->found, ELF_HAS_SYMTAB);

	if (range->kind == SYMTAB_DYNAMIC)
		return SYMBOL_DYNSYM;
	return full && full->offers & ELF_HAS_CODE ? SYMBOL_SYMTAB : SYMBOL_DEBUG_FILE;
}

bool module_address(const struct module *m, uint64_t offset, uint64_t *vaddr)
{
	if (m->rec->kind == FOLD_MODULE_KERNEL) {
		*vaddr = m->base + offset;
		return m->based;
	}
	if (m->rec->kind == FOLD_MODULE_KO) { /* both count from the text base */
		*vaddr = offset;
		return m->found.n;
	}
	return m->found.n && module_vaddr(m->segments, m->nsegments, m->page, offset, vaddr);
}

const struct symtab_range *module_range(const struct module *m, uint64_t address, enum symbol_source *source)
{
	const struct symtab_range *range = symtab_find(&m->symtab, address);

	if (!range)
		range = symtab_find(&m->stubs, address);
	if (range)
		*source = source_of(m, range);
	return range;
}

void module_explain(const struct module *m, uint64_t offset, struct symbol_explanation *out)
{
	const struct symtab_range *range;
	uint64_t address;

	out->offset = offset;
	out->has_address = module_address(m, offset, &out->address);
	if (!out->has_address)
		return;
	out->by_base = m->rec->kind == FOLD_MODULE_KERNEL || m->rec->kind == FOLD_MODULE_KO;
	out->base = m->base;
	for (size_t i = 0; !out->by_base && !out->by_segment && i < m->nsegments; i++) {
		out->segment = m->segments[i];
		out->by_segment = module_vaddr(&m->segments[i], 1, m->page, offset, &address) && address == out->address;
	}
	out->segment_recorded = m->rec->nsegments;
	range = module_range(m, out->address, &out->source);
	out->in_symbol = range;
	if (range) {
		out->start = range->start;
		out->end = range->end;
		out->value = range->value;
	}
}

bool module_find(struct module *m, struct locator *locator, uint64_t offset, struct module_hit *hit)
{
	const struct symtab_range *range;
	enum symbol_source source;
	uint64_t vaddr;

	if (find_recorded(m, offset, hit)) {
		m->state = MODULE_NAMED;
		return true;
	}
	if (!m->opened)
		module_open(m, locator);
	if (!module_address(m, offset, &vaddr))
		return false;
	range = module_range(m, vaddr, &source);
	if (!range)
		return false;
	*hit = (struct module_hit){range->name, range->name_size, vaddr - range->value, source};
	return true;
}

void module_entries(struct module *m, struct locator *locator, struct interrupt_entries *out)
{
	out->n = 0;
	for (size_t i = 0; i < m->rec->nsyms; i++) {
		const struct rec_sym *sym = &m->rec->syms[i];
		struct fold_bytes name = recording_string(m->recording, sym->name);

		if (name.size && interrupt_is_entry((const char *)name.at, name.size))
			interrupt_add(out, sym->offset, sym->offset + sym->size);
	}
	if (m->rec->nsyms) /* what was seen was named */
		return;
	if (!m->opened)
		module_open(m, locator);
	for (size_t i = 0; m->based && i < m->symtab.n; i++) {
		const struct symtab_range *range = &m->symtab.v[i];

		if (range->start >= m->base && interrupt_is_entry(range->name, range->name_size))
			interrupt_add(out, range->start - m->base, range->end - m->base);
	}
}

struct dwarf *module_dwarf(struct module *m, struct locator *locator)
{
	const struct elf_file *file;
	struct dwarf_finder finder;

	if (!m->opened)
		module_open(m, locator);
	if (m->dwarf_tried)
		return m->dwarf;
	m->dwarf_tried = true;
	file = located_with(&m->found, ELF_HAS_DWARF);
	if (!file)
		return NULL;
	m->companions = (struct companions){.locator = locator, .near = file->path};
	finder = companions_finder(&m->companions);
	if (dwarf_new(&m->dwarf, file->elf, &finder))
		m->dwarf = NULL;
	return m->dwarf;
}
