/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A batch: its definitions, what was counted with them, the account of it, and names,
 * which may come behind what they name.
 */
#include "segment.h"

#include <stdlib.h>

static void add_account(struct segment *s, const struct fold_account *account)
{
	for (size_t i = 0; i < account->n; i++) {
		const struct fold_account_row *row = &account->v[i];
		struct rec_event *event = &s->load->rec->events[s->events[row->event]];
		uint32_t cause = row->cause < FOLD_NOTE_OTHER ? row->cause : FOLD_NOTE_OTHER;

		event->causes[cause] += row->count;
		if (cause == FOLD_TAKEN)
			s->totals[row->event].taken += row->count;
		else if (cause < FOLD_CAUSE_NOTE)
			s->totals[row->event].lost += row->count;
	}
}

/* `names` translates string ids of the section; NULL: the segment's. */
static int add_syms(struct segment *s, const struct fold_syms *syms, const uint32_t *names, size_t nnames)
{
	for (size_t i = 0; i < syms->n; i++) {
		const struct fold_sym *from = &syms->v[i];
		struct rec_sym sym = {.offset = from->offset, .size = from->size, .embedded = names != NULL};
		uint32_t module = idmap_get(&s->modules, from->module);

		if (names)
			sym.name = from->name && from->name <= nnames ? names[from->name - 1] : 0;
		else
			sym.name = from->name ? idmap_get(&s->strings, from->name) : 0;
		if (module == REC_NONE || sym.name == IDMAP_LOST || !sym.name)
			continue; /* a name that was lost names nothing */
		if (syms_add(&s->load->modules.syms[module], &sym))
			return -1;
	}
	return 0;
}

int segment_symbols(struct segment *s, const struct fold_symbols *symbols)
{
	const struct fold_strings *strings = &symbols->strings;
	uint32_t *names = malloc((strings->n + 1) * sizeof(*names));
	int err = names ? 0 : -1;

	for (size_t i = 0; !err && i < strings->n; i++)
		err = intern_add(&s->load->rec->strings, strings->v[i].at, strings->v[i].size, &names[i]);
	if (!err)
		err = add_syms(s, &symbols->syms, names, strings->n);
	free(names);
	return err;
}

int segment_batch(struct segment *s, const struct fold_batch *batch)
{
	if (segment_define(s, batch) || segment_samples(s, &batch->samples) || segment_counts(s, &batch->counts))
		return -1;
	add_account(s, &batch->account);
	if (segment_origins(s, &batch->origins))
		return -1;
	return add_syms(s, &batch->ksyms, NULL, 0) || add_syms(s, &batch->jitsyms, NULL, 0) ? -1 : 0;
}
