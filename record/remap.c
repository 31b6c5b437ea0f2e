/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks /proc/PID/maps, all lines of it: what is left of the file need not be code. */
#include "remap.h"
#include "census.h"
#include "lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

bool remap_proven(const char *proc, uint32_t pid, const char *path, uint64_t bias, uint64_t start, uint64_t end)
{
	struct event_mmap map;
	struct lines lines;
	char name[4096];
	bool found = false;
	size_t n;

	if ((size_t)snprintf(name, sizeof(name), "%s/%u/maps", proc, pid) >= sizeof(name) ||
	    lines_init(&lines, open(name, O_RDONLY | O_CLOEXEC)))
		return false;
	for (char *line; !found && (line = lines_next(&lines, &n));)
		found = maps_parse(line, &map) && map.offset - map.start == bias && (map.start < start || map.start >= end) &&
			!strcmp(map.path, path);
	lines_release(&lines);
	return found;
}
