/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of a report as rows; usage is printed from the same rows, from the
 * table of formats and from the table of verbs.  Knows what options mean, not
 * what is done with them.
 */
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "memory.h"
#include "options.h"
#include "verbs/verbs.h"

#define AT(field) offsetof(struct options, field)

static const struct row rows[] = {
	{0, NULL, NULL, "\nWhat is written:", ROW_HEADING, 0},
	{'f', "format", "FORMAT", "see below; default: by the suffix of -o, else folded", ROW_WORD, AT(format_name)},
	{'o', "output", "FILE", "instead of standard output; appears only when complete", ROW_FILE, AT(out)},
	{0, "title", "TEXT", "of pictures and pages", ROW_WORD, AT(output.title)},
	{0, "notes", "TEXT", "a line below flame graphs, or above the explorer", ROW_WORD, AT(output.notes)},
	{0, "top", "N", "rows of tables; default 30, of diff 20", ROW_COUNT, AT(output.top)},
	{0, "min", "PCT", "leave out branches below this share; default 1 for tree", ROW_PERCENT, AT(output.min_percent)},
	{0, "width", "PIXELS", "of flame graphs: 300 to 20000; default 1200", ROW_COUNT, AT(output.width)},
	{0, "height", "PIXELS", "of a frame in flame graphs: 10 to 60; default 18", ROW_COUNT, AT(output.height)},
	{0, "min-width", "PIXELS", "leave out frames of pictures that are narrower; default 0.1", ROW_PERCENT, AT(output.min_width)},
	{0, "colors", "kind|module|hash|hot|mem|io|red|green|blue|aqua|yellow|purple|orange", "what colours of pictures mean; from hash on the name alone", ROW_CHOICE, AT(output.colors)},
	{0, "normalize", "samples|time|none", "what diff makes equal before it compares; default samples", ROW_CHOICE, AT(output.normalize)},
	{0, "inverted", NULL, "pictures grow down from the root: icicles", ROW_FLAG, AT(output.inverted)},
	{0, NULL, NULL, "\nWhich samples:", ROW_HEADING, 0},
	{0, "event", "NAME", "of this event; NAME@PERIOD when several are called so", ROW_WORD, AT(select.event)},
	{0, "pid", "PID[,PID|-PID]", "of these processes", ROW_NUMBERS, AT(pids)},
	{0, "tid", "TID[,...]", "of these threads", ROW_NUMBERS, AT(tids)},
	{0, "cpu", "CPU[,...]", "taken on these CPUs", ROW_NUMBERS, AT(cpus)},
	{0, "comm", "GLOB", "of processes or threads of this name; may be given again", ROW_WORDS, AT(comms)},
	{0, "module", "GLOB", "with a frame in this program, library or kernel module; may be given again", ROW_WORDS, AT(modules)},
	{0, "match", "REGEX", "with a frame whose name matches (POSIX extended)", ROW_WORD, AT(select.match)},
	{0, "from", "TIME", "from 14:02:10, 2026-11-29T14:02:10Z (UTC), or 12.5 (seconds) on", ROW_WORD, AT(from)},
	{0, "to", "TIME", "before that time", ROW_WORD, AT(to)},
	{0, NULL, NULL, "\nHow stacks are drawn:", ROW_HEADING, 0},
	{0, "by", "ROOT", "root of every stack: comm (default), process, thread, cpu, host, label:KEY, event, none", ROW_WORD, AT(by)},
	{0, "reverse", NULL, "from the leaf: callers lie below", ROW_FLAG, AT(tree.reverse)},
	{0, NULL, NULL, "\nNames:", ROW_HEADING, 0},
	{0, "symbols", "DIR", "look for debug files here first; may be given again", ROW_WORDS, AT(symbol_dirs)},
	{0, "sysroot", "DIR", "a copy of the recorded machine's file tree", ROW_FILE, AT(symbols.sysroot)},
	{0, "debuginfod", NULL, "ask the servers of DEBUGINFOD_URLS for what is found nowhere else", ROW_FLAG, AT(symbols.debuginfod)},
	{0, "no-system", NULL, "do not look at the files of this machine", ROW_FLAG, AT(symbols.no_system)},
	{0, "inline", NULL, "functions that the compiler inlined are frames of their own (needs debug files)", ROW_FLAG, AT(symbols.inlines)},
	{0, "lines", NULL, "source file and line of each frame (needs debug files)", ROW_FLAG, AT(tree.lines)},
	{0, "strip-suffix", NULL, "foo.cold, foo.part.0 and foo.constprop.1 are foo", ROW_FLAG, AT(symbols.strip_suffix)},
	{0, "no-demangle", NULL, "C++, Rust and D names as they stand in the symbol table", ROW_FLAG, AT(symbols.no_demangle)},
	{0, "offsets", NULL, "name+0x12", ROW_FLAG, AT(tree.offsets)},
	{0, "annotate", NULL, "names end in _[k] kernel, _[j] JIT, _[i] inlined", ROW_FLAG, AT(tree.annotate)},
	{0, "unnamed", "address|module", "code without a name: a frame for each address, or one for each module", ROW_CHOICE, AT(unnamed)},
	{0, NULL, NULL, "\nOther:", ROW_HEADING, 0},
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{0, "schema", NULL, "print the JSON Schema of -f json", ROW_FLAG, AT(schema)},
	{'q', "quiet", NULL, "only failures on standard error", ROW_FLAG, AT(quiet)},
	{'v', "verbose", NULL, "say where names come from, what was passed over, and what took how long", ROW_FLAG, AT(verbose)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0, "version", NULL, "the version of this program", ROW_FLAG, AT(version)},
	{0},
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Some formats can show two recordings side by side, one can show nothing else. */
static int check_format(const struct options *opt)
{
	if (opt->compare && !(opt->format->flags & OUTPUT_COMPARE))
		log_error("%s cannot compare; diff, folded, svg, html and json can", opt->format->name);
	else if (!opt->compare && opt->format->flags & OUTPUT_ONLY_COMPARE)
		log_error("%s compares two recordings: fold-report diff BEFORE NOW", opt->format->name);
	else if (opt->compare && opt->files.n != 2)
		log_error("diff takes two recordings: the one before, and the one now");
	else
		return 0;
	return -1;
}

static int choose_format(struct options *opt)
{
	if (opt->format_name) {
		opt->format = output_by_name(opt->format_name);
		if (!opt->format && verb_by_name(opt->format_name))
			log_error("\"%s\" is no format: fold-report %s FILE", opt->format_name, opt->format_name);
		else if (!opt->format)
			log_error("there is no format \"%s\"; --help lists all", opt->format_name);
	} else if (opt->out && strcmp(opt->out, "-") && strchr(base_name(opt->out), '.')) {
		opt->format = output_by_suffix(opt->out);
		if (!opt->format)
			log_error("no format is called like the end of \"%s\": choose one with -f", opt->out);
	} else {
		opt->format = output_by_name(opt->compare ? "diff" : "folded");
	}
	return opt->format ? check_format(opt) : -1;
}

static int choose_by(struct options *opt)
{
	static const struct { const char *name; enum tree_by by; const char *label; } words[] = {
		{"comm", TREE_BY_COMM, NULL}, {"process", TREE_BY_PROCESS, NULL}, {"thread", TREE_BY_THREAD, NULL},
		{"cpu", TREE_BY_CPU, NULL}, {"host", TREE_BY_LABEL, "host"}, {"event", TREE_BY_EVENT, NULL}, {"none", TREE_BY_NONE, NULL},
	};

	if (!opt->by)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(opt->by, words[i].name))
			continue;
		opt->tree.by = words[i].by;
		opt->tree.label = words[i].label;
		return 0;
	}
	opt->tree.by = TREE_BY_LABEL;
	opt->tree.label = opt->by + strlen("label:");
	if (!strncmp(opt->by, "label:", strlen("label:")) && *opt->tree.label)
		return 0;
	log_error("--by: \"%s\" is not one of comm, process, thread, cpu, host, label:KEY, event, none", opt->by);
	return -1;
}

/* Outputs with roots and directions of their own: to say nothing would be to pretend. */
static void tell_roots(const struct options *opt)
{
	bool begins = opt->format->flags & OUTPUT_BEGINS;

	if (!(opt->format->flags & OUTPUT_PLAIN))
		return;
	if (opt->by && !begins)
		log_warning("--by changes nothing in %s: it says of each sample whose it is", opt->format->name);
	else if (opt->tree.by == TREE_BY_LABEL || opt->tree.by == TREE_BY_EVENT)
		log_warning("%s cannot begin with --by %s: its roots are commands", opt->format->name, opt->by);
	if (opt->tree.reverse && !begins)
		log_warning("--reverse changes nothing in %s: what reads it can do that", opt->format->name);
}

static int parse_time(struct select_time *time, const char *name, const char *text)
{
	if (!text || !select_parse_time(time, text))
		return 0;
	log_error("%s: \"%s\" is no time: 14:02:10, 2026-11-29T14:02:10Z or seconds", name, text);
	return -1;
}

/* Times of day wrap around at midnight; others have an order. */
static int check_span(const struct select *select)
{
	const struct select_time *from = &select->from, *to = &select->to;

	if (from->kind != to->kind || from->kind == SELECT_TIME_NONE || from->kind == SELECT_TIME_OF_DAY || to->ns > from->ns)
		return 0;
	log_error("--to is not after --from: there is no time between them");
	return -1;
}

/* Before anything is read: the tree compiles it again when it is needed. */
static int check_match(const char *match)
{
	char text[256];
	regex_t regex;
	int err = match ? regcomp(&regex, match, REG_EXTENDED | REG_NOSUB) : 0;

	if (err) {
		regerror(err, &regex, text, sizeof(text));
		log_error("--match: \"%s\" is no regular expression: %s", match, text);
		return -1;
	}
	if (match)
		regfree(&regex);
	return 0;
}

static void connect_lists(struct options *opt)
{
	struct select *s = &opt->select;

	s->comms = opt->comms.v, s->ncomms = opt->comms.n;
	s->modules = opt->modules.v, s->nmodules = opt->modules.n;
	s->pids = opt->pids.v, s->npids = opt->pids.n;
	s->tids = opt->tids.v, s->ntids = opt->tids.n;
	s->cpus = opt->cpus.v, s->ncpus = opt->cpus.n;
	opt->tree.match = s->match;
	opt->symbols.symbol_dirs = opt->symbol_dirs.v;
	opt->symbols.nsymbol_dirs = opt->symbol_dirs.n;
	opt->symbols.lines = opt->tree.lines;
}

int options_parse(struct options *opt, int argc, char **argv)
{
	opt->output.min_percent = -1;
	opt->output.min_width = -1;
	opt->unnamed = OPTIONS_UNNAMED_DEFAULT;
	if (rows_parse(rows, opt, argc, argv, &opt->files))
		return -1;
	if (opt->help || opt->version || opt->schema)
		return 0;
	if (!opt->files.n) {
		log_error("no recording given; \"-\" reads one from standard input, --help tells more");
		return -1;
	}
	if (verb_by_name(opt->files.v[0]) && access(opt->files.v[0], F_OK)) {
		log_error("\"%s\" comes before all options: fold-report %s [OPTION...] FILE", opt->files.v[0], opt->files.v[0]);
		return -1;
	}
	if (opt->out && !strcmp(opt->out, "-"))
		opt->out = NULL;
	connect_lists(opt);
	if (choose_format(opt) || choose_by(opt))
		return -1;
	tell_roots(opt);
	opt->output.by = opt->tree.by;
	opt->output.reverse = opt->tree.reverse;
	/* Addresses of two builds have nothing to do with each other. */
	opt->tree.merge_unnamed = opt->unnamed == OPTIONS_UNNAMED_DEFAULT ? opt->compare || opt->format->flags & OUTPUT_MERGE : opt->unnamed;
	return check_match(opt->select.match) || parse_time(&opt->select.from, "--from", opt->from) ||
	       parse_time(&opt->select.to, "--to", opt->to) || check_span(&opt->select) ? -1 : 0;
}

void options_release(struct options *opt)
{
	word_list_release(&opt->comms);
	word_list_release(&opt->modules);
	word_list_release(&opt->symbol_dirs);
	word_list_release(&opt->files);
	number_list_release(&opt->pids);
	number_list_release(&opt->tids);
	number_list_release(&opt->cpus);
}

static void print_verbs(FILE *out)
{
	fputs("fold-report turns recordings into named stacks, tables and pictures.\n\n"
	      "  fold-report [OPTION...] FILE...     \"-\" is standard input\n", out);
	for (const struct verb *v = verbs; v->name; v++)
		fprintf(out, "  fold-report %-23s %s\n", v->usage, v->help);
	fputs("\nEach of these has a --help of its own; the options of a report:\n", out);
}

static void print_formats(FILE *out, bool compare)
{
	fputs("\nFormats:\n", out);
	for (const struct output_format *f = output_formats; f->name; f++) {
		if (compare && !(f->flags & OUTPUT_COMPARE))
			continue;
		fprintf(out, "  %-13s%-18s", f->name, f->suffix ? f->suffix : "");
		rows_print_text(out, 33, f->help);
	}
}

void options_print_usage(FILE *out, bool compare)
{
	if (compare)
		fputs("fold-report diff [OPTION...] BEFORE NOW\n"
		      "What changed between two recordings: a table, unless -f or -o want another format.\n", out);
	else
		print_verbs(out);
	rows_print(out, rows);
	print_formats(out, compare);
	fputs("\nExit status: 0 done, 1 failure or unusable input, 2 usage, 3 nothing matched.\n", out);
}
