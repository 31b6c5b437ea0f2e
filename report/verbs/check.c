/* SPDX-License-Identifier: BSD-2-Clause */
/* Every violation of the format, one a line: the rule of SPEC.md, the place, what is wrong. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../format/check.h"
#include "../log.h"
#include "../rows.h"
#include "../sandbox.h"
#include "verbs.h"

struct options {
	bool help, quiet;
	struct word_list files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
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

static void print_summary(const char *file, const struct check_result *r)
{
	printf("%s: %s: %" PRIu64 " violations in %" PRIu64 " chunks of %" PRIu64 " recordings, %" PRIu64 " samples%s\n",
	       file, r->violations ? "NOT VALID" : "valid", r->violations, r->chunks, r->segments, r->samples,
	       r->ended ? "" : ", not complete: END is missing");
	if (r->skipped)
		printf("%s: %" PRIu64 " things of later versions were passed over\n", file, r->skipped);
}

/* 0 when every rule is kept. */
static int check_file(const char *file, const struct options *opt)
{
	struct check_result result = {0};
	int fd = strcmp(file, "-") ? open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY) : dup(STDIN_FILENO);
	struct checked checked = {file};
	int err;

	if (fd < 0) {
		log_error("%s: cannot be opened: %s", file, strerror(errno));
		return -1;
	}
	err = check_recording(source_fd(fd), print_violation, &checked, &result);
	if (!opt->quiet)
		print_summary(file, &result);
	close(fd);
	return err || result.violations;
}

int verb_check(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE;
	bool bad = false;

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		if (opt.help) {
			puts("fold-report check [OPTION...] FILE...\nExit status: 0 when every rule of SPEC.md is kept, else 1.");
			rows_print(stdout, rows);
		} else if (!opt.files.n) {
			log_error("check: no recording given; \"-\" reads one from standard input");
		}
		if (!opt.help)
			sandbox_enter(&(struct sandbox_needs){.files = opt.files});
		for (size_t i = 0; !opt.help && i < opt.files.n; i++)
			bad |= check_file(opt.files.v[i], &opt) != 0;
		if (opt.help || opt.files.n)
			status = fflush(stdout) || ferror(stdout) || bad ? VERB_FAILED : VERB_DONE;
	}
	word_list_release(&opt.files);
	return status;
}
