/* SPDX-License-Identifier: BSD-2-Clause */
/* What a segment being written defines: ids of its own, given once to what is
 * equal.  How it gets into the file is in target_write.c. */
#include "target.h"

#include <stdio.h>
#include <string.h>

#include "../model/array.h"

int target_begin(struct target *t, struct fold_sink sink, const struct fold_meta *meta)
{
	*t = (struct target){.meta = meta};
	intern_init(&t->strings, 1);
	intern_init(&t->blobs, 0);
	intern_init(&t->notes, 0);
	intern_init(&t->identities, 0);
	names_init(&t->names);
	names_init(&t->embedded);
	for (size_t i = 0; i < meta->nevents; i++)
		if (t->columns.nweights < meta->events[i].nweights)
			t->columns.nweights = meta->events[i].nweights;
	if (stackset_new(&t->stacks[TARGET_KERNEL]) || stackset_new(&t->stacks[TARGET_USER]) ||
	    writer_new(&t->writer, sink, NULL))
		return -1;
	return writer_meta(t->writer, meta);
}

void target_release(struct target *t)
{
	struct fold_batch *b = &t->batch;

	for (size_t i = 0; i < b->modules.n; i++)
		free(b->modules.v[i].segments);
	for (size_t i = 0; i < b->origins.n; i++)
		free(b->origins.v[i].labels);
	free(b->modules.v);
	free(b->procs.v);
	free(b->mmaps.v);
	free(b->threads.v);
	free(b->account.v);
	free(b->ksyms.v);
	free(b->jitsyms.v);
	free(b->origins.v);
	columns_release(&t->columns);
	names_release(&t->names);
	names_release(&t->embedded);
	stackset_free(t->stacks[TARGET_KERNEL]);
	stackset_free(t->stacks[TARGET_USER]);
	intern_release(&t->strings);
	intern_release(&t->blobs);
	intern_release(&t->notes);
	intern_release(&t->identities);
	free(t->by_identity);
	free(t->modules);
	writer_free(t->writer);
	*t = (struct target){0};
}

const char *target_fault(const struct target *t, char *buf, size_t size)
{
	const struct fold_fault *fault = t->writer ? writer_fault(t->writer) : NULL;

	if (t->limit)
		snprintf(buf, size, "it would have more than %s in one recording; put fewer together", t->limit);
	else if (fault && fault->code == FOLD_E_IO)
		snprintf(buf, size, "it cannot be written: %s", strerror(fault->sys_errno));
	else if (fault && fault->code == FOLD_E_LIMIT)
		snprintf(buf, size, "a piece of it would be larger than the format allows");
	else
		snprintf(buf, size, "out of memory");
	return buf;
}

static int beyond(struct target *t, const char *limit)
{
	t->limit = limit;
	return -1;
}

bool target_half_full(const struct target *t)
{
	size_t nodes = stackset_nodes(t->stacks[TARGET_KERNEL]) + stackset_nodes(t->stacks[TARGET_USER]);

	return t->procs > FOLD_MAX_PROCS / 2 || t->threads > FOLD_MAX_THREADS / 2 || t->nmodules > FOLD_MAX_MODULES / 2 ||
	       t->space > FOLD_MAX_SPACE / 2 || t->strings.n > FOLD_MAX_STRINGS / 2 || t->string_bytes > FOLD_MAX_STRINGS_BYTES / 2 ||
	       nodes > FOLD_MAX_NODES / 2;
}

int target_string(struct target *t, struct fold_bytes text, uint32_t *id)
{
	uint32_t before = t->strings.n;

	*id = 0;
	if (!text.size)
		return 0;
	if (intern_add(&t->strings, text.at, text.size, id))
		return before >= FOLD_MAX_STRINGS ? beyond(t, "2^26 strings") : -1;
	if (t->strings.n == before)
		return 0;
	t->string_bytes += text.size;
	t->waiting += text.size + 2;
	return t->string_bytes > FOLD_MAX_STRINGS_BYTES ? beyond(t, "256 MiB of strings") : 0;
}

/* ---- modules */

/* kind, name, flags that change offsets, type, machine, ids with sizes, segments. */
#define IDENTITY_MAX (5 * 4 + FOLD_MAX_IDS * (2 + FOLD_MAX_BUILD_ID) + FOLD_MAX_SEGMENTS * sizeof(struct fold_segment))

static size_t put(uint8_t *to, size_t at, const void *bytes, size_t size)
{
	if (size)
		memcpy(to + at, bytes, size);
	return at + size;
}

static size_t identity_of(uint8_t *to, const struct fold_module *m)
{
	uint32_t fixed[] = {m->kind, (uint32_t)m->name, m->flags, m->elf_type, m->machine};
	size_t at = put(to, 0, fixed, sizeof(fixed));

	for (size_t i = 0; i < m->nids; i++) {
		uint8_t head[] = {(uint8_t)m->ids[i].kind, (uint8_t)m->ids[i].bytes.size};

		at = put(to, at, head, sizeof(head));
		at = put(to, at, m->ids[i].bytes.at, m->ids[i].bytes.size);
	}
	return put(to, at, m->segments, m->nsegments * sizeof(*m->segments));
}

static int copy_module(struct target *t, struct fold_module *to, const struct fold_module *from)
{
	uint32_t id;

	*to = *from;
	to->segments = NULL;
	for (size_t i = 0; i < from->nids; i++) {
		if (intern_add(&t->blobs, from->ids[i].bytes.at, from->ids[i].bytes.size, &id))
			return -1;
		to->ids[i].bytes = intern_get(&t->blobs, id);
	}
	if (!from->nsegments)
		return 0;
	to->segments = malloc(from->nsegments * sizeof(*to->segments));
	if (!to->segments)
		return -1;
	memcpy(to->segments, from->segments, from->nsegments * sizeof(*to->segments));
	return 0;
}

static int append_module(struct target *t, const struct fold_module *m, bool shared, uint32_t *id)
{
	struct fold_modules *new = &t->batch.modules;
	uint64_t base = (t->space + FOLD_MODULE_ALIGN - 1) & ~(uint64_t)(FOLD_MODULE_ALIGN - 1);

	if (t->nmodules >= FOLD_MAX_MODULES)
		return beyond(t, "2^20 modules");
	if (base > FOLD_MAX_SPACE || m->span > FOLD_MAX_SPACE - base)
		return beyond(t, "2^62 bytes of code");
	if (array_room(t->modules, t->modules_room, t->nmodules + 1) || array_room(new->v, t->new_modules_room, new->n + 1))
		return -1;
	if (!new->n) {
		new->first_id = t->nmodules;
		new->first_base = base;
	}
	if (copy_module(t, &new->v[new->n++], m))
		return -1;
	*id = (uint32_t)t->nmodules;
	t->modules[t->nmodules++] = (struct target_module){base, m->span, m->kind, shared};
	t->space = base + m->span;
	t->waiting += 40 + m->nids * 24 + m->nsegments * 16;
	return 0;
}

int target_module(struct target *t, const struct fold_module *m, bool share, uint32_t *id)
{
	uint8_t identity[IDENTITY_MAX];
	uint32_t known, before = t->identities.n;

	if (!share)
		return append_module(t, m, false, id);
	if (intern_add(&t->identities, identity, identity_of(identity, m), &known))
		return -1;
	if (known < before && t->modules[t->by_identity[known]].span >= m->span) {
		*id = t->by_identity[known];
		return 0;
	}
	/* New, or known with fewer bytes than this one has. */
	if (array_room(t->by_identity, t->identities_room, (size_t)known + 1) || append_module(t, m, true, id))
		return -1;
	t->by_identity[known] = *id;
	return 0;
}

/* ---- what is forgotten once it is written */

int target_proc(struct target *t, const struct fold_proc *proc, uint32_t *id)
{
	struct fold_procs *new = &t->batch.procs;

	if (t->procs >= FOLD_MAX_PROCS)
		return beyond(t, "2^22 processes");
	if (array_room(new->v, t->procs_room, new->n + 1))
		return -1;
	if (!new->n)
		new->first_id = t->procs;
	new->v[new->n++] = *proc;
	*id = (uint32_t)t->procs++;
	t->waiting += 20;
	return 0;
}

int target_thread(struct target *t, const struct fold_thread *thread, uint32_t *id)
{
	struct fold_threads *new = &t->batch.threads;

	if (t->threads >= FOLD_MAX_THREADS)
		return beyond(t, "2^22 threads");
	if (array_room(new->v, t->threads_room, new->n + 1))
		return -1;
	if (!new->n)
		new->first_id = t->threads;
	new->v[new->n++] = *thread;
	*id = (uint32_t)t->threads++;
	t->waiting += 12;
	return 0;
}

#define APPEND(t, list, list_room, item, bytes) \
	(array_room((list).v, list_room, (list).n + 1) ? -1 : ((list).v[(list).n++] = (item), (t)->waiting += (bytes), 0))

int target_mmap(struct target *t, const struct fold_mmap *mmap)
{
	return APPEND(t, t->batch.mmaps, t->mmaps_room, *mmap, 24);
}

int target_account(struct target *t, const struct fold_account_row *row)
{
	if (row->cause == FOLD_TAKEN)
		t->totals[row->event].taken += row->count;
	else if (row->cause < FOLD_CAUSE_NOTE)
		t->totals[row->event].lost += row->count;
	return APPEND(t, t->batch.account, t->account_room, *row, 1); /* most rows of a batch are summed up */
}

bool target_is_kernel(const struct target *t, uint64_t module)
{
	uint32_t kind = t->modules[module].kind;

	return kind == FOLD_MODULE_KERNEL || kind == FOLD_MODULE_KO || kind == FOLD_MODULE_BPF;
}

/* Only names of modules that others may share wait for what those say. */
int target_name(struct target *t, const struct fold_sym *sym, bool embedded)
{
	if (embedded)
		return names_add(&t->embedded, sym);
	if (t->modules[sym->module].shared)
		return names_add(&t->names, sym);
	if (target_is_kernel(t, sym->module))
		return APPEND(t, t->batch.ksyms, t->ksyms_room, *sym, 16);
	return APPEND(t, t->batch.jitsyms, t->jitsyms_room, *sym, 16);
}

int target_blob(struct target *t, struct fold_bytes text, uint32_t *id)
{
	return intern_add(&t->blobs, text.at, text.size, id);
}

int target_origin(struct target *t, const struct fold_origin *origin)
{
	struct fold_origin kept = *origin;

	kept.labels = malloc((origin->nlabels + 1) * sizeof(*kept.labels));
	if (!kept.labels)
		return -1;
	if (origin->nlabels)
		memcpy(kept.labels, origin->labels, origin->nlabels * sizeof(*kept.labels));
	if (APPEND(t, t->batch.origins, t->origins_room, kept, 64)) {
		free(kept.labels);
		return -1;
	}
	t->origin_end = origin->first + origin->nprocs;
	return 0;
}
