/* SPDX-License-Identifier: BSD-2-Clause */
/* Identities are written out as bytes and interned: equal bytes, equal module. */
#include "modules.h"

#include <string.h>

#include "array.h"

/* kind, name, flags that change offsets, type, machine, ids with sizes, segments. */
#define IDENTITY_MAX (5 * 4 + FOLD_MAX_IDS * (2 + FOLD_MAX_BUILD_ID) + FOLD_MAX_SEGMENTS * sizeof(struct fold_segment))

void modules_init(struct modules *modules)
{
	*modules = (struct modules){0};
	intern_init(&modules->identities, 0);
}

void modules_release(struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++) {
		free(modules->v[i].segments);
		syms_release(&modules->syms[i]);
	}
	free(modules->v);
	free(modules->syms);
	free(modules->by_identity);
	intern_release(&modules->identities);
	*modules = (struct modules){0};
}

static size_t put(uint8_t *to, size_t at, const void *bytes, size_t size)
{
	if (size)
		memcpy(to + at, bytes, size);
	return at + size;
}

/* 0: nothing proves that another one is the same. */
static size_t module_identity(uint8_t *to, const struct fold_module *m, uint32_t name, bool anchored)
{
	uint32_t fixed[] = {m->kind, name, m->flags & FOLD_MODULE_REMAPPED, m->elf_type, m->machine};
	size_t at;

	if (!m->nids || anchored || m->kind == FOLD_MODULE_JIT)
		return 0;
	at = put(to, 0, fixed, sizeof(fixed));
	for (size_t i = 0; i < m->nids; i++) {
		uint8_t head[] = {(uint8_t)m->ids[i].kind, (uint8_t)m->ids[i].bytes.size};

		at = put(to, at, head, sizeof(head));
		at = put(to, at, m->ids[i].bytes.at, m->ids[i].bytes.size);
	}
	return put(to, at, m->segments, m->nsegments * sizeof(*m->segments));
}

static int module_copy(struct rec_module *to, struct intern *strings, const struct fold_module *m)
{
	uint32_t id;

	for (size_t i = 0; i < m->nids; i++) {
		if (intern_add(strings, m->ids[i].bytes.at, m->ids[i].bytes.size, &id))
			return -1;
		to->ids[i] = (struct fold_module_id){m->ids[i].kind, intern_get(strings, id)};
	}
	to->nids = m->nids;
	if (!m->nsegments)
		return 0;
	to->segments = malloc(m->nsegments * sizeof(*to->segments));
	if (!to->segments)
		return -1;
	memcpy(to->segments, m->segments, m->nsegments * sizeof(*to->segments));
	to->nsegments = m->nsegments;
	return 0;
}

static int modules_append(struct modules *modules, struct intern *strings, const struct fold_module *m, uint32_t name,
			  uint32_t segment)
{
	struct rec_module *to;

	if (modules->n >= REC_NONE - 1 || array_room(modules->v, modules->room, modules->n + 1) ||
	    array_room(modules->syms, modules->syms_room, modules->n + 1))
		return -1;
	to = &modules->v[modules->n];
	*to = (struct rec_module){
		.kind = m->kind,
		.name = name,
		.flags = m->flags,
		.elf_type = m->elf_type,
		.machine = m->machine,
		.span = m->span,
		.segment = segment,
	};
	modules->syms[modules->n++] = (struct syms){0};
	return module_copy(to, strings, m);
}

int modules_add(struct modules *modules, struct intern *strings, const struct fold_module *module, uint32_t name,
		uint32_t segment, bool anchored, uint32_t *id)
{
	uint8_t identity[IDENTITY_MAX];
	size_t size = module_identity(identity, module, name, anchored);
	uint32_t known, identities = modules->identities.n;

	if (size) {
		if (intern_add(&modules->identities, identity, size, &known))
			return -1;
		if (known < identities) {
			struct rec_module *old = &modules->v[*id = modules->by_identity[known]];

			old->flags |= module->flags;
			if (old->span < module->span)
				old->span = module->span;
			return 0;
		}
		if (array_room(modules->by_identity, modules->identities_room, (size_t)known + 1))
			return -1;
		modules->by_identity[known] = (uint32_t)modules->n;
	}
	*id = (uint32_t)modules->n;
	return modules_append(modules, strings, module, name, segment);
}

int modules_finish(struct modules *modules, struct recording *rec)
{
	for (size_t i = 0; i < modules->n; i++) {
		if (syms_settle(&modules->syms[i]))
			return -1;
		modules->v[i].syms = modules->syms[i].v;
		modules->v[i].nsyms = (uint32_t)modules->syms[i].n;
		modules->syms[i] = (struct syms){0};
	}
	rec->modules = modules->v;
	rec->nmodules = modules->n;
	modules->v = NULL;
	modules->n = 0;
	modules_release(modules);
	return 0;
}
