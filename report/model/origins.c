/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which recordings a merged one was made of, and the labels that tell them
 * apart.  An origin's own label of a key goes before that of the whole file.
 */
#include "segment.h"

#include <string.h>

#include "../../format/label.h"
#include "array.h"

static int origin_string(struct segment *s, uint64_t id, struct fold_bytes *out)
{
	uint32_t string;

	if (segment_string(s, id, &string))
		return -1;
	*out = recording_string(s->load->rec, string);
	return 0;
}

static int copy_labels(struct segment *s, const struct fold_origin *from, struct rec_origin *to)
{
	to->labels = malloc((from->nlabels + 1) * sizeof(*to->labels));
	if (!to->labels)
		return -1;
	for (; to->nlabels < from->nlabels; to->nlabels++) {
		struct fold_label *label = &to->labels[to->nlabels];

		if (origin_string(s, from->labels[to->nlabels].key, &label->key) ||
		    origin_string(s, from->labels[to->nlabels].value, &label->value))
			return -1;
	}
	return 0;
}

/*
 * Those of its processes that are known: file ids may have gaps.  Each is marked once,
 * or origins that all claim the same processes would take forever.
 */
static void mark_processes(struct segment *s, const struct fold_origin *from, uint32_t origin)
{
	uint64_t first = from->first > s->origin_end ? from->first : s->origin_end, end = from->first + from->nprocs;
	struct recording *rec = s->load->rec;

	for (size_t i = idmap_range_above(&s->procs, first); i < s->procs.nranges && s->procs.ranges[i].first < end; i++) {
		const struct idmap_range *range = &s->procs.ranges[i];
		uint64_t low = first > range->first ? first : range->first;
		uint64_t high = end < range->first + range->n ? end : range->first + range->n;

		for (; low < high; low++)
			rec->processes[s->procs.values[range->base + (low - range->first)]].origin = origin;
	}
	if (end > s->origin_end)
		s->origin_end = end;
}

static int add_origin(struct segment *s, const struct fold_origin *from)
{
	struct recording *rec = s->load->rec;
	struct rec_origin *to;

	if (rec->norigins >= REC_NONE - 1 || array_room(rec->origins, s->load->origins_room, rec->norigins + 1))
		return -1;
	to = &rec->origins[rec->norigins];
	*to = (struct rec_origin){
		.segment = s->id,
		.realtime = from->realtime,
		.duration = from->duration,
		.reason = from->reason,
		.state = from->state,
		.flags = from->flags,
		.cpus_online = from->cpus_online,
	};
	memcpy(to->id, from->id, sizeof(to->id));
	mark_processes(s, from, (uint32_t)rec->norigins++);
	return origin_string(s, from->kernel_release, &to->kernel_release) || origin_string(s, from->recorder, &to->recorder) ||
	       origin_string(s, from->version, &to->version) || copy_labels(s, from, to) ? -1 : 0;
}

int segment_origins(struct segment *s, const struct fold_origins *origins)
{
	for (size_t i = 0; i < origins->n; i++)
		if (add_origin(s, &origins->v[i]))
			return -1;
	return 0;
}

uint64_t recording_duration(const struct recording *rec, size_t segment)
{
	const struct rec_segment *g = &rec->segments[segment];
	int64_t from = (int64_t)g->meta.start.monotonic, to = g->ended ? (int64_t)g->end.stop.monotonic : g->last;
	uint64_t sum = 0;

	for (size_t i = 0; i < rec->norigins; i++)
		sum += rec->origins[i].segment == segment ? rec->origins[i].duration : 0;
	if (sum)
		return sum;
	return to > from ? (uint64_t)(to - from) : 0;
}

size_t recording_count(const struct recording *rec)
{
	size_t n = rec->nsegments + rec->norigins;

	for (size_t i = 0, last = SIZE_MAX; i < rec->norigins; i++) {
		n -= rec->origins[i].segment != last; /* those of a segment lie together */
		last = rec->origins[i].segment;
	}
	return n;
}

const char *recording_no_stack(const struct recording *rec, const struct rec_count *count)
{
	const struct rec_process *process = &rec->processes[rec->threads[count->thread].process];

	switch (rec->segments[process->segment].meta.sides & (FOLD_SIDE_KERNEL | FOLD_SIDE_USER)) {
	case FOLD_SIDE_KERNEL:
		return "[user code]";
	case FOLD_SIDE_USER:
		return "[kernel code]";
	default:
		return "[unknown]";
	}
}

struct fold_bytes recording_label(const struct recording *rec, uint32_t process, const char *key)
{
	struct fold_bytes wanted = {(const uint8_t *)key, strlen(key)}, found = {0};
	const struct rec_process *p = &rec->processes[process];
	const struct rec_meta *meta = &rec->segments[p->segment].meta;

	if (p->origin != REC_NONE)
		found = label_find(rec->origins[p->origin].labels, rec->origins[p->origin].nlabels, wanted);
	return found.at ? found : label_find(meta->labels, meta->nlabels, wanted);
}
