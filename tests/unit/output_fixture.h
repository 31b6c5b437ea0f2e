/* SPDX-License-Identifier: BSD-2-Clause */
/* A report made by hand: stacks in, named tree out, as outputs get it. */
#ifndef FOLD_TESTS_OUTPUT_FIXTURE_H
#define FOLD_TESTS_OUTPUT_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "../../report/output/output.h"

#ifndef FIXTURE_MAX
#define FIXTURE_MAX 4096
#endif

struct fixture {
	struct recording rec;
	struct rec_event event;
	struct rec_segment segment;
	struct tree tree;
	struct tree_node nodes[FIXTURE_MAX];
	struct frame frames[FIXTURE_MAX];
	uint32_t tree_event;
	struct report report;
	char *text; /* what the last fixture_write() wrote */
	size_t size;
};

static void fixture_init(struct fixture *f)
{
	uint32_t name;

	memset(f, 0, sizeof(*f));
	intern_init(&f->rec.strings, 0);
	intern_add(&f->rec.strings, "", 0, &name);
	intern_add(&f->rec.strings, "cpu-clock", 9, &name);
	f->event = (struct rec_event){.kind = FOLD_EVENT_CPU_CLOCK, .name = name, .period_unit = FOLD_PERIOD_HZ, .period = 99};
	f->rec.events = &f->event;
	f->rec.nevents = 1;
	f->segment = (struct rec_segment){.file = "a.foldrec", .ended = true, .sum_closes = true};
	f->segment.meta.start = (struct fold_clock){1000000000, UINT64_C(1764424930) * 1000000000, 0};
	f->segment.end.stop.monotonic = UINT64_C(4000000000);
	f->rec.segments = &f->segment;
	f->rec.nsegments = 1;
	f->nodes[0] = (struct tree_node){TREE_NONE, TREE_NONE, TREE_NONE, 0, 0, 0};
	f->frames[0] = (struct frame){.name = "all", .module = "", .kind = FRAME_ROOT};
	f->tree = (struct tree){.nnodes = 1, .nodes = f->nodes, .nframes = 1, .frames = f->frames};
	f->report = (struct report){.rec = &f->rec, .trees = &f->tree, .ntrees = 1, .tree_events = &f->tree_event, .options = {.min_percent = -1, .min_width = -1}};
}

static inline uint32_t fixture_frame(struct fixture *f, const struct frame *frame)
{
	for (size_t i = 1; i < f->tree.nframes; i++)
		if (!strcmp(f->frames[i].name, frame->name) && !strcmp(f->frames[i].module, frame->module ? frame->module : "") &&
		    f->frames[i].kind == frame->kind)
			return i;
	f->frames[f->tree.nframes] = *frame;
	if (!frame->module)
		f->frames[f->tree.nframes].module = "";
	return f->tree.nframes++;
}

/* The child of `parent` with this frame; siblings stay sorted by name. */
static inline uint32_t fixture_child(struct fixture *f, uint32_t parent, uint32_t frame)
{
	uint32_t *link = &f->nodes[parent].child;

	while (*link != TREE_NONE && strcmp(f->frames[f->nodes[*link].frame].name, f->frames[frame].name) < 0)
		link = &f->nodes[*link].next;
	for (uint32_t c = *link; c != TREE_NONE; c = f->nodes[c].next)
		if (f->nodes[c].frame == frame)
			return c;
	f->nodes[f->tree.nnodes] = (struct tree_node){parent, TREE_NONE, *link, frame, 0, 0};
	*link = f->tree.nnodes;
	return f->tree.nnodes++;
}

static inline void fixture_add(struct fixture *f, const struct frame *stack, size_t n, uint64_t count)
{
	uint32_t at = 0;

	f->nodes[0].total += count;
	f->frames[0].total += count;
	f->tree.total += count;
	f->event.taken += count, f->event.written += count, f->event.read += count, f->event.selected += count;
	for (size_t i = 0; i < n; i++) {
		uint32_t frame = fixture_frame(f, &stack[i]);
		bool again = false;

		for (uint32_t up = at; up; up = f->nodes[up].parent)
			again |= f->nodes[up].frame == frame;
		at = fixture_child(f, at, frame);
		f->nodes[at].total += count;
		f->frames[frame].total += again ? 0 : count;
		if (i + 1 == n)
			f->frames[frame].self += count;
	}
	f->nodes[at].self += count;
}

/* Frames of kind user, named by the words of a terminated list; the first is a root. */
#define STACK(f, count, ...) \
	do { \
		const char *words_[] = {__VA_ARGS__}; \
		struct frame stack_[sizeof(words_) / sizeof(*words_)] = {0}; \
		for (size_t i_ = 0; i_ < sizeof(words_) / sizeof(*words_); i_++) \
			stack_[i_] = (struct frame){.name = words_[i_], .module = i_ ? "prog" : "", .kind = i_ ? FRAME_USER : FRAME_ROOT}; \
		fixture_add(f, stack_, sizeof(words_) / sizeof(*words_), count); \
	} while (0)

/* What `format` makes of it, terminated; the same pointer is f->text. */
static const char *fixture_write(struct fixture *f, const char *format)
{
	FILE *to;

	free(f->text);
	f->text = NULL;
	to = open_memstream(&f->text, &f->size);
	if (!to || output_by_name(format)->write(to, &f->report))
		abort();
	fclose(to);
	return f->text;
}

static void fixture_release(struct fixture *f)
{
	intern_release(&f->rec.strings);
	free(f->text);
}

#endif
