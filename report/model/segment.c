/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all parts of reading a recording need: its beginning and end, its clock,
 * and what stands for a definition that was lost.  Such a thing is "[lost]", never
 * something else.  Knows nothing of chunks or sections.
 */
#include "segment.h"

#include "array.h"

static const char lost_name[] = "[lost]";

struct rec_segment *segment_record(const struct segment *s)
{
	return &s->load->rec->segments[s->id];
}

int segment_begin(struct segment *s, struct load *load, const char *file)
{
	struct recording *rec = load->rec;

	*s = (struct segment){.load = load, .lost_process = REC_NONE, .lost_thread = REC_NONE};
	if (array_room(rec->segments, load->segments_room, rec->nsegments + 1) || tally_init(&s->tally))
		return -1;
	s->id = (uint32_t)rec->nsegments;
	s->first_kept = load->nsamples;
	rec->segments[rec->nsegments++] = (struct rec_segment){.file = file};
	return 0;
}

void segment_release(struct segment *s)
{
	idmap_release(&s->strings);
	idmap_release(&s->modules);
	idmap_release(&s->procs);
	idmap_release(&s->threads);
	for (int side = 0; side < SIDES; side++)
		idmap_release(&s->stacks[side]);
	space_release(&s->space);
	free(s->nodes);
	free(s->wanted_threads);
	tally_release(&s->tally);
	*s = (struct segment){0};
}

int64_t segment_monotonic(const struct segment *s, int64_t ticks)
{
	const struct rec_meta *meta = &segment_record(s)->meta;
	int64_t ns;

	if (__builtin_mul_overflow(ticks, (int64_t)meta->tick_ns, &ns) ||
	    __builtin_add_overflow(ns, (int64_t)meta->start.monotonic, &ns))
		return ticks < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

int segment_string(struct segment *s, uint64_t id, uint32_t *out)
{
	*out = id ? idmap_get(&s->strings, id) : 0;
	if (*out != IDMAP_LOST)
		return 0;
	return intern_add(&s->load->rec->strings, lost_name, sizeof(lost_name) - 1, out);
}

int segment_add_process(struct segment *s, const struct rec_process *process, uint32_t *id)
{
	struct load *load = s->load;
	struct recording *rec = load->rec;

	if (rec->nprocesses >= REC_NONE - 1 || array_room(rec->processes, load->processes_room, rec->nprocesses + 1))
		return -1;
	*id = (uint32_t)rec->nprocesses;
	rec->processes[rec->nprocesses++] = *process;
	return 0;
}

int segment_add_thread(struct segment *s, const struct rec_thread *thread, uint32_t *id)
{
	struct load *load = s->load;
	struct recording *rec = load->rec;

	if (rec->nthreads >= REC_NONE - 1 || array_room(rec->threads, load->threads_room, rec->nthreads + 1))
		return -1;
	*id = (uint32_t)rec->nthreads;
	rec->threads[rec->nthreads++] = *thread;
	return 0;
}

int segment_lost_process(struct segment *s, uint32_t *process)
{
	struct rec_process lost = {.exe = REC_NONE, .parent = REC_NONE, .segment = s->id, .origin = REC_NONE};

	if (s->lost_process == REC_NONE &&
	    (segment_string(s, UINT64_MAX, &lost.comm) || segment_add_process(s, &lost, &s->lost_process)))
		return -1;
	*process = s->lost_process;
	return 0;
}

int segment_lost_thread(struct segment *s, uint32_t *thread)
{
	struct rec_thread lost = {0};

	if (s->lost_thread == REC_NONE &&
	    (segment_lost_process(s, &lost.process) || segment_string(s, UINT64_MAX, &lost.comm) ||
	     segment_add_thread(s, &lost, &s->lost_thread)))
		return -1;
	*thread = s->lost_thread;
	return 0;
}
