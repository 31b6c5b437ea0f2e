/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segment by segment through the same translation as merge, with a veil over it:
 * nothing of the old bytes is copied that was not looked at.
 */
#include "redact.h"

#include <stdlib.h>
#include <string.h>

#include "../infile.h"
#include "../log.h"
#include "group.h"
#include "source.h"

struct redact {
	const char *file;
	struct veil *veil;
	struct fold_sink sink;
	struct target target;
	struct source source; /* its `t` is NULL when no segment is open */
	struct fold_meta meta; /* of the target; its bytes are in `text` */
	struct intern text;
	struct fold_clock start; /* as it was */
	uint64_t segments;
};

static int fail(struct redact *r)
{
	char text[160];

	log_error("%s: cannot go on: %s", r->file, target_fault(&r->target, text, sizeof(text)));
	return -1;
}

/* ---- META and END */

static int keep(struct redact *r, struct fold_bytes *bytes)
{
	uint32_t id;

	if (intern_add(&r->text, bytes->at, bytes->size, &id))
		return -1;
	*bytes = intern_get(&r->text, id);
	return 0;
}

/* Probes of the user's own are called by his files and functions. */
static int keep_event(struct redact *r, struct fold_event *event)
{
	if (event->kind == FOLD_EVENT_UPROBE && veil_hides(r->veil, VEIL_PATHS))
		event->name = (struct fold_bytes){(const uint8_t *)"uprobe", 6};
	if (keep(r, &event->name))
		return -1;
	for (size_t i = 0; i < event->nweights; i++)
		if (keep(r, &event->weights[i].name))
			return -1;
	return 0;
}

static int keep_labels(struct redact *r)
{
	size_t n = r->meta.nlabels;

	for (r->meta.nlabels = 0; r->meta.nlabels < n; r->meta.nlabels++) {
		struct fold_label *label = &r->meta.labels[r->meta.nlabels];

		if (veil_hides(r->veil, VEIL_LABELS))
			return 0;
		if (keep(r, &label->key) || keep(r, &label->value))
			return -1;
	}
	return 0;
}

static int make_meta(struct redact *r, const struct fold_meta *from)
{
	struct fold_meta *m = &r->meta;
	uint32_t gone = (r->veil->parts & VEIL_ADDRESSES ? FOLD_FLAG_RAW_ADDRESSES : 0u) |
			(r->veil->parts & VEIL_PATHS ? FOLD_FLAG_PATHS_FULL : 0u);

	*m = *from;
	group_new_id(m->id);
	m->flags = (m->flags & ~gone) | FOLD_FLAG_REDACTED;
	if (from->flags & FOLD_FLAG_RAW_ADDRESSES)
		veil_hides(r->veil, VEIL_ADDRESSES);
	if (veil_hides(r->veil, VEIL_TIMES))
		m->start = (struct fold_clock){0};
	if (m->kernel_release.size && veil_hides(r->veil, VEIL_KERNEL))
		m->kernel_release.size = 0;
	if (keep(r, &m->recorder) || keep(r, &m->version) || keep(r, &m->kernel_release) || keep_labels(r))
		return -1;
	for (size_t i = 0; i < m->nevents; i++)
		if (keep_event(r, &m->events[i]))
			return -1;
	return 0;
}

static int begin(struct redact *r, const struct fold_meta *meta)
{
	intern_init(&r->text, 0);
	r->start = meta->start;
	r->segments++;
	if (make_meta(r, meta) || target_begin(&r->target, r->sink, &r->meta) ||
	    source_begin(&r->source, &r->target, meta, r->veil, false, NULL))
		return fail(r);
	return 0;
}

/* Without the start, an instant is what lies between. */
static struct fold_clock move_clock(const struct redact *r, struct fold_clock clock)
{
	if (!(r->veil->parts & VEIL_TIMES))
		return clock;
	return (struct fold_clock){
		.monotonic = clock.monotonic - r->start.monotonic,
		.realtime = clock.realtime - r->start.realtime,
		.boottime = clock.boottime - r->start.boottime,
	};
}

/* A recording that was cut stays one. */
static int end(struct redact *r)
{
	struct fold_end last;
	int err;

	if (!r->source.t)
		return 0;
	last = r->source.end;
	last.stop = move_clock(r, last.stop);
	err = source_end(&r->source) || target_end(&r->target, r->source.ended ? &last : NULL) ? fail(r) : 0;
	source_release(&r->source);
	target_release(&r->target);
	intern_release(&r->text);
	return err;
}

/* ---- the file */

static int take_item(struct redact *r, const struct fold_item *item, bool lossy)
{
	if (item->kind == FOLD_ITEM_SEGMENT || (item->kind == FOLD_ITEM_META && r->source.t))
		return end(r);
	if (item->kind == FOLD_ITEM_META)
		return begin(r, item->meta);
	return r->source.t && source_item(&r->source, item, lossy) ? fail(r) : 0;
}

static int read_items(struct redact *r, struct reader *reader, struct memory_watch *watch)
{
	struct fold_item item = {.kind = FOLD_ITEM_SEGMENT};
	char text[256];
	int err = 0;

	while (!err && item.kind != FOLD_ITEM_END_OF_FILE) {
		if (reader_next(reader, &item)) {
			log_error("%s: %s", r->file, fault_text(reader_fault(reader), text, sizeof(text)));
			return -1;
		}
		memory_watch_reads(watch, r->file, item.offset, FOLD_CHUNK_HEADER_SIZE + item.stored_size);
		if (item.kind == FOLD_ITEM_DAMAGE || item.kind == FOLD_ITEM_CUT)
			log_warning("%s: %s", r->file, fault_text(&item.fault, text, sizeof(text)));
		err = take_item(r, &item, reader_lossy(reader));
	}
	return err ? err : end(r);
}

int redact_file(const char *file, struct veil *veil, struct fold_sink sink, struct memory_watch *watch)
{
	struct redact *r = calloc(1, sizeof(*r));
	struct reader *reader = NULL;
	struct infile in;
	int err = -1;

	if (!r || infile_open(&in, file)) {
		free(r);
		return -1;
	}
	*r = (struct redact){.file = file, .veil = veil, .sink = sink};
	if (reader_new(&reader, infile_source(&in), NULL))
		log_error("out of memory");
	else
		err = read_items(r, reader, watch);
	if (!err && !r->segments) {
		log_error("%s: no recording in it", file);
		err = -1;
	}
	reader_free(reader);
	infile_close(&in);
	source_release(&r->source);
	target_release(&r->target);
	intern_release(&r->text);
	free(r);
	return err;
}
