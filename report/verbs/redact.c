/* SPDX-License-Identifier: BSD-2-Clause */
/* What is taken out of a recording before it is given away, and what stays. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "../log.h"
#include "../memory.h"
#include "../outfile.h"
#include "../rewrite/redact.h"
#include "../rows.h"
#include "../sandbox.h"
#include "stream_sink.h"
#include "verbs.h"

struct options {
	bool help, quiet;
	uint64_t max_memory;
	const char *out, *keep, *also;
	struct word_list files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{'o', "output", "FILE", "instead of standard output; appears only when complete", ROW_FILE, AT(out)},
	{0, "keep", "WHAT[,WHAT]", "leave these in", ROW_WORD, AT(keep)},
	{0, "also", "WHAT[,WHAT]", "take these out too", ROW_WORD, AT(also)},
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{'q', "quiet", NULL, "do not tell what stays", ROW_FLAG, AT(quiet)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0},
};

/* In the order of enum veil_part. */
static const struct {
	const char *name, *what, *then; /* then: what stands in its place */
	bool usual;
} parts[] = {
	{"comms", "names of threads and processes", " (become comm-1, ...)", true},
	{"paths", "names of files outside system directories, of BPF programs and uprobes", " (become file-1, ...)", true},
	{"pids", "pids and tids", " (are numbered anew)", true},
	{"labels", "labels", "", true},
	{"notes", "notes", "", true},
	{"code", "names of generated code and in BPF programs", " (become code-1, ...)", true},
	{"symbols", "names that embed added for files outside system directories", "", true},
	{"addresses", "where things were mapped", "", true},
	{"ids", "build-ids and layout of files outside system directories, without which they cannot be named", "", false},
	{"kernel", "the kernel's release, build-ids of it and its modules, and names of its functions", "", false},
	{"times", "wall-clock time and time since boot", "", false},
};
#define NPARTS (sizeof(parts) / sizeof(*parts))

static void usage(FILE *to)
{
	fputs("fold-report redact [OPTION...] FILE\n", to);
	rows_print(to, rows);
	fputs("\nWHAT, taken out unless kept:\n", to);
	for (size_t i = 0; i < NPARTS; i++) {
		if (i && parts[i - 1].usual && !parts[i].usual)
			fputs("WHAT, taken out only when asked for:\n", to);
		fprintf(to, "  %-10s %s%s\n", parts[i].name, parts[i].what, parts[i].then);
	}
	fputs("Always in it: which code of which file ran, on which CPU, when relative to the start; names of system files,\n"
	      "of kernel modules and of events; architecture and number of CPUs; the recorder's version.\n", to);
}

/* "comms,pids" as bits. */
static int parse_parts(const char *option, const char *text, uint32_t *bits)
{
	while (text && *text) {
		size_t n = strcspn(text, ","), i = 0;

		while (i < NPARTS && (strlen(parts[i].name) != n || memcmp(parts[i].name, text, n)))
			i++;
		if (i == NPARTS) {
			log_error("--%s: there is no \"%.*s\"; --help lists all", option, (int)n, text);
			return -1;
		}
		*bits |= 1u << i;
		text += n + (text[n] == ',');
	}
	return 0;
}

static int choose_parts(const struct options *opt, uint32_t *chosen)
{
	uint32_t keep = 0, also = 0;

	*chosen = 0;
	if (parse_parts("keep", opt->keep, &keep) || parse_parts("also", opt->also, &also))
		return -1;
	for (size_t i = 0; i < NPARTS; i++)
		if (keep & also & 1u << i) {
			log_error("--keep and --also both name \"%s\": it cannot be left in and taken out", parts[i].name);
			return -1;
		}
	for (size_t i = 0; i < NPARTS; i++)
		*chosen |= parts[i].usual ? 1u << i : 0;
	*chosen = (*chosen | also) & ~keep;
	return 0;
}

/* What would have been taken out, had there been any: in one line. */
static void tell_absent(const struct veil *veil)
{
	char names[128] = "";
	size_t n = 0;

	for (size_t i = 0; i < NPARTS; i++)
		if (veil->parts & 1u << i && !veil->hidden[i])
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", parts[i].name);
	if (n)
		log_info("there were none of: %s", names);
}

/* So that a person can decide, without reading this program. */
static void tell(const struct veil *veil)
{
	for (size_t i = 0; i < NPARTS; i++)
		if (veil->parts & 1u << i && veil->hidden[i])
			log_info("taken out: %s%s: %" PRIu64, parts[i].what, parts[i].then, veil->hidden[i]);
	tell_absent(veil);
	for (size_t i = 0; i < NPARTS; i++)
		if (!(veil->parts & 1u << i))
			log_info("STILL IN IT: %s (%s %s)", parts[i].what, parts[i].usual ? "because of --keep" : "taken out by --also", parts[i].name);
	log_info("still in it: what ran where and when; names of system files, kernel modules and events; --help tells all");
}

static int run(const struct options *opt, uint32_t chosen)
{
	struct memory_watch watch;
	struct outfile out = {0};
	struct veil veil;
	int err;

	if (!opt->out && isatty(STDOUT_FILENO)) {
		log_error("a recording is not for terminals: use -o FILE");
		return VERB_USAGE;
	}
	if (memory_watch_open(&watch, opt->max_memory))
		return VERB_FAILED;
	watch.leave = outfile_abandon;
	veil_init(&veil, chosen);
	sandbox_enter(&(struct sandbox_needs){.files = opt->files, .out = opt->out});
	err = memory_watch_start(&watch) || outfile_open(&out, opt->out, true) ||
	      redact_file(opt->files.v[0], &veil, stream_sink(out.stream), &watch) || outfile_commit(&out);
	memory_watch_release(&watch);
	outfile_release(&out);
	if (!err)
		tell(&veil);
	veil_release(&veil);
	return err ? VERB_FAILED : VERB_DONE;
}

int verb_redact(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE;
	uint32_t chosen;

	if (!rows_parse(rows, &opt, argc, argv, &opt.files)) {
		log_set_level(opt.quiet ? LOG_QUIET : LOG_NORMAL);
		if (opt.out && !strcmp(opt.out, "-"))
			opt.out = NULL;
		if (opt.help) {
			usage(stdout);
			status = fflush(stdout) ? VERB_FAILED : VERB_DONE;
		} else if (opt.files.n != 1) {
			log_error("redact takes one recording; \"-\" reads it from standard input");
		} else if (!choose_parts(&opt, &chosen)) {
			status = run(&opt, chosen);
		}
	}
	word_list_release(&opt.files);
	return status;
}
