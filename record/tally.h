/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sum: samples taken = samples given out + each loss.  Joins what the
 * programs counted with what came out of the rings and tables.
 */
#ifndef FOLD_RECORD_TALLY_H
#define FOLD_RECORD_TALLY_H

#include <stdbool.h>

#include "aggregate.h"
#include "drain.h"
#include "probe.h"
#include "session.h"
#include "unwind/unwinder.h"

/*
 * Tell the session.  While it runs, what is still on its way counts as not yet
 * taken, so that the sum closes in every batch; `final`, when the programs have
 * stopped and all is drained, what never arrived is lost.  `aggregate` is NULL
 * in event mode.  0, or -1 with a line in the log.
 */
int tally_report(struct session *session, struct probe *probe, const struct drain *drain, const struct aggregate *aggregate, bool final);
/* What had no room in the unwind tables. */
void tally_tables(struct session *session, const struct unwinder *unwinder);

#endif
