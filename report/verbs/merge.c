/* SPDX-License-Identifier: BSD-2-Clause */
/* Many recordings as one: options, the file, and what came of it. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "../log.h"
#include "../outfile.h"
#include "../rewrite/merge.h"
#include "../rows.h"
#include "../sandbox.h"
#include "stream_sink.h"
#include "verbs.h"

struct options {
	bool help, quiet, verbose;
	const char *out;
	uint64_t max_memory;
	struct memory_watch watch;
	struct merge_options merge;
	struct word_list labels, files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{'o', "output", "FILE", "instead of standard output; appears only when complete", ROW_FILE, AT(out)},
	{0, "label", "KEY=VALUE", "a label of all, where a recording has none of this key; may be given again", ROW_WORDS, AT(labels)},
	{0, "file-label", "KEY", "label each recording with its file's name, where it has none of this key", ROW_WORD, AT(merge.file_label)},
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{'q', "quiet", NULL, "only failures on standard error", ROW_FLAG, AT(quiet)},
	{'v', "verbose", NULL, "tell more", ROW_FLAG, AT(verbose)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0},
};

static void usage(FILE *to)
{
	fputs("fold-report merge [OPTION...] FILE...\n"
	      "Files are read twice, so that pipes come last; the order of files changes no report.\n", to);
	rows_print(to, rows);
}

/* Labels by the rules of the format. */
static int check_labels(struct options *opt)
{
	struct fold_bytes key = {(const uint8_t *)opt->merge.file_label, opt->merge.file_label ? strlen(opt->merge.file_label) : 0};

	for (size_t i = 0; i < opt->labels.n; i++) {
		enum label_result result = label_list_parse(&opt->merge.labels, opt->labels.v[i]);

		if (result == LABEL_ADDED)
			continue;
		log_error("--label: \"%s\" %s", opt->labels.v[i], label_result_text(result));
		return -1;
	}
	if (!opt->merge.file_label || label_key_valid(key))
		return 0;
	log_error("--file-label: \"%s\" %s", opt->merge.file_label, label_result_text(LABEL_BAD_KEY));
	return -1;
}

static void tell(const struct merge_result *r)
{
	log_info("%" PRIu64 " recording%s, %" PRIu64 " sample%s, in %" PRIu64 " bytes%s", r->recordings, r->recordings == 1 ? "" : "s",
		 r->samples, r->samples == 1 ? "" : "s", r->bytes, r->segments > 1 ? "" : ", in one segment");
	if (r->segments > 1)
		log_info("in %" PRIu64 " segments: kernels, machines or modes differ, or one would be too full", r->segments);
	if (r->damaged)
		log_warning("%" PRIu64 " of them %s damaged; what that took is counted as lost", r->damaged, r->damaged == 1 ? "was" : "were");
	if (r->unfinished)
		log_info("%" PRIu64 " of them had no end: they were cut, or the recorder was killed", r->unfinished);
}

static int run(struct options *opt)
{
	struct merge_result result = {0};
	struct outfile out = {0};
	int err;

	if (!opt->out && isatty(STDOUT_FILENO)) {
		log_error("a recording is not for terminals: use -o FILE");
		return VERB_USAGE;
	}
	if (memory_watch_open(&opt->watch, opt->max_memory))
		return VERB_FAILED;
	opt->watch.leave = outfile_abandon;
	opt->merge.watch = &opt->watch;
	sandbox_enter(&(struct sandbox_needs){.files = opt->files, .out = opt->out});
	err = memory_watch_start(&opt->watch) || outfile_open(&out, opt->out, true) || merge_files(opt->files.v, opt->files.n, &opt->merge, stream_sink(out.stream), &result) ||
	      outfile_commit(&out);
	memory_watch_release(&opt->watch);
	outfile_release(&out);
	if (!err)
		tell(&result);
	return err ? VERB_FAILED : VERB_DONE;
}

int verb_merge(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE;

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		log_set_level(opt.quiet ? LOG_QUIET : opt.verbose ? LOG_VERBOSE : LOG_NORMAL);
		if (opt.out && !strcmp(opt.out, "-"))
			opt.out = NULL;
		if (opt.help) {
			usage(stdout);
			status = fflush(stdout) ? VERB_FAILED : VERB_DONE;
		} else if (!opt.files.n) {
			log_error("merge: no recording given; \"-\" reads one from standard input");
		} else if (!check_labels(&opt)) {
			status = run(&opt);
		}
	}
	word_list_release(&opt.labels);
	word_list_release(&opt.files);
	return status;
}
