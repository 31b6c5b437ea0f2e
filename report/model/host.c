/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts have no names in recordings, unless somebody gave them one. */
#include "host.h"

#include <string.h>

struct fold_bytes host_file(const struct rec_segment *segment)
{
	const char *slash = strrchr(segment->file, '/'), *name = slash ? slash + 1 : segment->file;
	const char *suffix;
	size_t n;

	if (!strcmp(segment->file, "-"))
		name = "stdin";
	suffix = strstr(name, ".foldrec");
	n = suffix && suffix > name && !suffix[strlen(".foldrec")] ? (size_t)(suffix - name) : strlen(name);
	return (struct fold_bytes){(const uint8_t *)name, n};
}

struct fold_bytes host_name(const struct recording *rec, uint32_t process)
{
	struct fold_bytes label = recording_label(rec, process, "host");

	return label.at ? label : host_file(&rec->segments[rec->processes[process].segment]);
}
