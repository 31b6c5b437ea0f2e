/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbolizer: each (module, offset, exact) is looked up once and remembered.
 * Owns the modules, the names that were found and the cache; knows nothing of
 * ELF (module.c) or of where files are (locate.c).
 */
#include "symbolize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../log.h"
#include "../model/array.h"
#include "cache.h"
#include "crew.h"
#include "debuginfod.h"
#include "demangle.h"
#include "dwarf.h"
#include "locate.h"
#include "module.h"
#include "store.h"

struct symbolizer {
	const struct recording *rec;
	struct symbolizer_options options;
	struct debuginfod *servers; /* NULL unless they were asked for */
	struct locator *locator;
	struct module **modules;   /* by module id, NULL until asked for */
	struct cache cache;
	struct store store;
	struct symbolizer_stats stats;
};

static const struct symbol unknown = {.name = "[unknown]"};

/* ------------------------------------------------------------ life */

static int start_servers(struct symbolizer *s)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !*urls) {
		log_error("--debuginfod: DEBUGINFOD_URLS names no server");
		return -1;
	}
	return debuginfod_new(&s->servers, urls, DEBUGINFOD_BUDGET);
}

/* A directory that is not there brings no names, which would look like one without the right files. */
static void check_directory(const char *option, const char *dir)
{
	struct stat st;

	if (stat(dir, &st))
		log_warning("%s %s: %s; going on without it", option, dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		log_warning("%s %s: is no directory; going on without it", option, dir);
}

static void check_directories(const struct symbolizer_options *options)
{
	for (size_t i = 0; i < options->nsymbol_dirs; i++)
		check_directory("--symbols", options->symbol_dirs[i]);
	if (options->sysroot)
		check_directory("--sysroot", options->sysroot);
}

int symbolizer_new(struct symbolizer **out, const struct recording *rec, const struct symbolizer_options *options)
{
	struct symbolizer *s = calloc(1, sizeof(*s));
	struct locator_options where = {
		.dirs = options->symbol_dirs, .ndirs = options->nsymbol_dirs,
		.sysroot = options->sysroot, .no_system = options->no_system,
		.want_dwarf = options->inlines || options->lines,
	};

	*out = NULL;
	check_directories(options);
	if (!s) {
		log_error("out of memory for symbols");
		return -1;
	}
	if (options->debuginfod && start_servers(s)) {
		free(s);
		return -1;
	}
	where.servers = s->servers;
	/* Libraries would ask servers by themselves, and so tell them what runs on
	 * the recorded machine. */
	unsetenv("DEBUGINFOD_URLS");
	s->rec = rec;
	s->options = *options;
	s->modules = calloc(rec->nmodules + 1, sizeof(struct module *));
	if (store_init(&s->store) || cache_init(&s->cache) || !s->modules || locator_new(&s->locator, &where)) {
		log_error("out of memory for symbols");
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
	locator_free(s->locator);
	debuginfod_free(s->servers);
	store_release(&s->store);
	free(s->modules);
	cache_release(&s->cache);
	free(s);
}

/* ------------------------------------------------------------ names */

static const char *keep(struct symbolizer *s, const char *name)
{
	return store_name(&s->store, name, strlen(name));
}

static const char *keep_symbol(struct symbolizer *s, const struct module_hit *hit)
{
	const char *name = store_name(&s->store, hit->name, hit->name_size);

	return name && s->options.strip_suffix ? store_name(&s->store, name, name_without_suffix(name)) : name;
}

static void set_name(struct symbolizer *s, struct symbol *symbol, const char *name)
{
	if (!name)
		return;
	symbol->mangled = name;
	symbol->name = s->options.no_demangle ? name : store_demangled(&s->store, name);
	symbol->named = true;
}

static void set_line(struct symbolizer *s, struct symbol *symbol, const struct dwarf_frame *frame)
{
	if (!s->options.lines || !frame->file)
		return;
	symbol->file = keep(s, frame->file);
	symbol->line = symbol->file ? frame->line : 0;
}

static char *put_hex(char *to, uint64_t value)
{
	int digits = 1;

	while (digits < 16 && value >> 4 * digits)
		digits++;
	while (digits--)
		*to++ = "0123456789abcdef"[value >> 4 * digits & 15];
	return to;
}

/* "[libfoo.so]+0x1234": true whoever reads it, and another report can still name it.
 * There can be millions of them, and no two are equal. */
static void fill_unnamed(struct symbolizer *s, struct symbol *symbol, const struct module *module, uint64_t offset)
{
	const char *slash = strrchr(module->path, '/');
	const char *base = slash ? slash + 1 : module->path;
	size_t n = strlen(base);
	bool bracketed = *base == '[';
	char *text = n ? store_text(&s->store, n + sizeof("[]+0x0123456789abcdef")) : NULL, *at = text;

	*symbol = unknown;
	if (!text)
		return;
	symbol->name = text;
	if (!bracketed)
		*at++ = '[';
	at = mempcpy(at, base, n);
	if (!bracketed)
		*at++ = ']';
	at = put_hex(mempcpy(at, "+0x", 3), offset);
	*at++ = '\0';
	store_text_end(&s->store, at);
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
		if (m)
			module_release(m);
		free(m);
		return NULL;
	}
	s->stats.modules++;
	s->modules[id] = m;
	return m;
}

/* One address on its way through the module's files. */
struct lookup {
	uint64_t offset;
	struct symbols *out;
	bool exact, hit, has_address;
	struct module_hit found;
	struct dwarf_query query;
};

/* A return address may be the first byte of the next function, or of nothing:
 * the call before it is meant. */
static void find_name(struct symbolizer *s, struct module *module, struct lookup *l)
{
	uint64_t meant = l->offset - !l->exact;

	if (!l->exact && !l->offset)
		return;
	l->hit = module_find(module, s->locator, meant, &l->found);
	l->has_address = module_address(module, meant, &l->query.address);
	if (l->hit && l->has_address)
		l->query.function = l->query.address - l->found.into;
}

/* The outermost frame is the function: the symbol table has the last word on its
 * name, for it knows parts and clones that DWARF calls by the name of the whole. */
static void fill_function(struct symbolizer *s, struct symbol *symbol, const struct module *module,
			  const struct lookup *l, const struct dwarf_frame *frame)
{
	*symbol = unknown;
	if (l->hit)
		set_name(s, symbol, keep_symbol(s, &l->found));
	else if (frame && frame->function && frame->name)
		set_name(s, symbol, keep(s, frame->name));
	if (!symbol->named)
		fill_unnamed(s, symbol, module, l->offset);
	if (symbol->named && l->hit)
		symbol->offset = l->found.into + !l->exact;
	if (frame)
		set_line(s, symbol, frame);
}

static struct symbols fill(struct symbolizer *s, const struct module *module, const struct lookup *l, const struct dwarf_frame *frames)
{
	uint32_t n = l->query.n ? l->query.n : 1, outermost = n - 1;
	struct symbols out = {.n = s->options.inlines ? n : 1, .v = &unknown};
	struct symbol *v = store_symbols(&s->store, out.n);

	if (!v)
		return (struct symbols){.n = 1, .v = &unknown};
	for (uint32_t i = 0; i + 1 < out.n; i++) {
		v[i] = unknown;
		v[i].inlined = true;
		if (frames[i].name)
			set_name(s, &v[i], keep(s, frames[i].name));
		set_line(s, &v[i], &frames[i]);
	}
	fill_function(s, &v[out.n - 1], module, l, l->query.n ? &frames[outermost] : NULL);
	out.v = v;
	out.source = l->hit ? l->found.source : v[out.n - 1].named ? SYMBOL_DEBUG_FILE : SYMBOL_NONE;
	return out;
}

static void count(struct symbolizer *s, struct module *module, const struct symbols *got)
{
	s->stats.addresses++;
	if (got->v[got->n - 1].named) {
		s->stats.modules_named += !module->named++;
		s->stats.named++;
	} else {
		module->unnamed++;
		s->stats.unnamed++;
	}
}

static int compare_lookups(const void *x, const void *y)
{
	const struct lookup *a = x, *b = y;

	return a->query.address < b->query.address ? -1 : a->query.address > b->query.address;
}

/* Debug information for those of the lookups that have an address: they go to
 * the front, sorted by it. */
static void ask_dwarf(struct symbolizer *s, struct module *module, struct lookup *v, size_t n, struct dwarf_answer *answer)
{
	struct dwarf *dwarf = s->options.inlines || s->options.lines ? module_dwarf(module, s->locator) : NULL;
	struct dwarf_query *queries;

	if (!dwarf)
		return;
	queries = calloc(n, sizeof(*queries));
	if (!queries)
		return;
	if (n)
		qsort(v, n, sizeof(*v), compare_lookups);
	for (size_t i = 0; i < n; i++)
		queries[i] = v[i].query;
	if (!dwarf_resolve(dwarf, queries, n, answer))
		for (size_t i = 0; i < n; i++)
			v[i].query = queries[i];
	free(queries);
}

/* Addresses of one module that are looked up together. */
struct lookups {
	struct module *module;
	struct lookup *v;
	size_t n;
	struct dwarf_answer answer;
};

/* What is the module's own: other modules can be asked meanwhile. */
static void ask_module(struct symbolizer *s, struct lookups *l)
{
	size_t with = 0;

	for (size_t i = 0; i < l->n; i++) {
		find_name(s, l->module, &l->v[i]);
		if (l->v[i].has_address) {
			struct lookup swap = l->v[with];

			l->v[with++] = l->v[i];
			if (with - 1 != i)
				l->v[i] = swap;
		}
	}
	if (with)
		ask_dwarf(s, l->module, l->v, with, &l->answer);
}

/* What all modules share: names that are kept, and what is remembered. */
static void keep_answers(struct symbolizer *s, struct lookups *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct lookup *one = &l->v[i];
		struct symbols got = fill(s, l->module, one, l->answer.frames ? &l->answer.frames[one->query.first] : NULL);

		count(s, l->module, &got);
		*one->out = got;
		cache_put(&s->cache, &(struct symbol_address){l->module->index, one->offset, one->exact}, &got);
	}
	dwarf_answer_release(&l->answer);
}

struct symbols symbolize(struct symbolizer *s, uint32_t id, uint64_t offset, bool exact)
{
	struct symbols got = {.n = 1, .v = &unknown};
	struct symbol_address key = {id, offset, exact};
	struct lookup one = {.offset = offset, .exact = exact, .out = &got};
	struct lookups lookups = {.module = module_of(s, id), .v = &one, .n = 1};

	if (lookups.module && !cache_find(&s->cache, &key, &got)) {
		ask_module(s, &lookups);
		keep_answers(s, &lookups);
	}
	return got;
}

/* The addresses of one module among those of symbolize_many(). */
struct group {
	size_t first, end;
	uint64_t samples; /* with their leaf in the module */
	struct lookups lookups;
};
struct groups {
	struct symbolizer *symbolizer;
	const struct symbol_address *addresses;
	struct symbols *out;
	struct group *v;
	bool fresh; /* nothing can have been looked up before */
};

static int compare_groups(const void *x, const void *y)
{
	const struct group *a = x, *b = y;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->first < b->first ? -1 : 1;
}

/* The module that most time went to first: what servers are asked for may have to end early. */
static void order_groups(const struct symbolizer *s, struct group *groups, size_t n, const struct symbol_address *v)
{
	const struct recording *rec = s->rec;
	uint64_t *samples = calloc(rec->nmodules + 1, sizeof(*samples));

	if (!samples)
		return;
	for (size_t i = 0; i < rec->ncounts; i++) {
		uint32_t leaf = rec->counts[i].kleaf != REC_NONE ? rec->counts[i].kleaf : rec->counts[i].uleaf;

		if (leaf < rec->nnodes && rec->nodes[leaf].kind == REC_FRAME_CODE && rec->nodes[leaf].module < rec->nmodules)
			samples[rec->nodes[leaf].module] += rec->counts[i].count;
	}
	for (size_t i = 0; i < n; i++)
		groups[i].samples = v[groups[i].first].module < rec->nmodules ? samples[v[groups[i].first].module] : 0;
	if (n)
		qsort(groups, n, sizeof(*groups), compare_groups);
	free(samples);
}

static void begin_group(void *state, size_t at)
{
	const struct groups *all = state;
	struct symbolizer *s = all->symbolizer;
	struct group *g = &all->v[at];
	struct lookup *v = malloc((g->end - g->first) * sizeof(*v));

	g->lookups = (struct lookups){.module = module_of(s, all->addresses[g->first].module), .v = v};
	for (size_t i = g->first; v && g->lookups.module && i < g->end; i++)
		if (all->fresh || !cache_find(&s->cache, &all->addresses[i], &all->out[i]))
			v[g->lookups.n++] = (struct lookup){.offset = all->addresses[i].offset, .exact = all->addresses[i].exact, .out = &all->out[i]};
}

static void ask_group(void *state, size_t at)
{
	const struct groups *all = state;

	if (all->v[at].lookups.n)
		ask_module(all->symbolizer, &all->v[at].lookups);
}

static void end_group(void *state, size_t at)
{
	const struct groups *all = state;
	struct lookups *l = &all->v[at].lookups;

	if (l->n) {
		keep_answers(all->symbolizer, l);
		module_rest(l->module);
	}
	free(l->v);
}

/* Servers are asked for one module after the other, within one budget of time. */
void symbolize_many(struct symbolizer *s, const struct symbol_address *v, size_t n, struct symbols *out)
{
	struct groups groups = {.symbolizer = s, .addresses = v, .out = out, .fresh = !s->cache.n};
	size_t ngroups = 0, room = 0;

	cache_reserve(&s->cache, n);
	for (size_t i = 0; i < n; i++) /* what is left so without memory */
		out[i] = (struct symbols){.n = 1, .v = &unknown};
	for (size_t i = 0; i < n && !array_room(groups.v, room, ngroups + 1); i = groups.v[ngroups++].end) {
		groups.v[ngroups] = (struct group){.first = i, .end = i + 1};
		while (groups.v[ngroups].end < n && v[groups.v[ngroups].end].module == v[i].module)
			groups.v[ngroups].end++;
	}
	if (s->servers)
		order_groups(s, groups.v, ngroups, v);
	crew_run(&(struct crew_job){begin_group, ask_group, end_group, &groups}, ngroups, s->servers ? 1 : CREW_MAX);
	free(groups.v);
}

/* Of many kernels only the first stays open: it is looked into soon. */
static int find_entries(struct symbolizer *s, const struct recording *rec, struct interrupt_entries **entries, bool *any)
{
	struct interrupt_entries *found = malloc(sizeof(*found));
	bool first = true;

	if (!found)
		return -1;
	for (uint32_t i = 0; i < rec->nmodules; i++) {
		struct module *module = rec->modules[i].kind == FOLD_MODULE_KERNEL ? module_of(s, i) : NULL;
		size_t size;

		if (!module)
			continue;
		module_entries(module, s->locator, found);
		if (!first)
			module_rest(module);
		first = false;
		size = offsetof(struct interrupt_entries, v) + found->n * sizeof(*found->v);
		entries[i] = found->n ? malloc(size) : NULL;
		if (entries[i])
			memcpy(entries[i], found, size);
		*any |= entries[i] != NULL;
	}
	free(found);
	return 0;
}

int symbolizer_interrupted(struct symbolizer *s, struct recording *rec)
{
	struct interrupt_entries **entries = calloc(rec->nmodules + 1, sizeof(struct interrupt_entries *));
	bool any = false;
	int err = entries ? find_entries(s, rec, entries, &any) : -1;

	if (!err && any)
		err = interrupt_mark(rec, entries);
	for (size_t i = 0; entries && i < rec->nmodules; i++)
		free(entries[i]);
	free(entries);
	return err;
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

size_t symbolizer_tries(const struct symbolizer *s, uint32_t module, const struct module_try **v)
{
	const struct module *m = module < s->rec->nmodules ? s->modules[module] : NULL;

	*v = m ? m->tries.v : NULL;
	return m ? m->tries.n : 0;
}

void symbolizer_explain(struct symbolizer *s, uint32_t id, uint64_t offset, bool exact, struct symbol_explanation *out)
{
	struct module *module = module_of(s, id);
	struct lookup one = {.offset = offset, .exact = exact};

	*out = (struct symbol_explanation){.symbols = symbolize(s, id, offset, exact)};
	if (!module)
		return;
	find_name(s, module, &one); /* the files may have been given back since the name was found */
	if (exact || offset)
		module_explain(module, offset - !exact, out);
	out->source = out->symbols.source;
}
