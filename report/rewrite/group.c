/* SPDX-License-Identifier: BSD-2-Clause */
/* META of many recordings as one. */
#include "group.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../model/array.h"

/* Wall clocks that are further apart than this, in ns, do not go together. */
#define FAR (INT64_C(1) << 62)
/* What a person has to know before a recording is given away. */
#define SIGNS (uint32_t)(FOLD_FLAG_RAW_ADDRESSES | FOLD_FLAG_PATHS_FULL | FOLD_FLAG_REDACTED)

static bool bytes_equal(struct fold_bytes a, struct fold_bytes b)
{
	return a.size == b.size && (!a.size || !memcmp(a.at, b.at, a.size));
}

bool event_equal(const struct fold_event *a, const struct fold_event *b)
{
	if (a->kind != b->kind || !bytes_equal(a->name, b->name) || a->period_unit != b->period_unit || a->period != b->period ||
	    a->sample_ns != b->sample_ns || a->nweights != b->nweights)
		return false;
	for (size_t i = 0; i < a->nweights; i++)
		if (!bytes_equal(a->weights[i].name, b->weights[i].name) || a->weights[i].unit != b->weights[i].unit)
			return false;
	return true;
}

/* ---- what all have in common */

static int compare_bytes(struct fold_bytes a, struct fold_bytes b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int order = n ? memcmp(a.at, b.at, n) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

#define ORDER(a, b) if ((a) != (b)) return (a) < (b) ? -1 : 1
static int compare_meta(const struct fold_meta *a, const struct fold_meta *b)
{
	ORDER(a->mode, b->mode);
	ORDER(a->machine, b->machine);
	ORDER(a->word_bytes, b->word_bytes);
	ORDER(a->big_endian, b->big_endian);
	ORDER(a->page_size, b->page_size);
	ORDER(a->flags & FOLD_FLAG_KERNEL_ANCHORED, b->flags & FOLD_FLAG_KERNEL_ANCHORED);
	return compare_bytes(a->kernel_release, b->kernel_release);
}

int group_compare(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int order = compare_meta(&x->meta, &y->meta);

	if (order)
		return order;
	ORDER(x->meta.start.realtime, y->meta.start.realtime);
	return 0;
}

static bool near(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < (uint64_t)FAR;
}

static const struct fold_event *find_event(const struct fold_meta *meta, const struct fold_event *event)
{
	for (size_t i = 0; i < meta->nevents; i++)
		if (event_equal(&meta->events[i], event))
			return &meta->events[i];
	return NULL;
}

bool group_fits(const struct group *g, const struct fold_meta *meta)
{
	if (compare_meta(&g->meta, meta) || !near(g->meta.start.realtime, meta->start.realtime) || meta->tick_ns % g->meta.tick_ns ||
	    meta->flags & SIGNS & ~g->meta.flags)
		return false;
	for (size_t i = 0; i < meta->nevents; i++)
		if (!find_event(&g->meta, &meta->events[i]))
			return false;
	return true;
}

/* ---- taking in */

static int keep(struct group *g, struct fold_bytes *bytes)
{
	uint32_t id;

	if (intern_add(&g->text, bytes->at, bytes->size, &id))
		return -1;
	*bytes = intern_get(&g->text, id);
	return 0;
}

static int keep_event(struct group *g, const struct fold_event *event)
{
	struct fold_event *kept = &g->meta.events[g->meta.nevents];

	*kept = *event;
	if (keep(g, &kept->name))
		return -1;
	for (size_t i = 0; i < kept->nweights; i++)
		if (keep(g, &kept->weights[i].name))
			return -1;
	g->meta.nevents++;
	return 0;
}

int group_init(struct group *g, const struct fold_meta *meta)
{
	struct fold_meta *m = &g->meta;

	*g = (struct group){.meta = *meta};
	intern_init(&g->text, 0);
	m->recorder = (struct fold_bytes){(const uint8_t *)"fold-report", 11};
	m->version = (struct fold_bytes){(const uint8_t *)FOLD_VERSION, strlen(FOLD_VERSION)};
	m->flags = meta->flags | FOLD_FLAG_MERGED;
	m->nlabels = 0;
	m->nevents = 0;
	if (keep(g, &m->kernel_release))
		return -1;
	for (size_t i = 0; i < meta->nevents; i++)
		if (!find_event(m, &meta->events[i]) && keep_event(g, &meta->events[i]))
			return -1;
	return 0;
}

void group_release(struct group *g)
{
	intern_release(&g->text);
	free(g->parts);
	*g = (struct group){0};
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void take_larger(uint32_t *to, uint32_t from)
{
	if (*to < from)
		*to = from;
}

static void add_facts(struct fold_meta *to, const struct fold_meta *from)
{
	to->tick_ns = gcd(to->tick_ns, from->tick_ns);
	if (from->start.realtime < to->start.realtime)
		to->start = from->start;
	take_larger(&to->cpus_online, from->cpus_online);
	take_larger(&to->cpus_possible, from->cpus_possible);
	take_larger(&to->max_depth, from->max_depth);
	if (to->interval_ns < from->interval_ns)
		to->interval_ns = from->interval_ns;
	to->sides |= from->sides;
	to->flags = (to->flags | from->flags) & (to->flags & from->flags & FOLD_FLAG_PATHS_BASE ? UINT32_MAX : ~(uint32_t)FOLD_FLAG_PATHS_BASE);
	if (to->unwinder != from->unwinder)
		to->unwinder = FOLD_UNWIND_MIXED;
	if (to->scope != from->scope)
		to->scope = FOLD_SCOPE_MIXED;
	to->scope_count += from->scope_count;
}

int group_add(struct group *g, const struct fold_meta *meta)
{
	size_t new = 0;

	if (compare_meta(&g->meta, meta) || !near(g->meta.start.realtime, meta->start.realtime))
		return 0;
	for (size_t i = 0; i < meta->nevents; i++)
		new += !find_event(&g->meta, &meta->events[i]);
	if (g->meta.nevents + new > FOLD_MAX_EVENTS)
		return 0;
	for (size_t i = 0; i < meta->nevents; i++)
		if (!find_event(&g->meta, &meta->events[i]) && keep_event(g, &meta->events[i]))
			return -1;
	add_facts(&g->meta, meta);
	return 1;
}

/* ---- settling */

static int compare_events(const void *a, const void *b)
{
	const struct fold_event *x = a, *y = b;
	int order;

	ORDER(x->kind, y->kind);
	order = compare_bytes(x->name, y->name);
	if (order)
		return order;
	ORDER(x->period_unit, y->period_unit);
	ORDER(x->period, y->period);
	ORDER(x->sample_ns, y->sample_ns);
	ORDER(x->nweights, y->nweights);
	for (size_t i = 0; i < x->nweights; i++) {
		order = compare_bytes(x->weights[i].name, y->weights[i].name);
		if (order)
			return order;
		ORDER(x->weights[i].unit, y->weights[i].unit);
	}
	return 0;
}

void group_new_id(uint8_t id[16])
{
	if (getrandom(id, 16, GRND_NONBLOCK) != 16) {
		struct timespec now = {0};

		clock_gettime(CLOCK_REALTIME, &now);
		memset(id, 0, 16);
		memcpy(id, &now.tv_nsec, sizeof(uint32_t));
		memcpy(id + 10, &now.tv_sec, 6);
	}
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x40);
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
}

void group_settle(struct group *g, const struct label_list *labels)
{
	qsort(g->meta.events, g->meta.nevents, sizeof(*g->meta.events), compare_events);
	g->meta.nlabels = labels->n;
	memcpy(g->meta.labels, labels->v, sizeof(g->meta.labels));
}
