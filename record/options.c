/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every option is a row: names, argument, help, and how it gets into struct
 * options.  The parser and the help text are made from the rows.
 */
#include "options.h"

#include "../bpf/event.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	FLAG,     /* bool */
	NUMBER,   /* uint32_t within low..high */
	TEXT,     /* const char * */
	NAME,     /* the same, not empty */
	SECONDS,  /* uint64_t ns */
	SIZE,     /* uint64_t bytes, at least low MiB */
	LIST,     /* struct numbers, up to high */
	PATHS,
	UNWIND,
	LABEL,    /* struct label_list */
};

struct row {
	char letter;       /* 0: only the long name */
	const char *name;
	const char *arg;   /* NULL: none */
	const char *help;
	enum kind kind;
	size_t where;      /* in struct options */
	uint32_t low, high;
	bool testing;      /* for tests of fold-record itself */
};

#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{ 'F', "frequency", "HZ", "samples a second and CPU (99)", NUMBER, AT(frequency), 1, 1000000, false },
	{ 'd', "duration", "SECONDS", "stop after this time; else on Ctrl-C, or when COMMAND or the processes end", SECONDS, AT(duration), 0, 0, false },
	{ 'o', "output", "FILE", "where to write (" OPTIONS_DEFAULT_OUTPUT "); - is stdout, and COMMAND's stdout then goes to stderr", NAME, AT(output), 0, 0, false },
	{ 'f', "force", NULL, "overwrite FILE", FLAG, AT(overwrite), 0, 0, false },
	{ 'p', "pid", "PID,..", "only these processes and their later children", LIST, AT(pids), 0, 4194304, false },
	{ 'C', "cpu", "CPU,..", "only these CPUs, such as 0-3,8", LIST, AT(cpus), 0, 65535, false },
	{ 'K', "kernel", NULL, "kernel stacks only", FLAG, AT(kernel_only), 0, 0, false },
	{ 'U', "user", NULL, "user stacks only", FLAG, AT(user_only), 0, 0, false },
	{ 0, "unwind", "HOW", "auto: user stacks by unwind tables where possible (default); fp: by frame pointers", UNWIND, AT(unwind), 0, 0, false },
	{ 0, "max-depth", "N", "frames kept of a stack, counted from the leaf (512, or what the host allows)", NUMBER, AT(max_depth), 1, EVENT_MAX_FRAMES, false },
	{ 0, "aggregate", NULL, "count in the kernel: no times, less work, smaller file", FLAG, AT(aggregate), 0, 0, false },
	{ 0, "paths", "HOW", "system: full below system directories, else the base name (default); base; full", PATHS, AT(paths), 0, 0, false },
	{ 0, "raw-addresses", NULL, "keep where things were mapped (reveals address randomisation)", FLAG, AT(raw_addresses), 0, 0, false },
	{ 0, "no-kernel-symbols", NULL, "do not name kernel functions here", FLAG, AT(no_kernel_symbols), 0, 0, false },
	{ 0, "note", "TEXT", "a text for whoever reads the recording", TEXT, AT(note), 0, 0, false },
	{ 0, "label", "KEY=VALUE", "what to call the recording, such as host=web1; may be given again", LABEL, AT(labels), 0, 0, false },
	{ 0, "ring-size", "KIB", "kernel memory for each CPU's samples, and for what tells of processes (by frequency, 256 to 8192; 512)", NUMBER, AT(ring_kib), 64, 1 << 20, false },
	{ 0, "max-memory", "SIZE", "for rings, known stacks and unwind tables together, such as 64M; about 40M more are needed anyway", SIZE, AT(max_memory), 4, 0, false },
	{ 0, "check", NULL, "say what works on this host, what does not, and what would change it", FLAG, AT(check), 0, 0, false },
	{ 'q', "quiet", NULL, "only errors and warnings", FLAG, AT(quiet), 0, 0, false },
	{ 'v', "verbose", NULL, "say more, also what libbpf says", FLAG, AT(verbose), 0, 0, false },
	{ 'h', "help", NULL, "this text", FLAG, AT(help), 0, 0, false },
	{ 'V', "version", NULL, "version of fold-record", FLAG, AT(version), 0, 0, false },
	{ 0, "test-table-size", "N", "entries of every table in the kernel", NUMBER, AT(table_size), 1, 1 << 20, true },
	{ 0, "test-stack-memory", "BYTES", "memory for known stacks; beyond it they are forgotten and sent again", NUMBER, AT(stack_memory), 1, UINT32_MAX, true },
	{ 0, "test-inherit", NULL, "give each thread of the processes or the command a sampling event of its own", FLAG, AT(inherit), 0, 0, true },
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

/* ---- help */

#define HELP_INDENT 28
#define HELP_ROOM 52 /* 80 columns in all */

static void print_wrapped(const char *text)
{
	while (strlen(text) > HELP_ROOM) {
		int n = HELP_ROOM;

		while (n && text[n] != ' ')
			n--;
		if (!n)
			break;
		printf("%.*s\n%*s", n, text, HELP_INDENT, "");
		text += n + 1;
	}
	puts(text);
}

static void print_rows(bool testing)
{
	for (size_t i = 0; i < NROWS; i++) {
		const struct row *row = &rows[i];
		char letter[8] = "    ", left[64];

		if (row->testing != testing)
			continue;
		if (row->letter)
			snprintf(letter, sizeof(letter), "-%c, ", row->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, row->name, row->arg ? " " : "", row->arg ? row->arg : "");
		printf("  %-26s", left);
		if (strlen(left) >= HELP_INDENT - 2)
			printf("\n%*s", HELP_INDENT, "");
		print_wrapped(row->help);
	}
}

static void print_help(void)
{
	puts("Usage: fold-record [OPTION]... [--] [COMMAND [ARG]...]\n"
	     "Record where the CPU time goes, on the whole machine, in given processes or in a\n"
	     "command, into one file for fold-report.\n");
	print_rows(false);
	puts("\nFor tests of fold-record itself:");
	print_rows(true);
	puts("\nExit status: 0, or COMMAND's; 1 after a failure, 2 for wrong usage.");
}

/* ---- arguments */

static bool wrong(const struct row *row, const char *arg, const char *wanted)
{
	log_error("--%s: \"%s\" is not %s", row->name, arg, wanted);
	return false;
}

static bool set_number(const struct row *row, const char *arg, uint32_t *out)
{
	char *end, wanted[64];
	unsigned long n;

	errno = 0;
	n = strtoul(arg, &end, 10);
	snprintf(wanted, sizeof(wanted), "a number from %u to %u", row->low, row->high);
	if (*arg < '0' || *arg > '9' || *end || errno || n < row->low || n > row->high)
		return wrong(row, arg, wanted);
	*out = (uint32_t)n;
	return true;
}

static bool set_seconds(const struct row *row, const char *arg, uint64_t *out)
{
	char *end;
	double seconds;

	errno = 0;
	seconds = strtod(arg, &end);
	if (*end == 's')
		end++;
	if (end == arg || *end || errno || !(seconds >= 0.001 && seconds <= 1e8))
		return wrong(row, arg, "a time in seconds, such as 30 or 0.5");
	*out = (uint64_t)(seconds * 1e9);
	return true;
}

static bool set_size(const struct row *row, const char *arg, uint64_t *out)
{
	static const char units[] = "KMG";
	char *end, wanted[64];
	unsigned long long n;
	const char *unit;

	errno = 0;
	n = strtoull(arg, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	snprintf(wanted, sizeof(wanted), "a size of at least %uM, such as 64M", row->low);
	if (*arg < '0' || *arg > '9' || errno || (*end && (!unit || end[1])) || n > UINT64_MAX >> 30)
		return wrong(row, arg, wanted);
	*out = n << (unit ? 10 * (unit - units + 1) : 0);
	return *out >= (uint64_t)row->low << 20 || wrong(row, arg, wanted);
}

static bool set_unwind(const struct row *row, const char *arg, enum options_unwind *out)
{
	*out = strcmp(arg, "fp") ? OPTIONS_UNWIND_AUTO : OPTIONS_UNWIND_FP;
	return !strcmp(arg, "fp") || !strcmp(arg, "auto") || wrong(row, arg, "auto or fp");
}

static bool set_paths(const struct row *row, const char *arg, enum session_paths *out)
{
	static const char *const names[] = {
		[SESSION_PATHS_SYSTEM] = "system", [SESSION_PATHS_BASE] = "base", [SESSION_PATHS_FULL] = "full",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(arg, names[i])) {
			*out = (enum session_paths)i;
			return true;
		}
	}
	return wrong(row, arg, "system, base or full");
}

static bool add_label(const struct row *row, const char *arg, struct label_list *out)
{
	enum label_result result = label_list_parse(out, arg);

	if (result != LABEL_ADDED)
		log_error("--%s: \"%s\" %s", row->name, arg, label_result_text(result));
	return result == LABEL_ADDED;
}

static bool set(struct options *options, const struct row *row, const char *arg)
{
	void *at = (char *)options + row->where;

	switch (row->kind) {
	case FLAG:
		*(bool *)at = true;
		return true;
	case NUMBER:
		return set_number(row, arg, at);
	case TEXT:
		*(const char **)at = arg;
		return true;
	case NAME:
		*(const char **)at = arg;
		return *arg || wrong(row, arg, "a name");
	case SECONDS:
		return set_seconds(row, arg, at);
	case SIZE:
		return set_size(row, arg, at);
	case LIST:
		return !numbers_parse(at, arg, row->high, row->name);
	case PATHS:
		return set_paths(row, arg, at);
	case UNWIND:
		return set_unwind(row, arg, at);
	case LABEL:
		return add_label(row, arg, at);
	}
	return false;
}

/* ---- all of them */

static bool consistent(const struct options *o)
{
	const char *what = NULL;

	if (o->kernel_only && o->user_only)
		what = "-K and -U exclude each other: without both, kernel and user stacks are recorded";
	if (o->pids.n && o->command)
		what = "-p and a command exclude each other";
	if (o->quiet && o->verbose)
		what = "-q and -v exclude each other";
	if (o->command && !*o->command[0])
		what = "the command is an empty word";
	if (what)
		log_error("%s", what);
	return !what;
}

/* Rows as getopt_long wants them; its value is the row's index + 256. */
static bool parse_rows(struct options *options, int argc, char **argv)
{
	struct option longs[NROWS + 1] = { 0 };
	char shorts[2 * NROWS + 2] = "+";
	size_t n = 1;
	int c;

	for (size_t i = 0; i < NROWS; i++) {
		longs[i] = (struct option){ .name = rows[i].name, .has_arg = rows[i].arg ? required_argument : no_argument, .val = (int)i + 256 };
		if (rows[i].letter)
			shorts[n++] = rows[i].letter;
		if (rows[i].letter && rows[i].arg)
			shorts[n++] = ':';
	}
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		size_t i = c >= 256 ? (size_t)c - 256 : 0;

		if (c == '?')
			return false;
		while (c < 256 && rows[i].letter != c)
			i++;
		if (!set(options, &rows[i], optarg))
			return false;
	}
	if (optind < argc)
		options->command = argv + optind;
	return true;
}

enum options_result options_parse(struct options *options, int argc, char **argv)
{
	memset(options, 0, sizeof(*options));
	options->frequency = 99;
	options->output = OPTIONS_DEFAULT_OUTPUT;
	if (!parse_rows(options, argc, argv)) {
		fputs("Try 'fold-record --help'.\n", stderr);
		return OPTIONS_WRONG;
	}
	if (options->help) {
		print_help();
		return OPTIONS_DONE;
	}
	if (options->version) {
		puts("fold-record " FOLD_VERSION);
		return OPTIONS_DONE;
	}
	log_set_level(options->quiet ? LOG_QUIET : options->verbose ? LOG_VERBOSE : LOG_NORMAL);
	return consistent(options) ? OPTIONS_RUN : OPTIONS_WRONG;
}

void options_release(struct options *options)
{
	numbers_release(&options->pids);
	numbers_release(&options->cpus);
}
