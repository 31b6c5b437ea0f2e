/* SPDX-License-Identifier: BSD-2-Clause */
/* What META says of a recording and its host. */
#ifndef FOLD_RECORD_META_H
#define FOLD_RECORD_META_H

#include "../format/fold.h"
#include "hostcheck.h"
#include "options.h"

struct meta_facts {
	const struct host *host;     /* borrowed by META: its release */
	uint32_t frequency, max_frames, sides;
	enum fold_unwinder unwinder;
	uint32_t cpus_online, cpus_possible;
	uint64_t interval_ns;
};

void meta_fill(struct fold_meta *meta, const struct options *options, const struct meta_facts *facts);
/* One instant on three clocks. */
struct fold_clock meta_clock(void);

#endif
