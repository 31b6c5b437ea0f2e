/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Twice over the files: first for the plan (plan.h), then, group by group, all that
 * belongs to it; a file of several kinds is read once for each.  What cannot be read
 * twice comes last, and joins the segment that is open if it goes with it.
 */
#include "merge.h"

#include "../infile.h"
#include "../log.h"
#include "file_label.h"
#include "plan.h"
#include "source.h"

struct merge {
	const struct merge_options *options;
	size_t done;             /* passes over files */
	struct fold_sink sink;
	struct merge_result *result;
	struct plan plan;
	/* the segment that is open */
	struct target target;
	struct group own;        /* for a recording that goes with no group */
	struct group *group;     /* of the segment; NULL: none is open */
	struct group *wanted;    /* of the files being read; NULL: of what is read once */
	struct fold_end end;     /* of the segment */
	bool first;              /* nothing was put into it yet */
};

static int memory(void)
{
	log_error("out of memory");
	return -1;
}

/* ---- the segment that is written */

static int fail(struct merge *m, const char *file)
{
	char text[160];

	log_error("%s: cannot go on merging: %s", file, target_fault(&m->target, text, sizeof(text)));
	return -1;
}

static int fail_source(struct merge *m, const struct source *s, const char *file)
{
	return s->no_room ? file_label_no_room(m->options->file_label, file) : fail(m, file);
}

static int close_segment(struct merge *m)
{
	int err = 0;

	if (!m->group)
		return 0;
	m->end.stop.monotonic = m->group->meta.start.monotonic + (m->end.stop.realtime - m->group->meta.start.realtime);
	m->end.stop.boottime = m->group->meta.start.boottime + (m->end.stop.realtime - m->group->meta.start.realtime);
	if (target_end(&m->target, &m->end))
		err = fail(m, "the end");
	m->result->bytes += writer_bytes(m->target.writer);
	target_release(&m->target);
	group_release(&m->own);
	m->group = NULL;
	return err;
}

static int open_segment(struct merge *m, struct group *group, const char *file)
{
	group_new_id(group->meta.id);
	m->group = group;
	m->result->segments++;
	m->first = true;
	m->end = (struct fold_end){.stop = group->meta.start};
	return target_begin(&m->target, m->sink, &group->meta) ? fail(m, file) : 0;
}

/* A segment for what cannot be written into one that was planned. */
static int open_own(struct merge *m, const struct fold_meta *meta, const char *file)
{
	if (group_init(&m->own, meta))
		return memory();
	group_settle(&m->own, &m->options->labels);
	return open_segment(m, &m->own, file);
}

/* The open segment, if `meta` can be written into it and there is room; else another. */
static int choose_segment(struct merge *m, const struct fold_meta *meta, const char *file)
{
	bool goes = m->group && group_fits(m->group, meta) && (!m->wanted || m->wanted == m->group);

	if (goes && !target_half_full(&m->target))
		return 0;
	if (goes)
		log_info("%s: the segment before it is so full that another one begins", file);
	else if (m->group && !m->wanted)
		log_info("%s: read once, and does not go with the segment before it: another one begins", file);
	if (close_segment(m))
		return -1;
	if (m->wanted && group_fits(m->wanted, meta))
		return open_segment(m, m->wanted, file);
	return open_own(m, meta, file);
}

/* ---- one recording */

/* A file on its way: which of its segments are taken. */
struct pass {
	const char *file;
	const struct group_part *parts; /* what is left of them; NULL: all */
	size_t nparts;
	uint32_t seen, planned; /* segments: behind us; known beforehand */
	bool first;             /* the file's first: tell of its damage, and take what was not planned */
};

static bool is_taken(struct pass *pass)
{
	uint32_t segment = pass->seen++;

	if (!pass->parts || (pass->first && segment >= pass->planned))
		return true;
	if (!pass->nparts || pass->parts->segment != segment)
		return false;
	pass->parts++;
	pass->nparts--;
	return true;
}

static int begin_recording(struct merge *m, struct source *s, const struct fold_meta *meta, const char *file)
{
	const char *key = m->options->file_label;
	struct fold_label label = file_label(key, file);

	if (!file_label_has_room(key, meta))
		return file_label_no_room(key, file);
	if (choose_segment(m, meta, file))
		return -1;
	if (source_begin(s, &m->target, meta, NULL, true, key ? &label : NULL))
		return fail(m, file);
	m->result->recordings++;
	return 0;
}

static void add_end(struct merge *m, const struct source *s)
{
	uint64_t stop = s->origin.realtime + s->origin.duration;
	uint32_t reason = s->ended ? s->end.reason : FOLD_REASON_OTHER;

	if (stop > m->end.stop.realtime && stop >= s->origin.realtime)
		m->end.stop.realtime = stop;
	m->end.reason = m->first || m->end.reason == reason ? reason : FOLD_REASON_OTHER;
	m->first = false;
	m->end.self_cpu_ns += s->end.self_cpu_ns;
	m->end.bpf_ns += s->end.bpf_ns;
	if (m->end.self_peak_bytes < s->end.self_peak_bytes)
		m->end.self_peak_bytes = s->end.self_peak_bytes;
}

static int end_recording(struct merge *m, struct source *s, const char *file)
{
	int err = 0;

	if (!s->t)
		return 0;
	if (source_end(s) || target_write_full(s->t))
		err = fail_source(m, s, file);
	if (s->labels_left)
		log_warning("%s: label \"%s\" of all its recordings is left out at those that have %u labels already%s", file, s->label_left,
			    FOLD_MAX_LABELS, s->labels_left > 1 ? ", and so may others be" : "");
	for (size_t i = 0; i < s->nevents; i++)
		m->result->samples += s->totals[i].written;
	m->result->damaged += s->damaged;
	m->result->unfinished += !s->ended;
	add_end(m, s);
	source_release(s);
	return err;
}

static int take_item(struct merge *m, struct source *s, const struct fold_item *item, bool lossy, struct pass *pass)
{
	if (item->kind == FOLD_ITEM_SEGMENT || (item->kind == FOLD_ITEM_META && s->t))
		return end_recording(m, s, pass->file);
	if (item->kind == FOLD_ITEM_META)
		return is_taken(pass) ? begin_recording(m, s, item->meta, pass->file) : 0;
	if (s->t && source_item(s, item, lossy))
		return fail_source(m, s, pass->file);
	return 0;
}

static void warn(const char *file, const struct fold_fault *fault)
{
	char text[256];

	log_warning("%s: %s", file, fault_text(fault, text, sizeof(text)));
}

/* Damage is told and gone over, as reports do. */
static int read_items(struct merge *m, struct reader *reader, struct pass *pass)
{
	struct fold_item item = {.kind = FOLD_ITEM_SEGMENT};
	struct source s = {0};
	int err = 0;

	while (!err && item.kind != FOLD_ITEM_END_OF_FILE) {
		if (reader_next(reader, &item)) {
			if (pass->first)
				warn(pass->file, reader_fault(reader));
			s.damaged = s.t != NULL;
			break;
		}
		memory_watch_reads(m->options->watch, pass->file, item.offset, FOLD_CHUNK_HEADER_SIZE + item.stored_size);
		if (pass->first && (item.kind == FOLD_ITEM_DAMAGE || item.kind == FOLD_ITEM_CUT))
			warn(pass->file, &item.fault);
		err = take_item(m, &s, &item, reader_lossy(reader), pass);
	}
	if (!err)
		err = end_recording(m, &s, pass->file);
	source_release(&s);
	return err;
}

/* ---- files */

static int merge_file(struct merge *m, struct pass *pass)
{
	const char *file = pass->file;
	uint64_t before = m->result->recordings;
	struct reader_limits limits = {0};
	struct reader *reader = NULL;
	struct infile in;
	int err = -1;

	if (infile_open(&in, file))
		return -1;
	limits.file_size = in.size;
	log_progress("merging %zu of %zu", ++m->done, m->plan.passes);
	if (reader_new(&reader, infile_source(&in), &limits))
		memory();
	else
		err = read_items(m, reader, pass);
	reader_free(reader);
	infile_close(&in);
	if (!err && m->result->recordings == before) {
		log_error("%s: no recording in it", file);
		err = -1;
	}
	return err;
}

/* All of a group that is in one file, and then the next. */
static int merge_group(struct merge *m, const struct group *g)
{
	size_t n;

	for (size_t i = 0; i < g->nparts; i += n) {
		const struct group_part *parts = &g->parts[i];

		for (n = 1; i + n < g->nparts && parts[n].file == parts->file; n++)
			;
		if (merge_file(m, &(struct pass){.file = m->plan.files[parts->file], .parts = parts, .nparts = n,
						 .planned = m->plan.planned[parts->file], .first = !parts->segment}))
			return -1;
	}
	return 0;
}

static int merge_groups(struct merge *m)
{
	for (size_t i = 0; i < m->plan.ngroups; i++) {
		m->wanted = &m->plan.groups[i];
		if (merge_group(m, m->wanted))
			return -1;
	}
	m->wanted = NULL;
	return 0;
}

static int merge_all(struct merge *m, const char *const *files, size_t nfiles)
{
	int err = plan_init(&m->plan, files, nfiles, m->options);

	if (!err)
		err = merge_groups(m);
	for (size_t i = 0; !err && i < m->plan.nlater; i++)
		err = merge_file(m, &(struct pass){.file = files[m->plan.later[i]], .first = true});
	return err ? err : close_segment(m);
}

int merge_files(const char *const *files, size_t nfiles, const struct merge_options *options, struct fold_sink sink,
		struct merge_result *result)
{
	struct merge m = {.options = options, .sink = sink, .result = result};
	int err = merge_all(&m, files, nfiles);

	log_progress_end();
	target_release(&m.target);
	group_release(&m.own);
	plan_release(&m.plan);
	return err;
}
