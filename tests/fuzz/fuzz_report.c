/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: any bytes as the recording of a report, through the model, names
 * that the file itself brings, a tree, and one output.  The recording's length
 * chooses the output and the roots, so that a file means the same in every run.
 * Nothing of this machine is looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../report/output/output.h"
#include "as_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "a report breaks a promise: %s\n", what);
	abort();
}

static void check_nodes(const struct recording *rec)
{
	for (size_t i = 0; i < rec->nnodes; i++) {
		const struct rec_node *node = &rec->nodes[i];

		require(node->parent == REC_NONE || node->parent < i, "nodes stand behind their parents");
		require(node->kind != REC_FRAME_CODE || node->module < rec->nmodules, "a frame has a module");
	}
}

static void check_references(const struct recording *rec)
{
	check_nodes(rec);
	for (size_t i = 0; i < rec->nthreads; i++)
		require(rec->threads[i].process == REC_NONE || rec->threads[i].process < rec->nprocesses, "a thread has a process");
	for (size_t i = 0; i < rec->nprocesses; i++)
		require(rec->processes[i].parent == REC_NONE || rec->processes[i].parent < rec->nprocesses, "a process has a parent");
	for (size_t i = 0; i < rec->ncounts; i++) {
		const struct rec_count *c = &rec->counts[i];

		require(c->thread < rec->nthreads && c->event < rec->nevents, "a count has a thread and an event");
		require((c->kleaf == REC_NONE || c->kleaf < rec->nnodes) && (c->uleaf == REC_NONE || c->uleaf < rec->nnodes), "a count has stacks");
	}
	for (size_t i = 0; i < rec->samples.n; i++)
		require(rec->samples.count[i] < rec->ncounts, "a sample is counted");
	for (size_t m = 0; m < rec->nmodules; m++)
		for (size_t i = 1; i < rec->modules[m].nsyms; i++)
			require(rec->modules[m].syms[i].offset - rec->modules[m].syms[i - 1].offset >= rec->modules[m].syms[i - 1].size &&
				rec->modules[m].syms[i].offset >= rec->modules[m].syms[i - 1].offset, "names do not overlap");
}

static void check_tree(const struct tree *tree)
{
	for (size_t i = 0; i < tree->nnodes; i++) {
		const struct tree_node *node = &tree->nodes[i];

		require(node->frame < tree->nframes && (!i || node->parent < i), "a node has a frame and a parent");
		require(node->self <= node->total, "a part is not larger than the whole");
	}
	require(tree->nnodes && tree->nodes[0].total == tree->total, "the sum closes");
}

static void write_output(const struct output_format *format, const struct recording *rec, struct symbolizer *symbolizer, struct tree *tree)
{
	static const uint32_t event;
	struct report report = {.rec = rec, .trees = tree, .ntrees = 1, .tree_events = &event, .symbolizer = symbolizer};
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	require(to != NULL, "memory");
	report.options.min_percent = -1;
	format->write(to, &report);
	fclose(to);
	free(text);
}

static void report(const struct recording *rec, const struct output_format *format, struct tree_options *options)
{
	const struct symbolizer_options names = {.no_system = true};
	struct symbolizer *symbolizer;
	struct tree tree = {0};

	require(!symbolizer_new(&symbolizer, rec, &names), "memory for names");
	require(!tree_build(&tree, rec, symbolizer, options), "a tree");
	check_tree(&tree);
	write_output(format, rec, symbolizer, &tree);
	tree_release(&tree);
	symbolizer_free(symbolizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording rec = {0};
	struct select select = {0};
	struct tree_options options = {.by = (enum tree_by)(size / 32 % (TREE_BY_NONE + 1)), .label = "host", .reverse = size / 32 % 3 == 0};
	const struct output_format *format = output_formats;
	struct rec_keep keep = {.cpus = options.by == TREE_BY_CPU};
	size_t n = 0;
	char *path = as_path(data, size);

	while (output_formats[n].name)
		n++;
	format += size % n;
	keep.samples = format->flags & OUTPUT_TIME;
	if (!recording_load(&rec, &path, 1, &select, &keep)) {
		check_references(&rec);
		if (rec.nevents && !(format->flags & OUTPUT_ONLY_COMPARE))
			report(&rec, format, &options);
	}
	recording_release(&rec);
	return 0;
}
