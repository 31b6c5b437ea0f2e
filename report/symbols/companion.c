/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for companions of a debug file.  A supplementary file is proven by
 * its build-id here; a split unit by its own id, where it is read.
 */
#include "companion.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/array.h"

/* What a file has to be: the id it must have, or none. */
struct wanted {
	const uint8_t *id;
	size_t id_size;
};

static Elf *keep(struct companions *c, struct elf_file *file)
{
	if (array_room(c->files, c->room, c->n + 1)) {
		elf_file_close(file);
		return NULL;
	}
	c->files[c->n++] = *file;
	return file->elf;
}

__attribute__((format(printf, 3, 4))) static Elf *try_path(struct companions *c, const struct wanted *want, const char *format, ...)
{
	struct elf_file file;
	va_list args;
	char *path;
	int err;

	va_start(args, format);
	err = vasprintf(&path, format, args);
	va_end(args);
	if (err < 0)
		return NULL;
	err = elf_file_open(&file, path);
	free(path);
	if (err)
		return NULL;
	if (!want->id_size || (file.gnu.size == want->id_size && !memcmp(file.gnu.bytes, want->id, want->id_size)))
		return keep(c, &file);
	elf_file_close(&file);
	return NULL;
}

static int directory_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Beside the debug file, in the sysroot, on this machine, in the given trees. */
static Elf *try_name(struct companions *c, const struct wanted *want, const char *dir, const char *name)
{
	const struct locator_options *o = locator_options(c->locator);
	const char *slash = dir && *name != '/' ? "/" : "";
	Elf *elf = NULL;

	if (!dir || *name == '/')
		dir = "";
	if (*name != '/')
		elf = try_path(c, want, "%.*s/%s", directory_size(c->near), c->near, name);
	if (!elf)
		elf = try_path(c, want, "%.*s/%s", directory_size(c->near), c->near, base_name(name));
	for (size_t i = 0; i < o->ndirs && !elf; i++)
		elf = try_path(c, want, "%s/%s", o->dirs[i], base_name(name));
	if (!elf && o->sysroot)
		elf = try_path(c, want, "%s/%s%s%s", o->sysroot, dir, slash, name);
	if (!elf && !o->no_system && (*dir == '/' || *name == '/'))
		elf = try_path(c, want, "%s%s%s", dir, slash, name);
	return elf;
}

static Elf *find_supplement(void *context, const char *name, const uint8_t *id, size_t id_size)
{
	struct companions *c = context;
	struct wanted want = {id, id_size};
	struct elf_file file;
	Elf *elf;

	if (!id_size)
		return NULL;
	elf = try_name(c, &want, NULL, name);
	if (!elf && !locate_by_id(c->locator, id, id_size, &file))
		elf = keep(c, &file);
	return elf;
}

/* "prog.dwp" for prog and for prog.debug. */
static Elf *find_package(struct companions *c)
{
	struct wanted want = {0};
	size_t n = strlen(c->near);
	char *name = NULL;
	Elf *elf;

	elf = try_path(c, &want, "%s.dwp", c->near);
	if (!elf && n > 6 && !strcmp(c->near + n - 6, ".debug"))
		elf = try_path(c, &want, "%.*s.dwp", (int)(n - 6), c->near);
	if (!elf && asprintf(&name, "%s.dwp", base_name(c->near)) >= 0) {
		elf = try_name(c, &want, NULL, name);
		free(name);
	}
	return elf;
}

static Elf *find_split(void *context, const char *comp_dir, const char *path)
{
	struct wanted want = {0};

	return path ? try_name(context, &want, comp_dir, path) : find_package(context);
}

struct dwarf_finder companions_finder(struct companions *c)
{
	return (struct dwarf_finder){c, find_supplement, find_split};
}

void companions_release(struct companions *c)
{
	for (size_t i = 0; i < c->n; i++)
		elf_file_close(&c->files[i]);
	free(c->files);
	memset(c, 0, sizeof(*c));
}
