/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of addresses, sorted once to be named, and one pool of frame numbers. */
#include "chains.h"

#include "array.h"
#include "order.h"

#define LOST_MARKER UINT64_MAX /* not one of enum fold_marker: a definition was damaged */

static uint64_t address_hash(const struct chains *chains, const struct address *a)
{
	return hash_pair(&chains->seed, a->offset, (uint64_t)a->module << 1 | a->exact);
}

static int chains_rehash(struct chains *chains, size_t nslots)
{
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < chains->n; i++) {
		size_t at = address_hash(chains, &chains->v[i]) & (nslots - 1);

		while (slots[at])
			at = (at + 1) & (nslots - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(chains->slots);
	chains->slots = slots;
	chains->nslots = nslots;
	return 0;
}

int chains_init(struct chains *chains, struct frames *frames, struct symbolizer *symbolizer)
{
	*chains = (struct chains){.frames = frames, .symbolizer = symbolizer};
	hash_seed_init(&chains->seed);
	return chains_rehash(chains, 1024);
}

void chains_release(struct chains *chains)
{
	free(chains->v);
	free(chains->slots);
	free(chains->pool);
	*chains = (struct chains){0};
}

static struct address node_address(const struct rec_node *node, bool exact)
{
	switch (node->kind) {
	case REC_FRAME_CODE:
		return (struct address){.offset = node->offset, .module = node->module, .exact = exact};
	case REC_FRAME_MARKER:
		return (struct address){.offset = node->module, .module = REC_NONE};
	default:
		return (struct address){.offset = LOST_MARKER, .module = REC_NONE};
	}
}

int chains_want(struct chains *chains, const struct rec_node *node, bool exact, uint32_t *id)
{
	struct address want = node_address(node, exact);
	size_t at;

	if (chains->n >= chains->nslots / 2 && chains_rehash(chains, chains->nslots * 2))
		return -1;
	for (at = address_hash(chains, &want) & (chains->nslots - 1); chains->slots[at];
	     at = (at + 1) & (chains->nslots - 1)) {
		const struct address *known = &chains->v[*id = chains->slots[at] - 1];

		if (known->offset == want.offset && known->module == want.module && known->exact == want.exact)
			return 0;
	}
	if (chains->n >= REC_NONE - 1 || array_room(chains->v, chains->room, chains->n + 1))
		return -1;
	*id = (uint32_t)chains->n;
	chains->v[chains->n++] = want;
	chains->slots[at] = *id + 1;
	return 0;
}

/* -------------------------------------------------------------- resolving */

static const char *marker_name(uint64_t marker)
{
	switch (marker) {
	case LOST_MARKER:
		return "[lost]";
	case FOLD_MARK_REDACTED:
		return "[redacted]";
	default:
		return "[unknown]";
	}
}

/* `symbols`: of an address in a module. */
static int resolve_one(struct chains *chains, struct address *a, const struct symbols *symbols)
{
	a->first = (uint32_t)chains->npool;
	if (a->module == REC_NONE) {
		a->n = 1;
		return array_room(chains->pool, chains->pool_room, chains->npool + 1) ||
		       frames_marker(chains->frames, marker_name(a->offset), &chains->pool[chains->npool++]) ? -1 : 0;
	}
	if (chains->npool + symbols->n >= UINT32_MAX ||
	    array_room(chains->pool, chains->pool_room, chains->npool + symbols->n))
		return -1;
	for (uint32_t i = symbols->n; i-- > 0;)
		if (frames_symbol(chains->frames, a->module, &symbols->v[i], &chains->pool[chains->npool++]))
			return -1;
	a->n = symbols->n;
	return 0;
}

/* The addresses by (module, offset, exact). */
static struct ordered *sort_addresses(const struct chains *chains)
{
	struct ordered *v = malloc((chains->n + 1) * 2 * sizeof(*v));

	if (!v)
		return NULL;
	for (size_t i = 0; i < chains->n; i++) /* offsets are below 2^62 */
		v[i] = (struct ordered){.key = chains->v[i].offset << 1 | chains->v[i].exact, .index = (uint32_t)i};
	order_sort(v, v + chains->n, chains->n);
	for (size_t i = 0; i < chains->n; i++)
		v[i].key = chains->v[v[i].index].module;
	order_sort(v, v + chains->n, chains->n);
	return v;
}

/* All of them at once: a module's debug information is then read once.  The result stands in `order`, without markers. */
static struct symbols *look_up_all(const struct chains *chains, const struct ordered *order)
{
	struct symbol_address *v = malloc((chains->n + 1) * sizeof(*v));
	struct symbols *symbols = malloc((chains->n + 1) * sizeof(*symbols));
	size_t n = 0;

	for (size_t i = 0; v && symbols && i < chains->n; i++) {
		const struct address *a = &chains->v[order[i].index];

		if (a->module != REC_NONE)
			v[n++] = (struct symbol_address){a->module, a->offset, a->exact};
	}
	if (v && symbols)
		symbolize_many(chains->symbolizer, v, n, symbols);
	else
		free(symbols);
	free(v);
	return v ? symbols : NULL;
}

int chains_resolve(struct chains *chains)
{
	struct ordered *order = sort_addresses(chains);
	struct symbols *symbols = order ? look_up_all(chains, order) : NULL;
	int err = symbols ? 0 : -1;

	for (size_t i = 0, done = 0; !err && i < chains->n; i++) {
		struct address *a = &chains->v[order[i].index];

		err = resolve_one(chains, a, &symbols[done]);
		done += a->module != REC_NONE;
	}
	free(symbols);
	free(order);
	return err;
}
