/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: the texts that the recorder reads while it has privileges.  Byte 0
 * chooses which one: maps, stat, modules, lines of a perf map, kallsyms, a perf map
 * from somewhere on; 255: what the kernel prints for an address.
 */
#include "../../record/census.h"
#include "../../record/perfmap.h"
#include "../../record/kernel.h"
#include "../../record/lines.h"
#include "../../record/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAMES 6 /* the kind of what byte 255 chooses */

static void require(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "a parser breaks its promise: %s\n", what);
	abort();
}

/* `s` lies in the line, and ends there. */
static void within(const char *s, const char *line, size_t n, const char *what)
{
	require(s >= line && s <= line + n && s + strlen(s) <= line + n, what);
}

static void one_name(char *line, size_t n)
{
	const uint64_t address = UINT64_C(0xffffffff81000100);
	struct kernel_symbol sym;

	if (!names_parse(line, address, &sym))
		return;
	within(sym.name, line, n, "name of a function");
	require(*sym.name && strncmp(sym.name, "0x", 2) != 0, "a number is no name");
	require(sym.start <= address && address - sym.start < sym.size && sym.start + sym.size > sym.start, "a function is around its address");
}

static void one_line(unsigned kind, char *line, size_t n)
{
	struct perfmap_line perfmap;
	struct modules_line module;
	struct event_mmap map;
	struct stat_line stat;

	if (kind == 0 && maps_parse(line, &map)) {
		require(map.length && map.start + map.length > map.start, "a mapping has an end");
		if (strcmp(map.path, "//anon") != 0)
			within(map.path, line, n, "path of a mapping");
	}
	if (kind == 1)
		stat_parse(line, &stat);
	if (kind == NAMES)
		one_name(line, n);
	if (kind == 2 && modules_parse(line, &module))
		within(module.name, line, n, "name of a module");
	if (kind == 3 && perfmap_parse(line, &perfmap)) {
		within(perfmap.name, line, n, "name of a function");
		require(*perfmap.name && perfmap.start + perfmap.size >= perfmap.start, "a function has a name and an end");
	}
}

/* The bytes as a file, open at its beginning; the same one each time. */
static int as_file(const uint8_t *data, size_t size)
{
	static int file = -1;
	static size_t before;
	int fd;

	if (file < 0)
		file = memfd_create("fuzz", MFD_CLOEXEC);
	require(pwrite(file, data, size, 0) == (ssize_t)size && (size >= before || !ftruncate(file, (off_t)size)), "a file in memory");
	before = size;
	fd = dup(file);
	require(fd >= 0 && !lseek(fd, 0, SEEK_SET), "a file in memory");
	return fd;
}

static void all_kallsyms(int fd)
{
	struct kallsyms k;

	require(!kallsyms_load(&k, fd), "kallsyms can be loaded");
	for (size_t i = 0; i < k.n; i++) {
		require(k.v[i].end > k.v[i].start || k.v[i].end == UINT64_MAX, "a symbol has an end");
		require(!i || k.v[i - 1].end <= k.v[i].start, "symbols are sorted");
		require(k.v[i].name + strlen(k.names + k.v[i].name) < k.names_size, "a symbol has a name");
		require(kallsyms_find(&k, k.v[i].start) == &k.v[i] || k.v[i].end == k.v[i].start, "a symbol is found");
	}
	kallsyms_release(&k);
}

/* A map that is read on from somewhere: a line's place is where its bytes are. */
static void all_perfmap(const uint8_t *data, size_t size)
{
	uint64_t from = size ? data[0] : 0, last = from;
	struct perfmap_line line;
	struct perfmap map;

	require(!perfmap_begin(&map, as_file(data, size), from), "a map is opened");
	while (perfmap_next(&map, &line)) {
		require(map.at >= last && map.next > map.at && map.next <= size && data[map.next - 1] == '\n', "a line has a place");
		last = map.next;
	}
	perfmap_end(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned kind = !size ? 0 : data[0] == UINT8_MAX ? NAMES : data[0] % 6;
	struct lines lines;
	size_t n;

	if (!size)
		return 0;
	if (kind == 4) {
		all_kallsyms(as_file(data + 1, size - 1));
		return 0;
	}
	if (kind == 5) {
		all_perfmap(data + 1, size - 1);
		return 0;
	}
	require(!lines_init(&lines, as_file(data + 1, size - 1)), "lines");
	for (char *line; (line = lines_next(&lines, &n));) {
		/* a copy of just its size, so that a byte too far is seen */
		char *copy = malloc(n + 1);

		require(copy != NULL, "memory");
		memcpy(copy, line, n + 1);
		one_line(kind, copy, n);
		free(copy);
	}
	lines_release(&lines);
	return 0;
}
