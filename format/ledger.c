/* SPDX-License-Identifier: BSD-2-Clause */
/* All sums are modulo 2^64, as in SPEC.md. */
#include "ledger.h"
#include "chunk.h"

void ledger_add_header(struct ledger *l, uint32_t header_crc)
{
	l->before_last = l->headers;
	l->headers.chunks++;
	l->headers.crc = header_crc_add(l->headers.crc, header_crc);
}

void ledger_add_batch(struct ledger *l, const struct fold_batch *batch)
{
	for (size_t i = 0; i < batch->samples.n; i++)
		l->seen[batch->samples.event[i]].written++;
	for (size_t i = 0; i < batch->counts.n; i++)
		l->seen[batch->counts.event[i]].written += batch->counts.count[i];
	for (size_t i = 0; i < batch->account.n; i++) {
		const struct fold_account_row *row = &batch->account.v[i];

		if (row->cause == FOLD_TAKEN)
			l->seen[row->event].taken += row->count;
		else if (row->cause < FOLD_CAUSE_NOTE)
			l->seen[row->event].lost += row->count;
	}
}

enum fold_error ledger_check(const struct ledger *l, const struct fold_end *end, uint64_t *detail, const char **rule)
{
	*detail = end->chunks;
	*rule = "R-END-1";
	if (end->chunks != l->before_last.chunks || end->headers_crc != l->before_last.crc)
		return FOLD_E_END_CRC;
	for (size_t i = 0; i < end->nevents; i++) {
		const struct fold_total *told = &end->totals[i], *seen = &l->seen[i];

		*detail = i;
		*rule = "R-END-3";
		if (told->taken != seen->taken || told->written != seen->written || told->lost != seen->lost)
			return FOLD_E_SUM;
		*rule = "R-ACC-2";
		if (told->taken != told->written + told->lost)
			return FOLD_E_SUM;
	}
	return FOLD_E_OK;
}
