/* SPDX-License-Identifier: BSD-2-Clause */
/* What tells files apart is their names without what they all end in. */
#include "file_label.h"

#include <string.h>

#include "../../format/label.h"
#include "../log.h"

static struct fold_bytes file_name(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t n = strlen(name), end = strlen(".foldrec");

	if (!strcmp(file, "-"))
		name = "stdin", n = strlen(name);
	if (n > end && !strcmp(name + n - end, ".foldrec"))
		n -= end;
	return (struct fold_bytes){(const uint8_t *)name, n < FOLD_MAX_LABEL_VALUE ? n : FOLD_MAX_LABEL_VALUE};
}

struct fold_label file_label(const char *key, const char *file)
{
	return (struct fold_label){{(const uint8_t *)key, key ? strlen(key) : 0}, file_name(file)};
}

bool file_label_has_room(const char *key, const struct fold_meta *meta)
{
	struct fold_bytes wanted = {(const uint8_t *)key, key ? strlen(key) : 0};

	return !key || meta->nlabels < FOLD_MAX_LABELS || meta->flags & FOLD_FLAG_MERGED || label_find(meta->labels, meta->nlabels, wanted).at;
}

int file_label_no_room(const char *key, const char *file)
{
	log_error("%s: --file-label: no room for \"%s\": a recording in it has %u labels already, as many as there can be", file,
		  key, FOLD_MAX_LABELS);
	return -1;
}
