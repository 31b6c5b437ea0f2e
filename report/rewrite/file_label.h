/* SPDX-License-Identifier: BSD-2-Clause */
/* --file-label: a label for each recording that has none of its key, with the name of its file. */
#ifndef FOLD_REPORT_FILE_LABEL_H
#define FOLD_REPORT_FILE_LABEL_H

#include "../../format/fold.h"

/* `key` may be NULL: the option was not given. */
struct fold_label file_label(const char *key, const char *file);
/* A recording with origins of its own has room, although some of them may have none. */
bool file_label_has_room(const char *key, const struct fold_meta *meta);
/* -1, and a line in the log. */
int file_label_no_room(const char *key, const char *file);

#endif
