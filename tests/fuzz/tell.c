/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoded chunks as strings of bytes; see tell.h. */
#include "tell.h"

static void tell_clock(struct buf *to, const struct fold_clock *clock)
{
	buf_uv(to, clock->monotonic);
	buf_uv(to, clock->realtime);
	buf_uv(to, clock->boottime);
}

static void tell_event(struct buf *to, const struct fold_event *event)
{
	buf_uv(to, event->kind);
	buf_bytes(to, event->name);
	buf_uv(to, event->period_unit);
	buf_uv(to, event->period);
	buf_uv(to, event->sample_ns);
	buf_uv(to, event->nweights);
	for (size_t i = 0; i < event->nweights; i++) {
		buf_bytes(to, event->weights[i].name);
		buf_uv(to, event->weights[i].unit);
	}
}

void tell_meta(struct buf *to, const struct fold_meta *meta)
{
	const uint64_t numbers[] = {
		meta->draft, meta->tick_ns, meta->machine, meta->word_bytes, meta->big_endian, meta->page_size, meta->cpus_online,
		meta->cpus_possible, meta->mode, meta->interval_ns, meta->sides, meta->max_depth, meta->unwinder, meta->flags,
		meta->nevents, meta->scope, meta->scope_count,
	};

	buf_bytes(to, meta->recorder);
	buf_bytes(to, meta->version);
	buf_bytes(to, meta->kernel_release);
	buf_raw(to, meta->id, sizeof(meta->id));
	tell_clock(to, &meta->start);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		buf_uv(to, numbers[i]);
	for (size_t i = 0; i < meta->nevents; i++)
		tell_event(to, &meta->events[i]);
	buf_uv(to, meta->nlabels);
	for (size_t i = 0; i < meta->nlabels; i++) {
		buf_bytes(to, meta->labels[i].key);
		buf_bytes(to, meta->labels[i].value);
	}
}

static void tell_module(struct buf *to, const struct fold_module *m)
{
	buf_uv(to, m->kind);
	buf_uv(to, m->name);
	buf_uv(to, m->span);
	buf_uv(to, m->flags);
	buf_uv(to, m->elf_type);
	buf_uv(to, m->machine);
	buf_uv(to, m->nids);
	for (size_t i = 0; i < m->nids; i++) {
		buf_uv(to, m->ids[i].kind);
		buf_bytes(to, m->ids[i].bytes);
	}
	buf_uv(to, m->nsegments);
	for (size_t i = 0; i < m->nsegments; i++) {
		buf_uv(to, m->segments[i].offset);
		buf_uv(to, m->segments[i].vaddr);
		buf_uv(to, m->segments[i].filesz);
		buf_uv(to, m->segments[i].align);
	}
}

static void tell_definitions(struct buf *to, const struct fold_batch *b)
{
	buf_uv(to, b->strings.n ? b->strings.first_id : 0);
	buf_uv(to, b->strings.n);
	for (size_t i = 0; i < b->strings.n; i++)
		buf_bytes(to, b->strings.v[i]);
	buf_uv(to, b->modules.n);
	for (size_t i = 0; i < b->modules.n; i++)
		tell_module(to, &b->modules.v[i]);
	buf_uv(to, b->procs.n);
	for (size_t i = 0; i < b->procs.n; i++) {
		const struct fold_proc *p = &b->procs.v[i];

		buf_uv(to, p->pid);
		buf_sv(to, p->start);
		buf_uv(to, p->comm);
		buf_uv(to, p->exe);
		buf_uv(to, p->parent);
	}
	buf_uv(to, b->mmaps.n);
	for (size_t i = 0; i < b->mmaps.n; i++) {
		const struct fold_mmap *m = &b->mmaps.v[i];

		buf_uv(to, m->proc);
		buf_uv(to, m->module);
		buf_uv(to, m->offset);
		buf_uv(to, m->length);
		buf_uv(to, m->start);
	}
	buf_uv(to, b->threads.n);
	for (size_t i = 0; i < b->threads.n; i++) {
		buf_uv(to, b->threads.v[i].proc);
		buf_uv(to, b->threads.v[i].tid);
		buf_uv(to, b->threads.v[i].comm);
	}
}

size_t stack_frames(const struct fold_stacks *stacks, size_t which, fold_frame frames[FOLD_MAX_FRAMES])
{
	const struct fold_stack *stack = &stacks->v[which];
	uint32_t node = stack->leaf;

	for (size_t i = stack->depth; i; i--) {
		frames[i - 1] = stacks->nodes[node].frame;
		node = stacks->nodes[node].parent;
	}
	return stack->depth;
}

static void tell_stacks(struct buf *to, const struct fold_stacks *stacks)
{
	fold_frame frames[FOLD_MAX_FRAMES];

	buf_uv(to, stacks->n ? stacks->first_id : 0);
	buf_uv(to, stacks->n);
	for (size_t i = 0; i < stacks->n; i++) {
		size_t n = stack_frames(stacks, i, frames);

		buf_uv(to, stacks->v[i].end);
		buf_uv(to, n);
		buf_raw(to, frames, n * sizeof(*frames));
	}
}

static void tell_rows(struct buf *to, const struct fold_batch *b)
{
	const struct fold_samples *s = &b->samples;
	const struct fold_counts *c = &b->counts;

	buf_uv(to, s->n);
	for (size_t i = 0; i < s->n; i++) {
		const uint32_t row[] = {s->cpu[i], s->thread[i], s->event[i], s->kstack[i], s->ustack[i]};

		buf_sv(to, s->time[i]);
		buf_raw(to, row, sizeof(row));
		for (size_t w = 0; w < s->nweights; w++)
			buf_uv(to, s->weight[w][i]);
	}
	buf_uv(to, c->n);
	buf_sv(to, c->from);
	buf_sv(to, c->to);
	for (size_t i = 0; i < c->n; i++) {
		const uint32_t row[] = {c->thread[i], c->event[i], c->kstack[i], c->ustack[i]};

		buf_uv(to, c->count[i]);
		buf_raw(to, row, sizeof(row));
		for (size_t w = 0; w < c->nweights; w++)
			buf_uv(to, c->weight[w][i]);
	}
}

static void tell_syms(struct buf *to, const struct fold_syms *syms)
{
	buf_uv(to, syms->n);
	for (size_t i = 0; i < syms->n; i++) {
		buf_uv(to, syms->v[i].module);
		buf_uv(to, syms->v[i].offset);
		buf_uv(to, syms->v[i].size);
		buf_uv(to, syms->v[i].name);
	}
}

static void tell_origin(struct buf *to, const struct fold_origin *o)
{
	const uint64_t numbers[] = {
		o->first, o->nprocs, o->realtime, o->duration, o->reason, o->state, o->flags, o->cpus_online, o->kernel_release, o->recorder,
		o->version, o->nlabels,
	};

	buf_raw(to, o->id, sizeof(o->id));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		buf_uv(to, numbers[i]);
	for (size_t i = 0; i < o->nlabels; i++) {
		buf_uv(to, o->labels[i].key);
		buf_uv(to, o->labels[i].value);
	}
}

void tell_batch(struct buf *to, const struct fold_batch *b)
{
	buf_uv(to, b->have);
	tell_definitions(to, b);
	tell_stacks(to, &b->kstacks);
	tell_stacks(to, &b->ustacks);
	tell_rows(to, b);
	buf_uv(to, b->account.n);
	for (size_t i = 0; i < b->account.n; i++) {
		buf_uv(to, b->account.v[i].event);
		buf_uv(to, b->account.v[i].cause);
		buf_uv(to, b->account.v[i].cpu);
		buf_uv(to, b->account.v[i].count);
	}
	tell_syms(to, &b->ksyms);
	tell_syms(to, &b->jitsyms);
	buf_uv(to, b->origins.n);
	for (size_t i = 0; i < b->origins.n; i++)
		tell_origin(to, &b->origins.v[i]);
}

/* Not what the writer fills in: chunks and headers_crc. */
void tell_end(struct buf *to, const struct fold_end *end)
{
	buf_uv(to, end->reason);
	tell_clock(to, &end->stop);
	buf_uv(to, end->nevents);
	for (size_t i = 0; i < end->nevents; i++) {
		buf_uv(to, end->totals[i].taken);
		buf_uv(to, end->totals[i].written);
		buf_uv(to, end->totals[i].lost);
	}
	buf_uv(to, end->self_cpu_ns);
	buf_uv(to, end->self_peak_bytes);
	buf_uv(to, end->bpf_ns);
}
