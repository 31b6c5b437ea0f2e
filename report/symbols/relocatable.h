/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel modules are relocatable files: their sections have no addresses until
 * the kernel lays them out.  Here they get the places that the kernel gives them,
 * counted from the module's text base, which is what recordings count from.
 */
#ifndef FOLD_REPORT_RELOCATABLE_H
#define FOLD_REPORT_RELOCATABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "elf.h"

#define RELOCATABLE_NOWHERE UINT64_MAX

/* Does the file need all this? */
bool relocatable(Elf *elf);

/*
 * Addresses of the first `n` sections: of those with code that stays after the
 * module was loaded.  The others are RELOCATABLE_NOWHERE, and so are all on
 * machines where the kernel adds sections of its own.
 */
void relocatable_layout(Elf *elf, uint64_t *addresses, size_t n);

/*
 * Apply the relocations of the section `index` to `bytes`, a copy of its content.
 * What refers to code gets the addresses above.  False: a relocation of a kind
 * that is not known; the copy is of no use then.
 */
bool relocatable_apply(Elf *elf, size_t index, uint8_t *bytes, size_t size);

#endif
