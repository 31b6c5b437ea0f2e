/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report itself: load, build one named tree for each event that has samples,
 * write them in one format, and say on stderr what the numbers are worth.  Owns
 * the order of these steps and nothing of what happens in them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../log.h"
#include "../memory.h"
#include "../options.h"
#include "../outfile.h"
#include "../output/asset.h"
#include "../sandbox.h"
#include "verbs.h"

struct job {
	const struct options *opt;
	struct recording rec;
	struct symbolizer *symbolizer;
	struct tree *trees;
	uint32_t *tree_events;
	size_t ntrees;
	struct outfile out;
	struct memory_watch watch;
};

static int add_tree(struct job *job, uint32_t event)
{
	struct tree_options options = job->opt->tree;

	options.event = event;
	options.compared = job->opt->compare;
	if (job->opt->format->flags & OUTPUT_PLAIN) {
		options.by = TREE_BY_NONE;
		options.reverse = false;
	}
	job->tree_events[job->ntrees] = event;
	return tree_build(&job->trees[job->ntrees++], &job->rec, job->symbolizer, &options);
}

/* One for each event with samples; an empty one when there are none, so that
 * every format can write a valid, empty document. */
static int build_trees(struct job *job)
{
	size_t n = job->rec.nevents;

	job->trees = calloc(n + 1, sizeof(*job->trees));
	job->tree_events = calloc(n + 1, sizeof(*job->tree_events));
	if (!job->trees || !job->tree_events) {
		log_error("out of memory for %zu events", n);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (job->rec.events[i].selected && add_tree(job, i))
			return -1;
	return job->ntrees ? 0 : add_tree(job, 0);
}

/* As --event takes them. */
static void list_events(const struct job *job)
{
	for (size_t i = 0; i < job->rec.nevents; i++) {
		struct fold_bytes name = recording_string(&job->rec, job->rec.events[i].name);

		log_error("  %.*s@%llu: %llu samples", (int)name.size, (const char *)name.at,
			  (unsigned long long)job->rec.events[i].period, (unsigned long long)job->rec.events[i].read);
	}
}

static int one_event_only(const struct job *job)
{
	if (!(job->opt->format->flags & OUTPUT_ONE_EVENT) || job->ntrees < 2)
		return 0;
	log_error("%s shows one event, and there are several; choose with --event:", job->opt->format->name);
	list_events(job);
	return -1;
}

static void utc_text(char *buf, size_t size, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm tm;

	snprintf(buf, size, "?");
	if (gmtime_r(&seconds, &tm))
		strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* When there was something to select: --from and --to of another day are easily given. */
static void tell_times(const struct recording *rec)
{
	uint64_t from = UINT64_MAX, to = 0;
	char begin[32], end[32];

	for (size_t i = 0; i < rec->nsegments; i++) {
		const struct rec_segment *s = &rec->segments[i];
		int64_t first = (int64_t)s->meta.start.monotonic, last = s->ended ? (int64_t)s->end.stop.monotonic : s->last;
		uint64_t start = s->meta.start.realtime, stop = start + (last > first ? (uint64_t)(last - first) : 0);

		from = start < from ? start : from;
		to = stop > to ? stop : to;
	}
	utc_text(begin, sizeof(begin), from);
	utc_text(end, sizeof(end), to);
	if (rec->nsegments)
		log_error("  --from, --to: it was recorded from %s to %s", begin, end);
}

/* Where to find what could have been asked for. */
static void tell_choice(const struct job *job)
{
	const struct select *s = &job->opt->select;

	if (s->from.kind != SELECT_TIME_NONE || s->to.kind != SELECT_TIME_NONE)
		tell_times(&job->rec);
	if (s->ncomms)
		log_error("  --comm: \"fold-report info\" lists the names of processes, --by thread those of threads");
	if (s->npids || s->ntids)
		log_error("  --pid, --tid: --by process and --by thread show all");
	if (s->nmodules)
		log_error("  --module: -f top lists modules");
	if (s->event)
		list_events(job);
}

/* Why the report is empty; VERB_DONE when it is not. */
static int nothing(const struct job *job)
{
	uint64_t read = 0, selected = 0;

	for (size_t i = 0; i < job->ntrees; i++)
		if (job->trees[i].total)
			return VERB_DONE;
	for (size_t i = 0; i < job->rec.nevents; i++) {
		read += job->rec.events[i].read;
		selected += job->rec.events[i].selected;
	}
	if (selected && job->opt->select.match)
		log_error("nothing matched: no stack has a frame like \"%s\"", job->opt->select.match);
	else if (read && !selected)
		log_error("nothing matched: none of %llu samples was selected", (unsigned long long)read);
	else
		log_error("nothing to show: the recording has no samples");
	if (read && !selected)
		tell_choice(job);
	return VERB_NOTHING;
}

static void fit_terminal(struct output_options *output, const struct options *opt)
{
	const char *no_color = getenv("NO_COLOR");
	struct winsize size;

	if (opt->out || !isatty(STDOUT_FILENO))
		return;
	output->color = !no_color || !*no_color;
	output->columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* Where much has no name, what to do about it. */
#define UNNAMED_TOLD 1.0
static void tell_unnamed(const struct job *job)
{
	uint64_t unnamed = 0, all = 0;

	for (size_t i = 0; i < job->ntrees; i++) {
		const struct tree *tree = &job->trees[i];

		if (tree->weighted)
			continue;
		all += tree->total;
		for (size_t k = 0; k < tree->nframes; k++)
			unnamed += tree->frames[k].kind == FRAME_UNKNOWN && tree->frames[k].module[0] ? tree->frames[k].self : 0;
	}
	if (output_percent(unnamed, all) >= UNNAMED_TOLD)
		log_info("%.1f %% of the samples end in code without a name: \"fold-report missing\" tells why, and which files would help",
			 output_percent(unnamed, all));
}

static int write_report(struct job *job)
{
	char line[OUTPUT_LOSS_LINE];
	struct report report = {
		.rec = &job->rec,
		.trees = job->trees,
		.ntrees = job->ntrees,
		.tree_events = job->tree_events,
		.symbolizer = job->symbolizer,
		.before = job->opt->compare ? job->opt->files.v[0] : NULL,
		.options = job->opt->output,
	};

	fit_terminal(&report.options, job->opt);
	if (outfile_open(&job->out, job->opt->out, false) || job->opt->format->write(job->out.stream, &report) ||
	    outfile_commit(&job->out))
		return -1;
	log_info("%s", output_loss_line(&report, line, sizeof(line)));
	tell_unnamed(job);
	return 0;
}

/* Pictures over time look as if every sample had its own. */
static void tell_intervals(const struct job *job)
{
	const struct recording *rec = &job->rec;

	if (!(job->opt->format->flags & OUTPUT_TIME))
		return;
	for (size_t i = 0; i < rec->nsegments; i++) {
		if (rec->segments[i].meta.mode != FOLD_MODE_AGGREGATED)
			continue;
		log_info("%s: was recorded aggregated: its samples have the times of intervals of %.3g s", rec->segments[i].file,
			 (double)rec->segments[i].meta.interval_ns / 1e9);
		return;
	}
}

/* A file that is given twice, under another name too, is hardly meant. */
#define TWICE_MAX 4096 /* recordings among which it is looked for */
static void tell_twice(const struct job *job)
{
	const struct rec_segment *v = job->rec.segments;

	for (size_t i = 1; !job->opt->compare && i < job->rec.nsegments && i < TWICE_MAX; i++)
		for (size_t k = 0; k < i; k++)
			if (!memcmp(v[i].meta.id, v[k].meta.id, sizeof(v[i].meta.id))) {
				log_warning("%s and %s are the same recording: its samples count twice", v[k].file, v[i].file);
				return;
			}
}

static double since(struct timespec *begin)
{
	struct timespec last = *begin;

	clock_gettime(CLOCK_MONOTONIC, begin);
	return (double)(begin->tv_sec - last.tv_sec) + (double)(begin->tv_nsec - last.tv_nsec) / 1e9;
}

static int run(struct job *job)
{
	const struct options *opt = job->opt;
	struct rec_keep keep = {
		.cpus = opt->tree.by == TREE_BY_CPU,
		.samples = opt->format->flags & OUTPUT_TIME,
		.watch = &job->watch,
	};
	struct timespec now;
	double loaded, named;

	if (!opt->out && opt->format->flags & OUTPUT_BINARY && isatty(STDOUT_FILENO)) {
		log_error("%s is not for terminals: use -o FILE", opt->format->name);
		return VERB_USAGE;
	}
	if (memory_watch_open(&job->watch, opt->max_memory))
		return VERB_FAILED;
	job->watch.leave = outfile_abandon;
	sandbox_enter(&(struct sandbox_needs){.files = opt->files, .out = opt->out, .symbols = &opt->symbols});
	if (memory_watch_start(&job->watch))
		return VERB_FAILED;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (recording_load(&job->rec, (char *const *)opt->files.v, opt->files.n, &opt->select, &keep))
		return VERB_FAILED;
	loaded = since(&now);
	tell_intervals(job);
	tell_twice(job);
	if (symbolizer_new(&job->symbolizer, &job->rec, &opt->symbols))
		return VERB_FAILED;
	if (symbolizer_interrupted(job->symbolizer, &job->rec)) {
		log_error("out of memory for symbols");
		return VERB_FAILED;
	}
	if (build_trees(job))
		return VERB_FAILED;
	named = since(&now);
	if (one_event_only(job))
		return VERB_USAGE;
	if (write_report(job))
		return VERB_FAILED;
	log_detail("reading took %.2f s, names and stacks %.2f s, writing %.2f s", loaded, named, since(&now));
	return nothing(job);
}

static void job_release(struct job *job)
{
	memory_watch_release(&job->watch);
	outfile_release(&job->out);
	for (size_t i = 0; i < job->ntrees; i++)
		tree_release(&job->trees[i]);
	free(job->trees);
	free(job->tree_events);
	symbolizer_free(job->symbolizer);
	recording_release(&job->rec);
}

/* --help and its like: data, so it goes to stdout, and a full disk counts. */
static int print_text(const struct options *opt)
{
	if (opt->help)
		options_print_usage(stdout, opt->compare);
	else if (opt->version)
		puts("fold-report " FOLD_VERSION);
	else
		fputs(asset_schema.at, stdout);
	return fflush(stdout) ? VERB_FAILED : VERB_DONE;
}

static int report(int argc, char **argv, bool compare)
{
	struct options opt = {.compare = compare};
	struct job job = {.opt = &opt};
	int status = VERB_USAGE;

	if (!options_parse(&opt, argc, argv)) {
		log_set_level(opt.quiet ? LOG_QUIET : opt.verbose ? LOG_VERBOSE : LOG_NORMAL);
		status = opt.help || opt.version || opt.schema ? print_text(&opt) : run(&job);
	}
	job_release(&job);
	options_release(&opt);
	return status;
}

int verb_report(int argc, char **argv)
{
	return report(argc, argv, false);
}

int verb_diff(int argc, char **argv)
{
	return report(argc, argv, true);
}
