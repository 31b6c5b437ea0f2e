/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the recording brings, collected until its end and settled, the later
 * one over the earlier, as reports do it: so what other recordings say of a
 * module that they share changes nothing.
 */
#include "source.h"

#include <stdlib.h>
#include <string.h>

static int room_for(struct source *s, uint32_t module)
{
	size_t n = s->t->nmodules;
	struct syms *grown;

	if (module < s->nnames)
		return 0;
	grown = realloc(s->names, n * sizeof(*grown));
	if (!grown)
		return -1;
	memset(grown + s->nnames, 0, (n - s->nnames) * sizeof(*grown));
	s->names = grown;
	s->nnames = n;
	return 0;
}

static int keep_name(struct source *s, const struct fold_sym *sym, bool embedded)
{
	struct rec_sym kept = {sym->offset, sym->size, (uint32_t)sym->name, embedded};

	return room_for(s, (uint32_t)sym->module) || syms_add(&s->names[sym->module], &kept) ? -1 : 0;
}

/* The module in terms of the target; false when it, or the name, is lost. */
static bool translate(const struct source *s, struct fold_sym *sym)
{
	uint32_t at = idmap_get(&s->modules, sym->module);

	if (at == IDMAP_LOST || !sym->name)
		return false;
	sym->module = s->known[at].id;
	return true;
}

static int add_code_name(struct source *s, const struct fold_sym *from)
{
	struct fold_bytes text = source_text(s, from->name);
	struct fold_sym sym = *from;
	char hidden[VEIL_TEXT];
	uint32_t name;

	if (!translate(s, &sym) || idmap_get(&s->strings, from->name) == IDMAP_LOST)
		return 0;
	if (veil_code(s->veil, &text, hidden) || target_string(s->t, text, &name))
		return -1;
	sym.name = name;
	return keep_name(s, &sym, false);
}

static int add_kernel_name(struct source *s, const struct fold_sym *from)
{
	struct fold_sym sym = *from;
	uint32_t name;

	if (!translate(s, &sym) || idmap_get(&s->strings, from->name) == IDMAP_LOST)
		return 0;
	/* Programs in the kernel are as much their users' as generated code is. */
	if (s->t->modules[sym.module].kind == FOLD_MODULE_BPF)
		return add_code_name(s, from);
	if (veil_hides(s->veil, VEIL_KERNEL))
		return 0;
	if (source_string(s, from->name, &name))
		return -1;
	sym.name = name;
	return keep_name(s, &sym, false);
}

int source_names(struct source *s, const struct fold_batch *batch)
{
	for (size_t i = 0; i < batch->ksyms.n; i++)
		if (add_kernel_name(s, &batch->ksyms.v[i]))
			return -1;
	for (size_t i = 0; i < batch->jitsyms.n; i++)
		if (add_code_name(s, &batch->jitsyms.v[i]))
			return -1;
	return 0;
}

/* Names added for the kernel's own code are its names, too. */
static bool kernel_file(const struct target *t, uint64_t module)
{
	return target_is_kernel(t, module) && t->modules[module].kind != FOLD_MODULE_BPF;
}

int source_symbols(struct source *s, const struct fold_symbols *symbols)
{
	for (size_t i = 0; i < symbols->syms.n; i++) {
		const struct fold_sym *from = &symbols->syms.v[i];
		struct fold_sym sym = *from;
		uint32_t text;

		if (!translate(s, &sym) || from->name > symbols->strings.n)
			continue;
		if (s->known[idmap_get(&s->modules, from->module)].own && veil_hides(s->veil, VEIL_SYMBOLS))
			continue;
		if (kernel_file(s->t, sym.module) && veil_hides(s->veil, VEIL_KERNEL))
			continue;
		if (target_blob(s->t, symbols->strings.v[from->name - 1], &text))
			return -1;
		sym.name = text;
		if (keep_name(s, &sym, true))
			return -1;
	}
	return 0;
}

int source_names_end(struct source *s)
{
	for (uint32_t module = 0; module < s->nnames; module++) {
		struct syms *syms = &s->names[module];

		if (syms_settle(syms))
			return -1;
		for (size_t i = 0; i < syms->n; i++) {
			struct fold_sym sym = {module, syms->v[i].offset, syms->v[i].size, syms->v[i].name};

			if (target_name(s->t, &sym, syms->v[i].embedded))
				return -1;
		}
	}
	return 0;
}
