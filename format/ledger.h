/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What END tells of a segment, summed up again from what was read of it: the
 * headers of its chunks, and what became of samples.
 */
#ifndef FOLD_FORMAT_LEDGER_H
#define FOLD_FORMAT_LEDGER_H

#include "error.h"
#include "fold.h"

struct ledger_headers {
	uint64_t chunks;
	uint32_t crc;
};

struct ledger { /* starts zeroed */
	struct ledger_headers headers, before_last; /* with the last one, and without */
	struct fold_total seen[FOLD_MAX_EVENTS];
};

/* One chunk more whose header was accepted, whatever became of its payload. */
void ledger_add_header(struct ledger *l, uint32_t header_crc);
/* A batch that was decoded: its events are in range. */
void ledger_add_batch(struct ledger *l, const struct fold_batch *batch);
/* Right after the header of END was added: OK, or END_CRC, SUM, with the number that
 * differs (the chunks, the event) and the rule. */
enum fold_error ledger_check(const struct ledger *l, const struct fold_end *end, uint64_t *detail, const char **rule);

#endif
