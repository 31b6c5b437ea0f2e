/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * .gnu_debuglink: the name of a file's separate debug file and the checksum of
 * all its bytes.  A hint; the checksum is what proves.
 */
#ifndef FOLD_REPORT_DEBUGLINK_H
#define FOLD_REPORT_DEBUGLINK_H

#include "elf.h"

struct debuglink {
	const char *name; /* a base name; borrowed from the Elf */
	uint32_t crc;
};

/* False: there is none. */
bool debuglink_read(Elf *elf, struct debuglink *out);
/* Are these the bytes that were meant? */
bool debuglink_proves(const struct debuglink *link, const struct elf_file *file);

#endif
