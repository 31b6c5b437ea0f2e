/* SPDX-License-Identifier: BSD-2-Clause */
/* Names into a copy of a recording, so that it reads right where no debug files are. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../log.h"
#include "../memory.h"
#include "../model/select.h"
#include "../outfile.h"
#include "../rows.h"
#include "../sandbox.h"
#include "embed_copy.h"
#include "verbs.h"

struct options {
	bool help, quiet, verbose;
	uint64_t max_memory;
	const char *out;
	struct symbolizer_options symbols;
	struct word_list symbol_dirs, files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{'o', "output", "FILE", "instead of standard output; appears only when complete", ROW_FILE, AT(out)},
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

static void usage(FILE *to)
{
	fputs("fold-report embed [OPTION...] FILE\n"
	      "Only functions that a stack in FILE goes through are named, and none that FILE names itself.\n"
	      "Inlined functions and source lines are not kept.\n", to);
	rows_print(to, rows);
}

static int write_copy(const struct options *opt, const struct recording *rec, const struct embed_names *names)
{
	struct outfile out = {0};
	int err = outfile_open(&out, opt->out, true) || embed_copy(opt->files.v[0], rec, names, &out) || outfile_commit(&out);

	outfile_release(&out);
	if (!err)
		log_info("%zu functions for %" PRIu64 " of %" PRIu64 " addresses that the recording could not name", names->n,
			 names->named, names->addresses);
	return err;
}

static int embed(const struct options *opt, struct memory_watch *watch)
{
	struct rec_keep keep = {.watch = watch};
	struct symbolizer *symbolizer = NULL;
	struct embed_names names = {0};
	struct select all = {0};
	struct recording rec;
	int err = recording_load(&rec, (char *const *)opt->files.v, 1, &all, &keep);

	err = err || symbolizer_new(&symbolizer, &rec, &opt->symbols) ? -1 : 0;
	if (!err) {
		err = symbolizer_interrupted(symbolizer, &rec) || embed_names_find(&names, &rec, symbolizer) ? -1 : 0;
		if (err)
			log_error("out of memory");
		else
			err = write_copy(opt, &rec, &names);
	}
	embed_names_release(&names);
	symbolizer_free(symbolizer);
	recording_release(&rec);
	return err;
}

static int run(const struct options *opt)
{
	struct memory_watch watch;
	int err;

	if (!opt->out && isatty(STDOUT_FILENO)) {
		log_error("a recording is not for terminals: use -o FILE");
		return VERB_USAGE;
	}
	if (memory_watch_open(&watch, opt->max_memory))
		return VERB_FAILED;
	watch.leave = outfile_abandon;
	sandbox_enter(&(struct sandbox_needs){.files = opt->files, .out = opt->out, .symbols = &opt->symbols});
	err = memory_watch_start(&watch) || embed(opt, &watch);
	memory_watch_release(&watch);
	return err ? VERB_FAILED : VERB_DONE;
}

int verb_embed(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE;
	struct stat st = {0};

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		log_set_level(opt.quiet ? LOG_QUIET : opt.verbose ? LOG_VERBOSE : LOG_NORMAL);
		opt.symbols.symbol_dirs = opt.symbol_dirs.v;
		opt.symbols.nsymbol_dirs = opt.symbol_dirs.n;
		if (opt.out && !strcmp(opt.out, "-"))
			opt.out = NULL;
		if (opt.help) {
			usage(stdout);
			status = fflush(stdout) ? VERB_FAILED : VERB_DONE;
		} else if (opt.files.n != 1) {
			log_error("embed takes one recording");
		} else if (stat(opt.files.v[0], &st) && strcmp(opt.files.v[0], "-")) {
			log_error("%s: cannot be opened: %s", opt.files.v[0], strerror(errno));
			status = VERB_FAILED;
		} else if (!S_ISREG(st.st_mode)) {
			log_error("%s: is no file; embed reads it twice, so it cannot be a pipe", opt.files.v[0]);
			status = VERB_FAILED;
		} else {
			status = run(&opt);
		}
	}
	word_list_release(&opt.symbol_dirs);
	word_list_release(&opt.files);
	return status;
}
