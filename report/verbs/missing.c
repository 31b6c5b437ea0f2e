/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which debug files would bring which names: modules in the order of the samples
 * that their missing names cost, with the id to look for, what was tried, and
 * where a file would be found.
 */
#include <inttypes.h>
#include <string.h>

#include "../log.h"
#include "../memory.h"
#include "../model/words.h"
#include "../output/output.h"
#include "../rows.h"
#include "../sandbox.h"
#include "missing.h"
#include "verbs.h"

struct options {
	bool help, quiet, verbose;
	uint32_t top, format; /* enum missing_format */
	uint64_t max_memory;
	struct symbolizer_options symbols;
	struct word_list symbol_dirs, files;
};
enum missing_format { MISSING_TEXT, MISSING_JSON };
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{'f', "format", "text|json", "default text", ROW_CHOICE, AT(format)},
	{0, "symbols", "DIR", "look for debug files here first; may be given again", ROW_WORDS, AT(symbol_dirs)},
	{0, "sysroot", "DIR", "a copy of the recorded machine's file tree", ROW_FILE, AT(symbols.sysroot)},
	{0, "debuginfod", NULL, "ask the servers of DEBUGINFOD_URLS for what is found nowhere else", ROW_FLAG, AT(symbols.debuginfod)},
	{0, "no-system", NULL, "do not look at the files of this machine", ROW_FLAG, AT(symbols.no_system)},
	{0, "top", "N", "how many modules to list; default 20", ROW_COUNT, AT(top)},
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{'q', "quiet", NULL, "only failures on standard error", ROW_FLAG, AT(quiet)},
	{'v', "verbose", NULL, "say where names come from", ROW_FLAG, AT(verbose)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0},
};

static void line(struct missing *m)
{
	emit_printf(&m->emit, "%12s", "");
}

static void show_ids(struct missing *m, const struct rec_module *module)
{
	for (size_t i = 0; i < module->nids; i++) {
		line(m);
		emit_printf(&m->emit, "%s id ", id_kind_word(module->ids[i].kind));
		if (module->ids[i].kind == FOLD_ID_GO) /* text, as go tool buildid prints it */
			emit_visible(&m->emit, (const char *)module->ids[i].bytes.at, module->ids[i].bytes.size);
		else
			missing_hex(m, module->ids[i].bytes.at, module->ids[i].bytes.size);
		emit_char(&m->emit, '\n');
	}
}

static const char *why(const struct rec_module *module, const struct module_status *status)
{
	if (module->kind == FOLD_MODULE_JIT)
		return "generated code: only its runtime could have named it, by a perf-PID.map while it ran\n"
		       "            (node --perf-basic-prof, python3 -X perf, java with a perf map agent)";
	switch (status->state) {
	case MODULE_NOT_FOUND:
		return "no file with this id was found; --symbols DIR tells where there is one";
	case MODULE_MISMATCH:
		return "refused, it is another build: ";
	case MODULE_NO_SYMBOLS:
		return "without symbols (stripped): ";
	case MODULE_UNREADABLE:
		return "cannot be read: ";
	case MODULE_NO_ID:
		return "recorded without an id: nothing could prove a file";
	case MODULE_NAMED:
		return "its debug file was not found, and not all symbols are in ";
	default:
		return "not looked for";
	}
}

/* What to get, and where to put it. */
static void show_wanted(struct missing *m, const struct rec_module *module)
{
	const struct fold_module_id *id = missing_gnu_id(module);

	if (!id || id->bytes.size < 2)
		return;
	line(m);
	emit_str(&m->emit, "wanted: .build-id/");
	missing_hex(m, id->bytes.at, 1);
	emit_char(&m->emit, '/');
	missing_hex(m, id->bytes.at + 1, id->bytes.size - 1);
	emit_str(&m->emit, ".debug\n");
}

/* Files that were there, but for the one that was told of already, and how many places had none. */
static void show_tries(struct missing *m, uint32_t module, const char *told)
{
	const struct module_try *v;
	size_t n = symbolizer_tries(m->symbolizer, module, &v), absent = 0;

	for (size_t i = 0; i < n; i++) {
		absent += v[i].result == TRY_ABSENT;
		if (v[i].result == TRY_ABSENT || v[i].result == TRY_NOTHING_NEW || (told && !strcmp(told, v[i].path)))
			continue;
		line(m);
		emit_printf(&m->emit, "%s: ", missing_result_word(v[i].result));
		emit_plain(&m->emit, v[i].path, strlen(v[i].path));
		emit_char(&m->emit, '\n');
	}
	if (absent) {
		line(m);
		emit_printf(&m->emit, "nothing at %zu other %s (-f json lists them)\n", absent, absent == 1 ? "place" : "places");
	}
}

static void show_module(struct missing *m, const struct unnamed_module *unnamed)
{
	const struct rec_module *module = &m->rec->modules[unnamed->module];
	struct module_status status = symbolizer_module(m->symbolizer, unnamed->module);
	struct fold_bytes name = recording_string(m->rec, module->name);
	const char *reason = why(module, &status);
	bool tells_file = status.file && reason[strlen(reason) - 1] == ' ';
	char count[27];

	text_count(count, unnamed->samples);
	emit_printf(&m->emit, "%14s  %5.1f %%  ", count, output_percent(unnamed->samples, m->unnamed.samples));
	emit_plain(&m->emit, (const char *)name.at, name.size);
	if (module->kind != FOLD_MODULE_ELF)
		emit_printf(&m->emit, " (%s)", module_kind_word(module->kind));
	emit_char(&m->emit, '\n');
	show_ids(m, module);
	line(m);
	emit_str(&m->emit, reason);
	if (tells_file)
		emit_plain(&m->emit, status.file, strlen(status.file));
	emit_char(&m->emit, '\n');
	line(m);
	text_count(count, unnamed->selves);
	emit_printf(&m->emit, "%" PRIu64 " of %" PRIu64 " %s no name; %s %s ended there\n", status.unnamed, status.named + status.unnamed,
		    status.named + status.unnamed == 1 ? "address has" : "addresses have", count, unnamed->selves == 1 ? "sample" : "samples");
	show_tries(m, unnamed->module, tells_file ? status.file : NULL);
	show_wanted(m, module);
}

/* ------------------------------------------------------------ how to get them */

static struct fold_bytes release_of(const struct missing *m, const struct rec_module *module)
{
	return module->segment < m->rec->nsegments ? m->rec->segments[module->segment].meta.kernel_release : (struct fold_bytes){0};
}

static void show_kernel_packages(struct missing *m)
{
	for (size_t i = 0; i < m->unnamed.n; i++) {
		const struct rec_module *module = &m->rec->modules[m->unnamed.v[i].module];
		struct fold_bytes release = release_of(m, module);

		if (module->kind != FOLD_MODULE_KERNEL || !release.size)
			continue;
		emit_str(&m->emit, "  the kernel      Debian linux-image-");
		emit_plain(&m->emit, (const char *)release.at, release.size);
		emit_str(&m->emit, "-dbg, Ubuntu the same with -dbgsym, Fedora kernel-debuginfo\n");
		return;
	}
}

static void show_sources(struct missing *m)
{
	if (!m->unnamed.n)
		return;
	emit_str(&m->emit, "\nPut what is wanted below any directory, and give that to a report with --symbols DIR.\n"
		 "Where debug files come from, by build-id (ID):\n"
		 "  servers         DEBUGINFOD_URLS=... fold-report --debuginfod, or GET /buildid/ID/debuginfo\n"
		 "  Debian, Ubuntu  the -dbg or -dbgsym package with the id in its Build-Ids:\n"
		 "                  grep-aptavail -s Package -F Build-Ids ID\n"
		 "  Fedora          dnf install /usr/lib/debug/.build-id/XX/REST.debug\n");
	show_kernel_packages(m);
}

static void show(struct missing *m, const struct options *opt)
{
	const struct unnamed *u = &m->unnamed;
	size_t top = opt->top ? opt->top : 20;
	char affected[27], samples[27];

	text_count(affected, u->affected);
	text_count(samples, u->samples);
	emit_printf(&m->emit, "%s of %s samples (%.1f %%) have a frame without a name\n", affected, samples,
		    output_percent(u->affected, u->samples));
	if (u->n)
		emit_str(&m->emit, "\n       samples          module\n");
	for (size_t i = 0; i < u->n && i < top; i++)
		show_module(m, &u->v[i]);
	if (u->n > top)
		emit_printf(&m->emit, "and %zu more modules (--top N shows more)\n", u->n - top);
	show_sources(m);
	emit_flush(&m->emit);
}

/* VERB_FAILED also when something is missing: scripts want to know. */
static int look(const struct options *opt, struct memory_watch *watch)
{
	struct rec_keep keep = {.watch = watch};
	struct select all = {0};
	struct recording rec;
	struct missing m = {.rec = &rec};
	int err = recording_load(&rec, (char *const *)opt->files.v, opt->files.n, &all, &keep);

	emit_init(&m.emit, stdout);
	err = err || symbolizer_new(&m.symbolizer, &rec, &opt->symbols) ? -1 : 0;
	if (!err) {
		err = symbolizer_interrupted(m.symbolizer, &rec) || unnamed_measure(&m.unnamed, &rec, m.symbolizer) ? -1 : 0;
		if (err)
			log_error("out of memory");
		else if (opt->format == MISSING_JSON)
			missing_json(&m);
		else
			show(&m, opt);
	}
	err = err || m.unnamed.n;
	unnamed_release(&m.unnamed);
	symbolizer_free(m.symbolizer);
	recording_release(&rec);
	return err ? VERB_FAILED : VERB_DONE;
}

static int run(const struct options *opt)
{
	struct memory_watch watch;
	int status = VERB_FAILED;

	if (memory_watch_open(&watch, opt->max_memory))
		return VERB_FAILED;
	sandbox_enter(&(struct sandbox_needs){.files = opt->files, .symbols = &opt->symbols});
	if (!memory_watch_start(&watch))
		status = look(opt, &watch);
	memory_watch_release(&watch);
	return status;
}

static void usage(FILE *to)
{
	fputs("fold-report missing [OPTION...] FILE...\n"
	      "Exit status: 0 when every frame has a name, else 1.\n", to);
	rows_print(to, rows);
}

int verb_missing(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE;

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		log_set_level(opt.quiet ? LOG_QUIET : opt.verbose ? LOG_VERBOSE : LOG_NORMAL);
		opt.symbols.symbol_dirs = opt.symbol_dirs.v;
		opt.symbols.nsymbol_dirs = opt.symbol_dirs.n;
		if (opt.help) {
			usage(stdout);
			status = VERB_DONE;
		} else if (!opt.files.n) {
			log_error("missing: no recording given; \"-\" reads one from standard input");
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
