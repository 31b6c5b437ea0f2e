/* SPDX-License-Identifier: BSD-2-Clause */
/* Begin and end of a recording on its way: META, END, notes, symbols, where it came from. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "../../format/label.h"
#include "group.h"

/* ---- times */

/* What is beyond the range of time stamps is its end. */
static int64_t within_range(const struct source *s, __int128 ticks)
{
	int64_t tick = (int64_t)s->t->meta->tick_ns;

	return ticks < INT64_MIN / tick ? INT64_MIN / tick : ticks > INT64_MAX / tick ? INT64_MAX / tick : (int64_t)ticks;
}

int64_t source_time(const struct source *s, int64_t ticks)
{
	int64_t time;

	if (__builtin_mul_overflow(ticks, s->ratio, &time) || __builtin_add_overflow(time, s->shift, &time))
		return within_range(s, (__int128)ticks * s->ratio + s->shift);
	return within_range(s, time);
}

static int64_t divide_down(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* ---- begin */

static uint32_t find_event(const struct fold_meta *meta, const struct fold_event *event)
{
	for (size_t i = 0; i < meta->nevents; i++)
		if (event_equal(&meta->events[i], event))
			return (uint32_t)i;
	return 0; /* the caller has seen to it that there is one */
}

/* Labels by string ids of the target, in the order of their keys. */
static int put_labels(struct source *s, const struct label_list *list, struct fold_origin *origin)
{
	for (origin->nlabels = 0; origin->nlabels < list->n; origin->nlabels++) {
		const struct fold_label *label = &list->v[origin->nlabels];
		uint32_t key, value;

		if (target_string(s->t, label->key, &key) || target_string(s->t, label->value, &value))
			return -1;
		origin->labels[origin->nlabels] = (struct fold_origin_label){key, value};
	}
	return 0;
}

static int begin_origin(struct source *s, const struct fold_meta *meta, const struct fold_label *more)
{
	bool hide = s->veil && s->veil->parts & VEIL_KERNEL;
	struct label_list list = {0};
	uint32_t release = 0, recorder, version;

	for (size_t i = 0; i < meta->nlabels; i++)
		label_list_add(&list, meta->labels[i].key, meta->labels[i].value);
	if (more)
		label_list_add(&list, more->key, more->value);
	s->origin = (struct fold_origin){
		.first = s->t->procs, .realtime = meta->start.realtime, .flags = meta->flags, .cpus_online = meta->cpus_online, .labels = s->labels,
	};
	memcpy(s->origin.id, meta->id, sizeof(meta->id));
	if ((!hide && target_string(s->t, meta->kernel_release, &release)) || target_string(s->t, meta->recorder, &recorder) ||
	    target_string(s->t, meta->version, &version) || put_labels(s, &list, &s->origin))
		return -1;
	s->origin.kernel_release = release;
	s->origin.recorder = recorder;
	s->origin.version = version;
	return 0;
}

int source_begin(struct source *s, struct target *t, const struct fold_meta *meta, struct veil *veil, bool merged,
		 const struct fold_label *more)
{
	*s = (struct source){
		.t = t, .veil = veil, .merged = merged, .flags = meta->flags, .nevents = meta->nevents, .tick_ns = meta->tick_ns,
		.start = meta->start.monotonic, .lost_proc = IDMAP_LOST, .lost_thread = IDMAP_LOST,
	};
	s->ratio = (int64_t)(meta->tick_ns / t->meta->tick_ns);
	if (merged)
		s->shift = divide_down((int64_t)(meta->start.realtime - t->meta->start.realtime), (int64_t)t->meta->tick_ns);
	for (size_t i = 0; i < meta->nevents; i++)
		s->events[i] = merged ? find_event(t->meta, &meta->events[i]) : (uint32_t)i;
	if (more)
		s->more = *more;
	intern_init(&s->text, 0);
	return merged ? begin_origin(s, meta, more) : 0;
}

void source_release(struct source *s)
{
	idmap_release(&s->strings);
	idmap_release(&s->modules);
	idmap_release(&s->procs);
	idmap_release(&s->threads);
	idmap_release(&s->stacks[TARGET_KERNEL]);
	idmap_release(&s->stacks[TARGET_USER]);
	intern_release(&s->text);
	for (size_t i = 0; i < s->nnames; i++)
		syms_release(&s->names[i]);
	free(s->names);
	free(s->known);
	space_release(&s->space);
	free(s->nodes);
	*s = (struct source){0};
}

/* ---- strings */

struct fold_bytes source_text(const struct source *s, uint64_t string)
{
	uint32_t id = string ? idmap_get(&s->strings, string) : 0;

	if (!string)
		return (struct fold_bytes){(const uint8_t *)"", 0};
	return id == IDMAP_LOST ? (struct fold_bytes){(const uint8_t *)"[lost]", 6} : intern_get(&s->text, id);
}

int source_string(struct source *s, uint64_t string, uint32_t *id)
{
	return target_string(s->t, source_text(s, string), id);
}

/* ---- origins */

/* Those of the target's processes that [first, first + nprocs) of the file became. */
static void map_procs(const struct source *s, const struct fold_origin *from, struct fold_origin *to)
{
	const struct idmap *procs = &s->procs;
	uint64_t first = from->first, end = from->first + from->nprocs, last;
	size_t low = idmap_range_above(procs, first), high = end ? idmap_range_above(procs, end - 1) : 0;

	if (low < procs->nranges && first < procs->ranges[low].first)
		first = procs->ranges[low].first;
	if (low == procs->nranges || first >= end) {
		to->first = s->t->origin_end;
		to->nprocs = 0;
		return;
	}
	if (high == procs->nranges || end - 1 < procs->ranges[high].first) { /* behind the last that is known */
		high--;
		end = procs->ranges[high].first + procs->ranges[high].n;
	}
	last = procs->values[procs->ranges[high].base + (end - 1 - procs->ranges[high].first)];
	to->first = procs->values[procs->ranges[low].base + (first - procs->ranges[low].first)];
	to->nprocs = last + 1 - to->first;
}

static struct fold_bytes target_text(const struct source *s, uint64_t string)
{
	return string ? intern_get(&s->t->strings, (uint32_t)string) : (struct fold_bytes){(const uint8_t *)"", 0};
}

/* What found no room is told to who asked for it, or once for the file. */
static int leave_label(struct source *s, struct fold_bytes key)
{
	if (s->more.key.size && !label_key_compare(key, s->more.key)) {
		s->no_room = true;
		return -1;
	}
	if (!s->labels_left++)
		memcpy(s->label_left, key.at, key.size);
	return 0;
}

/* Its own labels, and those of the recording it was merged into. */
static int nested_labels(struct source *s, const struct fold_origin *from, struct fold_origin *to)
{
	struct label_list list = {0};

	if (s->veil && veil_hides(s->veil, VEIL_LABELS))
		return 0;
	for (size_t i = 0; i < from->nlabels; i++)
		label_list_add(&list, source_text(s, from->labels[i].key), source_text(s, from->labels[i].value));
	for (size_t i = 0; i < s->origin.nlabels; i++) {
		struct fold_bytes key = target_text(s, s->labels[i].key);

		if (label_list_add(&list, key, target_text(s, s->labels[i].value)) == LABEL_TOO_MANY && leave_label(s, key))
			return -1;
	}
	if (s->more.key.size && label_list_add(&list, s->more.key, s->more.value) == LABEL_TOO_MANY)
		return leave_label(s, s->more.key);
	return put_labels(s, &list, to);
}

/*
 * What the file holds of it now: META has the flags of all its origins, so that one
 * which META lacks was taken away since the origin was written.
 */
static uint32_t nested_flags(const struct source *s, uint32_t flags)
{
	uint32_t meta = s->veil ? s->t->meta->flags : s->flags;

	flags &= meta | ~(uint32_t)(FOLD_FLAG_RAW_ADDRESSES | FOLD_FLAG_PATHS_FULL);
	return s->veil ? flags | FOLD_FLAG_REDACTED : flags;
}

static int add_nested(struct source *s, const struct fold_origin *from)
{
	struct fold_origin_label labels[FOLD_MAX_LABELS];
	struct fold_origin to = *from;
	uint32_t release = 0, recorder, version;

	to.labels = labels;
	to.nlabels = 0;
	to.flags = nested_flags(s, from->flags);
	map_procs(s, from, &to);
	if (s->veil && s->veil->parts & VEIL_TIMES)
		to.realtime = 0;
	if (s->veil)
		memset(to.id, 0, sizeof(to.id));
	if ((!(s->veil && s->veil->parts & VEIL_KERNEL) && source_string(s, from->kernel_release, &release)) ||
	    source_string(s, from->recorder, &recorder) || source_string(s, from->version, &version) || nested_labels(s, from, &to))
		return -1;
	to.kernel_release = release;
	to.recorder = recorder;
	to.version = version;
	s->nested = true;
	return target_origin(s->t, &to);
}

/* ---- items */

static int add_batch(struct source *s, const struct fold_batch *batch)
{
	if (source_define(s, batch) || source_rows(s, batch))
		return -1;
	for (size_t i = 0; i < batch->origins.n; i++)
		if (add_nested(s, &batch->origins.v[i]))
			return -1;
	return target_write_full(s->t);
}

int source_item(struct source *s, const struct fold_item *item, bool lossy)
{
	switch (item->kind) {
	case FOLD_ITEM_BATCH:
		return add_batch(s, item->batch);
	case FOLD_ITEM_NOTE:
		return s->veil && veil_hides(s->veil, VEIL_NOTES) ? 0 : target_note(s->t, item->note->text);
	case FOLD_ITEM_SYMBOLS:
		return source_symbols(s, item->symbols);
	case FOLD_ITEM_FINISH:
		s->ended = true;
		s->end = *item->end;
		s->trust_end = !item->fault.code || lossy;
		return 0;
	case FOLD_ITEM_DAMAGE:
	case FOLD_ITEM_CUT:
		s->damaged |= item->kind == FOLD_ITEM_DAMAGE;
		return 0;
	default:
		return 0;
	}
}

/* ---- end */

static int add_missing(struct source *s, uint32_t event, uint32_t cause, uint64_t count)
{
	struct fold_account_row row = {.event = event, .cause = cause, .count = count};

	return count ? target_account(s->t, &row) : 0;
}

/*
 * Samples taken have to be samples written and samples lost.  Where damage took a
 * part, END knows what there was; without END, what the last batch knew.
 */
static int close_sum(struct source *s, uint32_t event)
{
	const struct fold_total *read = &s->totals[event], *end = &s->end.totals[event];
	uint64_t taken = read->taken, known = read->written + read->lost;

	if (s->ended && s->trust_end && end->taken > taken && end->taken - end->lost == end->written && end->written >= read->written)
		taken = end->taken;
	if (taken < known)
		taken = known;
	return add_missing(s, s->events[event], FOLD_TAKEN, taken - read->taken) ||
	       add_missing(s, s->events[event], FOLD_LOST_DAMAGE, taken - known) ? -1 : 0;
}

static bool lacks_more(const struct source *s)
{
	for (size_t i = 0; s->more.key.size && i < s->origin.nlabels; i++)
		if (!label_key_compare(target_text(s, s->labels[i].key), s->more.key))
			return false;
	return s->more.key.size != 0;
}

static int end_origin(struct source *s)
{
	struct fold_origin *o = &s->origin;

	if (s->nested)
		return 0;
	if (lacks_more(s)) {
		s->no_room = true;
		return -1;
	}
	o->nprocs = s->t->procs - o->first;
	o->state = (s->ended ? FOLD_ORIGIN_ENDED : 0u) | (s->damaged ? FOLD_ORIGIN_DAMAGED : 0u);
	o->reason = s->ended ? s->end.reason : FOLD_REASON_OTHER;
	o->duration = s->last > 0 ? (uint64_t)s->last : 0;
	if (s->ended && s->end.stop.monotonic > s->start)
		o->duration = s->end.stop.monotonic - s->start;
	return target_origin(s->t, o);
}

int source_end(struct source *s)
{
	for (uint32_t i = 0; i < s->nevents; i++)
		if (close_sum(s, i))
			return -1;
	if (source_names_end(s))
		return -1;
	return s->merged ? end_origin(s) : 0;
}
