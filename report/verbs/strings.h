/* SPDX-License-Identifier: BSD-2-Clause */
/* Every string of recordings, for someone who has to say that a file may be given away. */
#ifndef FOLD_REPORT_STRINGS_H
#define FOLD_REPORT_STRINGS_H

#include <stdio.h>

#include "../memory.h"
#include "../rows.h"

/* One a line, behind what it is part of; in the order of the files.  0, or -1: the log said why. */
int strings_print(FILE *to, const struct word_list *files, struct memory_watch *watch);

#endif
