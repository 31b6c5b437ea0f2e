/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: the reader on any bytes.  Whatever comes out must keep the promises
 * of reader.h, and must be readable at both ends.
 */
#include "../../format/reader.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "reader breaks its promise: %s\n", what);
	abort();
}

/* So that no read is optimised away. */
static volatile uint64_t sink;

static void touch(struct fold_bytes bytes)
{
	if (bytes.size)
		sink += bytes.at[0] + bytes.at[bytes.size - 1];
}

static void look_at_meta(const struct fold_meta *meta)
{
	require(meta->nevents >= 1 && meta->nevents <= FOLD_MAX_EVENTS, "events");
	require(meta->tick_ns >= 1 && meta->tick_ns <= 1000000000, "tick");
	touch(meta->recorder);
	touch(meta->version);
	touch(meta->kernel_release);
	require(meta->nlabels <= FOLD_MAX_LABELS, "labels");
	for (size_t i = 0; i < meta->nlabels; i++) {
		require(meta->labels[i].key.size <= FOLD_MAX_LABEL_KEY && meta->labels[i].value.size <= FOLD_MAX_LABEL_VALUE, "label");
		touch(meta->labels[i].value);
	}
	for (size_t i = 0; i < meta->nevents; i++) {
		touch(meta->events[i].name);
		require(meta->events[i].nweights <= FOLD_MAX_WEIGHTS, "weights");
		for (size_t w = 0; w < meta->events[i].nweights; w++)
			touch(meta->events[i].weights[w].name);
	}
}

static void look_at_definitions(const struct fold_batch *b)
{
	for (size_t i = 0; i < b->strings.n; i++)
		touch(b->strings.v[i]);
	for (size_t i = 0; i < b->modules.n; i++) {
		const struct fold_module *m = &b->modules.v[i];

		require(m->span <= FOLD_MAX_SPACE && m->nids <= FOLD_MAX_IDS && m->nsegments <= FOLD_MAX_SEGMENTS, "module");
		for (size_t j = 0; j < m->nids; j++)
			touch(m->ids[j].bytes);
		for (size_t j = 0; j < m->nsegments; j++)
			sink += m->segments[j].align;
	}
	for (size_t i = 0; i < b->procs.n; i++)
		require(b->procs.v[i].parent <= b->procs.first_id + i, "parents are earlier");
	for (size_t i = 0; i < b->threads.n; i++)
		require(b->threads.v[i].proc < FOLD_MAX_PROCS && b->threads.v[i].comm <= FOLD_MAX_STRINGS, "thread");
}

static void look_at_stacks(const struct fold_stacks *s)
{
	uint32_t *depth = malloc((s->nnodes + 1) * sizeof(*depth));

	for (size_t i = 0; i < s->nnodes; i++) {
		const struct fold_node *node = &s->nodes[i];

		require(node->parent == FOLD_NO_NODE || node->parent < i, "parents stand before their children");
		require(frame_is_marker(node->frame) ? node->frame <= frame_marker(FOLD_MARK_OTHER) : node->frame < FOLD_MAX_SPACE, "frame");
		depth[i] = node->parent == FOLD_NO_NODE ? 1 : depth[node->parent] + 1;
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct fold_stack *stack = &s->v[i];

		require(stack->depth <= FOLD_MAX_FRAMES, "depth");
		require(stack->leaf == FOLD_NO_NODE ? !stack->depth : stack->leaf < s->nnodes && depth[stack->leaf] == stack->depth, "leaf");
	}
	free(depth);
}

static void look_at_rows(const struct fold_batch *b, size_t nevents)
{
	const struct fold_samples *s = &b->samples;
	const struct fold_counts *c = &b->counts;

	require(s->n <= FOLD_MAX_ROWS && c->n <= FOLD_MAX_ROWS, "rows");
	for (size_t i = 0; i < s->n; i++) {
		sink += (uint64_t)s->time[i];
		require(s->event[i] < nevents && s->cpu[i] < FOLD_MAX_CPUS && s->thread[i] < FOLD_MAX_THREADS, "sample");
		require(s->kstack[i] <= FOLD_MAX_STACKS && s->ustack[i] <= FOLD_MAX_STACKS, "stacks of a sample");
		for (size_t w = 0; w < s->nweights; w++)
			sink += s->weight[w][i];
	}
	for (size_t i = 0; i < c->n; i++) {
		require(!i || c->thread[i] >= c->thread[i - 1], "counts are sorted");
		require(c->event[i] < nevents && c->count[i] && c->thread[i] < FOLD_MAX_THREADS, "count");
		require(c->kstack[i] <= FOLD_MAX_STACKS && c->ustack[i] <= FOLD_MAX_STACKS, "stacks of a count");
		for (size_t w = 0; w < c->nweights; w++)
			sink += c->weight[w][i];
	}
}

static void look_at_syms(const struct fold_syms *syms)
{
	for (size_t i = 0; i < syms->n; i++)
		require(syms->v[i].module < FOLD_MAX_MODULES && syms->v[i].name <= FOLD_MAX_STRINGS, "sym");
}

static void look_at_origins(const struct fold_origins *origins)
{
	for (size_t i = 0; i < origins->n; i++) {
		const struct fold_origin *o = &origins->v[i];

		require(o->first <= FOLD_MAX_PROCS && o->nprocs <= FOLD_MAX_PROCS - o->first, "processes of an origin");
		require(o->nlabels <= FOLD_MAX_LABELS && o->kernel_release <= FOLD_MAX_STRINGS, "origin");
		for (size_t j = 0; j < o->nlabels; j++)
			require(o->labels[j].key <= FOLD_MAX_STRINGS && o->labels[j].value <= FOLD_MAX_STRINGS, "label of an origin");
	}
}

static void look_at(const struct fold_item *item, size_t *nevents)
{
	switch (item->kind) {
	case FOLD_ITEM_META:
		look_at_meta(item->meta);
		*nevents = item->meta->nevents;
		break;
	case FOLD_ITEM_BATCH:
		look_at_definitions(item->batch);
		look_at_stacks(&item->batch->kstacks);
		look_at_stacks(&item->batch->ustacks);
		look_at_rows(item->batch, *nevents);
		look_at_syms(&item->batch->ksyms);
		look_at_syms(&item->batch->jitsyms);
		look_at_origins(&item->batch->origins);
		break;
	case FOLD_ITEM_FINISH:
		require(item->end->nevents == *nevents, "END is for the events of META");
		break;
	case FOLD_ITEM_NOTE:
		touch(item->note->text);
		break;
	case FOLD_ITEM_SYMBOLS:
		look_at_syms(&item->symbols->syms);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_source memory = {data, data + size};
	struct fold_item item = {.kind = FOLD_ITEM_SEGMENT};
	struct reader *r;
	uint64_t told = 0, items = 0;
	size_t nevents = 0;
	char text[256] = "";

	if (reader_new(&r, source_memory(&memory), NULL))
		abort();
	while (!reader_next(r, &item) && item.kind != FOLD_ITEM_END_OF_FILE) {
		require(item.offset >= told, "items stand in file order");
		require(++items <= 2 * size + 4, "items come from bytes");
		told = item.offset;
		look_at(&item, &nevents);
		touch(reader_chunk(r));
		/* One text a run: printf takes more time than all the rest. */
		if (item.fault.code && !*text)
			require(*fault_text(&item.fault, text, sizeof(text)), "a fault has a text");
	}
	reader_free(r);
	return 0;
}
