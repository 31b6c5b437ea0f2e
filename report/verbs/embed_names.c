/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each address once.  What is kept is the whole range that a symbol names, as
 * an offset in the module: the same for each address that lies in it.
 */
#include "embed_names.h"

#include <stdlib.h>
#include <string.h>

#include "../model/array.h"

static int compare_addresses(const void *a, const void *b)
{
	const struct symbol_address *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (int)x->exact - (int)y->exact;
}

/* Leaves are exact, and what a signal interrupted; all others are return addresses. */
static int collect(const struct recording *rec, struct symbol_address **out, size_t *n)
{
	struct symbol_address *v = malloc((2 * rec->nnodes + 1) * sizeof(*v));
	uint8_t *used = calloc(rec->nnodes + 1, 1); /* bit 0: as a leaf, 1: as a caller */
	size_t kept = 0;

	*n = 0;
	*out = v;
	if (!v || !used) {
		free(used);
		return -1;
	}
	for (size_t i = 0; i < rec->ncounts; i++) {
		if (rec->counts[i].kleaf != REC_NONE)
			used[rec->counts[i].kleaf] |= 1;
		if (rec->counts[i].uleaf != REC_NONE)
			used[rec->counts[i].uleaf] |= 1;
	}
	for (size_t i = rec->nnodes; i-- > 0;) {
		const struct rec_node *node = &rec->nodes[i];

		if (used[i] && node->parent != REC_NONE)
			used[node->parent] |= 2;
		if (node->kind != REC_FRAME_CODE)
			continue;
		if (used[i] & 1)
			v[kept++] = (struct symbol_address){node->module, node->offset, true};
		if (used[i] & 2)
			v[kept++] = (struct symbol_address){node->module, node->offset, node->exact};
	}
	free(used);
	if (kept)
		qsort(v, kept, sizeof(*v), compare_addresses);
	for (size_t i = 0; i < kept; i++)
		if (!*n || compare_addresses(&v[*n - 1], &v[i]))
			v[(*n)++] = v[i];
	return 0;
}

/* Without the range of a symbol, its name is for the one address. */
static struct embed_name name_of(const struct symbol_address *address, const struct symbol_explanation *x, const char *name)
{
	uint64_t into = x->address - x->start;
	struct embed_name out = {address->module, x->offset, 1, name};

	if (!x->has_address || !x->in_symbol || x->address < x->start || x->end <= x->address || into > x->offset)
		return out;
	out.offset = x->offset - into;
	out.size = x->end - x->start;
	return out;
}

static int add(struct embed_names *names, const struct embed_name *name)
{
	const struct embed_name *last = names->n ? &names->v[names->n - 1] : NULL;

	names->named++;
	if (last && last->module == name->module && last->offset == name->offset && last->size == name->size && !strcmp(last->name, name->name))
		return 0;
	if (array_room(names->v, names->room, names->n + 1))
		return -1;
	names->v[names->n++] = *name;
	return 0;
}

int embed_names_find(struct embed_names *names, const struct recording *rec, struct symbolizer *symbolizer)
{
	struct symbol_address *addresses;
	size_t n;
	int err = collect(rec, &addresses, &n);

	*names = (struct embed_names){0};
	for (size_t i = 0; !err && i < n; i++) {
		const struct symbol_address *address = &addresses[i];
		struct symbol_explanation x;
		struct embed_name name;
		const struct symbol *function;

		symbolizer_explain(symbolizer, address->module, address->offset, address->exact, &x);
		function = &x.symbols.v[x.symbols.n - 1];
		if (x.source == SYMBOL_RECORDED || x.source == SYMBOL_EMBEDDED)
			continue;
		names->addresses++;
		if (!function->named || !function->mangled)
			continue;
		name = name_of(address, &x, function->mangled);
		err = add(names, &name);
	}
	free(addresses);
	return err;
}

void embed_names_release(struct embed_names *names)
{
	free(names->v);
	*names = (struct embed_names){0};
}
