/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One address, every step from the recording to a name: which module, which
 * segment, which address in which file, what was tried, which symbol.  Each
 * number can be compared with what readelf prints.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "../memory.h"
#include "../model/select.h"
#include "../model/words.h"
#include "../output/emit.h"
#include "../rows.h"
#include "../sandbox.h"
#include "../symbols/symbolize.h"
#include "verbs.h"

struct options {
	bool help, quiet, verbose, call;
	uint64_t max_memory;
	struct symbolizer_options symbols;
	struct word_list symbol_dirs, files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{0, "call", NULL, "OFFSET is a return address: the call before it is meant", ROW_FLAG, AT(call)},
	{0, "symbols", "DIR", "look for debug files here first; may be given again", ROW_WORDS, AT(symbol_dirs)},
	{0, "sysroot", "DIR", "a copy of the recorded machine's file tree", ROW_FILE, AT(symbols.sysroot)},
	{0, "debuginfod", NULL, "ask the servers of DEBUGINFOD_URLS for what is found nowhere else", ROW_FLAG, AT(symbols.debuginfod)},
	{0, "no-system", NULL, "do not look at the files of this machine", ROW_FLAG, AT(symbols.no_system)},
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{'q', "quiet", NULL, "only failures on standard error", ROW_FLAG, AT(quiet)},
	{'v', "verbose", NULL, "say where names come from", ROW_FLAG, AT(verbose)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0},
};

struct explain {
	struct emit emit;
	const struct recording *rec;
	struct symbolizer *symbolizer;
};

/* ------------------------------------------------------------ what is asked */

/* "libc.so.6+0x1234", or "[libc.so.6]+0x1234" as reports show it. */
static int parse_place(const char *text, char **module, uint64_t *offset)
{
	const char *plus = strrchr(text, '+');
	size_t n = plus ? (size_t)(plus - text) : 0;
	char *end;

	if (!plus || !n || !plus[1])
		return -1;
	errno = 0;
	*offset = strtoull(plus + 1, &end, 0);
	if (errno || *end)
		return -1;
	*module = strndup(text, n);
	return *module ? 0 : -1;
}

/* Path or base name; brackets are part of some names, and put around others. */
static bool same_name(const char *name, const char *asked)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	size_t n = strlen(base);

	if (!strcmp(name, asked) || !strcmp(base, asked))
		return true;
	return asked[0] == '[' && !strncmp(asked + 1, base, n) && !strcmp(asked + 1 + n, "]");
}

static bool module_is(const struct explain *x, uint32_t module, const char *asked)
{
	struct fold_bytes bytes = recording_string(x->rec, x->rec->modules[module].name);
	char *name = strndup(bytes.size ? (const char *)bytes.at : "", bytes.size);
	bool same = name && same_name(name, asked);

	free(name);
	return same;
}

/* ------------------------------------------------------------ what is told */

static void show_ids(struct explain *x, const struct rec_module *m)
{
	if (m->kind == FOLD_MODULE_JIT)
		emit_str(&x->emit, "  generated code: only its runtime could have named it, by a perf-PID.map while it ran\n");
	else if (!m->nids)
		emit_str(&x->emit, "  no id was recorded: nothing can prove a file\n");
	for (size_t i = 0; i < m->nids; i++) {
		emit_printf(&x->emit, "  %s id ", id_kind_word(m->ids[i].kind));
		if (m->ids[i].kind == FOLD_ID_GO) /* text, as go tool buildid prints it */
			emit_visible(&x->emit, (const char *)m->ids[i].bytes.at, m->ids[i].bytes.size);
		for (size_t k = 0; m->ids[i].kind != FOLD_ID_GO && k < m->ids[i].bytes.size; k++)
			emit_printf(&x->emit, "%02x", m->ids[i].bytes.at[k]);
		emit_char(&x->emit, '\n');
	}
}

static const char *result_word(enum module_try_result result)
{
	static const char *const words[] = {
		[TRY_ABSENT] = "absent", [TRY_TAKEN] = "taken", [TRY_NOTHING_NEW] = "right, but adds nothing",
		[TRY_OTHER_BUILD] = "refused: another build", [TRY_OTHER_LAYOUT] = "refused: same id, code elsewhere",
		[TRY_UNREADABLE] = "cannot be read", [TRY_NO_ELF] = "no ELF file",
	};

	return words[result];
}

static void show_tries(struct explain *x, uint32_t module)
{
	const struct module_try *v;
	size_t n = symbolizer_tries(x->symbolizer, module, &v);

	emit_str(&x->emit, n ? "  files tried:\n" : "  no files were tried\n");
	for (size_t i = 0; i < n; i++) {
		emit_str(&x->emit, "    ");
		emit_plain(&x->emit, v[i].path, strlen(v[i].path));
		emit_printf(&x->emit, ": %s\n", result_word(v[i].result));
	}
}

static void show_address(struct explain *x, const struct symbol_explanation *e)
{
	if (e->by_segment)
		emit_printf(&x->emit, "  executable segment (%s): offset 0x%" PRIx64 ", address 0x%" PRIx64 ", size 0x%" PRIx64 "\n",
			    e->segment_recorded ? "as recorded" : "of the file taken", e->segment.offset, e->segment.vaddr, e->segment.filesz);
	if (e->by_base)
		emit_printf(&x->emit, "  offset 0 of this kernel is at 0x%" PRIx64 " in the file taken\n", e->base);
	if (e->has_address)
		emit_printf(&x->emit, "  ELF address 0x%" PRIx64 "\n", e->address);
	else
		emit_str(&x->emit, "  no ELF address: no file was taken, or no executable segment holds the offset\n");
}

static const char *source_word(enum symbol_source source)
{
	static const char *const words[] = {
		[SYMBOL_NONE] = "nothing", [SYMBOL_RECORDED] = "the recorder, when it ran", [SYMBOL_EMBEDDED] = "embedded in the recording",
		[SYMBOL_SYMTAB] = ".symtab of the file", [SYMBOL_DYNSYM] = ".dynsym or the PLT", [SYMBOL_DEBUG_FILE] = "a debug file",
	};

	return words[source];
}

static void show_symbol(struct explain *x, const struct symbol_explanation *e)
{
	if (e->in_symbol)
		emit_printf(&x->emit, "  symbol: function at 0x%" PRIx64 ", names 0x%" PRIx64 " to 0x%" PRIx64 "\n", e->value, e->start, e->end);
	else if (e->has_address && e->source != SYMBOL_RECORDED && e->source != SYMBOL_EMBEDDED)
		emit_str(&x->emit, "  symbol: none covers this address\n");
	emit_printf(&x->emit, "  name from: %s\n", source_word(e->source));
}

static void show_frames(struct explain *x, const struct symbols *symbols)
{
	for (uint32_t i = 0; i < symbols->n; i++) {
		const struct symbol *s = &symbols->v[i];

		emit_str(&x->emit, i ? "  inlined in " : "  = ");
		emit_plain(&x->emit, s->name, strlen(s->name));
		if (s->offset)
			emit_printf(&x->emit, "+0x%" PRIx64, s->offset);
		if (s->mangled && strcmp(s->mangled, s->name)) {
			emit_str(&x->emit, " (");
			emit_plain(&x->emit, s->mangled, strlen(s->mangled));
			emit_char(&x->emit, ')');
		}
		if (s->file) {
			emit_str(&x->emit, "  ");
			emit_plain(&x->emit, s->file, strlen(s->file));
			emit_printf(&x->emit, ":%u", s->line);
		}
		emit_char(&x->emit, '\n');
	}
}

static void show(struct explain *x, uint32_t module, uint64_t offset, bool call)
{
	const struct rec_module *m = &x->rec->modules[module];
	struct fold_bytes name = recording_string(x->rec, m->name);
	struct symbol_explanation e;

	symbolizer_explain(x->symbolizer, module, offset, !call, &e);
	emit_plain(&x->emit, (const char *)name.at, name.size);
	emit_printf(&x->emit, " (%s)\n", module_kind_word(m->kind));
	show_ids(x, m);
	emit_printf(&x->emit, "  offset 0x%" PRIx64 "%s\n", e.offset, call ? ", in the call before the return address" : "");
	show_address(x, &e);
	show_tries(x, module);
	show_symbol(x, &e);
	show_frames(x, &e.symbols);
}

/* All builds of the module that were recorded. */
static size_t explain_all(struct explain *x, const char *module, uint64_t offset, bool call)
{
	size_t n = 0;

	for (uint32_t i = 0; i < x->rec->nmodules; i++) {
		if (!module_is(x, i, module))
			continue;
		show(x, i, offset, call);
		n++;
	}
	if (!n)
		log_error("explain: no module \"%s\" in the recording", module);
	emit_flush(&x->emit);
	return n;
}

static int explain(const struct options *opt, const char *module, uint64_t offset, struct memory_watch *watch)
{
	struct rec_keep keep = {.watch = watch};
	struct select all = {0};
	struct recording rec;
	struct explain x = {.rec = &rec};
	size_t n = 0;
	int err = recording_load(&rec, (char *const *)opt->files.v, 1, &all, &keep);

	emit_init(&x.emit, stdout);
	if (!err)
		err = symbolizer_new(&x.symbolizer, &rec, &opt->symbols);
	if (!err)
		n = explain_all(&x, module, offset, opt->call);
	symbolizer_free(x.symbolizer);
	recording_release(&rec);
	return err ? VERB_FAILED : n ? VERB_DONE : VERB_NOTHING;
}

static int run(const struct options *opt)
{
	struct memory_watch watch;
	int status = VERB_FAILED;
	uint64_t offset;
	char *module;

	if (parse_place(opt->files.v[1], &module, &offset)) {
		log_error("explain: \"%s\" is no place: MODULE+0xOFFSET, as reports show code without a name", opt->files.v[1]);
		return VERB_USAGE;
	}
	if (!memory_watch_open(&watch, opt->max_memory)) {
		sandbox_enter(&(struct sandbox_needs){.files = {opt->files.v, 1}, .symbols = &opt->symbols});
		if (!memory_watch_start(&watch))
			status = explain(opt, module, offset, &watch);
		memory_watch_release(&watch);
	}
	free(module);
	return status;
}

static void usage(FILE *to)
{
	fputs("fold-report explain [OPTION...] FILE MODULE+0xOFFSET\n"
	      "How the name of one address comes about, step by step.\n", to);
	rows_print(to, rows);
}

int verb_explain(int argc, char **argv)
{
	struct options opt = {.symbols = {.inlines = true, .lines = true}};
	int status = VERB_USAGE;

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		log_set_level(opt.quiet ? LOG_QUIET : opt.verbose ? LOG_VERBOSE : LOG_NORMAL);
		opt.symbols.symbol_dirs = opt.symbol_dirs.v;
		opt.symbols.nsymbol_dirs = opt.symbol_dirs.n;
		if (opt.help) {
			usage(stdout);
			status = VERB_DONE;
		} else if (opt.files.n != 2) {
			log_error("explain: a recording and MODULE+0xOFFSET are needed");
		} else {
			status = run(&opt);
		}
		if (fflush(stdout) || ferror(stdout))
			status = VERB_FAILED;
	}
	word_list_release(&opt.symbol_dirs);
	word_list_release(&opt.files);
	return status;
}
