/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbolizer: each (module, offset, exact) is looked up once and remembered.
 * Owns the modules, the names that were found and the cache; knows nothing of
 * ELF (module.c) or of where files are (locate.c).
 */
#include "symbolize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "locate.h"
#include "module.h"

#define BLOCK_SYMBOLS 1024

struct cached {
	uint64_t offset;
	uint32_t module;  /* + 1; 0: free slot */
	bool exact;
	uint8_t source;
	uint32_t n;
	const struct symbol *v;
};
struct block { /* symbols stay where they are */
	struct block *next;
	size_t n;
	struct symbol v[BLOCK_SYMBOLS];
};
struct symbolizer {
	const struct recording *rec;
	struct symbolizer_options options;
	struct locator *locator;
	struct module **modules;   /* by module id, NULL until asked for */
	struct cached *slots;
	size_t nslots, nused;
	struct block *blocks;
	struct intern names;       /* terminators are part of the bytes */
	struct symbolizer_stats stats;
	char *text;                /* DEMANGLE_MAX_OUT + 1 */
};

static const struct symbol unknown = {.name = "[unknown]"};

/* ------------------------------------------------------------ life */

int symbolizer_new(struct symbolizer **out, const struct recording *rec, const struct symbolizer_options *options)
{
	struct symbolizer *s = calloc(1, sizeof(*s));
	struct locator_options where = {
		.dirs = options->symbol_dirs, .ndirs = options->nsymbol_dirs,
		.sysroot = options->sysroot, .no_system = options->no_system,
	};

	*out = NULL;
	if (!s)
		return -1;
	/* The libraries below would ask servers by themselves, and so tell them what
	 * runs on the recorded machine. */
	unsetenv("DEBUGINFOD_URLS");
	s->rec = rec;
	s->options = *options;
	intern_init(&s->names, 1);
	s->nslots = 1024;
	s->slots = calloc(s->nslots, sizeof(*s->slots));
	s->modules = calloc(rec->nmodules + 1, sizeof(struct module *));
	s->text = malloc(DEMANGLE_MAX_OUT + 1);
	if (!s->slots || !s->modules || !s->text || locator_new(&s->locator, &where)) {
		symbolizer_free(s);
		return -1;
	}
	*out = s;
	return 0;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->modules && i < s->rec->nmodules; i++) {
		if (s->modules[i])
			module_release(s->modules[i]);
		free(s->modules[i]);
	}
	while (s->blocks) {
		struct block *next = s->blocks->next;

		free(s->blocks);
		s->blocks = next;
	}
	locator_free(s->locator);
	intern_release(&s->names);
	free(s->modules);
	free(s->slots);
	free(s->text);
	free(s);
}

/* ------------------------------------------------------------ cache */

static size_t hash(uint32_t module, uint64_t offset, bool exact)
{
	uint64_t x = (offset << 1 | exact) ^ ((uint64_t)module << 40);

	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	return (size_t)x;
}

static struct cached *slot_of(struct cached *slots, size_t nslots, uint32_t module, uint64_t offset, bool exact)
{
	size_t i = hash(module, offset, exact) & (nslots - 1);

	while (slots[i].module &&
	       (slots[i].module != module + 1 || slots[i].offset != offset || slots[i].exact != exact))
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

/* Without memory the cache stays as full as it is, and in the end is not used. */
static void grow(struct symbolizer *s)
{
	size_t nslots = s->nslots * 2;
	struct cached *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return;
	for (size_t i = 0; i < s->nslots; i++) {
		const struct cached *c = &s->slots[i];

		if (c->module)
			*slot_of(slots, nslots, c->module - 1, c->offset, c->exact) = *c;
	}
	free(s->slots);
	s->slots = slots;
	s->nslots = nslots;
}

/* ------------------------------------------------------------ names */

static struct symbol *symbol_new(struct symbolizer *s)
{
	if (!s->blocks || s->blocks->n == BLOCK_SYMBOLS) {
		struct block *block = calloc(1, sizeof(*block));

		if (!block)
			return NULL;
		block->next = s->blocks;
		s->blocks = block;
	}
	return &s->blocks->v[s->blocks->n++];
}

/* A copy that stays, equal names once; NULL without memory. */
static const char *keep(struct symbolizer *s, const char *name)
{
	uint32_t id;

	if (intern_add(&s->names, name, strlen(name) + 1, &id))
		return NULL;
	return (const char *)intern_get(&s->names, id).at;
}

static const char *keep_bytes(struct symbolizer *s, const char *name, size_t size)
{
	char *copy = strndup(name, size);
	const char *kept = copy ? keep(s, copy) : NULL;

	free(copy);
	return kept;
}

static void fill_named(struct symbolizer *s, struct symbol *symbol, const struct module_hit *hit, bool exact)
{
	const char *name = keep_bytes(s, hit->name, hit->name_size);

	if (!name) {
		*symbol = unknown;
		return;
	}
	symbol->mangled = symbol->name = name;
	symbol->offset = hit->into + !exact;
	symbol->named = true;
	if (!s->options.no_demangle && demangle(name, s->text)) {
		symbol->name = keep(s, s->text);
		if (!symbol->name)
			symbol->name = name;
	}
}

/* "[libfoo.so]+0x1234": true whoever reads it, and another report can still name it. */
static void fill_unnamed(struct symbolizer *s, struct symbol *symbol, const struct module *module, uint64_t offset)
{
	const char *slash = strrchr(module->path, '/');
	const char *base = slash ? slash + 1 : module->path;
	bool bracketed = *base == '[';
	char *text;

	*symbol = unknown;
	if (!*base || asprintf(&text, "%s%s%s+0x%llx", bracketed ? "" : "[", base, bracketed ? "" : "]",
			       (unsigned long long)offset) < 0)
		return;
	symbol->name = keep(s, text);
	free(text);
	if (!symbol->name)
		*symbol = unknown;
}

/* ------------------------------------------------------------ lookup */

static struct module *module_of(struct symbolizer *s, uint32_t id)
{
	struct module *m;

	if (id >= s->rec->nmodules)
		return NULL;
	if (s->modules[id])
		return s->modules[id];
	m = calloc(1, sizeof(*m));
	if (!m || module_init(m, s->rec, id)) {
		free(m);
		return NULL;
	}
	s->stats.modules++;
	s->modules[id] = m;
	return m;
}

static struct symbols look_up(struct symbolizer *s, struct module *module, uint64_t offset, bool exact)
{
	struct symbol *symbol = symbol_new(s);
	struct symbols out = {.n = 1, .v = symbol ? symbol : &unknown};
	struct module_hit hit;

	s->stats.addresses++;
	/* A return address may be the first byte of the next function, or of nothing. */
	if (symbol && (exact || offset) && module_find(module, s->locator, offset - !exact, &hit)) {
		fill_named(s, symbol, &hit, exact);
		out.source = hit.source;
	} else if (symbol) {
		fill_unnamed(s, symbol, module, offset);
	}
	if (out.v->named) {
		s->stats.modules_named += !module->named++;
		s->stats.named++;
	} else {
		module->unnamed++;
		s->stats.unnamed++;
	}
	return out;
}

struct symbols symbolize(struct symbolizer *s, uint32_t module, uint64_t offset, bool exact)
{
	struct module *m = module_of(s, module);
	struct cached *slot;
	struct symbols out;

	if (!m)
		return (struct symbols){.n = 1, .v = &unknown};
	if (s->nused * 4 >= s->nslots * 3)
		grow(s);
	slot = slot_of(s->slots, s->nslots, module, offset, exact);
	if (slot->module)
		return (struct symbols){.n = slot->n, .v = slot->v, .source = slot->source};
	out = look_up(s, m, offset, exact);
	if (s->nused + 1 < s->nslots) {
		*slot = (struct cached){offset, module + 1, exact, (uint8_t)out.source, out.n, out.v};
		s->nused++;
	}
	return out;
}

struct symbolizer_stats symbolizer_stats(const struct symbolizer *s)
{
	return s->stats;
}

struct module_status symbolizer_module(const struct symbolizer *s, uint32_t module)
{
	const struct module *m = module < s->rec->nmodules ? s->modules[module] : NULL;

	if (!m)
		return (struct module_status){.state = MODULE_UNTRIED};
	return (struct module_status){m->state, m->file, m->weak, m->named, m->unnamed};
}
