/* SPDX-License-Identifier: BSD-2-Clause */
/* Every violation of the format, one a line: the rule of SPEC.md, the place, what is wrong. */
#include <inttypes.h>
#include <stdio.h>

#include "../../format/check.h"
#include "../infile.h"
#include "../log.h"
#include "../memory.h"
#include "../rows.h"
#include "../sandbox.h"
#include "verbs.h"

struct options {
	bool help, quiet;
	uint64_t max_memory;
	struct word_list files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{'q', "quiet", NULL, "only violations, no summary", ROW_FLAG, AT(quiet)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0},
};

struct checked {
	const char *file;
};

static void print_violation(void *state, const struct fold_fault *fault)
{
	const struct checked *checked = state;
	char text[256];

	printf("%s: %s\n", checked->file, fault_text(fault, text, sizeof(text)));
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_summary(const char *file, const struct check_result *r)
{
	printf("%s: %s: %" PRIu64 " violation%s in %" PRIu64 " chunk%s of %" PRIu64 " recording%s, %" PRIu64 " sample%s%s\n",
	       file, r->violations ? "NOT VALID" : "valid", r->violations, plural(r->violations), r->chunks, plural(r->chunks),
	       r->segments, plural(r->segments), r->samples, plural(r->samples),
	       r->ended || !r->segments ? "" : ", not complete: END is missing");
	if (r->skipped)
		printf("%s: %" PRIu64 " thing%s of later versions passed over\n", file, r->skipped, plural(r->skipped));
}

/* 0 when every rule is kept. */
static int check_file(const char *file, const struct options *opt, struct memory_watch *watch)
{
	struct check_result result = {0};
	struct checked checked = {file};
	struct infile in;
	int err;

	if (infile_open(&in, file))
		return -1;
	memory_watch_reads(watch, file, 0, in.size);
	err = check_recording(infile_source(&in), print_violation, &checked, &result);
	if (!opt->quiet)
		print_summary(file, &result);
	infile_close(&in);
	return err || result.violations;
}

/* 0 when all files keep every rule. */
static int run(const struct options *opt)
{
	struct memory_watch watch;
	int err = memory_watch_open(&watch, opt->max_memory);
	bool bad = false;

	if (err)
		return err;
	sandbox_enter(&(struct sandbox_needs){.files = opt->files});
	err = memory_watch_start(&watch);
	for (size_t i = 0; !err && i < opt->files.n; i++)
		bad |= check_file(opt->files.v[i], opt, &watch) != 0;
	memory_watch_release(&watch);
	return err || bad ? -1 : 0;
}

int verb_check(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE;
	int err = 0;

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		if (opt.help) {
			puts("fold-report check [OPTION...] FILE...\nExit status: 0 when every rule of SPEC.md is kept, else 1.");
			rows_print(stdout, rows);
		} else if (!opt.files.n) {
			log_error("check: no recording given; \"-\" reads one from standard input");
		} else {
			err = run(&opt);
		}
		if (opt.help || opt.files.n)
			status = fflush(stdout) || ferror(stdout) || err ? VERB_FAILED : VERB_DONE;
	}
	word_list_release(&opt.files);
	return status;
}
